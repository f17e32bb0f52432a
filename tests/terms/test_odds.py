"""Odds are exact ratios, as 6(3) and 6(7) write them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.terms.odds import Odds


@pytest.mark.parametrize(
    ("odds", "stake", "winnings"),
    [
        (Odds(1, 1), 2500, "2500"),
        (Odds(19, 20), 20, "19"),
        (Odds(19, 20), 2500, "2375"),
        (Odds(19, 20), 1, "19/20"),
        (Odds(19, 20), 333, "6327/20"),
        (Odds(8, 1), 125, "1000"),
    ],
)
def test_winnings_are_exact(odds: Odds, stake: int, winnings: str) -> None:
    assert odds.on(stake) == Fraction(winnings)


@given(st.integers(1, 10**12), st.sampled_from([Odds(1, 1), Odds(19, 20), Odds(8, 1)]))
@settings(max_examples=200, deadline=None)
def test_winnings_times_the_odds_stake_is_the_stake_times_the_odds_winnings(stake: int, odds: Odds) -> None:
    """Not a penny is lost however large the stake."""
    due = odds.on(stake)
    assert isinstance(due, Fraction)
    assert due * odds.stake == stake * odds.winnings


@given(
    st.integers(1, 10**12),
    st.sampled_from([Odds(1, 1), Odds(19, 20), Odds(8, 1)]),
    st.sampled_from([1, 5, 20, 25, 50, 100, 2500]) | st.integers(1, 10**9),
)
@settings(max_examples=200, deadline=None)
def test_what_comes_out_in_whole_units_is_asked_in_whole_numbers(stake: int, odds: Odds, unit: int) -> None:
    """The short way finds the same winnings as the exact fraction, or none where there are none."""
    due = Fraction(stake * odds.winnings, odds.stake)
    expected = None if (due / unit).denominator != 1 else due
    assert odds.exactly_on(stake, unit) == expected


@pytest.mark.parametrize(
    ("odds", "stake", "unit", "winnings"),
    [
        (Odds(19, 20), 20, 1, 19),
        (Odds(19, 20), 30, 1, None),
        (Odds(19, 20), 1000, 50, 950),
        (Odds(19, 20), 2500, 50, None),
        (Odds(1, 1), 30, 50, None),
        (Odds(8, 1), 25, 50, 200),
        (Odds(8, 1), 20, 50, None),
    ],
)
def test_the_short_way_by_hand(odds: Odds, stake: int, unit: int, winnings: int | None) -> None:
    """Domain §3.5: 20p in pence, £10 in fifties."""
    assert odds.exactly_on(stake, unit) == winnings


def test_odds_are_written_with_both_numbers() -> None:
    assert [str(Odds(1, 1)), str(Odds(19, 20)), str(Odds(8, 1))] == ["1/1", "19/20", "8/1"]
