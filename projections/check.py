"""Compares read tables with a rebuild: what the record adds up to, added up anew.

The rebuild goes into scratch tables of their own and follows a walk over the record that somebody else does;
so the record is read once for everything that is checked. A projection only writes (`Projection.fold`), so
what it writes can be taken down in one process (`Writes`) and put into the scratch tables in another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from eventsourcing.persistence import PersistenceError

from ledger.errors import LedgerError, PositionImpossible, ReadTableDiffers
from ledger.events.base import LedgerEvent
from ledger.events.catalogue import decode
from ledger.events.command import CommandRecorded
from ledger.store.port import LedgerRecorder, ReadTables, Statements, pages
from projections.runner import PAGE_EVENTS, Projection

_CREATED = re.compile(r"CREATE TABLE IF NOT EXISTS (\w+)")
_PAGE_ROWS = 10_000

Writes = list[tuple[str, list[Sequence[Any]]]]
"""What a projection wrote: statements, each with its rows, in order."""


class _Notebook:
    """Takes down what a projection writes. See ledger.store.port.Statements."""

    def __init__(self) -> None:
        self.writes: Writes = []

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        self.writes.append((sql, [parameters]))
        return []

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        self.writes.append((sql, list(rows)))


def writes_of(projection: Projection, events: Sequence[tuple[int, LedgerEvent]], upto: int) -> Writes:
    """What a projection writes for those of these events (with their sequences) that it folds.

    Args:
        projection: any.
        events: in order, also such as it does not fold.
        upto: a position; later events are left out.
    """
    wanted = [event for sequence, event in events if sequence <= upto and event.TOPIC in projection.topics]
    notebook = _Notebook()
    if wanted:
        projection.fold(wanted, notebook)
    return notebook.writes


class ReadTablesCheck:
    """One projection's live tables against a rebuild in scratch tables.

    Attributes:
        projection: which.
        kept: whether it has ever run; if not, there is nothing to compare.
        position: where it stood when the check began; `writes_of` goes up to there.
    """

    def __init__(self, live: ReadTables, scratch: ReadTables, projection: Projection) -> None:
        """Begin.

        Args:
            live: the tables that people read.
            scratch: empty tables on the same kind of engine, which sorts alike.
            projection: what to check.
        """
        self._live = live
        self._scratch = scratch
        self.projection = projection
        self.tables = tuple(name for sql in projection.tables for name in _CREATED.findall(sql))
        self.kept = any(map(self._exists, self.tables))
        self.position = self._position() if self.kept else 0
        with scratch.transaction() as statements:
            for sql in projection.tables:
                statements.execute(sql)

    def write(self, writes: Writes) -> None:
        """Put what the projection wrote into the scratch tables."""
        if writes:
            with self._scratch.transaction() as statements:
                for sql, rows in writes:
                    statements.executemany(sql, rows)

    def finish(self, record: LedgerRecorder) -> Iterator[LedgerError]:
        """What is wrong, when the writes of all events up to `position` are in.

        Follows the live tables if they have moved on meanwhile.
        """
        if not self.kept:
            return
        while True:
            with self._live.snapshot() as statements:
                moved_to = _position_in(statements, self.projection.name)
                if moved_to <= self.position:
                    yield from self._compare(record, statements, moved_to)
                    return
            if moved_to > record.last_sequence():
                yield _beyond(self.projection.name, moved_to)
                return
            for rows in pages(record, self.position, self.projection.topics, PAGE_EVENTS, moved_to):
                events = [
                    (row.sequence, decode(row.topic, row.state, row.stream, row.version)) for row in rows
                ]
                self.write(writes_of(self.projection, events, moved_to))
            self.position = moved_to

    def _compare(
        self, record: LedgerRecorder, statements: Statements, position: int
    ) -> Iterator[LedgerError]:
        name = self.projection.name
        if position < self.position:
            yield PositionImpossible(name, str(position), f"it was at {self.position} just now")
            return
        yield from self._check_position(record, position)
        for table in self.tables:
            yield from self._first_difference(table, statements)

    def _check_position(self, record: LedgerRecorder, position: int) -> Iterator[LedgerError]:
        """A batch ends with the record of a command, or with an event that the projection folds."""
        if position > record.last_sequence():
            yield _beyond(self.projection.name, position)
        elif position:
            rows = record.select_rows(position - 1, 1)
            if not rows or rows[0].topic not in {CommandRecorded.TOPIC, *self.projection.topics}:
                yield PositionImpossible(self.projection.name, str(position), "no batch ends there")

    def _first_difference(self, table: str, live: Statements) -> Iterator[LedgerError]:
        with self._scratch.snapshot() as scratch:
            columns = _columns(scratch, table) or _columns(live, table)
            pairs = zip_longest(_rows(live, table, columns), _rows(scratch, table, columns))
            for kept, rebuilt in pairs:
                if kept != rebuilt or list(map(type, kept)) != list(map(type, rebuilt)):
                    yield _difference(table, kept, rebuilt)
                    return

    def _exists(self, table: str) -> bool:
        try:
            with self._live.snapshot() as statements:
                statements.execute(f"SELECT 1 FROM {table} LIMIT 1")
        except PersistenceError:
            return False
        return True

    def _position(self) -> int:
        with self._live.snapshot() as statements:
            return _position_in(statements, self.projection.name)


def check_positions(live: ReadTables, known: Sequence[str]) -> Iterator[LedgerError]:
    """That only projections which there are have a position."""
    with live.snapshot() as statements:
        rows = statements.execute("SELECT projection, position FROM projection_positions ORDER BY 1")
    for name, position in rows:
        if name not in known:
            yield PositionImpossible(str(name), str(position), "there is no such projection")
            return


def _position_in(statements: Statements, name: str) -> int:
    sql = "SELECT position FROM projection_positions WHERE projection = ?"
    rows = statements.execute(sql, (name,))
    position = rows[0][0] if rows else 0
    if type(position) is not int or position < 0:
        raise PositionImpossible(name, repr(position), "it is no position")
    return position


def _beyond(name: str, position: int) -> PositionImpossible:
    return PositionImpossible(name, str(position), "the record ends before it")


def _columns(statements: Statements, table: str) -> int:
    rows = statements.execute(f"SELECT * FROM {table} LIMIT 1")
    return len(rows[0]) if rows else 0


def _rows(statements: Statements, table: str, columns: int) -> Iterator[tuple[Any, ...]]:
    """All rows in order, a page at a time."""
    order = ", ".join(str(number) for number in range(1, columns + 1))
    sql = f"SELECT * FROM {table} {f'ORDER BY {order}' if order else ''} LIMIT ? OFFSET ?"
    offset = 0
    while True:
        rows = statements.execute(sql, (_PAGE_ROWS, offset))
        yield from rows
        if len(rows) < _PAGE_ROWS:
            return
        offset += len(rows)


def _difference(
    table: str, kept: tuple[Any, ...] | None, rebuilt: tuple[Any, ...] | None
) -> ReadTableDiffers:
    return ReadTableDiffers(
        table,
        None if kept is None else repr(kept),
        None if rebuilt is None else repr(rebuilt),
    )
