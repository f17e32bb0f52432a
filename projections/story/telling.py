"""The parts of a coup's story, in sentences: for a terminal, for a page and for programs.

Amounts are written out in the coup's currency, and moments in UTC.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ledger.terms.money import in_words
from ledger.terms.wagers import Kind, Tender
from projections.story import words


@dataclass(frozen=True, slots=True)
class Covering:
    """A checkpoint with all events of the coup in it; `root` in hexadecimal.

    Attributes:
        signed_by: who is said to have signed; those who did, where `signature_checked`.
        fault: why it does not vouch for the coup, a sentence; None where it does.
    """

    origin: str
    size: int
    root: str
    signed_by: tuple[str, ...]
    signature_checked: bool
    fault: str | None = None

    @property
    def holds(self) -> bool:
        """Are the coup's events those that were sealed, and is every signature that was checked good?"""
        return self.fault is None

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return asdict(self) | {"holds": self.holds}


@dataclass(frozen=True, slots=True)
class CardTold:
    """A card in dealt order: which hand it went to (`to` as it is said), and what it counts."""

    hand: str
    to: str
    text: str
    rank: str
    suit: str | None
    name: str
    points: int


@dataclass(frozen=True, slots=True)
class HandTold:
    """A hand that was settled on, or would be: its total and how it fared."""

    hand: str
    name: str
    cards: str
    total: int
    result: str


@dataclass(frozen=True, slots=True)
class RuleTold:
    """A line of the tableau, or a choice: what it says, what it came to here, whether it was kept."""

    rule: str
    here: str
    kept: bool


@dataclass(frozen=True, slots=True)
class WagerTold:
    """A wager and how it ended."""

    wager: str
    who: str
    says: str
    stake: str
    ending: str
    arithmetic: str
    paragraph: str


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a wager, or a part of one, did not stand."""

    sentence: str
    paragraph: str


@dataclass(frozen=True, slots=True)
class RulingTold:
    """A ruling, the hands it settled on, and every line that it took back."""

    sentence: str
    hands: str
    taken_back: list[WagerTold]


@dataclass(frozen=True, slots=True)
class DisputeTold:
    """A dispute and its clock. `days_left`: whole days, rounded down; None once it is resolved."""

    sentence: str
    clock: str
    days_left: int | None


@dataclass(frozen=True, slots=True)
class ParagraphTold:
    """A paragraph that the coup cites: a quotation, or our own words."""

    paragraph: str
    text: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Telling:
    """The whole story, part by part in the order in which it is read."""

    title: str
    ending: str
    as_of: str
    conditions: list[str]
    authority: str
    bank: str
    wagers: list[WagerTold]
    refused: list[Reason]
    cancelled: list[Reason]
    cards: list[CardTold]
    rules: list[RuleTold]
    irregular: str | None
    ruled_hands: str | None
    hands: list[HandTold]
    claim: str | None
    rulings: list[RulingTold]
    disputes: list[DisputeTold]
    paragraphs: list[ParagraphTold]
    record: list[str]
    record_holds: bool
    """False where the checkpoint that covers it does not vouch for it; `record` says why."""


def who(wager: Mapping[str, Any]) -> str:
    """Whose wager: the patron's token and the seat, as far as they are known."""
    seat = f"seat {wager['seat']}" if wager.get("seat") is not None else ""
    return ", ".join(filter(None, (wager.get("patron"), seat))) or "–"


def wager_told(
    wager: Mapping[str, Any], currency: str, ending: str, arithmetic: str, paragraph: str
) -> WagerTold:
    """A wager, or a line that repeats it, with its end."""
    stake = in_words(wager["stake"], currency)
    return WagerTold(
        wager=wager.get("wager") or wager["id"],
        who=who(wager),
        says=words.KINDS[Kind(wager["kind"])],
        stake=stake + words.TENDERS[Tender(wager["tender"])],
        ending=ending,
        arithmetic=arithmetic,
        paragraph=paragraph,
    )


def line_told(line: Mapping[str, Any], currency: str) -> WagerTold:
    """A settlement line."""
    return wager_told(line, currency, words.ENDINGS[line["outcome"]], line["arithmetic"], line["paragraph"])
