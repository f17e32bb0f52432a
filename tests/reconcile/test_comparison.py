"""The comparison: variance = win by wagers + charges - win by inventory (domain §4.1)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projections.reconciliation.reconciliation import (
    Difference,
    EarlierCloser,
    FloatBreak,
    LoneSlip,
    Unfinished,
    compare,
)
from tests.reconcile.tables import FLOAT, books, compared, counted, shift


def test_win_by_inventory_is_drop_and_closer_and_credits_less_opener_and_fills() -> None:
    """9 NYCRR 5315.1(c): 7,000 + 9,500 + 500 - 10,000 - 2,000 = 5,000."""
    count = counted(opener=10_000, closer=9_500, fills=2_000, credits=500, drop=7_000)
    [at] = compared(books(shift(win=5_000)), count)
    assert (at.win_by_inventory, at.variance) == (5_000, 0)


@pytest.mark.parametrize(
    ("win", "charges", "drop", "variance"),
    [(5_000, 0, 4_000, 1_000), (5_000, 0, 6_000, -1_000), (0, 300, 300, 0), (-5_000, 0, 0, -5_000)],
)
def test_more_than_nought_is_a_count_that_is_short(win: int, charges: int, drop: int, variance: int) -> None:
    [at] = compared(books(shift(win=win, charges=charges, drop=drop)), counted(drop=drop))
    assert at.variance == variance


def test_where_players_hold_the_bank_the_charges_alone_are_to_be_there() -> None:
    """Chemin de fer, domain §4.1: drop + closing + credits - opening - fills = charges; else variance."""
    table = books(shift(win=0, charges=1_200, drop=1_200))
    assert [at.variance for at in compared(table, counted(drop=1_200))] == [0]
    assert [at.variance for at in compared(table, counted(drop=1_000))] == [200]


def test_shifts_add_up_to_the_table_and_each_has_its_own_variance() -> None:
    table = books(shift("1", win=100, closer=None), shift("2", win=200, opener=None))
    [at] = compared(table, counted("1", closer=FLOAT + 150), counted("2", opener=FLOAT + 150, drop=300))
    assert [(one.shift, one.variance) for one in at.shifts] == [("1", -50), ("2", 50)]
    assert (at.win_by_wagers, at.win_by_inventory, at.variance) == (300, 300, 0)


@pytest.mark.parametrize(("variance", "above"), [(2500, False), (-2500, False), (2501, True), (-2501, True)])
def test_above_is_more_than_the_threshold_either_way(variance: int, above: bool) -> None:
    [at] = compared(books(shift(win=variance)), threshold=2500)
    assert at.above is above
    assert at.clean is not above


def test_a_currency_without_a_threshold_has_nought() -> None:
    table = books(shift(win=1), currency="CHF")
    [at] = compare([table], {"T1": {"1": counted()}}, {"GBP": 2500})
    assert at.above


def test_each_figure_is_held_against_the_ledgers_where_it_has_one() -> None:
    table = books(shift(opener=None, fills=100, credits=50, drop=None))
    [at] = compared(table, counted(opener=7, closer=FLOAT + 9, fills=90, credits=50, drop=3))
    assert at.differences == [
        Difference("1", "fills", 100, 90),
        Difference("1", "closer", FLOAT, FLOAT + 9),
    ]
    assert not at.clean


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 10**6), min_size=10, max_size=10), st.integers(-(10**6), 10**6))
def test_the_effects_of_the_differences_are_what_the_sheet_changed(figures: list[int], win: int) -> None:
    """With the ledger's own figures the variance would be less by just them."""
    names = ("opener", "closer", "fills", "credits", "drop")
    ledger: dict[str, Any] = dict(zip(names, figures[:5], strict=True))
    sheet: dict[str, Any] = dict(zip(names, figures[5:], strict=True))
    [as_counted] = compared(books(shift(win=win, **ledger)), counted(**sheet))
    [as_kept] = compared(books(shift(win=win, **ledger)), counted(**ledger))
    assert as_counted.variance - as_kept.variance == sum(one.effect for one in as_counted.differences)


def test_slips_of_one_side_only_are_told_where_the_sheet_names_any() -> None:
    table = books(shift(fill_slips=("F1", "F2"), credit_slips=("C1",)), void_slips=("F3",))
    [at] = compared(table, counted(fill_slips=("F2", "F3", "F4"), credit_slips=None))
    assert at.lone_slips == [
        LoneSlip("1", "fills", "F3", on_sheet=True, void=True),
        LoneSlip("1", "fills", "F4", on_sheet=True),
        LoneSlip("1", "fills", "F1", on_sheet=False),
    ]


def test_the_float_must_come_as_the_night_before_and_the_shift_before_left_it() -> None:
    """Mississippi requires the first of these every day (domain §4.3, step 5)."""
    earlier = EarlierCloser("2026-11-26", FLOAT - 5)
    table = books(shift("1", closer=None), shift("2", opener=None), earlier=earlier)
    [at] = compared(table, counted("1", closer=FLOAT + 1), counted("2", opener=FLOAT + 3))
    assert at.float_breaks == [
        FloatBreak("2026-11-26", "1", FLOAT - 5, FLOAT),
        FloatBreak("shift 1", "2", FLOAT + 1, FLOAT + 3),
    ]
    assert not at.clean


def test_a_coup_that_has_not_ended_is_never_clean() -> None:
    [at] = compared(books(unfinished=(Unfinished("coup/main/T1/S1/1", 500),)))
    assert (at.variance, at.clean) == (0, False)
