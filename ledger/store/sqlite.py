"""The record on SQLite: one file, WAL, every commit of the record on the disk.

The sequence is a primary key of our own: SQLite may renumber bare rowids when a file is vacuumed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from eventsourcing.persistence import IntegrityError, Notification, StoredEvent
from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteFactory, SQLiteTransaction

from ledger.errors import RecordMoved
from ledger.store.port import ANY_TIME, NOTHING, NewRow, Row
from ledger.store.sqlite_connections import LedgerConnectionPool, Writing
from ledger.store.sqlite_schema import (
    LOCK_TIMEOUT_SECONDS,
    check_not_somebody_elses,
    check_upgraded,
    take_steps,
    version_of,
)

_COLUMNS = "sequence, originator_id, originator_version, topic, state"
_AFTER_EVERY_NAME = "\U0010ffff"
_PARAMETERS_MAX = 500
"""Well under SQLite's limit of parameters in one statement."""
_INSERTED_MAX = 1024
"""Rows in one statement: a power of two. Since 3.32 the limit is 32,766 parameters."""


class SQLiteLedgerRecorder(SQLiteApplicationRecorder):
    """Keeps the record in the table `stored_events`, which refuses updates and deletes.

    A help against mistakes: `INSERT OR REPLACE` passes the triggers, and whoever owns the file can drop them.
    """

    def construct_create_table_statements(self) -> list[str]:
        return []  # `create_table` takes the steps of the schema

    def create_table(self) -> None:
        """Make the record in an empty file; know it again in one of ours.

        Raises:
            NotALedger: the file is a database of something else, or of another version of the ledger.
        """
        path = self.datastore.pool.db_name
        with self._reading() as cursor:
            version = version_of(cursor, path)
        if not version:
            with self._writing() as cursor:
                version = version_of(cursor, path)  # another process may have been first
                if not version:
                    take_steps(cursor, 0)
                    return
        check_upgraded(version, path)

    def _writing(self) -> Writing:
        return Writing(self.datastore.pool)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Cursor]:
        with (
            self.datastore.get_connection(commit=False) as connection,
            SQLiteTransaction(connection) as cursor,
            cursor as plain,
        ):
            plain.row_factory = None
            yield plain

    # --- The library's port --------------------------------------------------------------------------

    def insert_events(self, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int]:
        rows = [
            NewRow(str(event.originator_id), event.originator_version, event.topic, event.state)
            for event in stored_events
        ]
        return list(self.append(rows, {}))

    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[Notification]:
        after = 0 if start is None else start - 1 if inclusive_of_start else start
        rows = self.select_rows(after, limit, topics)
        return [
            Notification(row.stream, row.version, row.topic, row.state, row.sequence)
            for row in rows
            if stop is None or row.sequence <= stop
        ]

    # --- The ledger's port: see ledger.store.port.LedgerRecorder ---------------------------------------

    def append(
        self,
        rows: Sequence[NewRow],
        guards: Mapping[str, int],
        latest: Mapping[str, str | None] = NOTHING,
        unmoved: Mapping[str, int] = ANY_TIME,
    ) -> range:
        with self._writing() as cursor:
            first = self._check_guards(cursor, guards) + 1
            for prefix, last in latest.items():
                if self._last_stream(cursor, prefix) != last:
                    msg = f"{last} is no longer the last of {prefix}"
                    raise IntegrityError(msg)
            for prefix, position in unmoved.items():
                self._check_unmoved(cursor, prefix, position)
            self._insert(cursor, first, rows)
        return range(first, first + len(rows))

    def _insert(self, cursor: sqlite3.Cursor, first: int, rows: Sequence[NewRow]) -> None:
        """Many rows a statement: while SQLite runs it, other threads may run."""
        at = 0
        while left := len(rows) - at:
            count = min(1 << left.bit_length() - 1, _INSERTED_MAX)  # so there are few statements to prepare
            parameters: list[Any] = []
            for sequence, row in enumerate(rows[at : at + count], first + at):
                parameters.append(sequence)
                parameters += row
            cursor.execute(_inserting(self.events_table_name, count), parameters)
            at += count

    def select_stream(self, stream: str) -> list[Row]:
        return self._rows("WHERE originator_id = ? ORDER BY originator_version", (stream,))

    def select_first(self, streams: Sequence[str]) -> dict[str, Row]:
        found: dict[str, Row] = {}
        for start in range(0, len(streams), _PARAMETERS_MAX):
            portion = streams[start : start + _PARAMETERS_MAX]
            marks = ",".join("?" * len(portion))
            rows = self._rows(f"WHERE originator_version = 1 AND originator_id IN ({marks})", portion)
            found |= {row.stream: row for row in rows}
        return found

    def last_stream(self, prefix: str) -> str | None:
        with self._reading() as cursor:
            return self._last_stream(cursor, prefix)

    def _last_stream(self, cursor: sqlite3.Cursor, prefix: str) -> str | None:
        found = cursor.execute(
            f"SELECT originator_id FROM {self.events_table_name} "
            "WHERE originator_id >= ? AND originator_id < ? ORDER BY originator_id DESC LIMIT 1",
            (prefix, prefix + _AFTER_EVERY_NAME),
        ).fetchone()
        return found[0] if found else None

    def _check_guards(self, cursor: sqlite3.Cursor, guards: Mapping[str, int]) -> int:
        """The last sequence, if each stream is at its version: one statement asks all of it."""
        streams = list(guards)
        last = 0
        for start in range(0, len(streams) or 1, _PARAMETERS_MAX):
            portion = streams[start : start + _PARAMETERS_MAX]
            last, *found = cursor.execute(_standing(self.events_table_name, len(portion)), portion).fetchone()
            for stream, version in zip(portion, found, strict=True):
                if (version or 0) != guards[stream]:
                    msg = f"{stream} is at version {version or 0}, not {guards[stream]}"
                    raise IntegrityError(msg)
        return last or 0

    def _check_unmoved(self, cursor: sqlite3.Cursor, prefix: str, position: int) -> None:
        moved = cursor.execute(
            f"SELECT originator_id FROM {self.events_table_name} WHERE sequence > ? "
            "AND originator_id >= ? AND originator_id < ? ORDER BY sequence LIMIT 1",
            (position, prefix, prefix + _AFTER_EVERY_NAME),
        ).fetchone()
        if moved:
            raise RecordMoved(moved[0], position)

    def select_rows(self, after: int, limit: int, topics: Sequence[str] = ()) -> list[Row]:
        wanted = f"AND topic IN ({','.join('?' * len(topics))})" if topics else ""
        return self._rows(f"WHERE sequence > ? {wanted} ORDER BY sequence LIMIT ?", (after, *topics, limit))

    def last_sequence(self) -> int:
        with self._reading() as cursor:
            return _last_sequence(cursor, self.events_table_name)

    def _rows(self, clause: str, parameters: Sequence[Any]) -> list[Row]:
        sql = f"SELECT {_COLUMNS} FROM {self.events_table_name} {clause}"
        with self._reading() as cursor:
            return list(map(Row._make, cursor.execute(sql, parameters)))


