"""One coup as the record tells it, and what is wrong with how it was settled, corrected or ruled void."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ledger.errors import LedgerError
from ledger.events import coup as events
from ledger.events.base import LedgerEvent
from ledger.events.plain import is_a
from ledger.regulation.acceptance import BANK_EXCEEDED, COVER, Refused, uncovered
from ledger.terms.formats import check_hands, format_named
from ledger.terms.hands import Hand, Result, results_of
from ledger.terms.house import Conditions
from ledger.terms.plain import changed
from ledger.terms.wagers import SettlementLine, Wager
from projections.audit.causes import Cause, Finding, told_why
from projections.audit.comparison import compare
from projections.audit.due import Dues, Judged, Rules

Ending = events.CoupSettled | events.CoupCorrected | events.CoupVoided


class Standing(NamedTuple):
    """A settlement: its lines, the hands it was made by, every result stated of them, and its version."""

    lines: Sequence[SettlementLine]
    hands: Mapping[str, Hand]
    stated: Sequence[Mapping[str, Result]]
    version: int


@dataclass(slots=True)
class CoupInHand:
    """What is needed of a coup to settle it again. `lines` and `taken_back` are those not yet closed."""

    opened: events.CoupOpened | None = None
    wagers: list[Wager] = field(default_factory=list)
    offered: dict[str, int] = field(default_factory=dict)
    """Of wagers that the bank covered in part, by id: the whole stake, minor units."""
    late: set[str] = field(default_factory=set)
    """Wagers placed when the cards were out."""
    hands: Mapping[str, Hand] = field(default_factory=dict)
    results: Mapping[str, Result] = field(default_factory=dict)
    held: bool = False
    ruled: bool = False
    lines: list[SettlementLine] = field(default_factory=list)
    taken_back: list[SettlementLine] = field(default_factory=list)
    standing: Standing | None = None
    unreadable: bool = False
    """An event of it cannot be read: nothing more can be said of its money."""


def _opened(coup: CoupInHand, event: events.CoupOpened) -> None:
    coup.opened = event


def _placed(coup: CoupInHand, event: events.WagersPlaced) -> None:
    coup.wagers += event.wagers
    if coup.hands:
        coup.late.update(wager.id for wager in event.wagers)


def _refused(coup: CoupInHand, event: events.WagerRefused) -> None:
    if event.reason == BANK_EXCEEDED and event.stake < event.wager.stake:
        coup.offered[event.wager.id] = event.wager.stake


def _cancelled(coup: CoupInHand, event: events.WagersCancelled) -> None:
    coup.wagers = [wager for wager in coup.wagers if wager.id not in event.wagers]


def _dealt(coup: CoupInHand, event: events.HandsDealt) -> None:
    coup.hands, coup.results = event.hands, event.results


def _held(coup: CoupInHand, _event: events.IrregularityFound) -> None:
    coup.held = True


def _hands_corrected(coup: CoupInHand, event: events.HandsCorrected) -> None:
    coup.hands, coup.results = event.hands, event.results
    coup.held, coup.ruled = False, True


def _lines(coup: CoupInHand, event: events.WagersSettled) -> None:
    coup.lines += event.lines


def _reversed(coup: CoupInHand, event: events.WagersReversed) -> None:
    coup.taken_back += event.lines


def _ended(coup: CoupInHand, event: events.CoupSettled | events.CoupCorrected) -> None:
    coup.standing = settled_by(coup, event) or coup.standing
    coup.lines, coup.taken_back = [], []


def _voided(coup: CoupInHand, _event: events.CoupVoided) -> None:
    coup.standing = None
    coup.wagers = []
    coup.lines, coup.taken_back = [], []


_FOLD: Mapping[type[LedgerEvent], Callable[[CoupInHand, Any], None]] = {
    events.CoupOpened: _opened,
    events.WagersPlaced: _placed,
    events.WagerRefused: _refused,
    events.WagersCancelled: _cancelled,
    events.HandsDealt: _dealt,
    events.IrregularityFound: _held,
    events.HandsCorrected: _hands_corrected,
    events.WagersSettled: _lines,
    events.WagersReversed: _reversed,
    events.CoupSettled: _ended,
    events.CoupCorrected: _ended,
    events.CoupVoided: _voided,
}
FOLD: Mapping[str, Callable[[CoupInHand, Any], None]] = {event.TOPIC: fold for event, fold in _FOLD.items()}
"""What each event adds to the coup in hand, by its topic; others do not bear on its money."""


def settled_by(coup: CoupInHand, event: Ending) -> Standing | None:
    """The settlement that an ending closes; None where it closes none."""
    if is_a(event, events.CoupCorrected):
        return Standing(coup.lines, event.hands, (event.results,), event.version)
    if is_a(event, events.CoupSettled) and coup.standing is None:
        return Standing(coup.lines, coup.hands, (event.results, coup.results), event.version)
    return None


def line_findings(coup: CoupInHand, settled: Standing, rules: Rules) -> Iterator[Finding]:
    """The lines of a settlement that are not what these rules make of its cards."""
    if coup.opened is None:
        yield Finding(Cause.INCOMPLETE, detail="the coup was never opened")
        return
    pinned = coup.opened.conditions
    try:
        check_hands(format_named(pinned.format), settled.hands)
        results = results_of(settled.hands)
        dues = rules.dues(coup.opened, results)
    except LedgerError as error:
        yield Finding(Cause.INCOMPLETE, detail=str(error))
        return
    wrong = next((stated for stated in settled.stated if stated != results), None)
    claimed = None if wrong is None else rules.dues(coup.opened, wrong)
    apart = _set_apart(coup, pinned, dues)
    yield from compare(coup.wagers, settled.lines, dues, apart, claimed)
    if rules.as_pinned and pinned.bank is not None:
        yield from _over_the_bank(coup.wagers, pinned.bank, dues, apart)


def _set_apart(coup: CoupInHand, pinned: Conditions, dues: Dues) -> dict[str, Judged]:
    """What is due on wagers for which more than kind and stake decides: by whom, when, of how much more."""
    apart = {}
    if pinned.banker is not None and dues.layout.limits:
        for wager in coup.wagers:
            if wager.id in coup.offered:
                apart[wager.id] = dues.judge_part(wager, coup.offered[wager.id])
    if pinned.banker is not None:
        for wager in coup.wagers:
            if wager.patron == pinned.banker:
                apart[wager.id] = dues.judge_bankers_own(wager)
    if coup.late:
        for wager in coup.wagers:
            if wager.id in coup.late:
                apart[wager.id] = dues.judge_late(wager)
    return apart


def _over_the_bank(
    wagers: Sequence[Wager], bank: int, dues: Dues, apart: Mapping[str, Judged]
) -> Iterator[Finding]:
    """What was accepted beyond the bank that was pinned: it should have gone back before the first card.

    Beside any other finding on the wager, whose difference is from what is due on its whole stake.
    """
    unit = dues.layout.terms.unit
    if sum(wager.stake for wager in wagers) + len(wagers) * (unit - 1) <= bank:
        return  # no rounding makes it more than that
    judged = {wager.id: apart.get(wager.id) or dues.judge(wager) for wager in wagers}
    taken = [wager for wager in wagers if judged[wager.id].refused is None]
    for wager, covered in uncovered(taken, dues.layout, bank):
        excess = wager.stake - covered
        part = dues.settled(changed(wager, stake=covered)).paid if covered else 0
        yield Finding(
            Cause.BANK,
            wager.id,
            excess,
            judged[wager.id].ends.paid - (part + excess),
            {"stake": wager.stake},
            {"stake": covered, "paragraph": COVER},
            told_why(Refused(wager, excess, BANK_EXCEEDED, COVER)),
        )
