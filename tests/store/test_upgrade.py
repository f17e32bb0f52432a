"""`db upgrade`: from nothing, from the first release, again, twice at once, and never back."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
from eventsourcing.persistence import OperationalError

from ledger.errors import NotALedger
from ledger.seal.leaf import leaf_hashes
from ledger.seal.tree import root_of
from ledger.store import postgres_schema as server_schema
from ledger.store import sqlite_schema
from ledger.store.port import LedgerRecorder, Row
from ops import engines
from ops.wiring import open_house
from tests import postgres
from tests.contracts.writers import row

from .postgres_records import open_record as open_postgres
from .sqlite_files import open_record as open_sqlite

HERE = Path(__file__).parent
ROWS = [
    Row(1, "coup/main/PB1/S-20/1", 1, "coup-opened.v1", b'{"cause":"c1"}'),
    Row(2, "coup/main/PB1/S-20/1", 2, "coup-settled.v1", b"\x00\xff\xc3\xa9"),
    Row(3, "command/c1", 1, "command-recorded.v1", b""),
    Row(4, "coup/main/pb1/\u00c9/1", 1, "coup-opened.v1", b'{"cause":"c2"}'),
]
"""What the dumps of the first release hold."""


class Engine(NamedTuple):
    """A place for a ledger of one engine.

    Attributes:
        db: as the setting names it.
        version: of this release's schema.
        first_release: puts the record of the first release there.
        open: the record that is there.
        later: puts it at a version that no release knows yet.
    """

    db: str
    version: int
    first_release: Callable[[], object]
    open: Callable[[], LedgerRecorder]
    later: Callable[[], object]


def _sqlite(path: Path) -> Engine:
    def run(script: str) -> None:
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(script)

    return Engine(
        str(path),
        sqlite_schema.SCHEMA_VERSION,
        lambda: run((HERE / "first_release_sqlite.sql").read_text("utf-8")),
        lambda: open_sqlite(path),
        lambda: run("PRAGMA user_version = 99"),
    )


def _postgres(url: str) -> Engine:
    def first_release() -> None:
        dump = (HERE / "first_release_postgres.sql").read_text("utf-8")
        ((schema,),) = postgres.change(url, "SELECT current_schema()")
        postgres.change(url, dump.replace("{schema}", schema))

    return Engine(
        url,
        server_schema.SCHEMA_VERSION,
        first_release,
        lambda: open_postgres(url),
        lambda: postgres.change(url, "INSERT INTO ledger_steps VALUES (99, 'later')"),
    )


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    if request.param == "sqlite":
        yield _sqlite(tmp_path / "ledger.db")
    else:
        yield _postgres(request.getfixturevalue("postgres_schema"))


def test_it_makes_a_ledger_where_there_is_none(engine: Engine) -> None:
    assert engines.upgrade(engine.db)[:2] == (0, engine.version)
    assert engine.open().append([row("a")], {}) == range(1, 2)


def test_it_may_be_repeated(engine: Engine) -> None:
    engines.upgrade(engine.db)
    engine.open().append([row("a")], {})
    for _ in range(2):
        assert engines.upgrade(engine.db)[:2] == (engine.version, engine.version)
    assert engine.open().last_sequence() == 1


def test_of_several_at_once_one_does_it(engine: Engine) -> None:
    with ThreadPoolExecutor(4) as threads:
        done = list(threads.map(engines.upgrade, [engine.db] * 4))
    assert sorted(one.before for one in done) == [0, *[engine.version] * 3]
    assert {one.after for one in done} == {engine.version}
    assert engine.open().last_sequence() == 0


def test_a_record_of_the_first_release_is_the_same_afterwards_and_goes_on(engine: Engine) -> None:
    engine.first_release()
    assert engines.upgrade(engine.db)[:2] == (1, engine.version)
    recorder = engine.open()
    found = recorder.select_rows(0, 100)
    assert found == ROWS
    assert root_of(leaf_hashes(found)) == root_of(leaf_hashes(ROWS))
    assert recorder.last_stream("coup/main/") == "coup/main/pb1/É/1"
    assert recorder.append([row("b")], {"command/c1": 1}) == range(5, 6)
    with open_house(engine.db) as house:
        assert house.ledger.record.last_sequence() == 5


def test_nothing_in_an_upgraded_store_differs_from_a_new_one(engine: Engine, tmp_path: Path) -> None:
    engine.first_release()
    engines.upgrade(engine.db)
    new = str(tmp_path / "new.db")
    sqlite_schema.upgrade(new)
    assert list(engines.storage_faults(engine.db, new, "__rebuilt")) == []


def test_a_newer_store_is_refused_and_told_apart(engine: Engine) -> None:
    engines.upgrade(engine.db)
    engine.later()
    for act in (lambda: engines.upgrade(engine.db), engine.open):
        with pytest.raises(NotALedger, match=f"version 99.*knows version {engine.version}"):
            act()


# --- Steps that are still to come ----------------------------------------------------------------------

NEXT = ("ALTER TABLE stored_events ADD COLUMN note TEXT", "CREATE TABLE premises (name TEXT)")
NOT_SQL = ("CREATE TABLE patrons (name TEXT)", "SELEKT")


def test_a_file_of_an_older_version_is_told_to_be_upgraded_and_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step that fails leaves the file as it was."""
    path = str(tmp_path / "ledger.db")
    open_sqlite(path).append([row("a")], {})
    steps = (*sqlite_schema.STEPS, NEXT)
    monkeypatch.setattr(sqlite_schema, "SCHEMA_VERSION", len(steps))
    with pytest.raises(NotALedger, match="db upgrade"):
        open_sqlite(path)
    with pytest.raises(OperationalError):
        sqlite_schema.upgrade(path, (*steps, NOT_SQL))
    assert sqlite_schema.upgrade(path, steps) == (len(steps) - 1, len(steps))
    assert open_sqlite(path).last_sequence() == 1
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT note FROM stored_events").fetchall() == [(None,)]


