"""What is PostgreSQL's alone: connections that are lost, addresses and passwords, how its SQL is written."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from eventsourcing.persistence import IntegrityError, PersistenceError

from ledger.errors import NotALedger
from ledger.store import postgres as module
from ledger.store.port import ReadTables, Row
from ledger.store.postgres import PostgresLedgerRecorder
from ledger.store.postgres_append import COPY_ROWS, append
from ledger.store.postgres_connections import Conn, settings_of
from ledger.store.postgres_read_tables import PostgresReadTables, open_read_tables
from ledger.store.postgres_sql import for_postgres
from tests import postgres
from tests.contracts.elsewhere import PATIENCE_SECONDS
from tests.contracts.recorder import everything, places
from tests.contracts.writers import row

from .postgres_records import open_record


@pytest.fixture
def record(postgres_url: str) -> Iterator[PostgresLedgerRecorder]:
    recorder = open_record(postgres_url)
    recorder.append([row("a", 1)], {})
    yield recorder
    recorder.close()


@pytest.fixture
def tables(postgres_url: str) -> Iterator[PostgresReadTables]:
    opened = open_read_tables(postgres_url)
    yield opened
    opened.close()


# --- A connection is lost ------------------------------------------------------------------------------


def cut(url: str, connection: Conn) -> None:
    """Take a connection's server process away, as a restart does; then notice it."""
    postgres.change(url, "SELECT pg_terminate_backend(%s, 5000)", (connection.info.backend_pid,))


def cut_once(
    monkeypatch: pytest.MonkeyPatch, url: str, *, after: bool, meanwhile: Callable[[], object]
) -> None:
    """The next save loses its connection, before it reaches the server or after its commit."""

    def first_time(connection: Conn, *arguments: object, copies: bool) -> int:
        monkeypatch.setattr(module, "append", append)
        if after:
            append(connection, *arguments, copies=copies)  # type: ignore[arg-type]
        cut(url, connection)
        meanwhile()
        connection.execute("SELECT 1")
        raise AssertionError

    monkeypatch.setattr(module, "append", first_time)


@pytest.mark.parametrize("events", [2, COPY_ROWS])
@pytest.mark.parametrize("after", [False, True], ids=["before-commit", "answer-lost"])
def test_a_save_whose_connection_is_lost_is_stored_once(
    record: PostgresLedgerRecorder,
    postgres_url: str,
    monkeypatch: pytest.MonkeyPatch,
    after: bool,
    events: int,
) -> None:
    """A commit whose answer was lost is no conflict with somebody else; also if others have saved since."""
    cut_once(
        monkeypatch,
        postgres_url,
        after=after,
        meanwhile=lambda: open_record(postgres_url).append([row("z")], {}),
    )
    rows = [row("b", version, b"%d" % version) for version in range(1, events + 1)]
    numbers = record.append(rows, {"a": 1}, {"b": None})
    assert numbers == (range(2, events + 2) if after else range(3, events + 3))
    assert [(found.version, found.state) for found in record.select_stream("b")] == [
        (new.version, new.state) for new in rows
    ]
    assert record.last_sequence() == events + 2


@pytest.mark.parametrize("theirs", [b"theirs", b"ours"])
def test_a_save_that_was_lost_is_a_conflict_where_somebody_else_was_first(
    record: PostgresLedgerRecorder, postgres_url: str, monkeypatch: pytest.MonkeyPatch, theirs: bytes
) -> None:
    """Even if one of two events is the same."""
    cut_once(
        monkeypatch,
        postgres_url,
        after=False,
        meanwhile=lambda: open_record(postgres_url).append([row("b", 1, theirs)], {}),
    )
    with pytest.raises(IntegrityError):
        record.append([row("b", 1, b"ours"), row("b", 2, b"ours")], {})
    assert places(everything(record)) == [(1, "a", 1), (2, "b", 1)]


