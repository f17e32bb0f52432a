"""The audit: every coup settled again from its cards, and compared with what was recorded.

Reads the record once, in sequence, and keeps only the coups in hand; a coup that is ruled upon later is read
again from its own stream. Whether each wager should have been accepted is asked again too, by what was pinned
when the coup opened: the law, exactness, limits, kinds on offer, whoever held the bank, and what it covered.
Amounts in minor units; a difference is what was recorded less what is due, so more than 0 means that a patron
was paid too much.

Events are read as plain ones: amounts, words and bounds are looked at; whether names are well formed is for
`verify` to say. A wager's names are held against its line's.

A counterfactual asks the same of other rules: what the wagers of the record would have been paid under them.
Wagers that were refused stay refused, and a bank covers what it covered that night.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from ledger.errors import EventUnreadable, UnknownTopic
from ledger.events import coup as events
from ledger.events.plain import decode_plain, is_a
from ledger.store.port import RecordReader, Row, pages
from projections.audit.causes import Cause, Finding
from projections.audit.comparison import for_nothing, paid_by
from projections.audit.differences import Difference, Summary, TableSums
from projections.audit.due import AS_PINNED, Change, Rules
from projections.audit.settlements import (
    FOLD,
    CoupInHand,
    Ending,
    Standing,
    line_findings,
    settled_by,
)
from projections.audit.statements import held_findings, record_findings

TOPICS = tuple(FOLD)
_OPENING = events.CoupOpened.TOPIC
_HOLDING = events.IrregularityFound.TOPIC
_RULING = events.HandsCorrected.TOPIC
_ENDINGS = (events.CoupSettled.TOPIC, events.CoupCorrected.TOPIC, events.CoupVoided.TOPIC)
PAGE_EVENTS = 2_000
COUPS_IN_HAND = 2_000
"""More coups open at once than any house has tables. The oldest beyond it is read again if it goes on."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which coups: of these gaming days (both included), this table, these premises. None: all."""

    first_day: date | None = None
    last_day: date | None = None
    table: str | None = None
    premises: str | None = None

    def stands_in(self, stream: str) -> bool:
        """Whether a coup on this stream may be wanted: its name says where it was played."""
        if self.table is None and self.premises is None:
            return True
        premises, table, _ = place_of(stream)
        return self.table in {None, table} and self.premises in {None, premises}

    def on(self, day: date) -> bool:
        """Whether the gaming day is one of those wanted."""
        return (self.first_day or date.min) <= day <= (self.last_day or date.max)


def place_of(stream: str) -> tuple[str, str, str]:
    """Premises, table, and the rest of the name of a coup's stream."""
    _, premises, table, rest = [*stream.split("/", 3), "", "", ""][:4]
    return premises, table, rest


_UNWANTED = CoupInHand()
"""Stands for a coup that is not asked for, until it ends."""


