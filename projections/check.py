"""Compares read tables with a rebuild: what the record adds up to, added up anew.

The rebuild goes into scratch tables of their own and follows a walk over the record that somebody else does;
so the record is read once for everything that is checked. A projection only writes (`Batch.write`), so
what it writes can be taken down in one process (`TakenDown`) and put into the scratch tables in another.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from eventsourcing.persistence import PersistenceError

from ledger.errors import LedgerError, PositionImpossible, ReadTableDiffers
from ledger.events.command import CommandRecorded
from ledger.store.port import ReadTables, RecordReader, Statements
from projections.folding import Folding
from projections.projection import Projection
from projections.read_table import NamedTables, ReadTable, TakenDown
from projections.runner import REBUILT, Progress, whole_commands

_PAGE_ROWS = 10_000

_Rows = list[tuple[Any, ...]]


class ReadTablesCheck:
    """One projection's live tables against a rebuild in scratch tables.

    Attributes:
        projection: which.
        kept: whether it has ever run; if not, there is nothing to compare.
        position: where it stood when the check began; what is written goes up to there.
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
        self.kept = any(self._exists(table) for table in projection.tables)
        self.position = self._position() if self.kept else 0
        with scratch.transaction() as statements:
            for table in projection.tables:
                statements.execute(table.create(table.name))

    def write(self, writes: TakenDown) -> None:
        """Put what the projection wrote into the scratch tables."""
        if writes:
            with self._scratch.transaction() as statements:
                into = NamedTables(statements, {table.name: table.name for table in self.projection.tables})
                for sql, rows in writes:
                    into.executemany(sql, rows)

    def finish(self, record: RecordReader) -> Iterator[LedgerError]:
        """What is wrong, when the writes of all events up to `position` are in.

        Follows the live tables if they have moved on meanwhile.
        """
        if not self.kept:
            return
        while True:
            with self._live.snapshot() as statements:
                moved_to = _position_in(statements, self.projection)
                if moved_to <= self.position:
                    yield from self._compare(record, statements, moved_to)
                    return
            if moved_to > record.last_sequence():
                yield _beyond(self.projection.name, moved_to)
                return
            for _ in self.follow(record, moved_to):
                pass
            if self.position < moved_to:
                yield _no_batch(self.projection.name, moved_to)
                return

    def follow(self, record: RecordReader, goal: int) -> Iterator[int]:
        """Rebuild from `position` up to a later one, here and now; gives the position after each batch."""
        topics = set(self.projection.topics)
        while self.position < goal:
            folding = Folding((self.projection,))
            before = self.position
            for rows in whole_commands(record, before, topics, goal):
                folding.read(rows)
                self.position = rows[-1].sequence
            if self.position == before:
                return
            self.write(*folding.writes())
            yield self.position

    def _compare(self, record: RecordReader, statements: Statements, position: int) -> Iterator[LedgerError]:
        name = self.projection.name
        if position < self.position:
            yield PositionImpossible(name, str(position), f"it was at {self.position} just now")
            return
        yield from _check_position(name, record, position)
        for table in self.projection.tables:
            yield from self._first_difference(table, statements)

    def _first_difference(self, table: ReadTable, live: Statements) -> Iterator[LedgerError]:
        with self._scratch.snapshot() as scratch:
            nothing: _Rows = []
            pages = zip_longest(_pages(live, table), _pages(scratch, table), fillvalue=nothing)
            for kept, rebuilt in pages:
                if _as_bytes(kept) != _as_bytes(rebuilt):
                    yield _difference(table.name, kept, rebuilt)
                    return

    def _exists(self, table: ReadTable) -> bool:
        try:
            with self._live.snapshot() as statements:
                statements.execute(f'SELECT 1 FROM "{table.name}" LIMIT 1')
        except PersistenceError:
            return False
        return True

    def _position(self) -> int:
        with self._live.snapshot() as statements:
            return _position_in(statements, self.projection)


class Checked(NamedTuple):
    """What the check of one projection came to; `position` is None when it never ran."""

    projection: str
    position: int | None
    findings: list[LedgerError]


