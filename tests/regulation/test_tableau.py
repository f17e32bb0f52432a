"""Punto banco's tableau (domain §2.1): every total against every third card."""

from __future__ import annotations

from itertools import product

import pytest

from ledger.regulation.tableau import banker_draws, drawing_rules, irregularity, player_draws
from ledger.terms.cards import card
from ledger.terms.hands import hand
from tests.oracle.regulation6 import punto_banco_tableau_breach
from tests.regulation.coups import hands

OF_VALUE = ["K", "A", "2", "3", "4", "5", "6", "7", "8", "9"]
THIRD = [None, *OF_VALUE]
# Two cards for each total from nought to nine, and two others.
TWO_CARDS = [
    ("K Q", "5 5"),
    ("K A", "9 2"),
    ("A A", "Q 2"),
    ("A 2", "7 6"),
    ("2 2", "10 4"),
    ("A 4", "7 8"),
    ("3 3", "9 7"),
    ("3 4", "8 9"),
    ("4 4", "9 9"),
    ("4 5", "K 9"),
]
# Domain §2.1, row by row: the banker's two-card total, and the player's third cards that make it draw.
BANKER_DRAWS_AGAINST = {
    0: "0123456789",
    1: "0123456789",
    2: "0123456789",
    3: "012345679",
    4: "234567",
    5: "4567",
    6: "67",
    7: "",
}


@pytest.mark.parametrize("players", range(10))
@pytest.mark.parametrize("writing", [0, 1])
def test_every_combination_is_regular_when_the_oracle_says_so(players: int, writing: int) -> None:
    """All two-card totals and all third cards, drawn or not: 1,210 coups for each total of the player's."""
    for bankers, players_third, bankers_third in product(range(10), THIRD, THIRD):
        player = TWO_CARDS[players][writing].split() + ([players_third] if players_third else [])
        banker = TWO_CARDS[bankers][1 - writing].split() + ([bankers_third] if bankers_third else [])
        breach = punto_banco_tableau_breach(player, banker)
        found = irregularity(hand(" ".join(player)), hand(" ".join(banker)))
        assert (found is None) == (breach is None), (player, banker, breach)


@pytest.mark.parametrize(("total", "against"), BANKER_DRAWS_AGAINST.items())
def test_the_bankers_rows(total: int, against: str) -> None:
    """Domain §2.1: each of the eighty cells, and what the banker does when the player stood."""
    assert "".join(str(v) for v in range(10) if banker_draws(total, card(OF_VALUE[v]))) == against
    assert banker_draws(total, None) == (total <= 5)


def test_the_players_row() -> None:
    """Domain §2.1: nought to five draws, six and seven stand."""
    assert [total for total in range(8) if player_draws(total)] == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("token", ["10", "J", "Q", "K", "Th", "Kd"])
def test_tens_and_pictures_are_a_third_card_of_nought(token: str) -> None:
    """The banker stands on four against any of them and draws on three."""
    assert not banker_draws(4, card(token))
    assert banker_draws(3, card(token))


@pytest.mark.parametrize(
    ("coup", "at_fault"),
    [
        ("P 9 K / B 2 3", None),
        ("P 2 3 / B 8 K", None),
        ("P K 6 / B 2 3 9", None),
        ("P K 2 8 / B A 2", None),
        ("P K 2 K / B A 2 5", None),
        ("P 2 3 4 / B 9 K", "player"),
        ("P 8 K / B 2 3 K", "banker"),
        ("P 8 K 2 / B 9 K A", "player"),
        ("P 2 3 / B 3 4", "player"),
        ("P K 6 A / B 3 4", "player"),
        ("P K 6 / B 2 3", "banker"),
        ("P K 6 / B 3 3 A", "banker"),
        ("P K 2 8 / B A 2 5", "banker"),
        ("P K 2 9 / B A 2", "banker"),
        ("P K 2 A / B K 4 9", "banker"),
        ("P K 2 3 / B K 5 9", "banker"),
        ("P K 2 5 / B K 6 A", "banker"),
        ("P K 2 6 / B K 6", "banker"),
        ("P K 2 7 / B K 7 A", "banker"),
    ],
)
def test_coups_told_at_the_table(coup: str, at_fault: str | None) -> None:
    """By hand: regular, or the first hand that did what it should not have."""
    dealt = hands(coup)
    broken = [rule.hand for rule in drawing_rules(dealt["player"], dealt["banker"]) if not rule.kept]
    assert (broken[0] if broken else None) == at_fault
    found = irregularity(dealt["player"], dealt["banker"])
    assert (found is None) == (at_fault is None)
    if found and at_fault:
        assert f", but the {at_fault} drew " in found.detail


def test_the_finding_says_what_had_to_be_done_and_what_was() -> None:
    """An auditor reads it without the cards: totals, the third card, and the fault."""
    dealt = hands("P K 2 8 / B A 2 5")
    found = irregularity(dealt["player"], dealt["banker"])
    assert found is not None
    assert "banker stands on 3 against a third card of 8" in found.detail
    assert "drew a third card" in found.detail
    dealt = hands("P K 6 / B 2 3")
    found = irregularity(dealt["player"], dealt["banker"])
    assert found is not None
    assert "banker draws on 5 against a standing player" in found.detail
    assert "drew none" in found.detail
