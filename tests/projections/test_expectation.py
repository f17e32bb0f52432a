"""What the house expects of a coup, and its variance: against the law's odds and the oracle's count."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ledger.regulation.profiles import DEFAULT_PROFILE
from projections.pnl.expectation import deviation, expected_win
from tests.oracle.enumeration import counts, edge

PLAYER_8 = Fraction(241_149_546_272, 19_524_993_263_685)
BANKER_8 = Fraction(114_753_351_728, 10_847_218_479_825)
TIE_8 = Fraction(103_841_353_768, 723_147_898_655)
"""The exact edges of eight decks, as published."""


def chances(decks: int) -> tuple[Fraction, Fraction, Fraction]:
    counted = counts(decks)
    return (
        Fraction(counted["banker"], counted["total"]),
        Fraction(counted["player"], counted["total"]),
        Fraction(counted["tie"], counted["total"]),
    )


@pytest.mark.parametrize(("kind", "of_a_unit"), [("player", PLAYER_8), ("banker", BANKER_8), ("tie", TIE_8)])
def test_a_single_wager_is_expected_to_bring_its_edge(kind: str, of_a_unit: Fraction) -> None:
    assert expected_win([(kind, 2500)], 8, DEFAULT_PROFILE, "stand-off").mean == 2500 * of_a_unit


@pytest.mark.parametrize("decks", [1, 6, 8])
@pytest.mark.parametrize("on_draw", ["stand-off", "lost"])
def test_the_oracle_expects_the_same(decks: int, on_draw: str) -> None:
    stakes = [("player", 1000), ("banker", 2500), ("tie", 500)]
    due = sum(stake * edge(decks, kind, on_draw) for kind, stake in stakes)
    assert expected_win(stakes, decks, DEFAULT_PROFILE, on_draw).mean == due


def test_the_variance_of_each_kind_is_that_of_its_three_ends() -> None:
    """The house gains of a unit: player +1, -1, 0; banker -19/20, +1, 0; tie +1, +1, -8."""
    banker, player, tie = chances(8)
    ends: dict[str, tuple[tuple[Fraction, int | Fraction], ...]] = {
        "player": ((banker, 1), (player, -1), (tie, 0)),
        "banker": ((banker, Fraction(-19, 20)), (player, 1), (tie, 0)),
        "tie": ((banker, 1), (player, 1), (tie, -8)),
    }
    for kind, gains in ends.items():
        mean = sum(chance * gain for chance, gain in gains)
        due = sum(chance * (gain - mean) ** 2 for chance, gain in gains)
        assert expected_win([(kind, 100)], 8, DEFAULT_PROFILE, "stand-off").variance == 10_000 * due


def test_wagers_of_one_coup_lean_on_each_other() -> None:
    """£10 on either hand: the house takes 50p where the banker's wins, else nothing."""
    banker, _, _ = chances(8)
    both = expected_win([("player", 1000), ("banker", 1000)], 8, DEFAULT_PROFILE, "stand-off")
    assert both == (50 * banker, 2500 * banker * (1 - banker))


def test_nothing_staked_nothing_expected() -> None:
    assert list(expected_win([], 8, DEFAULT_PROFILE, "stand-off")) == [0, 0]


def test_a_deviation_is_whole_minor_units_and_never_more_than_it_is() -> None:
    assert [deviation(Fraction(of)) for of in (0, Fraction(99, 100), 100, Fraction(14_399, 100))] == [
        0,
        0,
        10,
        11,
    ]
