"""A shoe: which of its cards have been seen, so that none comes more often than its decks hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ledger import errors
from ledger.aggregates.draft import Draft, Fold
from ledger.events.shoe import CardsSeen
from ledger.terms.cards import CARDS_OF_A_RANK_IN_A_DECK, RANKS, Card, cards


@dataclass(frozen=True, slots=True)
class Shoe:
    """How often each rank (`"A"`) and each card whose suit was read (`"As"`) has been seen."""

    seen: Mapping[str, int] = field(default_factory=dict)


NEW_SHOE = Shoe()


def _names(drawn: Iterable[Card]) -> dict[str, int]:
    """How often each rank is among these cards, and each card whose suit was read."""
    names: dict[str, int] = {}
    for card in drawn:
        names[card.rank] = names.get(card.rank, 0) + 1
        if card.suit:
            suited = card.rank + card.suit
            names[suited] = names.get(suited, 0) + 1
    return names


def _seen(shoe: Shoe, event: CardsSeen) -> Shoe:
    seen = dict(shoe.seen)
    for name, count in _names(cards(event.cards)).items():
        seen[name] = seen.get(name, 0) + count
    return Shoe(seen)


FOLD: Fold = {CardsSeen: _seen}


def see_cards(shoe: Draft[Shoe], drawn: tuple[Card, ...], decks: int, coup: int | None) -> None:
    """The cards leave the shoe, for a coup (its number) or burnt (None).

    Raises:
        CardNotInShoe: a rank more than four times a deck, or a card more than once a deck.
    """
    seen = shoe.state.seen
    for name, count in _names(drawn).items():
        held = decks * CARDS_OF_A_RANK_IN_A_DECK if name in RANKS else decks
        if seen.get(name, 0) + count > held:
            raise errors.CardNotInShoe(name, decks)
    shoe.record(CardsSeen, coup=coup, decks=decks, cards=" ".join(map(str, drawn)))
