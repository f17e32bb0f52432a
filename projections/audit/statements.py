"""What the record says of itself, and is wrong: conditions, results, tableau, totals, reversals.

Only the record can answer for these, so no counterfactual asks after them. Amounts in minor units.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from ledger.errors import LedgerError
from ledger.events import coup as events
from ledger.events.plain import is_a
from ledger.regulation.tableau import irregularity
from ledger.terms.formats import format_named
from ledger.terms.hands import BANKER, PLAYER, Hand, results_of
from ledger.terms.house import BankedBy, Conditions
from ledger.terms.plain import as_json
from ledger.terms.wagers import Outcome, SettlementLine, Total
from projections.audit.causes import Cause, Finding
from projections.audit.comparison import paid_by
from projections.audit.settlements import CoupInHand, Ending, Standing, settled_by


def record_findings(coup: CoupInHand, event: Ending) -> Iterator[Finding]:
    """What is wrong with what an ending says of itself: conditions, results, tableau, totals, reversals."""
    opened = coup.opened
    if opened is None:
        return
    yield from _conditions(coup, opened, event)
    if is_a(event, events.CoupVoided):
        stakes = sum(wager.stake for wager in coup.wagers)
        recorded = {"wagers": event.wagers, "stakes": event.stakes}
        due = {"wagers": len(coup.wagers), "stakes": stakes}
        if recorded != due:
            yield Finding(Cause.TOTALS, None, 0, event.stakes - stakes, recorded, due, "stakes handed back")
    elif is_a(event, events.CoupSettled) or is_a(event, events.CoupCorrected):
        if settled := settled_by(coup, event):
            yield from _cards(opened.conditions, settled)
        yield from _totals(coup.lines, event.totals, "settled")
        yield from _banker_win(opened.conditions, coup.lines, event.banker_win)
    if is_a(event, events.CoupCorrected) or is_a(event, events.CoupVoided):
        yield from _reversal(coup, event)


def held_findings(coup: CoupInHand) -> Iterator[Finding]:
    """A coup may be held only where its third cards break a tableau that leaves nobody an option."""
    if coup.opened is not None and coup.hands and not _irregular(coup.opened.conditions, coup.hands):
        yield Finding(Cause.REGULAR, detail=_as_text(coup.hands))


def _conditions(coup: CoupInHand, opened: events.CoupOpened, event: Ending) -> Iterator[Finding]:
    names = ["premises", "table", "conditions"]
    if not is_a(event, events.CoupVoided):
        names += ["shoe", "number"]
    differing = [name for name in names if getattr(event, name) != getattr(opened, name)]
    recorded = {name: as_json(getattr(event, name)) for name in differing}
    due = {name: as_json(getattr(opened, name)) for name in differing}
    if is_a(event, events.CoupSettled) and event.ruled != coup.ruled:
        recorded["ruled"], due["ruled"] = event.ruled, coup.ruled
    if is_a(event, events.CoupVoided) and event.was_held != coup.held:
        recorded["was_held"], due["was_held"] = event.was_held, coup.held
    if recorded:
        yield Finding(Cause.CONDITIONS, None, 0, 0, recorded, due)


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
            told = None if was is None else as_json(was)
            yield Finding(
                Cause.REVERSAL,
                line.wager,
                line.stake,
                paid - paid_by([line]),
                as_json(line),
                told,
                "taken back",
            )
    for line in standing.values():
        yield Finding(
            Cause.REVERSAL, line.wager, line.stake, paid_by([line]), None, as_json(line), "not taken back"
        )