@pytest.mark.parametrize("version", range(1, server_schema.SCHEMA_VERSION))
def test_a_schema_of_an_older_version_is_told_to_be_upgraded_and_is(
    postgres_schema: str, version: int
) -> None:
    url = postgres_schema
    assert server_schema.upgrade(url, version)[:2] == (0, version)
    with pytest.raises(NotALedger, match="db upgrade"):
        open_postgres(url)
    with pytest.raises(NotALedger, match="db upgrade"), open_house(url, create=True):
        pass
    assert server_schema.upgrade(url)[:2] == (version, server_schema.SCHEMA_VERSION)
    assert open_postgres(url).append([row("a")], {}) == range(1, 2)


# --- What is not as the ledger makes it ------------------------------------------------------------------


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TRIGGER stored_events_for_ever ON stored_events",
        "ALTER TABLE stored_events DISABLE TRIGGER stored_events_for_ever",
        "ALTER TABLE stored_events ENABLE TRIGGER stored_events_for_ever",
        "CREATE TRIGGER also BEFORE INSERT ON stored_events FOR EACH ROW EXECUTE FUNCTION ledger_refuse()",
        "CREATE OR REPLACE FUNCTION ledger_refuse() RETURNS TRIGGER AS 'BEGIN END' LANGUAGE plpgsql",
        "ALTER FUNCTION ledger_append SECURITY INVOKER",
        "ALTER FUNCTION ledger_append RESET search_path",
        "CREATE FUNCTION ledger_other() RETURNS INTEGER LANGUAGE sql AS 'SELECT 1'",
        "ALTER TABLE stored_events DROP CONSTRAINT stored_events_originator_id_originator_version_key",
        "ALTER TABLE stored_events ADD COLUMN note TEXT",
        "ALTER TABLE stored_events ALTER COLUMN topic DROP NOT NULL",
        'ALTER TABLE stored_events ALTER COLUMN originator_id TYPE TEXT COLLATE "default"',
        "ALTER TABLE stored_events ALTER COLUMN sequence ADD GENERATED BY DEFAULT AS IDENTITY",
        "ALTER TABLE stored_events SET UNLOGGED",
        "ALTER TABLE stored_events ENABLE ROW LEVEL SECURITY",
        "CREATE RULE swallow AS ON INSERT TO stored_events DO INSTEAD NOTHING",
        "CREATE TABLE more () INHERITS (stored_events)",
        "GRANT INSERT ON stored_events TO ledger_writer",
        "GRANT UPDATE ON stored_events TO PUBLIC",
    ],
)
def test_what_somebody_has_changed_on_the_server_is_found(postgres_url: str, sql: str) -> None:
    assert list(engines.storage_faults(postgres_url, "", "")) == []
    postgres.change(postgres_url, sql)
    found = list(engines.storage_faults(postgres_url, "", ""))
    assert [fault.code for fault in found] == ["storage-damaged"], found
