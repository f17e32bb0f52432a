"""A shoe: which of its cards have been seen, so that none comes more often than its decks hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ledger import errors
from ledger.aggregates.draft import NOTHING, Draft, Fold, StreamState
from ledger.events.shoe import CardsReread, CardsSeen
from ledger.terms.cards import CARDS_IN_A_DECK, CARDS_OF_A_RANK_IN_A_DECK, RANKS, Card, cards


class Shoe(StreamState, frozen=True):
    """What has left the shoe.

    Attributes:
        seen: how often each rank (`"A"`) and each card whose suit was read (`"As"`) has been seen.
        gone: cards in all, those burnt unseen included.
    """

    seen: Mapping[str, int] = NOTHING
    gone: int = 0


NEW_SHOE = Shoe()


def _seen(shoe: Shoe, event: CardsSeen) -> Shoe:
    drawn = cards(event.cards)
    return Shoe(_added(shoe.seen, drawn), shoe.gone + len(drawn) + (event.face_down or 0))


def _reread(shoe: Shoe, event: CardsReread) -> Shoe:
    added, removed = cards(event.added), cards(event.removed)
    return Shoe(_added(_removed(shoe.seen, removed), added), shoe.gone + len(added) - len(removed))


def _added(seen: Mapping[str, int], drawn: Iterable[Card], times: int = 1) -> dict[str, int]:
    """These cards seen so many times more: each by its rank, and by its suit where that was read."""
    now = dict(seen)
    for card in drawn:
        now[card.rank] = now.get(card.rank, 0) + times
        if card.suit:
            now[card.text] = now.get(card.text, 0) + times
    return now


def _removed(seen: Mapping[str, int], drawn: Iterable[Card]) -> dict[str, int]:
    return _added(seen, drawn, -1)


FOLD: Fold = {CardsSeen: _seen, CardsReread: _reread}


def _check_held(seen: Mapping[str, int], gone: int, drawn: Sequence[Card], decks: int) -> None:
    """That a shoe of so many decks still has these cards.

    Raises:
        CardNotInShoe: a rank more than four times a deck, or a card more than once a deck.
        ShoeOverdrawn: more cards than it has left.
    """
    of_a_rank = decks * CARDS_OF_A_RANK_IN_A_DECK
    for written, times in _added(NOTHING, drawn).items():
        if seen.get(written, 0) + times > (of_a_rank if written in RANKS else decks):
            raise errors.CardNotInShoe(written, decks)
    left = decks * CARDS_IN_A_DECK - gone
    if len(drawn) > left:
        raise errors.ShoeOverdrawn(len(drawn), left, decks)


def see_cards(
    shoe: Draft[Shoe], drawn: tuple[Card, ...], decks: int, coup: int | None, face_down: int | None = None
) -> None:
    """The cards leave the shoe, for a coup (its number) or burnt (None), then perhaps some unseen.

    Raises:
        CardNotInShoe, ShoeOverdrawn: the shoe does not have them any more.
    """
    _check_held(shoe.state.seen, shoe.state.gone, drawn, decks)
    shoe.record(CardsSeen, coup=coup, decks=decks, cards=_text(drawn), face_down=face_down)


def reread_cards(
    shoe: Draft[Shoe], was: tuple[Card, ...], now: tuple[Card, ...], decks: int, coup: int
) -> None:
    """A ruling gives a coup other cards than were recorded.

    As many as before: those not there any more were misread, so they are still in the shoe. Fewer or more:
    a card was dealt by mistake or is dealt late; what was seen has been seen.

    Raises:
        CardNotInShoe, ShoeOverdrawn: the shoe cannot have held the cards named.
    """
    added = _difference(now, was)
    removed = _difference(was, now) if len(was) == len(now) else ()
    if not added and not removed:
        return
    _check_held(_removed(shoe.state.seen, removed), shoe.state.gone - len(removed), added, decks)
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
    return " ".join([card.text for card in drawn])
