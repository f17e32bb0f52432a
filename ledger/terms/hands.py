"""Hands: the cards of the banker or of an opposing hand, two or three, in dealt order."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Final

from pydantic import AfterValidator, PlainSerializer, PlainValidator, WithJsonSchema

from ledger.errors import TooFewCards, TooManyCards, Unreadable
from ledger.terms.cards import Card, cards
from ledger.terms.identifiers import Name, PatronToken
from ledger.terms.value import Value, Word, in_order

BANKER = "banker"
PLAYER = "player"
HAND_1 = "hand-1"
HAND_2 = "hand-2"


class Hand:
    """Two or three cards; equal to a hand that is written alike.

    Attributes:
        total: the last digit of the points.
        two_card_total: what it was before any third card.
        third: the third card, if one was drawn.
        text: how the hand is written, which is how JSON has it.
    """

    __slots__ = ("cards", "text", "third", "total", "two_card_total")

    def __init__(self, cards: tuple[Card, ...]) -> None:
        points = [card.points for card in cards]
        self.cards: Final = cards
        self.total: Final = sum(points) % 10
        self.two_card_total: Final = sum(points[:2]) % 10
        self.third: Final = cards[2] if len(cards) == 3 else None
        self.text: Final = " ".join([card.text for card in cards])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hand) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Hand({self.text})"


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
    return Hand(drawn)


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
    order = sorted(hands.items(), key=lambda named: (named[0] == BANKER, named[0]))
    return (
        *[(name, hand.cards[0]) for name, hand in order],
        *[(name, hand.cards[1]) for name, hand in order],
        *[(name, hand.third) for name, hand in order if hand.third],
    )


def cards_drawn(hands: Mapping[str, Hand]) -> tuple[Card, ...]:
    """Every card of the coup, in the order of the deal."""
    return tuple([card for _, card in in_dealt_order(hands)])
