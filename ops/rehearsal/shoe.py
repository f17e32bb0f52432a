"""A shoe of shuffled decks: cards with suits, a burnt card, a cut card."""

from __future__ import annotations

import random

from ledger.terms.cards import RANKS, SUITS, Card, card

DECK = tuple(card(rank + suit) for suit in SUITS for rank in RANKS)
ENOUGH_FOR_A_COUP = 14
"""Cards that are still behind the cut card at least: more than any coup takes."""


class Shoe:
    """Shuffled decks, drawn one card at a time.

    Args:
        rng: where the shuffle comes from.
        decks: how many decks of 52.
        behind: how many cards lie behind the cut card.
    """

    def __init__(self, rng: random.Random, decks: int, behind: int = ENOUGH_FOR_A_COUP) -> None:
        self.decks = decks
        self._cards = list(DECK) * decks
        self._behind = max(behind, ENOUGH_FOR_A_COUP)
        rng.shuffle(self._cards)

    @property
    def is_spent(self) -> bool:
        """Whether the cut card is out: the coup in hand is the last."""
        return len(self._cards) <= self._behind

    def draw(self) -> Card:
        """The next card."""
        return self._cards.pop()

    def burn(self) -> str:
        """Burn the first card face up, and as many face down as it counts. Returns the one that was seen."""
        first = self.draw()
        for _ in range(first.points or 10):
            self.draw()
        return str(first)