class Audit:
    """One pass over the record.

    Args:
        change: other rules than those pinned: a counterfactual. Then only the lines are compared; what an
            event says of itself (totals, reversals, conditions) is for the plain audit.
    """

    def __init__(
        self,
        record: RecordReader,
        wanted: Wanted = Wanted(),
        change: Change = AS_PINNED,
        page_events: int = PAGE_EVENTS,
    ) -> None:
        self.summary = Summary()
        self._record = record
        self._wanted = wanted
        self._counterfactual = bool(change)
        self._rules = Rules(change)
        self._page_events = page_events
        self._in_hand: dict[str, CoupInHand] = {}

    def differences(self, progress: Callable[[int, int], None] | None = None) -> Iterator[Difference]:
        """Every difference, in the order of the record; the summary is whole when they are at an end.

        Args:
            progress: told (position, goal) after each page.

        An event that cannot be read is a difference, and of its coup nothing more is said.
        """
        goal = self.summary.position = self._record.last_sequence()
        for rows in pages(self._record, 0, TOPICS, self._page_events, goal):
            for row in rows:
                if self._wanted.stands_in(row.stream):
                    yield from self._take(row)
            if progress is not None:
                progress(rows[-1].sequence, goal)
        for stream, coup in self._in_hand.items():
            yield from self._left(stream, coup)

    def _take(self, row: Row) -> Iterable[Difference]:
        coup = self._in_hand.get(row.stream) or self._pick_up(row)
        ends = row.topic in _ENDINGS
        if ends or row.topic == _HOLDING:
            self._in_hand.pop(row.stream, None)
        if coup is _UNWANTED:
            return ()
        try:
            event: Any = decode_plain(row.topic, row.state, row.stream, row.version)
        except EventUnreadable as error:
            coup.unreadable = True
            return (self._difference(row, coup, Finding(Cause.UNREADABLE, detail=str(error))),)
        if ends:
            return self._ended(row, coup, event)
        FOLD[row.topic](coup, event)
        if row.topic == _OPENING:
            self._opened(row.stream, event)
        elif row.topic == _HOLDING:
            return self._held(row, coup)
        elif row.topic == _RULING:
            self.summary.held -= 1
        return ()

    def _opened(self, stream: str, event: events.CoupOpened) -> None:
        if self._wanted.on(event.conditions.gaming_day):
            self.summary.coups += 1
        else:
            self._in_hand[stream] = _UNWANTED

    def _held(self, row: Row, coup: CoupInHand) -> list[Difference]:
        self.summary.held += 1
        found = () if self._counterfactual else held_findings(coup)
        return [self._difference(row, coup, finding) for finding in found]

    def _pick_up(self, row: Row) -> CoupInHand:
        """The coup as it was before this event, which is all that is kept of it until it ends."""
        coup = CoupInHand()
        if row.version > 1:
            for earlier in self._record.select_stream(row.stream):
                if earlier.version < row.version:
                    _fold(coup, earlier)
            if coup.opened is not None and not self._wanted.on(coup.opened.conditions.gaming_day):
                coup = _UNWANTED
        self._in_hand[row.stream] = coup
        if len(self._in_hand) > COUPS_IN_HAND:  # not one with lines: it is about to end
            oldest = next((name for name, other in self._in_hand.items() if not other.lines), row.stream)
            del self._in_hand[oldest]
        return coup

    def _ended(self, row: Row, coup: CoupInHand, event: Ending) -> Iterator[Difference]:
        """A coup was settled, corrected or ruled void."""
        ruling = not is_a(event, events.CoupSettled)
        stood, settled = coup.standing if ruling else None, settled_by(coup, event)
        self._count(row.stream, coup, event, stood, settled)
        if coup.unreadable:
            return
        if not self._counterfactual:
            for finding in record_findings(coup, event):
                yield self._difference(row, coup, finding)
        if stood is not None:
            for finding in line_findings(coup, stood, self._rules):
                if finding.wager is not None:
                    yield self._difference(row, coup, finding, superseded=True)
        found = line_findings(coup, settled, self._rules) if settled else map(for_nothing, coup.lines)
        for finding in found:
            yield self._difference(row, coup, finding)

    def _count(
        self, stream: str, coup: CoupInHand, event: Ending, stood: Standing | None, settled: Standing | None
    ) -> None:
        """Count what was settled, and take back what no longer stands."""
        summary, sums = self.summary, self._sums(stream, coup)
        summary.corrected += is_a(event, events.CoupCorrected)
        summary.voided += is_a(event, events.CoupVoided)
        summary.held -= coup.held and is_a(event, events.CoupVoided)
        sums.paid += paid_by(coup.lines)
        if stood is not None:
            sums.paid -= paid_by(stood.lines if self._counterfactual else coup.taken_back)
        coups = (settled is not None) - (stood is not None)
        wagers = (len(settled.lines) if settled else 0) - (len(stood.lines) if stood else 0)
        sums.coups += coups
        sums.wagers += wagers
        summary.settled += coups
        summary.wagers += wagers

    def _left(self, stream: str, coup: CoupInHand) -> Iterator[Difference]:
        """Lines that lie open at the end of the record: they are saved with the event that closes them."""
        if coup.unreadable or not (coup.lines or coup.taken_back):
            return
        row = self._record.select_stream(stream)[-1]
        paid = paid_by(coup.lines) - paid_by(coup.taken_back)
        detail = "there are lines, and no event closes them"
        self._sums(stream, coup).paid += paid
        yield self._difference(row, coup, Finding(Cause.INCOMPLETE, None, 0, paid, detail=detail))

    def _sums(self, stream: str, coup: CoupInHand) -> TableSums:
        premises, table, _ = place_of(stream)
        return self.summary.tables[premises, table, coup.opened.conditions.currency if coup.opened else ""]

    def _difference(
        self, row: Row, coup: CoupInHand, finding: Finding, *, superseded: bool = False
    ) -> Difference:
        """The finding with its place in the record, added to the sums."""
        pinned = coup.opened.conditions if coup.opened else None
        sums = self._sums(row.stream, coup).causes[finding.cause]
        if superseded:
            finding = finding._replace(difference=-finding.difference)
        sums.found += not superseded
        sums.superseded += superseded
        sums.stakes += -finding.stake if superseded else finding.stake
        sums.difference += finding.difference
        day, currency = (pinned.gaming_day, pinned.currency) if pinned else (None, "")
        return Difference(row.sequence, row.topic, row.stream, day, currency, finding, superseded)


def _fold(coup: CoupInHand, row: Row) -> None:
    try:
        event = decode_plain(row.topic, row.state, row.stream, row.version)
    except (EventUnreadable, UnknownTopic):
        coup.unreadable = True
        return
    if fold := FOLD.get(event.TOPIC):
        fold(coup, event)
