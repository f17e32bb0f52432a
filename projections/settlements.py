"""One coup as the record tells it, and what is wrong with how it was settled, corrected or ruled void."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ledger.errors import LedgerError
from ledger.events import coup as events
from ledger.events.base import LedgerEvent
from ledger.regulation.tableau import irregularity
from ledger.terms.formats import check_hands, format_named
from ledger.terms.hands import BANKER, PLAYER, Hand, Result, results_of
from ledger.terms.house import BankedBy, Conditions
from ledger.terms.wagers import Outcome, SettlementLine, Total, Wager
from projections.due import Cause, Finding, Rules, compare, paid_by

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


FOLD: Mapping[type[LedgerEvent], Callable[[CoupInHand, Any], None]] = {
    events.CoupOpened: _opened,
    events.WagersPlaced: _placed,
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
"""What each event adds to the coup in hand; events of other kinds do not bear on its money."""


def settled_by(coup: CoupInHand, event: Ending) -> Standing | None:
    """The settlement that an ending closes; None where it closes none."""
    if isinstance(event, events.CoupCorrected):
        return Standing(coup.lines, event.hands, (event.results,), event.version)
    if isinstance(event, events.CoupSettled) and coup.standing is None:
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
        dues = rules.dues(pinned, results)
    except LedgerError as error:
        yield Finding(Cause.INCOMPLETE, detail=str(error))
        return
    wrong = next((stated for stated in settled.stated if stated != results), None)
    claimed = None if wrong is None else rules.dues(pinned, wrong)
    yield from compare(coup.wagers, settled.lines, dues, claimed)


# --- What only the record itself can answer for ------------------------------------------------------------


def record_findings(coup: CoupInHand, event: Ending) -> Iterator[Finding]:
    """What is wrong with what an ending says of itself: conditions, results, tableau, totals, reversals."""
    opened = coup.opened
    if opened is None:
        return
    yield from _conditions(coup, opened, event)
    if isinstance(event, events.CoupVoided):
        stakes = sum(wager.stake for wager in coup.wagers)
        recorded = {"wagers": event.wagers, "stakes": event.stakes}
        due = {"wagers": len(coup.wagers), "stakes": stakes}
        if recorded != due:
            yield Finding(Cause.TOTALS, None, 0, event.stakes - stakes, recorded, due, "stakes handed back")
    else:
        if settled := settled_by(coup, event):
            yield from _cards(opened.conditions, settled)
        yield from _totals(coup.lines, event.totals, "settled")
        yield from _banker_win(opened.conditions, coup.lines, event.banker_win)
    if not isinstance(event, events.CoupSettled):
        yield from _reversal(coup, event)


def held_findings(coup: CoupInHand) -> Iterator[Finding]:
    """A coup may be held only where its third cards break a tableau that leaves nobody an option."""
    if coup.opened is not None and coup.hands and not _irregular(coup.opened.conditions, coup.hands):
        yield Finding(Cause.REGULAR, detail=_as_text(coup.hands))


def _conditions(coup: CoupInHand, opened: events.CoupOpened, event: Ending) -> Iterator[Finding]:
    names = ["premises", "table", "conditions"]
    if not isinstance(event, events.CoupVoided):
        names += ["shoe", "number"]
    differing = [name for name in names if getattr(event, name) != getattr(opened, name)]
    recorded = {name: _plain(getattr(event, name)) for name in differing}
    due = {name: _plain(getattr(opened, name)) for name in differing}
    if isinstance(event, events.CoupSettled) and event.ruled != coup.ruled:
        recorded["ruled"], due["ruled"] = event.ruled, coup.ruled
    if isinstance(event, events.CoupVoided) and event.was_held != coup.held:
        recorded["was_held"], due["was_held"] = event.was_held, coup.held
    if recorded:
        yield Finding(Cause.CONDITIONS, None, 0, 0, recorded, due)


def _plain(value: object) -> object:
    return value.model_dump(mode="json", exclude_none=True) if isinstance(value, Conditions) else value


def _cards(pinned: Conditions, settled: Standing) -> Iterator[Finding]:
    hands = settled.hands
    if BANKER not in hands:
        return  # which is a finding of its own
    results = results_of(hands)
    if wrong := [stated for stated in settled.stated if stated != results]:
        yield Finding(Cause.RESULT, None, 0, 0, dict(wrong[0]), dict(results), _as_text(hands))
    if broken := _irregular(pinned, hands):
        yield Finding(Cause.IRREGULAR, detail=broken)


def _irregular(pinned: Conditions, hands: Mapping[str, Hand]) -> str:
    """How these hands break the tableau, in words; nothing when they do not, or somebody has an option."""
    try:
        option = format_named(pinned.format).drawing_option
    except LedgerError:
        return ""
    if option or BANKER not in hands or PLAYER not in hands:
        return ""
    broken = irregularity(hands[PLAYER], hands[BANKER])
    return broken.detail if broken else ""


def _as_text(hands: Mapping[str, Hand]) -> str:
    return ", ".join(f"{name} {hand}" for name, hand in hands.items())


Sums = dict[str, list[int]]


def _totals(lines: Sequence[SettlementLine], totals: Sequence[Total] | None, which: str) -> Iterator[Finding]:
    """Whether totals are the lines added up, by kind, tender and outcome."""
    due: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for line in lines:
        entry = due[f"{line.kind}/{line.tender}/{line.outcome}"]
        entry[0] += 1
        entry[1] += line.stake
        entry[2] += line.winnings
    recorded: Sums = {}
    for total in totals or ():
        sums = [total.wagers, total.stakes, total.winnings]
        recorded[f"{total.kind}/{total.tender}/{total.outcome}"] = sums
    if recorded != due or len(recorded) != len(totals or ()):
        wrong = {key: recorded.get(key) for key in {**recorded, **due} if recorded.get(key) != due.get(key)}
        right = {key: due.get(key) for key in wrong}
        yield Finding(Cause.TOTALS, None, 0, _paid(recorded) - _paid(due), wrong, right, which)


def _paid(sums: Sums) -> int:
    """What goes to patrons by these sums: winnings, and every stake that is not lost."""
    return sum(
        winnings + (0 if key.endswith(Outcome.LOST) else stakes)
        for key, (_, stakes, winnings) in sums.items()
    )


def _banker_win(pinned: Conditions, lines: Sequence[SettlementLine], stated: int | None) -> Iterator[Finding]:
    won = None
    if pinned.banked_by is BankedBy.PLAYER:
        won = sum(line.stake if line.outcome is Outcome.LOST else -line.winnings for line in lines)
    if stated != won:
        recorded, due = {"banker_win": stated}, {"banker_win": won}
        yield Finding(
            Cause.TOTALS, None, 0, (stated or 0) - (won or 0), recorded, due, "the banker's own win"
        )


def _reversal(coup: CoupInHand, event: events.CoupCorrected | events.CoupVoided) -> Iterator[Finding]:
    """A ruling takes back the lines that stood, each as it stood, and no others."""
    stood = coup.standing
    yield from _totals(coup.taken_back, event.reversed_totals, "taken back")
    if event.supersedes != (stood.version if stood else None):
        recorded, due = {"supersedes": event.supersedes}, {"supersedes": stood.version if stood else None}
        yield Finding(Cause.REVERSAL, None, 0, 0, recorded, due)
    standing = {line.wager: line for line in stood.lines} if stood else {}
    for line in coup.taken_back:
        was = standing.pop(line.wager, None)
        if was != line:
            paid = paid_by([was]) if was else 0
            told = None if was is None else _told(was)
            yield Finding(
                Cause.REVERSAL,
                line.wager,
                line.stake,
                paid - paid_by([line]),
                _told(line),
                told,
                "taken back",
            )
    for line in standing.values():
        yield Finding(
            Cause.REVERSAL, line.wager, line.stake, paid_by([line]), None, _told(line), "not taken back"
        )


def _told(line: SettlementLine) -> dict[str, Any]:
    return line.model_dump(mode="json", exclude_none=True)
