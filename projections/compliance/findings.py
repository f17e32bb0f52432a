"""What compliance finds: each kind of finding with its severity, its paragraph and its sentence, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ledger.terms.money import in_words
from ledger.terms.value import Word
from ledger.terms.wagers import Kind
from projections.story import words


class Severity(Word):
    """How grave a finding is, the least first."""

    INFO = "info"
    """Somebody may want to know: what had to be refused was refused."""
    WARNING = "warning"
    """A doubt: somebody should look at it."""
    BREACH = "breach"
    """A rule is broken, or a duty has fallen due and the record does not say that it was met."""

    @property
    def and_graver(self) -> tuple[Severity, ...]:
        """This one and every graver one."""
        every = tuple(Severity)
        return every[every.index(self) :]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a code stands for. `sentence` has the names of its facts in braces."""

    severity: Severity
    sentence: str
    paragraph: str | None = None


_INFO, _WARNING, _BREACH = Severity

MEANINGS: Mapping[str, Meaning] = {
    "bank-held-against-the-law": Meaning(
        _BREACH, "The bank was taken by {capacity}, who may not hold it at this game."
    ),
    "interest-in-bank": Meaning(
        _WARNING, "Somebody ({capacity}) has an interest in the bank: no coup may open while that stands."
    ),
    "interest-during-coup": Meaning(
        _BREACH, "While this coup was in hand somebody ({capacity}) came to have an interest in its bank."
    ),
    "kinds-not-on-offer": Meaning(
        _WARNING, "No longer on offer, though the law has it offered: wagers that {missing}.", "6(8)"
    ),
    "wager-refused": Meaning(_INFO, "A wager that {kind} was not taken ({stake} of {offered}): {reason}."),
    "irregular-coup": Meaning(
        _WARNING, "The third cards break the tableau, so the coup is held for a ruling: {detail}.", "6(7)(c)"
    ),
    "claim-contradicts-cards": Meaning(
        _WARNING, "The feed said that {claimed}; by the cards {results}. The cards decide."
    ),
    "hands-corrected": Meaning(
        _WARNING, "A ruling gave the held coup its hands, approved by {approvers}: {why}."
    ),
    "coup-corrected": Meaning(
        _WARNING, "A ruling settled the coup anew, approved by {approvers}: {why}{later}."
    ),
    "coup-voided": Meaning(
        _WARNING,
        "A ruling made the coup void, approved by {approvers}; {stakes} went back: {why}{later}.",
    ),
    "adjustment-booked": Meaning(
        _WARNING,
        "{amount} went to {account} for gaming day {adjusts}, which was sealed, approved by {approvers}: "
        "{why}.",
    ),
    "slip-voided": Meaning(_INFO, "Slip {slip} is void ({amount}), signed by {signed_by}: {why}."),
    "slip-voided-by-one": Meaning(
        _WARNING,
        "Slip {slip} is void ({amount}) with fewer than two signatures ({signed_by}): {why}.",
    ),
    "charge-over-cap": Meaning(
        _WARNING,
        "A charge of {amount} was taken at chemin de fer; under a club gaming permit it is {cap} at most to "
        "one person in a day ({source}).",
    ),
    "closed-over-coup": Meaning(_WARNING, "The table closed while this coup was in hand."),
    "sealed-over-coup": Meaning(_BREACH, "The gaming day was sealed while this coup was in hand."),
    "command-refused": Meaning(_INFO, "The command {command} was refused: {detail}."),
    # Facts of the clock: made when they are read.
    "dispute-open": Meaning(
        _INFO, "Dispute {dispute} is open; its eight weeks end on {unresolved_at}.", "SR 6.1.1"
    ),
    "dispute-overdue": Meaning(
        _BREACH,
        "Dispute {dispute} is not resolved, and its eight weeks ended on {unresolved_at}: the patron is to "
        "be offered alternative dispute resolution.",
        "SR 6.1.1",
    ),
    "dispute-resolved-late": Meaning(
        _WARNING,
        "Dispute {dispute} was resolved on {resolved_at}; its eight weeks had ended on {unresolved_at}.",
        "SR 6.1.1",
    ),
    "drop-missing": Meaning(_WARNING, "The cash box of shift {shift} was never counted."),
    "count-missing": Meaning(
        _WARNING, "The gaming day was sealed without the cage's count of shift {shift}."
    ),
}
"""Every kind of finding, by its code."""

REFUSALS: Mapping[str, Severity] = dict.fromkeys(
    (
        "bank-may-not-stand",
        "interest-not-allowed",
        "bank-must-pass",
        "kind-not-available",
        "no-option",
        "approvers-not-independent",
        "approver-without-right",
        "adjustment-not-approved",
        "sign-off-not-independent",
        "card-not-in-shoe",
        "conditions-differ",
        "wager-by-the-banker",
    ),
    _WARNING,
)
"""Reasons for which a refused command or wager is a doubt, not just something to know: it asked for what the
law bars, or for what should not have come up at a well-kept table."""


def severity_of(code: str, reason: str | None) -> Severity:
    """How grave a finding with this code and reason is."""
    severity = MEANINGS[code].severity
    return REFUSALS.get(reason, severity) if reason and severity is _INFO else severity


# --- Sentences -----------------------------------------------------------------------------------------

_ACCOUNTS: Mapping[str, str] = {"opener": "the opener", "closer": "the closer", "drop": "the drop"}
_CAPACITIES: Mapping[str, str] = {
    "licence-holder": "the holder of the licence",
    "employee": "an employee of the holder of the licence",
    "player": "a player",
}


def _results(results: Mapping[str, str]) -> str:
    return words.listed([f"{words.clause(hand)} {words.RESULTS[result]}" for hand, result in results.items()])  # type: ignore[index]  # a Word is its text


def _persons(names: Sequence[str]) -> str:
    return words.listed(names) or "nobody"


def _kinds(kinds: Sequence[str]) -> str:
    return words.listed([words.KINDS[Kind(kind)] for kind in kinds], "or")


def _moment(text: str) -> str:
    return words.moment(datetime.fromisoformat(text))


_TOLD: Mapping[str, Callable[[Any], str]] = {
    "account": lambda account: _ACCOUNTS.get(account, str(account)),
    "approvers": _persons,
    "capacity": lambda capacity: _CAPACITIES[capacity],
    "claimed": _results,
    "detail": lambda text: words.plain(text).rstrip("."),
    "kind": lambda kind: words.KINDS[Kind(kind)],
    "later": lambda day: f"; it is booked on {day}, because the coup's own gaming day was sealed",
    "missing": _kinds,
    "reason": lambda reason: words.REASONS.get(reason, str(reason)),
    "resolved_at": _moment,
    "results": _results,
    "signed_by": _persons,
    "unresolved_at": _moment,
    "why": lambda text: words.plain(text).rstrip("."),
}
"""Facts that are not told as they stand, by name."""
_AMOUNTS = frozenset({"amount", "cap", "offered", "stake", "stakes"})


class _Facts(dict[str, str]):
    """Facts as they are told; one that there is nothing to say of is told by nothing."""

    def __missing__(self, name: str) -> str:
        return ""


def sentence(code: str, facts: Mapping[str, Any], currency: str | None) -> str:
    """What was found, for people. Amounts among the facts are minor units of `currency`."""
    told = _Facts()
    for name, fact in facts.items():
        if fact is None:
            continue
        if name in _AMOUNTS:
            told[name] = in_words(fact, currency) if currency else str(fact)
        else:
            told[name] = _TOLD.get(name, str)(fact)
    return words.sentence(MEANINGS[code].sentence.format_map(told))
