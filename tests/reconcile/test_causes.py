"""Likely causes: each rule fits its own case, names its evidence, and no other case."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from ledger.terms.books import CountedShift
from projections.reconciliation.causes import RULES, UNEXPLAINED, cause_of
from projections.reconciliation.reconciliation import Comparison, EarlierCloser, TableBooks, Unfinished
from tests.reconcile.tables import FLOAT, books, compared, counted, shift

FILL = shift(fills=200_000, fill_slips=("F1",), closer=FLOAT + 200_000)
CREDIT = shift(credits=50_000, credit_slips=("C1",), closer=FLOAT - 50_000)


def told(table: TableBooks, *counts: CountedShift, others: tuple[Any, ...] = ()) -> tuple[str, str]:
    """The cause of a table's variance: its code and its evidence."""
    every = compared(table, *counts, others=others)
    cause = cause_of(every[0], every)
    assert cause is not None
    return cause.code, cause.evidence


def test_without_a_variance_there_is_nothing_to_explain() -> None:
    """Though the ledger has another figure, or a coup has not ended."""
    table = books(shift(drop=5, closer=FLOAT - 5), unfinished=(Unfinished("coup/main/T1/S1/1", 500),))
    every = compared(table, counted(drop=0))
    assert every[0].variance == 0
    assert cause_of(every[0], every) is None


@pytest.mark.parametrize(
    ("table", "count", "evidence"),
    [
        (
            books(FILL),
            counted(closer=FLOAT + 200_000, fill_slips=()),
            "fill slip F1 is in the ledger and not on the sheet; the fills of shift 1 differ by £2,000.00",
        ),
        (
            books(shift()),
            counted(fills=200_000, fill_slips=("F1",)),
            "fill slip F1 is on the sheet and not in the ledger; the fills of shift 1 differ by £2,000.00",
        ),
        (
            books(shift(), void_slips=("F1",)),
            counted(fills=200_000, fill_slips=("F1",)),
            "fill slip F1 is on the sheet, and void in the ledger; the fills of shift 1 differ by £2,000.00",
        ),
        (
            books(CREDIT),
            counted(closer=FLOAT - 50_000, credit_slips=()),
            "credit slip C1 is in the ledger and not on the sheet; the credits of shift 1 differ by £500.00",
        ),
    ],
)
def test_a_slip_on_one_side_only(table: TableBooks, count: CountedShift, evidence: str) -> None:
    assert told(table, count) == ("slip-on-one-side", evidence)


def test_a_slip_that_is_on_one_side_for_another_sum_is_not_the_cause() -> None:
    count = counted(closer=FLOAT + 200_000 + 77, fill_slips=())
    assert told(books(FILL), count)[0] == "figure-differs"  # the fills and the closer, together
    count = counted(fills=200_000, closer=FLOAT + 200_077, fill_slips=())
    assert told(books(shift(fills=200_000, fill_slips=("F1",), closer=None)), count)[0] == UNEXPLAINED


@pytest.mark.parametrize(
    ("ledger", "sheet"), [(423_250, 432_250), (423_250, 243_250), (10, 1), (120, 102), (907, 970)]
)
@pytest.mark.parametrize("figure", ["opener", "closer", "drop", "fills", "credits"])
def test_two_digits_swapped(ledger: int, sheet: int, figure: str) -> None:
    """Casting out nines: a swap of adjacent digits is nine times a power of ten times their difference."""
    sign = -1 if figure in {"opener", "fills"} else 1
    base: dict[str, Any] = {"opener": 0, "closer": 0, "drop": 0, "fills": 0, "credits": 0}
    table = books(shift(win=sign * ledger, **{**base, figure: ledger}))
    code, evidence = told(table, counted(**{**base, figure: sheet}))
    assert code == "digits-swapped"
    assert figure in evidence


def test_digits_that_are_not_next_to_each_other_or_another_figure_are_no_swap() -> None:
    assert told(books(shift(drop=321, win=321)), counted(drop=123))[0] == "figure-differs"
    assert told(books(shift(drop=330, win=330)), counted(drop=303 + 9))[0] == "figure-differs"


def test_digits_swapped_in_a_figure_that_the_ledger_has_not_counted() -> None:
    code, evidence = told(books(shift(drop=None, win=4_512)), counted(drop=4_521))
    assert code == "digits-swapped"
    assert "£45.21 on the sheet and not in the ledger; with two digits swapped, £45.12" in evidence


@pytest.mark.parametrize("wins", [(30_000, -30_000), (-30_000, 30_000)])
def test_a_fill_that_was_booked_to_the_neighbouring_table(wins: tuple[int, int]) -> None:
    """Equal and opposite, to the penny."""
    mine, other = (books(shift(win=win), table=name) for win, name in zip(wins, ("T1", "T2"), strict=True))
    code, evidence = told(mine, others=((other, counted()),))
    assert code == "neighbour-table"
    assert "T2" in evidence


