"""One pass over a stretch of the record: every event read, folded, hashed, and shown to whoever looks on.

A stretch is checked alone, so several can be at the same time: where it begins in the middle of a command or
of a stream, what came before is read again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from ledger.errors import LeafUnreadable, LedgerError, RecordGap
from ledger.events.base import LedgerEvent
from ledger.events.command import CommandRecorded
from ledger.seal.leaf import leaf_hashes
from ledger.seal.sealer import check_unbroken
from ledger.store.port import RecordReader, Row
from ledger.verify.causes import CauseCheck
from ledger.verify.reading import SKIMMED, page, read
from ledger.verify.streams import StreamCheck

PAGE_EVENTS = 256
COMMAND_EVENTS = 32
"""Read back at first to find where a command began: more than most bring about."""

Watched = Sequence[tuple[int, LedgerEvent]]
"""Events with their sequences."""


@dataclass
class Stretch:
    """What a pass over a stretch came to.

    Attributes:
        after, stop: the stretch: the events after `after` and up to `stop`.
        leaves: their leaf hashes, up to the first that has none.
        understood: the last event that could be read, with all before it in the stretch.
        finding: the first thing wrong.
    """

    after: int
    stop: int
    leaves: list[bytes] = field(default_factory=list)
    understood: int = 0
    finding: LedgerError | None = None


class Walker:
    """Checks stretches, each later than the one before.

    Args:
        record: what is checked.
        topics: events of which to show.
        show: is shown those of each command as it ends, also those from before the stretch, up to the first
            event that cannot be read. They are let go of then.
    """

    def __init__(
        self, record: RecordReader, topics: Collection[str], show: Callable[[Watched], None]
    ) -> None:
        self._record = record
        self.watch(topics)
        self._streams = StreamCheck(record)
        self._show = show
        self._begun: list[tuple[int, LedgerEvent]] = []
        """What to show of the command that has not ended."""

    def watch(self, topics: Collection[str]) -> None:
        """Show events of these topics, in the stretches to come."""
        self._topics = frozenset(topics)
        self._skimmed = SKIMMED - self._topics

    def walk(self, after: int, stop: int, *, to_the_end: bool, sealed: int = 0) -> Stretch:
        """Check the events after `after` and up to `stop`.

        Args:
            to_the_end: the record ended there when the walk began.
            sealed: up to here the caller compares the leaves with the sealed tree.
        """
        found = Stretch(after, stop, understood=after)
        self._streams.sealed = sealed
        try:
            causes = self._begin(after, sealed)
            position = after
            while position < stop:
                rows = page(self._record, position, min(PAGE_EVENTS, stop - position))
                rows, leaves, end = _sound(rows, position)
                found.leaves += leaves
                if found.finding is None:
                    self._understand(rows, causes, found, sealed)
                if end is not None:
                    raise end
                position = rows[-1].sequence
            if to_the_end and found.finding is None:
                causes.end()
        except LedgerError as error:
            found.finding = found.finding or error
        self._begun.clear()  # it ends in the next stretch, which shows it
        return found

    def _begin(self, after: int, sealed: int) -> CauseCheck:
        """The check of the causes, in the middle of a command as it may be, and what that has begun with."""
        before = _begun(self._record, after, sealed)
        self._begun += [(row[0], event) for row, event in before if row[3] in self._topics]
        return CauseCheck(before[-1][1] if before else None, after)

    def _understand(self, rows: Sequence[Row], causes: CauseCheck, found: Stretch, sealed: int) -> None:
        """Each event is let go of before the next is read: so the processor's cache holds what is at work."""
        topics, skimmed, begun = self._topics, self._skimmed, self._begun
        fold, see = self._streams.see, causes.see
        try:
            for row in rows:
                event = read(row, sealed, skimmed)
                fold(row, event)
                ends = see(row, event)
                if row[3] in topics:
                    begun.append((row[0], event))
                if ends and begun:
                    self._show(begun)
                    begun.clear()
        except LedgerError as error:
            found.finding = error
        else:
            found.understood = rows[-1].sequence if rows else found.understood


def _sound(rows: list[Row], after: int) -> tuple[list[Row], list[bytes], LedgerError | None]:
    """Those of these rows that are the next ones and have a leaf, and what is wrong with the one after."""
    try:
        check_unbroken(rows, after)
        return rows, leaf_hashes(rows), None
    except (RecordGap, LeafUnreadable) as error:
        bad = error.expected if isinstance(error, RecordGap) else error.sequence
        good = [row for row in rows if row.sequence < bad]
        return good, leaf_hashes(good), error


def _begun(record: RecordReader, after: int, sealed: int) -> list[tuple[Row, LedgerEvent]]:
    """What the command brought about, before the stretch, that has not ended there.

    Nothing, where that cannot be read: which is told of the stretch it lies in.
    """
    found: list[tuple[Row, LedgerEvent]] = []
    count = begun = 0
    try:
        while not begun and count < after:
            count = min(max(4 * count, COMMAND_EVENTS), after)
            rows = [row for row in page(record, after - count, count) if row.sequence <= after]
            found = [(row, read(row, sealed)) for row in rows]
            ends = [event.TOPIC == CommandRecorded.TOPIC for _, event in found]
            begun = len(ends) - ends[::-1].index(True) if True in ends else 0
    except LedgerError:
        return []
    return found[begun:]
