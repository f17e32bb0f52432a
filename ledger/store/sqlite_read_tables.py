"""The read tables on SQLite, in the record's file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from eventsourcing.sqlite import SQLiteConnection, SQLiteDatastore, SQLiteTransaction

from ledger.store.port import Lazily
from ledger.store.sqlite_connections import ImmediateTransaction, LedgerConnectionPool
from ledger.store.sqlite_schema import LOCK_TIMEOUT_SECONDS


class _SQLiteStatements:
    """Runs statements on one cursor. See ledger.store.port.Statements."""

    def __init__(self, cursor: sqlite3.Cursor) -> None:
        self._cursor = cursor

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self._cursor.execute(sql, parameters).fetchall()

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        self._cursor.executemany(sql, rows)


class SQLiteReadTables:
    """The projections' tables, in the same file. See ledger.store.port.ReadTables."""

    def __init__(self, path: str) -> None:
        pool = LedgerConnectionPool(
            db_name=path, lock_timeout=LOCK_TIMEOUT_SECONDS, pool_timeout=LOCK_TIMEOUT_SECONDS
        )
        self._datastore = SQLiteDatastore(db_name=path)
        self._datastore.pool.close()
        self._datastore.pool = pool

    @contextmanager
    def transaction(self) -> Iterator[_SQLiteStatements]:
        with self._writing("FULL") as statements:
            yield statements

    def lazily(self) -> Lazily:
        """The same tables, whose transactions are not waited for."""
        return Lazily(lambda: self._writing("NORMAL"), self.snapshot)

    @contextmanager
    def _writing(self, synchronous: str) -> Iterator[_SQLiteStatements]:
        with (
            self._datastore.get_connection(commit=True) as connection,
            _synchronous(connection, synchronous),
            ImmediateTransaction(connection, commit=True) as cursor,
            cursor as plain,
        ):
            plain.row_factory = None
            yield _SQLiteStatements(plain)

    @contextmanager
    def snapshot(self) -> Iterator[_SQLiteStatements]:
        with (
            self._datastore.get_connection(commit=False) as connection,
            SQLiteTransaction(connection) as cursor,
            cursor as plain,
        ):
            plain.row_factory = None
            yield _SQLiteStatements(plain)

    def close(self) -> None:
        """Give the connections back."""
        self._datastore.close()


@contextmanager
def _synchronous(connection: SQLiteConnection, synchronous: str) -> Iterator[None]:
    """So long are commits waited for. Each transaction says so for itself: connections are shared."""
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA synchronous={synchronous}")
    yield