def test_a_slip_at_one_table_on_the_sheet_and_at_the_other_in_the_ledger_is_named() -> None:
    mine = books(shift(fills=0, closer=FLOAT))
    other = books(FILL, table="T2")
    count = counted(fills=200_000, fill_slips=("F1",))
    code, evidence = told(mine, count, others=((other, counted(closer=FLOAT + 200_000, fill_slips=())),))
    assert code == "neighbour-table"
    assert evidence.startswith("slip F1 is on the sheet and not in the ledger at this table")


@pytest.mark.parametrize(
    "other",
    [
        books(shift(win=-30_001), table="T2"),
        books(shift(win=30_000), table="T2"),
        books(shift(win=-30_000), table="T2", currency="EUR"),
    ],
    ids=["a penny off", "the same way", "another currency"],
)
def test_another_table_that_does_not_match_is_no_neighbour(other: TableBooks) -> None:
    assert told(books(shift(win=30_000)), others=((other, counted()),))[0] == UNEXPLAINED


def test_a_drop_that_is_missing() -> None:
    code, evidence = told(books(shift(drop=70_000, win=70_000)), counted(drop=0))
    assert (code, "£700.00" in evidence) == ("drop-missing", True)


def test_a_drop_that_nobody_has_counted() -> None:
    code, _ = told(books(shift(drop=None, win=70_000)), counted(drop=0))
    assert code == "drop-not-counted"
    assert told(books(shift(drop=None, win=-70_000)), counted(drop=0))[0] == UNEXPLAINED
    assert told(books(shift(drop=None, win=70_000), promotional_lost=70_000))[0] == "promotional-chips"


def test_an_opener_that_is_not_the_closer_of_the_night_before() -> None:
    """The ledger was told the same wrong opener, so nothing differs from it."""
    table = books(shift(opener=FLOAT + 700), earlier=EarlierCloser("2026-11-26", FLOAT))
    code, evidence = told(table, counted(opener=FLOAT + 700))
    assert code == "opener-not-closer"
    assert evidence == "opener of shift 1 is £10,007.00, the closer of 2026-11-26 was £10,000.00"


def test_a_figure_that_is_just_another_one() -> None:
    code, evidence = told(books(shift(drop=7_000, win=7_000)), counted(drop=6_500))
    assert code == "figure-differs"
    assert evidence == "drop of shift 1 is £65.00 on the sheet, £70.00 in the ledger"


def test_promotional_chips_are_won_by_wagers_and_counted_by_nobody() -> None:
    """Domain §4.1: the inventory win is less promotional items."""
    assert told(books(shift(win=5_000), promotional_lost=5_000))[0] == "promotional-chips"
    assert told(books(shift(win=-5_000), promotional_lost=5_000))[0] == UNEXPLAINED


def test_a_remainder_of_rounding_that_was_not_paid() -> None:
    """The win by wagers is less by what rounding paid beyond the odds; at the table it was still there."""
    table = books(shift(win=-137), remainder=Fraction(275, 2))
    assert told(table) == (
        "rounding-remainder",
        "rounding paid £1.37 1/2 beyond the odds by the terms; at the table it was not paid",
    )
    assert told(books(shift(win=137), remainder=Fraction(275, 2)))[0] == UNEXPLAINED


def test_a_ruling_on_an_earlier_day_that_was_paid_at_the_table() -> None:
    """It took £50.00 from the house's win of that day, and this table's float paid it."""
    code, _ = told(books(shift(closer=FLOAT - 5_000), adjustments=-5_000), counted(closer=FLOAT - 5_000))
    assert code == "adjustment-paid"


@pytest.mark.parametrize(("win", "whole"), [(800, True), (-300, True), (500, True), (700, False)])
def test_a_coup_that_has_not_ended(win: int, whole: bool) -> None:
    unfinished = (Unfinished("coup/main/T1/S1/7", 300), Unfinished("coup/main/T1/S1/9", 500))
    code, evidence = told(books(shift(win=win), unfinished=unfinished))
    assert code == "unfinished-coup"
    assert "coup/main/T1/S1/7 with £3.00 staked, coup/main/T1/S1/9 with £5.00 staked" in evidence
    assert evidence.endswith("the whole variance") is whole


def test_what_nothing_accounts_for_is_unexplained() -> None:
    assert told(books(shift(win=4_711)))[0] == UNEXPLAINED


def test_every_rule_has_a_test_here() -> None:
    """So that a rule that is added gets one."""
    assert set(RULES) == {
        "neighbour-table",
        "slip-on-one-side",
        "digits-swapped",
        "drop-missing",
        "opener-not-closer",
        "figure-differs",
        "promotional-chips",
        "rounding-remainder",
        "adjustment-paid",
        "unfinished-coup",
        "drop-not-counted",
    }


def test_a_cause_is_looked_for_at_each_table_by_itself() -> None:
    every: list[Comparison] = compared(
        books(shift(drop=7_000, win=7_000)),
        counted(drop=6_500),
        others=((books(shift(win=9), table="T2"), counted()),),
    )
    assert [cause.code for at in every if (cause := cause_of(at, every))] == ["figure-differs", UNEXPLAINED]