def test_a_connection_that_was_cut_while_idle_is_not_used_again(
    record: PostgresLedgerRecorder, tables: ReadTables, postgres_url: str
) -> None:
    for _ in range(3):
        with record._connections.connection() as connection:
            cut(postgres_url, connection)
        assert record.last_sequence() == 1
    with tables.snapshot() as statements:
        ((pid,),) = statements.execute("SELECT pg_backend_pid()")
    postgres.change(postgres_url, "SELECT pg_terminate_backend(%s, 5000)", (pid,))
    with tables.transaction() as statements:
        statements.execute("CREATE TABLE takings (win BIGINT)")


def test_a_question_is_asked_again_where_the_connection_is_lost(
    record: PostgresLedgerRecorder, postgres_url: str
) -> None:
    asked = 0

    def question(connection: Conn) -> object:
        nonlocal asked
        asked += 1
        if asked == 1:
            cut(postgres_url, connection)
        return connection.execute("SELECT 1").fetchone()

    assert record._ask(question) == (1,)


# --- Isolation -----------------------------------------------------------------------------------------


def test_a_writer_who_would_not_see_what_others_committed_is_refused(
    record: PostgresLedgerRecorder, postgres_url: str
) -> None:
    """Its guards would be judged by an old moment, though it has the lock."""
    with psycopg.connect(postgres_url) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        with pytest.raises(psycopg.errors.InvalidTransactionState):
            connection.execute("SELECT ledger_append('{b}', '{1}', '{t}', '{s}', '{}', '{}', '{}', '{}')")
    assert record.last_sequence() == 1


def test_a_table_takes_anothers_place_when_whoever_reads_has_finished(
    tables: PostgresReadTables, postgres_url: str
) -> None:
    """A snapshot keeps the old table to its end; who comes later finds the new one, never one half filled."""
    with tables.transaction() as statements:
        statements.execute("CREATE TABLE takings (win BIGINT)")
        statements.execute("INSERT INTO takings VALUES (1)")

    def exchange() -> None:
        with tables.transaction() as statements:
            statements.execute("CREATE TABLE fresh (win BIGINT)")
            statements.execute("INSERT INTO fresh VALUES (2)")
            statements.execute("DROP TABLE takings")
            statements.execute("ALTER TABLE fresh RENAME TO takings")

    with ThreadPoolExecutor(2) as threads:
        with tables.snapshot() as before:
            exchanged = threads.submit(exchange)
            time.sleep(0.2)  # time to come as far as the gate
            assert before.execute("SELECT win FROM takings") == [(1,)]
            assert not exchanged.done()
        exchanged.result(PATIENCE_SECONDS)
    with tables.snapshot() as after:
        assert after.execute("SELECT win FROM takings") == [(2,)]


# --- Addresses -----------------------------------------------------------------------------------------

PASSWORD = "sesame-4711"


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://cage:{PASSWORD}@localhost:1/ledger",
        f"postgresql://cage:{PASSWORD}@no-such-host.invalid/ledger",
        f"postgresql://localhost:1/ledger?user=cage&password={PASSWORD}",
        f"postgresql://cage:{PASSWORD}@localhost:1/ledger?no_such_setting=1",
        f"postgresql://cage:{PASSWORD}@@localhost:{PASSWORD}/ledger",
        f"postgresql://cage:{PASSWORD}/x@localhost/ledger",
        f"postgresql://cage@[{PASSWORD}/ledger",
    ],
)
def test_a_password_is_in_no_error(url: str) -> None:
    with pytest.raises((NotALedger, PersistenceError)) as caught:
        open_record(url)
    assert PASSWORD not in "".join(traceback.format_exception(caught.value))


def test_no_error_quotes_a_row(tables: PostgresReadTables) -> None:
    """A row may say who a patron is; the server would tell it to whoever reads the error."""
    with tables.transaction() as statements:
        statements.execute("CREATE TABLE patrons (patron TEXT PRIMARY KEY, stakes BIGINT NOT NULL)")
        statements.execute("INSERT INTO patrons VALUES (?, ?)", ("p-4711", 1))
    for row_ in (("p-4711", 2), ("p-4711", None)):
        with pytest.raises(IntegrityError) as caught, tables.transaction() as statements:
            statements.execute("INSERT INTO patrons VALUES (?, ?)", row_)
        assert "4711" not in "".join(traceback.format_exception(caught.value))


