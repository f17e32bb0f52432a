"""Cards as cards: the suit as a sign and a colour, and a name for those who hear them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import Markup

from ledger.terms.cards import RANKS, Card
from ledger.terms.cards import cards as read_cards

_SUITS = {"c": ("♣", "clubs"), "d": ("♦", "diamonds"), "h": ("♥", "hearts"), "s": ("♠", "spades")}
_NAMES = (
    "ace",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "jack",
    "queen",
    "king",
)
_RANKS = dict(zip(RANKS, _NAMES, strict=True))


def name_of(card: Card) -> str:
    """`nine of clubs`; only the rank where the table's reader saw no suit."""
    rank = _RANKS[card.rank]
    return f"{rank} of {_SUITS[card.suit][1]}" if card.suit else rank


def cards(text: str) -> Markup:
    """The cards of a hand as it is written, `9c 7h`, in the order dealt.

    Raises:
        BadCard: as `ledger.terms.cards.cards` does.
    """
    shown = Markup("").join(_shown(card) for card in read_cards(text))
    return Markup('<span class="cards">{}</span>').format(shown)


def _shown(card: Card) -> Markup:
    sign, suit = _SUITS[card.suit] if card.suit else ("", "none")
    return Markup(
        '<span class="card {}" role="img" aria-label="{}"><span aria-hidden="true">{}<i>{}</i></span></span>'
    ).format(suit, name_of(card), card.rank, sign)


FILTERS: Mapping[str, Callable[..., Any]] = {"cards": cards}
