"""Folds the record into read tables: in batches, each event exactly once, resumable.

A batch's rows and the position after it are written in one transaction, and only if nobody moved the
position meanwhile. So a crash, a second runner or a restart can neither lose an event nor count it twice.
A batch ends with the record of a command: what one command brought about is folded together.

Several projections are folded in one pass: each event is read once. One that is behind comes level first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from ledger.errors import CauseBroken, LedgerError, PositionMoved
from ledger.events.command import CommandRecorded
from ledger.events.plain import decode_plain
from ledger.store.port import ReadTables, RecordReader, Row, Statements
from projections.folding import Folding
from projections.projection import Projection
from projections.read_table import NamedTables

PAGE_EVENTS = 8_000
"""Events a batch: enough to add up much before it is written, and few enough that a writer hardly waits."""
READ_EVENTS = 500
"""Read at a time: few enough to lie in the processor's cache until they are folded."""

ATTEMPTS = 100
"""How often to go on from where another runner has come."""

POSITIONS = """
    CREATE TABLE IF NOT EXISTS projection_positions (
        projection TEXT PRIMARY KEY,
        version BIGINT NOT NULL,
        position BIGINT NOT NULL
    )"""

REBUILT = "__rebuilt"
"""What the names of tables end in that are being built beside the live ones."""

Progress = Callable[[int, int], None]
"""Told (position, goal)."""


class Runner:
    """Keeps projections up with the record."""

    def __init__(
        self,
        record: RecordReader,
        tables: ReadTables,
        projections: Sequence[Projection],
        *,
        suffix: str = "",
    ) -> None:
        """Keep them.

        Args:
            suffix: what the names of their tables, and of their positions, end in.
        """
        self._record = record
        self._tables = tables
        self._projections = tuple(projections)
        self._suffix = suffix
        self._names = {
            table.name: table.name + suffix for projection in projections for table in projection.tables
        }

    def create_tables(self) -> None:
        """Make the projections' tables and their positions, if they are not there.

        Tables of another version are given up: nothing can be added to them.
        """
        with self._tables.transaction() as statements:
            statements.execute(POSITIONS)
            versions = _positions(statements)
            for projection in self._projections:
                name = projection.name + self._suffix
                version, _ = versions.get(name, (projection.version, 0))
                for table in projection.tables:
                    if version != projection.version:
                        statements.execute(f'DROP TABLE IF EXISTS "{self._names[table.name]}"')
                    statements.execute(table.create(self._names[table.name]))
                if versions.get(name, (None, 0))[0] != projection.version:
                    statements.execute("DELETE FROM projection_positions WHERE projection = ?", (name,))
                    sql = "INSERT INTO projection_positions VALUES (?, ?, 0)"
                    statements.execute(sql, (name, projection.version))

    def drop_tables(self) -> None:
        """Take the projections' tables and positions away."""
        with self._tables.transaction() as statements:
            statements.execute(POSITIONS)
            for projection in self._projections:
                for table in projection.tables:
                    statements.execute(f'DROP TABLE IF EXISTS "{self._names[table.name]}"')
                name = projection.name + self._suffix
                statements.execute("DELETE FROM projection_positions WHERE projection = ?", (name,))

    def position(self) -> int:
        """The sequence up to which every projection has folded; 0 before the first event.

        The tables must have been made.
        """
        return min(self._standing().values(), default=0)

    def catch_up(self, progress: Progress | None = None) -> int:
        """Fold everything that the record holds now. Returns the position reached.

        Args:
            progress: told (position, goal) after each batch.

        Raises:
            PositionMoved: another runner of a projection was first again and again.
            EventUnreadable, UnknownTopic, CauseBroken: the record cannot be read; nothing of that batch is
                written.
        """
        self.create_tables()
        for _ in range(ATTEMPTS):
            try:
                return self._catch_up(progress)
            except PositionMoved:
                continue  # another runner is at it too: go on from where it has come
        return self._catch_up(progress)

    def take_over(self) -> None:
        """Give these tables the names, and these positions the place, of those without the suffix.

        In one transaction: whoever reads sees the old ones, whole, or these.
        """
        with self._tables.transaction() as statements:
            for projection in self._projections:
                for table in projection.tables:
                    statements.execute(f'DROP TABLE IF EXISTS "{table.name}"')
                    statements.execute(f'ALTER TABLE "{self._names[table.name]}" RENAME TO "{table.name}"')
                name = projection.name
                statements.execute("DELETE FROM projection_positions WHERE projection = ?", (name,))
                sql = "UPDATE projection_positions SET projection = ? WHERE projection = ?"
                statements.execute(sql, (name, name + self._suffix))

    def _standing(self) -> dict[str, int]:
        """Where each projection stands, by its name."""
        with self._tables.snapshot() as statements:
            positions = _positions(statements)
        return {
            projection.name: positions.get(projection.name + self._suffix, (0, 0))[1]
            for projection in self._projections
        }

    def _catch_up(self, progress: Progress | None) -> int:
        goal = self._record.last_sequence()
        standing = self._standing()
        while (position := min(standing.values(), default=goal)) < goal:
            behind = [one for one in self._projections if standing[one.name] == position]
            others = [there for there in standing.values() if there > position]
            topics = {topic for one in behind for topic in one.topics}
            pieces = whole_commands(self._record, position, topics, min(others, default=None))
            reached = self._write(behind, pieces, position)
            if reached == position:
                raise self._endless(position, topics)
            standing |= dict.fromkeys((one.name for one in behind), reached)
            if progress is not None:
                progress(min(standing.values()), goal)
        return position

    def _endless(self, position: int, topics: set[str]) -> LedgerError:
        """What is wrong with the events after the last record of a command."""
        for row in self._record.select_rows(position, PAGE_EVENTS, tuple(topics)):
            decode_plain(row.topic, row.state, row.stream, row.version)
        return CauseBroken(position + 1, "", "no record of a command ends what begins there")

    def _write(
        self, projections: Sequence[Projection], pieces: Iterable[Sequence[Row]], position: int
    ) -> int:
        """Fold first, and then write: nobody else who writes waits for the folding.

        Returns where it ended.
        """
        folding = Folding(projections)
        reached = position
        for rows in pieces:
            folding.read(rows)
            reached = rows[-1].sequence
        if reached == position:
            return position
        written = folding.writes()
        with self._tables.transaction() as statements:
            for projection in projections:
                self._move(projection, statements, position, reached)
            into = NamedTables(statements, self._names)
            for sql, parameters in chain.from_iterable(written):
                into.executemany(sql, parameters)
        return reached

    def _move(self, projection: Projection, statements: Statements, position: int, reached: int) -> None:
        moved = statements.execute(
            "UPDATE projection_positions SET position = ? "
            "WHERE projection = ? AND version = ? AND position = ? RETURNING position",
            (reached, projection.name + self._suffix, projection.version, position),
        )
        if not moved:
            raise PositionMoved(projection.name, position)


