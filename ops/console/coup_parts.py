"""What a coup's page has and its telling has not: cards with their rules, a claim, before and after.

Pure. Amounts in minor units.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ledger.regulation.tableau import drawing_rules
from ledger.terms.formats import format_named
from ledger.terms.hands import BANKER, PLAYER, Result, results_of
from projections.story import words
from projections.story.coups import CoupStory, line_as_json

_FIRST = "first two cards of each hand, by turns"


@dataclass(frozen=True, slots=True)
class CardDealt:
    """A card in the order of the deal.

    Attributes:
        text: as it is written, `9c`.
        to: the hand it went to, as it is said.
        points: what it counts.
        rule: why it was dealt.
        kept: False where it should not have been.
    """

    text: str
    to: str
    points: int
    rule: str
    kept: bool


@dataclass(frozen=True, slots=True)
class Compared:
    """A hand's result as a feed claimed it, and as the cards have it."""

    hand: str
    claimed: str
    by_cards: str
    agrees: bool


@dataclass(frozen=True, slots=True)
class LineChanged:
    """A wager before a ruling and after it. `difference`: what its patron has more by it, or less."""

    wager: str
    seat: int | None
    patron: str | None
    before: str
    before_sum: str
    after: str
    after_sum: str
    difference: int | None


@dataclass(frozen=True, slots=True)
class SideBySide:
    """A ruling: the hands and the wagers before it and after it. None after: the coup is void."""

    hands_before: Mapping[str, str]
    hands_after: Mapping[str, str] | None
    lines: Sequence[LineChanged]


def cards_dealt(story: CoupStory) -> list[CardDealt]:
    """Each card as it was dealt, with the rule that drew it."""
    if story.opened is None or not story.dealt:
        return []
    thirds = dict(_thirds(story, story.opened.conditions.format))
    dealt: dict[str, int] = {}
    told = []
    for name, text in story.cards():
        nth = dealt[name] = dealt.get(name, 0) + 1
        card = story.dealt[name].cards[nth - 1]
        rule, kept = thirds[name] if nth > 2 else (_FIRST, True)
        told.append(CardDealt(text, words.clause(name), card.points, rule, kept))
    return told


def _thirds(story: CoupStory, format: str) -> Iterator[tuple[str, tuple[str, bool]]]:
    """Why each hand was given a third card, or was not; and whether it should have been."""
    if not format_named(format).drawing_option:
        for rule in drawing_rules(story.dealt[PLAYER], story.dealt[BANKER]):
            yield rule.hand, (rule.text, rule.kept)
        return
    by = {decision["hand"]: decision["by"] for decision in story.decisions}
    for name, hand in story.dealt.items():
        of = f" of {by[name]}" if by.get(name) else ""
        choice = f", by choice{of}" if name in by else ""
        yield name, (f"drew on {hand.two_card_total}{choice}", True)


def claim_compared(story: CoupStory) -> list[Compared]:
    """The claim against the cards as dealt, hand by hand; nothing where nobody claimed."""
    if not story.claimed:
        return []
    by_cards = results_of(story.dealt)
    return [
        Compared(
            words.clause(name),
            words.RESULTS[Result(claimed)],
            words.RESULTS[by_cards[name]] if name in by_cards else "was not in play",
            name in by_cards and by_cards[name].value == claimed,
        )
        for name, claimed in story.claimed.items()
    ]


def side_by_side(story: CoupStory) -> list[SideBySide]:
    """Each ruling with what it found and what it left."""
    told = []
    for at, ruling in enumerate(story.rulings):
        later = next((one["reversed"] for one in story.rulings[at + 1 :] if one["reversed"]), None)
        standing = [line_as_json(line, story.currency) for line in story.lines] if later is None else later
        after = [] if ruling["hands_after"] is None else standing
        lines = _changed(ruling["reversed"], after, story.wagers)
        hands_after = ruling["hands_after"] and _as_dealt(ruling["hands_after"])
        told.append(SideBySide(_as_dealt(ruling["hands_before"]), hands_after, lines))
    return told


def _as_dealt(hands: Mapping[str, str]) -> dict[str, str]:
    return {name: hands[name] for name in sorted(hands, key=words.dealt_last)}


def _changed(
    before: Sequence[Mapping[str, Any]],
    after: Sequence[Mapping[str, Any]],
    wagers: Sequence[Mapping[str, Any]],
) -> list[LineChanged]:
    was = {line["wager"]: line for line in before}
    is_now = {line["wager"]: line for line in after}
    told = []
    for wager in wagers:
        old, new = was.get(wager["id"]), is_now.get(wager["id"])
        if old is None and new is None and after:
            continue  # cancelled before the cards
        back = {
            "outcome": "void",
            "arithmetic": "stake handed back",
            "winnings": 0,
            "returned": wager["stake"],
        }
        new = new or back
        told.append(
            LineChanged(
                wager=wager["id"],
                seat=wager.get("seat"),
                patron=wager.get("patron"),
                before=old["outcome"] if old else "held",
                before_sum=old["arithmetic"] if old else "not settled",
                after=new["outcome"],
                after_sum=new["arithmetic"],
                difference=_paid(new) - _paid(old) if old else None,
            )
        )
    return told


def _paid(line: Mapping[str, Any]) -> int:
    return int(line["winnings"]) + int(line["returned"])
