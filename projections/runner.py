"""Folds the record into read tables: in batches, each event exactly once, resumable.

A batch's rows and the position after it are written in one transaction, and only if nobody moved the
position meanwhile. So a crash, a second runner or a restart can neither lose an event nor count it twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from ledger.errors import PositionMoved
from ledger.events.base import LedgerEvent
from ledger.events.catalogue import decode
from ledger.store.port import LedgerRecorder, ReadTables, Row, Statements

PAGE_EVENTS = 2_000
"""Events a batch: large enough that the transaction costs little, small enough to hold in memory."""

ATTEMPTS = 100
"""How often to go on from where another runner has come."""

POSITIONS = """
    CREATE TABLE IF NOT EXISTS projection_positions (
        projection TEXT PRIMARY KEY,
        position BIGINT NOT NULL
    )"""


class Projection(Protocol):
    """A read model. It is told events in the order of the record, and writes what they add to its tables.

    Attributes:
        name: stable; its position is kept under it.
        topics: the topics it folds; others only move its position.
        tables: the statements that create its tables, if they are not there.
    """

    @property
    def name(self) -> str: ...

    @property
    def topics(self) -> Sequence[str]: ...

    @property
    def tables(self) -> Sequence[str]: ...

    def fold(self, events: Sequence[LedgerEvent], statements: Statements) -> None:
        """Write what these events add, inside the transaction given."""


class Runner:
    """Keeps one projection up with the record."""

    def __init__(self, record: LedgerRecorder, tables: ReadTables, projection: Projection) -> None:
        self._record = record
        self._tables = tables
        self._projection = projection

    def create_tables(self) -> None:
        """Make the projection's tables and its position, if they are not there."""
        with self._tables.transaction() as statements:
            for sql in (POSITIONS, *self._projection.tables):
                statements.execute(sql)
            statements.execute(
                "INSERT INTO projection_positions VALUES (?, 0) ON CONFLICT DO NOTHING",
                (self._projection.name,),
            )

    def position(self) -> int:
        """The sequence of the last event folded; 0 before the first. The tables must have been made."""
        with self._tables.snapshot() as statements:
            rows = statements.execute(
                "SELECT position FROM projection_positions WHERE projection = ?",
                (self._projection.name,),
            )
        return int(rows[0][0]) if rows else 0

    def catch_up(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Fold everything that the record holds now. Returns the position reached.

        Args:
            progress: told (position, goal) after each batch.

        Raises:
            PositionMoved: another runner of this projection was first again and again.
            EventUnreadable, UnknownTopic: the record cannot be read; nothing of that batch is written.
        """
        self.create_tables()
        for _ in range(ATTEMPTS):
            try:
                return self._catch_up(progress)
            except PositionMoved:
                continue  # another runner is at it too: go on from where it has come
        return self._catch_up(progress)

    def _catch_up(self, progress: Callable[[int, int], None] | None) -> int:
        goal = self._record.last_sequence()
        position = self.position()
        while position < goal:
            rows = self._record.select_rows(position, PAGE_EVENTS, self._projection.topics)
            reached = rows[-1].sequence if len(rows) == PAGE_EVENTS else max(goal, *_last(rows))
            self._write(rows, position, reached)
            position = reached
            if progress is not None:
                progress(position, goal)
        return position

    def _write(self, rows: Sequence[Row], position: int, reached: int) -> None:
        events = [decode(row.topic, row.state, row.stream, row.version) for row in rows]
        with self._tables.transaction() as statements:
            moved = statements.execute(
                "UPDATE projection_positions SET position = ? "
                "WHERE projection = ? AND position = ? RETURNING position",
                (reached, self._projection.name, position),
            )
            if not moved:
                raise PositionMoved(self._projection.name, position)
            self._projection.fold(events, statements)


def _last(rows: Sequence[Row]) -> tuple[int, ...]:
    return (rows[-1].sequence,) if rows else (0,)