def rebuild(
    record: RecordReader,
    tables: ReadTables,
    projections: Sequence[Projection],
    progress: Progress | None = None,
) -> int:
    """Fold the whole record anew beside the live tables, then put the new ones in their place.

    Readers go on reading the old ones, and runners folding into them, until the moment of the exchange.
    Returns the position reached. Raises as `Runner.catch_up` does; the live tables are then as they were.
    """
    beside = Runner(record, tables, projections, suffix=REBUILT)
    beside.drop_tables()
    reached = beside.catch_up(progress)
    beside.take_over()
    return reached


def whole_commands(
    record: RecordReader, after: int, topics: set[str], stop: int | None
) -> Iterator[list[Row]]:
    """About `PAGE_EVENTS` next rows of these topics, in pieces, each up to the record of a command.

    None, when no command ends there.

    Args:
        stop: the record of a command at which to end at the latest.
    """
    asked = [*topics, *({CommandRecorded.TOPIC} - topics)]
    left = PAGE_EVENTS
    size = min(READ_EVENTS, left)
    full = True
    while full and left > 0 and (stop is None or after < stop):
        rows = record.select_rows(after, size, asked)
        full = len(rows) == size
        if stop is not None:
            rows = [row for row in rows if row.sequence <= stop]
        end = next((at for at in range(len(rows), 0, -1) if rows[at - 1].topic == CommandRecorded.TOPIC), 0)
        if not end:
            size *= 2
            continue
        yield rows[:end]
        after = rows[end - 1].sequence
        left -= end
        size = min(READ_EVENTS, left)


def _positions(statements: Statements) -> Mapping[str, tuple[int, int]]:
    """Each projection's version and position, by its name."""
    rows = statements.execute("SELECT projection, version, position FROM projection_positions")
    return {name: (version, position) for name, version, position in rows}
