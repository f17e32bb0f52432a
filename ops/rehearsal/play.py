"""How the hands of a coup are dealt and played: by the tableau, or by somebody who has a choice."""

from __future__ import annotations

import random
from collections.abc import Iterable
from enum import Enum

from ledger.regulation.tableau import NATURALS, banker_draws, player_draws
from ledger.terms.cards import Card
from ledger.terms.hands import BANKER, HAND_1, HAND_2, PLAYER
from ops.rehearsal.shoe import Shoe

Dealt = dict[str, list[Card]]

EITHER_WAY_ON = 5
"""A player's hand of five may draw or stand, where there is a choice (domain §2.2)."""
BANKERS_CHOICE = frozenset({(3, 9), (5, 4)})
"""The banker's total against the third card he sees, where chemin de fer's chart leaves him the choice."""


class Mistake(Enum):
    """What a punto banco dealer does wrong with the banker's third card."""

    SURPLUS = "a third card that the tableau does not allow"
    MISSING = "no third card where the tableau demands one"


def total(cards: Iterable[Card]) -> int:
    """What a hand counts."""
    return sum(card.points for card in cards) % 10


def written(dealt: Dealt) -> dict[str, str]:
    """The hands as a tape holds them."""
    return {name: " ".join(map(str, cards)) for name, cards in dealt.items()}


def _two_cards_each(shoe: Shoe, *names: str) -> Dealt:
    """One card to each hand, twice; the banker's hand comes last."""
    dealt: Dealt = {name: [] for name in names}
    for _ in range(2):
        for cards in dealt.values():
            cards.append(shoe.draw())
    return dealt


def _third(cards: list[Card]) -> Card | None:
    return cards[2] if len(cards) == 3 else None


def punto_banco(shoe: Shoe, mistake: Mistake | None = None) -> tuple[Dealt, bool]:
    """A coup of punto banco by the tableau.

    Args:
        shoe: where the cards come from.
        mistake: what the dealer does wrong, if this coup's banker gives him occasion to.

    Returns:
        The hands, and whether the mistake happened.
    """
    dealt = _two_cards_each(shoe, PLAYER, BANKER)
    player, banker = dealt[PLAYER], dealt[BANKER]
    if total(player) in NATURALS or total(banker) in NATURALS:
        return dealt, False
    if player_draws(total(player)):
        player.append(shoe.draw())
    draws = banker_draws(total(banker), _third(player))
    slipped = mistake is (Mistake.MISSING if draws else Mistake.SURPLUS)
    if draws != slipped:
        banker.append(shoe.draw())
    return dealt, slipped


def _opposing_hand_plays(cards: list[Card], shoe: Shoe, rng: random.Random) -> None:
    count = total(cards)
    if count < EITHER_WAY_ON or (count == EITHER_WAY_ON and rng.random() < 0.5):
        cards.append(shoe.draw())


def _banker_plays(cards: list[Card], against: list[Card], shoe: Shoe, rng: random.Random) -> None:
    count, seen = total(cards), _third(against)
    draws = banker_draws(count, seen)
    if seen is not None and (count, seen.points) in BANKERS_CHOICE:
        draws = rng.random() < 0.5
    if draws:
        cards.append(shoe.draw())


def chemin_de_fer(shoe: Shoe, rng: random.Random) -> Dealt:
    """A coup of chemin de fer: five is the player's choice, and the chart leaves the banker some too."""
    dealt = _two_cards_each(shoe, PLAYER, BANKER)
    player, banker = dealt[PLAYER], dealt[BANKER]
    if total(player) not in NATURALS and total(banker) not in NATURALS:
        _opposing_hand_plays(player, shoe, rng)
        _banker_plays(banker, player, shoe, rng)
    return dealt


def baccarat_banque(shoe: Shoe, rng: random.Random, in_play: tuple[str, ...], heavier: str) -> Dealt:
    """A coup of baccarat banque with one opposing hand in play or with both.

    The banker plays against the side with the `heavier` stakes, unless that one shows a natural.
    """
    dealt = _two_cards_each(shoe, *(hand for hand in (HAND_1, HAND_2) if hand in in_play), BANKER)
    banker = dealt[BANKER]
    if total(banker) in NATURALS:
        return dealt
    open_hands = [hand for hand in in_play if total(dealt[hand]) not in NATURALS]
    for hand in open_hands:
        _opposing_hand_plays(dealt[hand], shoe, rng)
    if open_hands:
        _banker_plays(banker, dealt[heavier if heavier in open_hands else open_hands[0]], shoe, rng)
    return dealt
