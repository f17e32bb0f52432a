"""A shoe: which of its cards have been seen, so that none comes more often than its decks hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ledger import errors
from ledger.aggregates.draft import Draft, Fold
from ledger.events.shoe import CardsReread, CardsSeen
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
    return Shoe(_added(shoe.seen, cards(event.cards)))


def _reread(shoe: Shoe, event: CardsReread) -> Shoe:
    return Shoe(_added(_removed(shoe.seen, cards(event.removed)), cards(event.added)))


def _added(seen: Mapping[str, int], drawn: Iterable[Card]) -> dict[str, int]:
    return {**seen, **{name: seen.get(name, 0) + count for name, count in _names(drawn).items()}}


def _removed(seen: Mapping[str, int], drawn: Iterable[Card]) -> dict[str, int]:
    return {**seen, **{name: seen.get(name, 0) - count for name, count in _names(drawn).items()}}


FOLD: Fold = {CardsSeen: _seen, CardsReread: _reread}


def _check_held(seen: Mapping[str, int], drawn: Iterable[Card], decks: int) -> None:
    """That a shoe of so many decks still has these cards.

    Raises:
        CardNotInShoe: a rank more than four times a deck, or a card more than once a deck.
    """
    for name, count in _names(drawn).items():
        held = decks * CARDS_OF_A_RANK_IN_A_DECK if name in RANKS else decks
        if seen.get(name, 0) + count > held:
            raise errors.CardNotInShoe(name, decks)


def see_cards(shoe: Draft[Shoe], drawn: tuple[Card, ...], decks: int, coup: int | None) -> None:
    """The cards leave the shoe, for a coup (its number) or burnt (None). Raises: CardNotInShoe."""
    _check_held(shoe.state.seen, drawn, decks)
    shoe.record(CardsSeen, coup=coup, decks=decks, cards=_text(drawn))


def reread_cards(
    shoe: Draft[Shoe], was: tuple[Card, ...], now: tuple[Card, ...], decks: int, coup: int
) -> None:
    """A ruling gives a coup other cards than were recorded.

    As many as before: those not there any more were misread, so they are still in the shoe. Fewer or more:
    a card was dealt by mistake or is dealt late; what was seen has been seen.

    Raises:
        CardNotInShoe: the shoe cannot have held the cards named.
    """
    added = _difference(now, was)
    removed = _difference(was, now) if len(was) == len(now) else ()
    if not added and not removed:
        return
    _check_held(_removed(shoe.state.seen, removed), added, decks)
    shoe.record(CardsReread, coup=coup, decks=decks, removed=_text(removed), added=_text(added))


def _difference(some: Iterable[Card], others: Iterable[Card]) -> tuple[Card, ...]:
    """The cards of `some` that are not among `others`, as often as they are not."""
    left = list(others)
    missing = []
    for card in some:
        if card in left:
            left.remove(card)
        else:
            missing.append(card)
    return tuple(missing)


def _text(drawn: Iterable[Card]) -> str:
    return " ".join(map(str, drawn))
