"""Cards: a rank, and a suit where the table's reader saw one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ledger.errors import BadCard

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS = ("c", "d", "h", "s")
CARDS_OF_A_RANK_IN_A_DECK = len(SUITS)
CARDS_IN_A_DECK = len(RANKS) * CARDS_OF_A_RANK_IN_A_DECK


@dataclass(frozen=True, slots=True)
class Card:
    """One card. `points` is its value in baccarat: ace 1, pips as printed, tens and pictures 0."""

    rank: str
    suit: str | None
    points: int
    text: str
    """How it is written: its rank, and its suit where that was seen."""

    def __str__(self) -> str:
        return self.text


def _deck() -> dict[str, Card]:
    """Every way to write a card, to the one object that stands for it."""
    written: dict[str, Card] = {}
    for index, rank in enumerate(RANKS):
        for suit in (None, *SUITS):
            card = Card(rank, suit, (index + 1) % 10 if index < 9 else 0, rank + (suit or ""))
            for alias in (rank, "T") if rank == "10" else (rank,):
                for letter in {suit or "", (suit or "").upper()}:
                    written[alias + letter] = card
                    written[alias.lower() + letter] = card
    return written


_CARDS = _deck()


def card(token: str) -> Card:
    """The card written as `token`: `"10"`, `"T"`, `"Kh"`.

    Raises:
        BadCard: `token` is not a card.
    """
    return _read((token,))[0]


def cards(text: str) -> tuple[Card, ...]:
    """The cards of a text, in dealt order, separated by blanks.

    Raises:
        BadCard: the first token that is not a card.
    """
    return _read(text.split())


def _read(tokens: Iterable[str]) -> tuple[Card, ...]:
    """Looked up in one go: whoever reads a record reads millions."""
    try:
        return tuple([_CARDS[token] for token in tokens])
    except KeyError as error:
        raise BadCard(error.args[0][:40]) from None