def check_read_tables(
    record: RecordReader,
    live: ReadTables,
    scratch: ReadTables,
    projections: Sequence[Projection],
    progress: Progress | None = None,
) -> Iterator[Checked]:
    """Compare projections with a rebuild of them all, made in one pass over the record.

    Raises:
        EventUnreadable, UnknownTopic: the record cannot be read; `verify` says where.
    """
    checks: list[ReadTablesCheck | Checked] = []
    for projection in projections:
        try:
            checks.append(ReadTablesCheck(live, scratch, projection))
        except PositionImpossible as error:
            checks.append(Checked(projection.name, None, [error]))
    under_way = [check for check in checks if isinstance(check, ReadTablesCheck)]
    _rebuild_beside(record, under_way, progress)
    for check in checks:
        if isinstance(check, ReadTablesCheck):
            position = check.position if check.kept else None
            yield Checked(check.projection.name, position, list(check.finish(record)))
        else:
            yield check


def _rebuild_beside(
    record: RecordReader, checks: Sequence[ReadTablesCheck], progress: Progress | None
) -> None:
    """Write what each projection wrote, up to where it stands, into the scratch tables."""
    goal = max((check.position for check in checks), default=0)
    topics = {topic for check in checks for topic in check.projection.topics}
    position = 0
    while position < goal:
        folding = Folding([check.projection for check in checks], [check.position for check in checks])
        before = position
        for rows in whole_commands(record, before, topics, goal):
            folding.read(rows)
            position = rows[-1].sequence
        if position == before:
            return
        for check, writes in zip(checks, folding.writes(), strict=True):
            check.write(writes)
        if progress is not None:
            progress(position, goal)


def check_positions(live: ReadTables, known: Sequence[str]) -> Iterator[LedgerError]:
    """That only projections which there are have a position, or a rebuild of one that is under way."""
    with live.snapshot() as statements:
        rows = statements.execute("SELECT projection, position FROM projection_positions ORDER BY 1")
    for name, position in rows:
        if str(name).removesuffix(REBUILT) not in known:
            yield PositionImpossible(str(name), str(position), "there is no such projection")
            return


def _position_in(statements: Statements, projection: Projection) -> int:
    sql = "SELECT version, position FROM projection_positions WHERE projection = ?"
    ((version, position),) = statements.execute(sql, (projection.name,)) or [(projection.version, 0)]
    if type(position) is not int or position < 0:
        raise PositionImpossible(projection.name, repr(position), "it is no position")
    if version != projection.version:
        reason = (
            f"its tables are of version {version!r}, not {projection.version}: `project rebuild` makes them"
        )
        raise PositionImpossible(projection.name, str(position), reason)
    return position


def _check_position(name: str, record: RecordReader, position: int) -> Iterator[LedgerError]:
    """A batch ends with the record of a command."""
    if position > record.last_sequence():
        yield _beyond(name, position)
    elif position:
        rows = record.select_rows(position - 1, 1)
        if not rows or rows[0].topic != CommandRecorded.TOPIC:
            yield _no_batch(name, position)


def _no_batch(name: str, position: int) -> PositionImpossible:
    return PositionImpossible(name, str(position), "no batch ends there")


def _beyond(name: str, position: int) -> PositionImpossible:
    return PositionImpossible(name, str(position), "the record ends before it")


def _pages(statements: Statements, table: ReadTable) -> Iterator[_Rows]:
    """All rows in the order of their key, a page at a time: a page begins where the last one ended."""
    key, marks = ", ".join(table.key), ", ".join("?" * len(table.key))
    select = f'SELECT * FROM "{table.name}"'
    sql = f"{select} ORDER BY {key} LIMIT ?"
    parameters: tuple[Any, ...] = ()
    while True:
        rows = statements.execute(sql, (*parameters, _PAGE_ROWS))
        yield rows
        if len(rows) < _PAGE_ROWS:
            return
        sql = f"{select} WHERE ({key}) > ({marks}) ORDER BY {key} LIMIT ?"
        parameters = rows[-1][: len(table.key)]


def _as_bytes(rows: Sequence[Any]) -> bytes:
    """Values and types in one: 1 is not 1.0. Version 2 of the format has no references, so equal is equal."""
    return marshal.dumps(list(rows), 2)


def _difference(table: str, kept: _Rows, rebuilt: _Rows) -> ReadTableDiffers:
    """The first rows of two pages that are not alike."""
    pairs = zip_longest(kept, rebuilt)
    ours, anew = next(pair for pair in pairs if _as_bytes(pair[:1]) != _as_bytes(pair[1:]))
    return ReadTableDiffers(table, None if ours is None else repr(ours), None if anew is None else repr(anew))
