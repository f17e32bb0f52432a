"""One pass over a stretch of the record: every event read, folded, hashed, and shown to whoever looks on.

A stretch is checked alone, so several can be at the same time: where it begins in the middle of a command or
of a stream, what came before is read again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from ledger.errors import LeafUnreadable, LedgerError, RecordGap
from ledger.events.base import LedgerEvent
from ledger.seal.leaf import leaf_hashes
from ledger.seal.sealer import check_unbroken
from ledger.store.port import LedgerRecorder, Row
from ledger.verify.causes import CauseCheck
from ledger.verify.reading import SKIMMED, page, read
from ledger.verify.streams import StreamCheck

PAGE_EVENTS = 256

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
        show: is shown those, a page at a time, up to the first event that cannot be read.
    """

    def __init__(
        self, record: LedgerRecorder, topics: Collection[str], show: Callable[[Watched], None]
    ) -> None:
        self._record = record
        self._topics = frozenset(topics)
        self._show = show
        self._streams = StreamCheck(record)

    def walk(self, after: int, stop: int, *, to_the_end: bool, sealed: int = 0) -> Stretch:
        """Check the events after `after` and up to `stop`.

        Args:
            to_the_end: the record ended there when the walk began.
            sealed: up to here the caller compares the leaves with the sealed tree.
        """
        found = Stretch(after, stop, understood=after)
        try:
            causes = CauseCheck(_before(self._record, after), after)
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
        return found

    def _understand(self, rows: Sequence[Row], causes: CauseCheck, found: Stretch, sealed: int) -> None:
        """Each event is let go of before the next is read: so the processor's cache holds what is at work."""
        topics, fold, see = self._topics, self._streams.see, causes.see
        skimmed = SKIMMED - topics
        watched = []
        try:
            for row in rows:
                event = read(row, skim=row[0] <= sealed and row[3] in skimmed)
                fold(row, event)
                see(row, event)
                if row[3] in topics:
                    watched.append((row[0], event))
        except LedgerError as error:
            found.finding = error
        else:
            self._show(watched)
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


def _before(record: LedgerRecorder, after: int) -> LedgerEvent | None:
    """The event before the stretch; None where that cannot be read, which is told of its own stretch."""
    if after == 0:
        return None
    try:
        rows = page(record, after - 1, 1)
        return read(rows[0]) if rows else None
    except LedgerError:
        return None
