"""What is SQLite's alone: how commits reach the disk, what the file refuses, and files that are no ledger."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest
from eventsourcing.persistence import PersistenceError

from ledger.errors import NotALedger
from ledger.store.sqlite import SQLiteLedgerRecorder
from ledger.store.sqlite_read_tables import SQLiteReadTables
from tests.contracts.writers import row

from .sqlite_files import open_record

FULL = 2
"""What PRAGMA synchronous answers when every commit is on the disk before it returns."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


@contextmanager
def opened(path: Path | str) -> Iterator[SQLiteLedgerRecorder]:
    recorder = open_record(path)
    try:
        yield recorder
    finally:
        recorder.datastore.close()


@pytest.fixture
def record(path: Path) -> Iterator[SQLiteLedgerRecorder]:
    """A record of three events."""
    with opened(path) as recorder:
        recorder.append([row("a", 1, b"1"), row("a", 2, b"2"), row("b", 1, b"3")], {})
        yield recorder


# --- To the disk ---------------------------------------------------------------------------------------


def test_every_connection_puts_every_commit_on_the_disk(record: SQLiteLedgerRecorder) -> None:
    """Design §9: WAL and synchronous=FULL, whatever SQLite was compiled with, for later connections too."""
    pool = record.datastore.pool
    with ExitStack() as stack:
        for _ in range(pool.pool_size + 2):
            connection = pool.get_connection(is_writer=False)
            stack.callback(pool.put_connection, connection)
            for pragma, expected in (("journal_mode", "wal"), ("synchronous", FULL)):
                cursor = connection.cursor()
                cursor.execute(f"PRAGMA {pragma}")
                assert cursor.fetchone()[0] == expected


def test_read_tables_in_the_same_process_do_not_weaken_the_record(
    path: Path, record: SQLiteLedgerRecorder
) -> None:
    tables = SQLiteReadTables(str(path))
    with tables.transaction() as statements:
        statements.execute("CREATE TABLE t (n BIGINT)")
    with record.datastore.get_connection(commit=True) as connection:
        cursor = connection.cursor()
        cursor.execute("PRAGMA synchronous")
        assert cursor.fetchone()[0] == FULL
    tables.close()


# --- For ever ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE stored_events SET state = x'00' WHERE sequence = 1",
        "UPDATE stored_events SET sequence = 9 WHERE sequence = 1",
        "UPDATE OR REPLACE stored_events SET originator_version = 2 WHERE sequence = 1",
        "DELETE FROM stored_events WHERE sequence = 3",
        "DELETE FROM stored_events",
    ],
)
def test_the_file_itself_refuses_to_change_an_event(
    path: Path, record: SQLiteLedgerRecorder, sql: str
) -> None:
    before = record.select_rows(0, 10)
    with closing(sqlite3.connect(path)) as connection, connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute(sql)
    assert record.select_rows(0, 10) == before


def test_the_sequence_is_the_same_after_a_vacuum(path: Path, record: SQLiteLedgerRecorder) -> None:
    """SQLite may number bare rowids anew; a hole, as after a repair, would show it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DROP TRIGGER stored_events_no_delete")
        connection.execute("DELETE FROM stored_events WHERE sequence = 2")
        connection.execute("VACUUM")
    assert [(found.sequence, found.stream) for found in record.select_rows(0, 10)] == [(1, "a"), (3, "b")]


# --- Files that are no ledger --------------------------------------------------------------------------


def a_letter(path: Path) -> Path:
    path.write_text("Dear Sirs, this is no database.\n" * 200, encoding="utf-8")
    return path


def a_directory(path: Path) -> Path | str:
    path.mkdir()
    return path


def nowhere(path: Path) -> Path | str:
    return path / "no" / "such" / "folder.db"


def a_damaged_ledger(path: Path) -> Path | str:
    with opened(path) as recorder:
        recorder.append([row("a", version, b"x" * 500) for version in range(1, 200)], {})
    content = path.read_bytes()
    path.write_bytes(content[:100] + b"\xff" * (len(content) - 100))
    return path


def a_file_that_may_only_be_read(path: Path) -> Path | str:
    with opened(path) as recorder:
        recorder.append([row("a", 1)], {})
    return f"file:{path}?mode=ro"


def somebody_elses_database(path: Path, application_id: int = 0) -> Path:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE addresses (name TEXT)")
        connection.execute(f"PRAGMA application_id = {application_id}")
    return path


def another_programs_file(path: Path) -> Path:
    return somebody_elses_database(path, application_id=252006674)


NO_LEDGERS = [a_directory, nowhere, a_damaged_ledger, a_file_that_may_only_be_read]


@pytest.mark.parametrize("made", NO_LEDGERS)
def test_what_cannot_be_written_as_a_ledger_gives_an_error_of_the_library(
    path: Path, made: Callable[[Path], Path | str]
) -> None:
    """Port: whatever an engine's driver raises comes out as one of the library's persistence errors."""
    name = made(path)
    with pytest.raises(PersistenceError), opened(name) as recorder:
        recorder.append([row("b", 1)], {})


@pytest.mark.parametrize("made", NO_LEDGERS)
def test_what_cannot_be_written_as_read_tables_gives_an_error_of_the_library(
    path: Path, made: Callable[[Path], Path | str]
) -> None:
    tables = SQLiteReadTables(str(made(path)))
    with pytest.raises(PersistenceError), tables.transaction() as statements:
        statements.execute("CREATE TABLE t (n BIGINT)")
    tables.close()


def test_a_ledger_that_may_only_be_read_is_read(path: Path) -> None:
    with opened(a_file_that_may_only_be_read(path)) as recorder:
        assert [found.stream for found in recorder.select_rows(0, 10)] == ["a"]


@pytest.mark.parametrize("made", [a_letter, somebody_elses_database, another_programs_file])
def test_somebody_elses_file_is_refused_by_name_and_left_as_it_was(
    path: Path, made: Callable[[Path], Path]
) -> None:
    before = made(path).read_bytes()
    with pytest.raises(NotALedger) as caught, opened(path):
        pass
    assert caught.value.path == str(path)
    assert path.read_bytes() == before
    assert [found.name for found in path.parent.iterdir()] == [path.name]


def test_a_ledger_of_another_schema_is_refused_by_its_version(
    path: Path, record: SQLiteLedgerRecorder
) -> None:
    """An older release must not write into a file whose shape it does not know."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA user_version = 999")
    with pytest.raises(NotALedger, match="999"), opened(path):
        pass


def test_an_empty_file_becomes_a_ledger(path: Path) -> None:
    path.touch()
    with opened(path) as recorder:
        assert recorder.append([row("a")], {}) == range(1, 2)
