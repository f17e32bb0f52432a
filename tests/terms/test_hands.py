"""Hands: two or three cards, their total, and how they compare with the banker's."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from ledger.errors import BadCard, MalformedInput, TooFewCards, TooManyCards
from ledger.terms.hands import Hand, Hands, Result, cards_drawn, hand, in_dealt_order, results_of
from tests import tabletalk
from tests.oracle import cards as oracle

RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "T", "J", "Q", "K"]
TOKENS = st.builds(str.__add__, st.sampled_from(RANKS), st.sampled_from(["", *"cdhsCDHS"]))
HANDS: TypeAdapter[Hands] = TypeAdapter(Hands)


def read(text: str) -> Hands:
    return HANDS.validate_python(tabletalk.hands(text))


@pytest.mark.parametrize(
    ("text", "total", "two_card_total", "third"),
    [
        ("9 K", 9, 9, None),
        ("K Q", 0, 0, None),
        ("7 8", 5, 5, None),
        ("9h 9d", 8, 8, None),
        ("A A A", 3, 2, "A"),
        ("5 5 3", 3, 0, "3"),
        ("Tc 10D Js", 0, 0, "Js"),
        ("9 9 9", 7, 8, "9"),
        ("2h 2d 3S", 7, 4, "3s"),
    ],
)
def test_a_hand_counts_the_last_digit_of_its_points(
    text: str, total: int, two_card_total: int, third: str | None
) -> None:
    """Domain §2.1: totals drop their tens; the first two cards decide what is drawn."""
    dealt = hand(text)
    assert (dealt.total, dealt.two_card_total) == (total, two_card_total)
    assert (None if dealt.third is None else str(dealt.third)) == third


@pytest.mark.parametrize("first", RANKS)
def test_every_hand_that_begins_with_a_rank_counts_as_the_oracle_counts_it(first: str) -> None:
    for second, third in product(RANKS, [None, *RANKS]):
        tokens = [first, second] if third is None else [first, second, third]
        dealt = hand(" ".join(tokens))
        assert dealt.total == oracle.total(tokens)
        assert dealt.two_card_total == oracle.total(tokens[:2])


@pytest.mark.parametrize("text", ["", " ", "9", "Th", " K "])
def test_no_card_and_one_card_are_not_a_hand(text: str) -> None:
    with pytest.raises(TooFewCards):
        hand(text)


@pytest.mark.parametrize("text", ["9 K A 2", "A A A A", "Tc Td Th Ts", "A 2 3 4 5 6 7 8 9 10 J Q K"])
def test_a_fourth_card_is_not_a_hand(text: str) -> None:
    with pytest.raises(TooManyCards):
        hand(text)


@pytest.mark.parametrize(("text", "token"), [("9 X", "X"), ("0 9", "0"), ("9 K 1", "1"), ("9K", "9K")])
def test_a_bad_card_in_a_hand_is_named(text: str, token: str) -> None:
    with pytest.raises(BadCard) as refused:
        hand(text)
    assert refused.value.token == token


@pytest.mark.parametrize("length", [100, 10_000])
def test_a_text_of_any_length_is_refused_and_repeated_only_in_part(length: int) -> None:
    with pytest.raises(MalformedInput) as refused:
        hand("9 " * length)
    assert len(str(refused.value)) < 200


@given(st.lists(TOKENS, min_size=2, max_size=3))
@settings(max_examples=100, deadline=None)
def test_a_hand_written_out_reads_back_as_itself(tokens: list[str]) -> None:
    dealt = hand(" ".join(tokens))
    assert hand(str(dealt)) == dealt
    assert HANDS.validate_json(HANDS.dump_json({"banker": dealt})) == {"banker": dealt}


@pytest.mark.parametrize("written", [97, 9.7, None, ["9", "K"], {"cards": "9 K"}, b"9 K", True])
def test_a_hand_is_a_text_and_nothing_else(written: object) -> None:
    with pytest.raises(ValidationError, match="a hand is a text of cards"):
        HANDS.validate_python({"player": written})


def test_the_reader_says_which_hand_is_bad() -> None:
    with pytest.raises(ValidationError) as refused:
        HANDS.validate_python({"player": "9 K", "banker": "9 Z"})
    (finding,) = refused.value.errors()
    assert finding["loc"] == ("banker",)
    assert "'Z' is not a card" in finding["msg"]


@pytest.mark.parametrize(
    ("text", "results"),
    [
        ("P 9 K / B 7 Q", {"player": "W"}),
        ("P 7 Q / B 9 K", {"player": "L"}),
        ("P J 7 / B 2 5", {"player": "D"}),
        ("P K Q J / B A 9", {"player": "D"}),
        ("P 9 9 / B 8 9 A", {"player": "D"}),
        ("1 9 K / 2 5 5 3 / B 7 Q", {"hand-1": "W", "hand-2": "L"}),
        ("1 7 K / 2 8 Q / B 7 Q", {"hand-1": "D", "hand-2": "W"}),
        ("2 2 4 / B 7 Q", {"hand-2": "L"}),
    ],
)
def test_each_opposing_hand_is_held_against_the_bankers(text: str, results: dict[str, str]) -> None:
    """Higher total wins, equal totals draw, hand by hand (domain §3)."""
    assert results_of(read(text)) == results


@given(
    st.lists(TOKENS, min_size=2, max_size=3),
    st.lists(TOKENS, min_size=2, max_size=3),
)
@settings(max_examples=100, deadline=None)
def test_what_one_hand_wins_the_other_loses(first: list[str], second: list[str]) -> None:
    """Changing places turns a win into a loss and leaves a draw."""
    one, other = hand(" ".join(first)), hand(" ".join(second))
    turned = {Result.WINS: Result.LOSES, Result.LOSES: Result.WINS, Result.DRAW: Result.DRAW}
    (forwards,) = results_of({"player": one, "banker": other}).values()
    (backwards,) = results_of({"player": other, "banker": one}).values()
    assert turned[forwards] is backwards
    assert forwards == oracle.compare(first, second)


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("B 2 4 / P A 3", "player A, banker 2, player 3, banker 4"),
        ("B 2 4 6 / P A 3 5", "player A, banker 2, player 3, banker 4, player 5, banker 6"),
        ("B 2 4 5 / P A 6", "player A, banker 2, player 6, banker 4, banker 5"),
        (
            "B 3 6 9 / 2 2 5 8 / 1 A 4 7",
            "hand-1 A, hand-2 2, banker 3, hand-1 4, hand-2 5, banker 6, hand-1 7, hand-2 8, banker 9",
        ),
        ("B 2 4 / 2 A 3 5", "hand-2 A, banker 2, hand-2 3, banker 4, hand-2 5"),
    ],
)
def test_cards_are_dealt_round_and_the_bankers_come_last(text: str, order: str) -> None:
    """Domain §2.1 and §2.3: opposing hands in their order, then the banker, twice; then the third cards."""
    dealt = {name: hand(cards) for name, cards in tabletalk.hands(text).items()}
    assert ", ".join(f"{name} {card}" for name, card in in_dealt_order(dealt)) == order


def test_cards_leave_the_shoe_in_the_order_of_the_deal() -> None:
    """Domain §2.1: player, banker, player, banker; then the player's third card and the banker's."""
    dealt = {"banker": hand("4 5 6"), "player": hand("A 2 3")}
    assert " ".join(card.text for card in cards_drawn(dealt)) == "A 4 2 5 3 6"


def test_a_hand_is_the_hand_that_is_written_alike_and_nothing_else() -> None:
    assert {hand("9 K"): "the same hand"}[Hand(hand("9 K").cards)] == "the same hand"
    assert hand("9 K") != "9 K"
    assert hand("9 K") != hand("K 9")