@lru_cache(maxsize=_INSERTED_MAX)
def _inserting(table: str, rows: int) -> str:
    """The statement that inserts so many rows."""
    return f"INSERT INTO {table} ({_COLUMNS}) VALUES {','.join(['(?,?,?,?,?)'] * rows)}"


@lru_cache(maxsize=_PARAMETERS_MAX + 1)
def _standing(table: str, streams: int) -> str:
    """The statement that asks for the last sequence, and for the versions of so many streams."""
    its_version = f", (SELECT MAX(originator_version) FROM {table} WHERE originator_id = ?)"
    return f"SELECT (SELECT MAX(sequence) FROM {table}){its_version * streams}"


class LedgerFactory(SQLiteFactory):
    """Makes the recorder, on connections of the pool above. The library finds it by `PERSISTENCE_MODULE`."""

    application_recorder_class = SQLiteLedgerRecorder

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        check_not_somebody_elses(self.datastore.pool.db_name)
        self.datastore.pool.close()
        self.datastore.pool = LedgerConnectionPool(
            db_name=self.datastore.pool.db_name,
            lock_timeout=LOCK_TIMEOUT_SECONDS,
            pool_timeout=LOCK_TIMEOUT_SECONDS,  # a thread that waits for the file holds up the others
        )


def _last_sequence(cursor: sqlite3.Cursor, table: str) -> int:
    ((last,),) = cursor.execute(f"SELECT COALESCE(MAX(sequence), 0) FROM {table}")
    return int(last)
