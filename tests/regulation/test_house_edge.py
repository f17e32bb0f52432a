"""The exact counts and edges of punto banco, against published figures (domain §6)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from ledger.regulation import tableau
from ledger.regulation.enumeration import enumerate_results
from ledger.regulation.house_edge import RESULT_COUNTS, ResultCounts, house_edge
from ledger.regulation.profiles import Profile
from ledger.regulation.settle import settle
from ledger.terms.house import Terms
from ledger.terms.wagers import Kind
from tests.oracle import enumeration, published
from tests.oracle.telling import rounds_to
from tests.regulation.coups import SI_1994, SI_2000, results, wagers

DECKS = range(1, 9)
# The names under which the published figures list the wagers of regulation 6.
WAGERS = [
    ("player", "stand-off", "player 1:1"),
    ("player", "lost", "player 1:1"),
    ("banker", "stand-off", "banker 19:20, draw returned"),
    ("banker", "lost", "banker 19:20, draw lost"),
    ("tie", "stand-off", "tie 8:1"),
    ("tie", "lost", "tie 8:1"),
]


@cache
def played(decks: int) -> ResultCounts:
    """Our own count, played once."""
    return enumerate_results(decks)


@pytest.mark.parametrize("decks", [1, 6, 8])
def test_our_count_of_every_coup_is_the_published_one(decks: int) -> None:
    """Domain §6: banker, player, equal hands and all ordered draws of six, to the last draw."""
    printed = published.COUNTS[decks]
    assert played(decks) == (printed["banker"], printed["player"], printed["tie"])
    assert played(decks).total == printed["total"]


@pytest.mark.parametrize("decks", DECKS)
def test_the_stored_counts_are_what_both_enumerations_come_to(decks: int) -> None:
    """Ours plays the product's tableau, the oracle's its own."""
    counted = enumeration.counts(decks)
    assert RESULT_COUNTS[decks] == (counted["banker"], counted["player"], counted["tie"])
    assert RESULT_COUNTS[decks] == played(decks)


@pytest.mark.parametrize("decks", DECKS)
def test_the_stored_counts_cover_every_ordered_draw_of_six(decks: int) -> None:
    n = 52 * decks
    assert RESULT_COUNTS[decks].total == n * (n - 1) * (n - 2) * (n - 3) * (n - 4) * (n - 5)


def test_every_number_of_decks_is_counted() -> None:
    assert set(RESULT_COUNTS) == set(DECKS)


@pytest.mark.parametrize("decks", [1, 6, 8])
@pytest.mark.parametrize("result", ["banker", "player", "tie"])
def test_probabilities_round_to_the_printed_ones(decks: int, result: str) -> None:
    share = Fraction(getattr(RESULT_COUNTS[decks], result), RESULT_COUNTS[decks].total)
    assert rounds_to(share, published.PROBABILITY[decks][result])


# The count asks the tableau that settles the coups


_ANY = frozenset(range(10))


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("BANKER_DRAWS_AGAINST", {3: _ANY}),
        ("BANKER_DRAWS_AGAINST", {7: frozenset({0})}),
        ("PLAYER_DRAWS_ON", frozenset(range(5))),
        ("BANKER_DRAWS_AFTER_STAND_ON", frozenset(range(7))),
    ],
)
def test_a_change_of_the_tableau_changes_the_counts(
    monkeypatch: pytest.MonkeyPatch, name: str, changed: Any
) -> None:
    """One cell otherwise, and as many coups end otherwise: the figures are not typed in."""
    before: Any = getattr(tableau, name)
    monkeypatch.setattr(tableau, name, {**before, **changed} if isinstance(before, Mapping) else changed)
    counted = enumerate_results(1)
    assert counted.total == RESULT_COUNTS[1].total
    assert counted != RESULT_COUNTS[1]


# Edges


@pytest.mark.parametrize("profile", [SI_1994, SI_2000], ids=["1994", "2000"])
@pytest.mark.parametrize("decks", [6, 8])
@pytest.mark.parametrize(("kind", "banker_on_draw", "name"), WAGERS)
def test_edges_are_the_published_ones(
    kind: str, banker_on_draw: str, name: str, decks: int, profile: Profile
) -> None:
    """Domain §6: equal as fractions where a fraction is printed, and to the last printed decimal."""
    terms = Terms.model_validate({"banker_on_draw": banker_on_draw})
    edge = house_edge(Kind(kind), decks, profile, terms)
    assert rounds_to(100 * edge, published.EDGE_PER_CENT[decks][name])
    if name in published.EXPECTED_GAIN[decks]:
        assert edge == -published.EXPECTED_GAIN[decks][name]


def test_every_wager_but_the_lost_draw_has_a_printed_fraction() -> None:
    """So that the comparison above is not an empty one."""
    for decks in (6, 8):
        without = {name for _, _, name in WAGERS if name not in published.EXPECTED_GAIN[decks]}
        assert without == {"banker 19:20, draw lost"}


@pytest.mark.parametrize("decks", DECKS)
@pytest.mark.parametrize(("kind", "banker_on_draw"), [wager[:2] for wager in WAGERS])
def test_edges_of_every_shoe_are_the_oracles(kind: str, banker_on_draw: str, decks: int) -> None:
    terms = Terms.model_validate({"banker_on_draw": banker_on_draw})
    expected = enumeration.edge(decks, kind, banker_on_draw)
    assert house_edge(Kind(kind), decks, SI_1994, terms) == expected


@pytest.mark.parametrize("profile", [SI_1994, SI_2000], ids=["1994", "2000"])
@pytest.mark.parametrize("decks", [1, 6, 8])
@pytest.mark.parametrize(("kind", "banker_on_draw", "name"), WAGERS)
def test_an_edge_is_what_settling_every_coup_would_leave_the_house(
    kind: str, banker_on_draw: str, name: str, decks: int, profile: Profile
) -> None:
    """A stake of 20 settled once for every published draw: what is kept, by what was staked."""
    terms = Terms.model_validate({"banker_on_draw": banker_on_draw})
    kept = 0
    for result, counted in (("W", "player"), ("L", "banker"), ("D", "tie")):
        (line,) = settle(wagers(f"{kind} 20"), results("punto-banco", (result,)), profile, terms)
        kept += (line.stake - line.returned - line.winnings) * published.COUNTS[decks][counted]
    settled_edge = Fraction(kept, 20 * published.COUNTS[decks]["total"])
    assert house_edge(Kind(kind), decks, profile, terms) == settled_edge
    if decks != 1:
        assert rounds_to(100 * settled_edge, published.EDGE_PER_CENT[decks][name])


@pytest.mark.parametrize("rounding", ["exact-only", "up-to-unit", "nearest"])
def test_the_edge_is_the_laws_whatever_the_rounding(rounding: str) -> None:
    """Before any rounding: the remainder has an account of its own."""
    terms = Terms.model_validate({"rounding": rounding, "unit": 50})
    expected = -published.EXPECTED_GAIN[8]["banker 19:20, draw returned"]
    assert house_edge(Kind.BANKER, 8, SI_1994, terms) == expected
