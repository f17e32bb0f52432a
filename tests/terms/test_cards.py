"""Cards as a table writes them (domain §2.1): ace 1, pips as printed, tens and pictures nothing."""

from __future__ import annotations

import pytest

from ledger.errors import BadCard
from ledger.terms.cards import RANKS, SUITS, card, cards

POINTS = {"A": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8, "9": 9}
POINTS |= {"10": 0, "T": 0, "J": 0, "Q": 0, "K": 0}
WRITTEN = [rank + suit for rank in POINTS for suit in ("", *"cdhsCDHS")]


@pytest.mark.parametrize("token", WRITTEN)
def test_every_token_of_a_deck_is_its_card(token: str) -> None:
    """Rank, suit in either case or none, and points, whichever way the card is written."""
    rank, suit = (token[:-1], token[-1]) if token[-1] in "cdhsCDHS" else (token, None)
    read = card(token)
    assert read.points == POINTS[rank]
    assert read.rank == ("10" if rank == "T" else rank)
    assert read.suit == (suit.lower() if suit else None)


def test_a_deck_has_52_different_cards() -> None:
    deck = {card(rank + suit) for rank in POINTS for suit in "cdhs"}
    assert len(deck) == 52
    assert len(RANKS) * len(SUITS) == 52
    assert sum(one.points for one in deck) == 4 * (1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9)


@pytest.mark.parametrize("suit", ["", *"cdhsCDHS"])
def test_t_and_10_are_one_card(suit: str) -> None:
    assert card("T" + suit) == card("10" + suit)
    assert str(card("T" + suit)) == "10" + suit.lower()


@pytest.mark.parametrize("token", WRITTEN)
def test_a_card_written_out_reads_back_as_itself(token: str) -> None:
    assert card(str(card(token))) == card(token)


@pytest.mark.parametrize(
    "token",
    [
        *("", " ", "0", "1", "11", "-2", "2.0", "1c", "0h", "B", "X", "Joker", "ace"),  # no rank
        *("Kx", "9-", "10t", "Tt", "9k", "KK", "A♠", "♠A"),  # no suit
        *("hK", "Khh", "10cc", "TT", "1 0", "K h", " K", "K ", "K\n", "9,K", "9K"),  # no single card
        *("９", "٩", "Ａ", "А", "\x00", "K\x00"),  # noqa: RUF001  # they only look like a card's rank
    ],
)
def test_what_is_not_a_card_is_refused_by_its_own_name(token: str) -> None:
    """The error says which token it was."""
    with pytest.raises(BadCard) as refused:
        card(token)
    assert refused.value.token == token
    assert repr(token) in str(refused.value)


def test_cards_are_read_in_dealt_order_and_the_first_bad_one_is_named() -> None:
    assert [str(one) for one in cards(" 9  Kh\tTs ")] == ["9", "Kh", "10s"]
    assert cards("") == ()
    with pytest.raises(BadCard) as refused:
        cards("9 1 Kx")
    assert refused.value.token == "1"
