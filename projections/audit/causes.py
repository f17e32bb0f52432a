"""Why something recorded is not what it should be, and what was found. All amounts in minor units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ledger.regulation.acceptance import BANK_EXCEEDED, WAGERS_CLOSED, Refused
from ledger.terms.value import Word
from projections.story import words


class Cause(Word):
    """Why something recorded is not what it should be. One for each difference: the first that fits."""

    UNREADABLE = "unreadable"
    INCOMPLETE = "record-incomplete"
    CONDITIONS = "other-conditions"
    RESULT = "result-contradicts-cards"
    IRREGULAR = "irregular-yet-settled"
    REGULAR = "regular-yet-held"
    MISSING = "line-missing"
    FOR_NOTHING = "line-for-nothing"
    WAGER = "wager-misstated"
    REFUSED = "not-to-be-accepted"
    LIMITS = "outside-the-limits"
    OFFER = "not-on-offer"
    BANKERS_OWN = "wager-by-the-banker"
    LATE = "after-the-cards"
    BANK = "over-the-bank"
    OUTCOME = "outcome"
    ODDS = "odds"
    ROUNDING = "rounding"
    WINNINGS = "winnings"
    STAKE = "stake-handed-back"
    REMAINDER = "remainder-only"
    PARAGRAPH = "paragraph-only"
    REVERSAL = "reversal"
    TOTALS = "totals"


MEANING: Mapping[Cause, str] = {
    Cause.UNREADABLE: "an event cannot be read",
    Cause.INCOMPLETE: "the record lacks what settling the coup needs, or what should close it",
    Cause.CONDITIONS: "the settlement states other conditions than those pinned when the coup opened",
    Cause.RESULT: "the recorded result is not that of the cards, or the line follows it and not the cards",
    Cause.IRREGULAR: "settled although the third cards break the tableau; its money is judged by its cards",
    Cause.REGULAR: "held although the third cards follow the tableau",
    Cause.MISSING: "an accepted wager without a line",
    Cause.FOR_NOTHING: "a line without an accepted wager, or a second one",
    Cause.WAGER: "the line states another wager than the one accepted",
    Cause.REFUSED: "should have been refused before the cards: barred by law, or not payable exactly",
    Cause.LIMITS: "should have been refused before the cards: outside the table's limits",
    Cause.OFFER: "should have been refused before the cards: of a kind that was not on offer",
    Cause.BANKERS_OWN: "should have been refused before the cards: made by whoever held the bank",
    Cause.LATE: "should have been refused: placed when the cards were out",
    Cause.BANK: "the part of an accepted stake that the bank did not cover, and should have handed back",
    Cause.OUTCOME: "won, lost, void or stood off otherwise than the cards and the terms say",
    Cause.ODDS: "paid at other odds",
    Cause.ROUNDING: "the exact odds rounded to a payable unit, otherwise than the terms say",
    Cause.WINNINGS: "paid a sum that no odds and no rounding explain",
    Cause.STAKE: "another part of the stake handed back",
    Cause.REMAINDER: "the money is right, the remainder is not",
    Cause.PARAGRAPH: "the money is right, the paragraph is not",
    Cause.REVERSAL: "a ruling took back other lines than those that stood",
    Cause.TOTALS: "totals do not add up to the lines; no money of its own",
}

BOOKKEEPING = frozenset({Cause.TOTALS})
"""Causes whose amounts are of figures alone: the money is in the lines, and counted there."""
NOT_ACCEPTABLE = frozenset(
    {Cause.REFUSED, Cause.LIMITS, Cause.OFFER, Cause.BANKERS_OWN, Cause.LATE, Cause.BANK}
)
"""Causes of wagers, or parts of them, that should have been refused before the cards: they stand apart."""

_CAUSE_OF_REASON: Mapping[str, Cause] = {
    "under-minimum": Cause.LIMITS,
    "over-maximum": Cause.LIMITS,
    "kind-not-on-offer": Cause.OFFER,
    "wager-by-the-banker": Cause.BANKERS_OWN,
    WAGERS_CLOSED: Cause.LATE,
    BANK_EXCEEDED: Cause.BANK,
}
"""Why a wager should have been refused; every other reason is the law's or one of exactness."""


def cause_of(refused: Refused) -> Cause:
    """The cause by which a wager goes that should have been refused."""
    return _CAUSE_OF_REASON.get(refused.reason, Cause.REFUSED)


def told_why(refused: Refused) -> str:
    """Why it should have been refused, with the paragraph or the term that decides."""
    return f"{words.REASONS.get(refused.reason, refused.reason)} ({refused.paragraph})"


class Finding(NamedTuple):
    """Something recorded that is not what it should be: about a wager, or (`wager` None) about the coup.

    Attributes:
        stake: as it was accepted.
        difference: recorded less due: more than 0 where a patron was paid too much.
        recorded, due: the fields that differ; None where there is no line, or none is due.
    """

    cause: Cause
    wager: str | None = None
    stake: int = 0
    difference: int = 0
    recorded: Mapping[str, Any] | None = None
    due: Mapping[str, Any] | None = None
    detail: str = ""