def test_where_no_ledger_is_the_error_says_how_one_is_made(postgres_schema: str) -> None:
    with pytest.raises(NotALedger, match="db upgrade"):
        open_record(postgres_schema)


def test_a_schema_that_is_not_there_is_told(postgres_server: str) -> None:
    sign = "&" if "?" in postgres_server else "?"
    with pytest.raises(NotALedger):
        open_record(f"{postgres_server}{sign}options=-csearch_path%3Dnowhere")


def test_what_the_address_says_goes_before_what_is_usual() -> None:
    said = settings_of("postgresql://h/d?connect_timeout=3&application_name=relay&client_encoding=latin1")
    assert (said["connect_timeout"], said["application_name"]) == ("3", "relay")
    assert said["client_encoding"] == "utf8"


# --- The same SQL on both engines ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("portable", "written"),
    [
        ("SELECT ?, ?", "SELECT $1, $2"),
        ("SELECT '?', \"?\", ? -- ?\n, ?", "SELECT '?', \"?\", $1 -- ?\n, $2"),
        ("SELECT 'it''s ?', ? /* ? \n ? */, ?", "SELECT 'it''s ?', $1 /* ? \n ? */, $2"),
        ("SELECT '100 %' WHERE name LIKE ? || '%s'", "SELECT '100 %' WHERE name LIKE $1 || '%s'"),
        ("SELECT CAST(? AS TEXT)", "SELECT CAST($1 AS TEXT)"),
        (
            'CREATE TABLE "text" (text_a TEXT NOT NULL, b text)',
            'CREATE TABLE "text" (text_a TEXT COLLATE "C" NOT NULL, b TEXT COLLATE "C")',
        ),
    ],
)
def test_marks_are_numbered_and_quoted_text_is_left_alone(portable: str, written: str) -> None:
    assert for_postgres(portable) == written


def test_per_cent_signs_and_question_marks_in_text_go_through(tables: PostgresReadTables) -> None:
    with tables.snapshot() as statements:
        assert statements.execute("SELECT '?%s%%', ? || '%'", ("?",)) == [("?%s%%", "?%")]


def test_values_come_back_as_they_do_from_sqlite(tables: PostgresReadTables) -> None:
    """Whole numbers, text, bytes: never a Decimal, a truth or a view of memory."""
    with tables.transaction() as statements:
        statements.execute("CREATE TABLE takings (name TEXT PRIMARY KEY, win BIGINT, hash BYTEA)")
        statements.executemany(
            "INSERT INTO takings VALUES (?, ?, ?)",
            [("a", 2**62, b"\x00\xff"), ("b", True, None), ("Ä", None, b"")],
        )
        found = statements.execute("SELECT name, win, hash, win > 5 FROM takings ORDER BY name")
        ((total,),) = statements.execute("SELECT SUM(win) FROM takings")
    assert found == [("a", 2**62, b"\x00\xff", 1), ("b", 1, None, 0), ("Ä", None, b"", None)]
    assert total == 2**62 + 1
    assert {type(value) for line in found for value in line} == {str, int, bytes, type(None)}
    assert type(total) is int


def test_text_sorts_by_code_points(tables: PostgresReadTables) -> None:
    names = ["B", "a", "Z", "b", "é", "É", "z", "-", "_", "\uffee", "\U0001f0a1", "10", "9"]
    with tables.transaction() as statements:
        statements.execute("CREATE TABLE takings (name TEXT PRIMARY KEY)")
        statements.executemany("INSERT INTO takings VALUES (?)", [(name,) for name in names])
        found = statements.execute("SELECT name FROM takings ORDER BY name")
        above = statements.execute("SELECT name FROM takings WHERE name > CAST(? AS TEXT) ORDER BY 1", ("Z",))
    assert [name for (name,) in found] == sorted(names)
    assert [name for (name,) in above] == sorted(name for name in names if name > "Z")


def test_a_name_with_a_character_that_no_server_keeps_is_an_error_of_the_library(
    record: PostgresLedgerRecorder,
) -> None:
    for name in ("a\x00b", "a\ud800b"):
        with pytest.raises(PersistenceError):
            record.append([row(name)], {})
    assert everything(record) == [Row(1, "a", 1, "test.v1", b"{}")]
