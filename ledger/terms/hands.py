"""Hands: the cards of the banker or of an opposing hand, two or three, in dealt order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any

from pydantic import AfterValidator, PlainSerializer, PlainValidator, WithJsonSchema

from ledger.errors import TooFewCards, TooManyCards, Unreadable
from ledger.terms.cards import Card, cards
from ledger.terms.identifiers import Name, PatronToken
from ledger.terms.value import Value, Word, in_order

BANKER = "banker"
PLAYER = "player"
HAND_1 = "hand-1"
HAND_2 = "hand-2"


@dataclass(frozen=True, slots=True)
class Hand:
    """Two or three cards. `total` is the last digit of the points, `text` how the hand is written."""

    cards: tuple[Card, ...]
    total: int
    text: str

    @property
    def two_card_total(self) -> int:
        """What the hand counted before any third card."""
        return (self.cards[0].points + self.cards[1].points) % 10

    @property
    def third(self) -> Card | None:
        """The third card, if one was drawn."""
        return self.cards[2] if len(self.cards) == 3 else None

    def __str__(self) -> str:
        return self.text


@lru_cache(maxsize=8192)
def hand(text: str) -> Hand:
    """The hand written as `text`, such as `"9 K"` or `"2h 2d 3s"`.

    Raises:
        BadCard, TooFewCards, TooManyCards: it is not a hand.
    """
    if len(text) > 64:
        raise TooManyCards(text[:40] + "...")
    drawn = cards(text)
    if len(drawn) < 2:
        raise TooFewCards(text)
    if len(drawn) > 3:
        raise TooManyCards(text)
    return Hand(drawn, sum(card.points for card in drawn) % 10, " ".join(map(str, drawn)))


def _read_hand(value: Any) -> Hand:
    if isinstance(value, Hand):
        return value
    if isinstance(value, str):
        return hand(value)
    raise Unreadable("a hand is a text of cards, such as '9 K'")


HandField = Annotated[
    Hand,
    PlainValidator(_read_hand),
    PlainSerializer(str, return_type=str),
    WithJsonSchema({"type": "string", "examples": ["9 K", "2h 2d 3s"]}),
]
"""A hand as events and tapes hold it: its text."""

Hands = Annotated[dict[str, HandField], AfterValidator(in_order)]
"""The hands of a coup by name: `banker`, and `player` or `hand-1` and `hand-2`."""


class DrawingDecision(Value):
    """What somebody with an option chose: whether a third card was added to a hand (6(7)(c))."""

    hand: Name
    drew: bool
    by: PatronToken | None = None


class Result(Word):
    """An opposing hand against the banker's."""

    WINS = "W"
    LOSES = "L"
    DRAW = "D"


Results = Annotated[dict[str, Result], AfterValidator(in_order)]
"""The result of each opposing hand, by its name."""


def results_of(hands: Mapping[str, Hand]) -> Results:
    """Each opposing hand's result, by comparing totals; the higher wins."""
    bankers = hands[BANKER].total
    return {
        name: Result.WINS if hand.total > bankers else Result.LOSES if hand.total < bankers else Result.DRAW
        for name, hand in hands.items()
        if name != BANKER
    }


def in_dealt_order(hands: Mapping[str, Hand]) -> tuple[tuple[str, Card], ...]:
    """Each card of the coup with its hand, in the order of the deal.

    One card to each opposing hand and one to the banker, twice; then the third cards, the banker's last
    (domain §2.1, §2.3).
    """
    order = sorted(hands, key=lambda name: (name == BANKER, name))
    return tuple(
        (name, hands[name].cards[turn])
        for turn in range(3)
        for name in order
        if turn < len(hands[name].cards)
    )
