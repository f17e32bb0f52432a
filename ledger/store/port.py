"""What the ledger asks of any engine that keeps its record, and of any that keeps its read tables.

Whatever an engine's driver raises comes out as one of the library's persistence errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol


class NewRow(NamedTuple):
    """An event about to be stored."""

    stream: str
    version: int
    topic: str
    state: bytes


class Row(NamedTuple):
    """A stored event. `sequence` counts from 1, without a hole, in the order of commits."""

    sequence: int
    stream: str
    version: int
    topic: str
    state: bytes


NOTHING: Mapping[str, str | None] = {}
ANY_TIME: Mapping[str, int] = {}
"""Nothing that must have stood still."""


class RecordReader(Protocol):
    """Reads a record: the ledger's, or the few events of it that a bundle holds."""

    def select_stream(self, stream: str) -> list[Row]:
        """The events of one stream, in order."""

    def select_rows(self, after: int, limit: int, topics: Sequence[str] = ()) -> list[Row]:
        """Up to `limit` events with a sequence greater than `after`, of these topics (or all), in order."""

    def last_sequence(self) -> int:
        """The sequence of the last event; 0 when there is none."""


class LedgerRecorder(RecordReader, Protocol):
    """Keeps the record."""

    def append(
        self,
        rows: Sequence[NewRow],
        guards: Mapping[str, int],
        latest: Mapping[str, str | None] = NOTHING,
        unmoved: Mapping[str, int] = ANY_TIME,
    ) -> range:
        """Store all rows in one durable transaction, or none. Returns their sequence numbers.

        What the decision read without writing to it is checked under the writers' lock.

        Args:
            guards: streams, each with the version that the decision read.
            latest: beginnings of names, each with what `last_stream` answered to the decision.
            unmoved: beginnings of names, each with the sequence up to which such streams were read.

        Raises:
            IntegrityError: a version is taken, or what was read has moved. Nothing is stored.
            RecordMoved: a stream that was to stand still has a later event. Nothing is stored.
        """

    def select_first(self, streams: Sequence[str]) -> dict[str, Row]:
        """The first event of each of these streams that has one."""

    def last_stream(self, prefix: str) -> str | None:
        """The greatest stream name that begins with `prefix`, by code points."""


class Statements(Protocol):
    """Runs SQL with `?` placeholders inside one transaction."""

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run one statement; returns its rows, if it has any."""

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run one statement for each row."""


class ReadTables(Protocol):
    """Keeps the projections' tables, in SQL that SQLite and PostgreSQL both read."""

    def transaction(self) -> AbstractContextManager[Statements]:
        """A writing transaction: all of it, or none; on the disk when the block ends."""

    def snapshot(self) -> AbstractContextManager[Statements]:
        """A reading transaction: all its queries see the same moment."""


class Lazily(NamedTuple):
    """Read tables whose transactions are not waited for: a power cut may take the last ones.

    For what is made from the record, and is made again.
    """

    transaction: Callable[[], AbstractContextManager[Statements]]
    snapshot: Callable[[], AbstractContextManager[Statements]]


class KeptTables(ReadTables, Protocol):
    """The read tables of a house. Beside them lie keys, positions and the seal, which nothing makes anew."""

    def lazily(self) -> Lazily:
        """The same tables, for projections: their transactions are not waited for."""


def pages(
    recorder: RecordReader, after: int, topics: Sequence[str], size: int, stop: int
) -> Iterator[list[Row]]:
    """The record after `after` and up to `stop`, page by page, so that nobody loads it whole."""
    while after < stop:
        rows = [row for row in recorder.select_rows(after, size, topics) if row.sequence <= stop]
        if not rows:
            return
        yield rows
        after = rows[-1].sequence
