"""Connections to a SQLite file: those that read take turns, and one writes.

Only one can write at a time, so there is one connection for it, which keeps what it has prepared and cached.
"""

from __future__ import annotations

import sqlite3
from time import monotonic, sleep
from types import TracebackType

from eventsourcing.persistence import (
    ConnectionPoolClosedError,
    ConnectionUnavailableError,
    InterfaceError,
    OperationalError,
)
from eventsourcing.sqlite import SQLiteConnection, SQLiteConnectionPool, SQLiteCursor, SQLiteTransaction

from ledger.store.sqlite_schema import LOCK_TIMEOUT_SECONDS

_BETWEEN_TRIES_SECONDS = 0.02
_STATEMENTS_KEPT = 64
"""Prepared, on each connection: all that the ledger and its read tables say often."""


class LedgerConnectionPool(SQLiteConnectionPool):
    """Connections whose commits are on the disk when they return, whatever SQLite was compiled with."""

    synchronous = "FULL"
    _writer: SQLiteConnection | None = None

    def get_connection(
        self, timeout: float | None = None, *, is_writer: bool | None = None
    ) -> SQLiteConnection:
        """One to read by; or the one to write by, when it is free.

        Raises: ConnectionPoolClosedError, ConnectionUnavailableError, OperationalError.
        """
        if not is_writer or self.is_sqlite_memory_mode:  # in memory, readers keep out a writer
            return super().get_connection(timeout, is_writer=is_writer)
        if not self._writer_lock.acquire(timeout=self.pool_timeout if timeout is None else timeout):
            msg = "another thread is writing"
            raise ConnectionUnavailableError(msg)
        try:
            return self._the_writer()
        except BaseException:
            self._writer_lock.release()
            raise

    def _the_writer(self) -> SQLiteConnection:
        if self.closed:
            raise ConnectionPoolClosedError
        if self._writer is None:
            self._writer = self._create_connection()
        return self._writer

    def put_connection(self, conn: SQLiteConnection) -> None:
        """It is free again."""
        if conn is self._writer:
            self._writer_lock.release()
        else:
            super().put_connection(conn)

    def close(self) -> None:
        """Close all of them, whoever still has one."""
        super().close()
        if self._writer is not None:
            self._writer.close()

    def _create_connection(self) -> SQLiteConnection:
        # The library's connections remember one statement; a save of ours takes four.
        patience = monotonic() + LOCK_TIMEOUT_SECONDS
        try:
            connection = sqlite3.connect(
                self.db_name,
                uri=True,
                check_same_thread=False,
                isolation_level=None,
                timeout=LOCK_TIMEOUT_SECONDS,
                cached_statements=_STATEMENTS_KEPT,
            )
        except sqlite3.Error as error:
            raise InterfaceError(error) from error
        while True:
            try:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute(f"PRAGMA synchronous={self.synchronous}")
            except sqlite3.Error as error:
                # The change to WAL takes a lock that SQLite does not wait for: others may be making it.
                if "locked" not in str(error) or monotonic() > patience:
                    connection.close()
                    raise OperationalError(error) from error
                sleep(_BETWEEN_TRIES_SECONDS)
            else:
                connection.row_factory = sqlite3.Row
                return SQLiteConnection(connection, self.max_age)


class ImmediateTransaction(SQLiteTransaction):
    """Takes the writers' lock at once, so that what it reads still holds when it writes."""

    def __enter__(self) -> SQLiteCursor:
        cursor = self.connection.cursor()
        try:
            cursor.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            raise OperationalError(error) from error
        return cursor


class Writing:
    """A transaction that takes the writers' lock at once. Its cursor gives plain tuples.

    Raises: what the library raises for errors of SQLite.
    """

    __slots__ = ("_connection", "_pool", "_transaction")

    def __init__(self, pool: SQLiteConnectionPool) -> None:
        self._pool = pool

    def __enter__(self) -> sqlite3.Cursor:
        self._connection = self._pool.get_connection(is_writer=True)
        try:
            self._transaction = ImmediateTransaction(self._connection, commit=True)
            cursor = self._transaction.__enter__().sqlite_cursor
        except BaseException:
            self._pool.put_connection(self._connection)
            raise
        cursor.row_factory = None
        return cursor

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        try:
            self._transaction.__exit__(exc_type, exc_val, exc_tb)
        finally:
            self._pool.put_connection(self._connection)
