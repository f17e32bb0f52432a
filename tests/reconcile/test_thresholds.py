"""When a variance matters: dated data, with its doubts (domain §4.2)."""

from __future__ import annotations

from datetime import date, timedelta

from projections.reconciliation.thresholds import VARIANCE_THRESHOLDS, in_force


def test_new_jerseys_are_25_and_100_dollars() -> None:
    found = in_force("USD", date(2026, 11, 27))
    assert found is not None
    assert (found.report_over, found.regulator_from, found.confirmed) == (25_00, 100_00, True)


def test_there_is_no_british_figure_and_the_one_for_pounds_says_so() -> None:
    found = in_force("GBP", date(2026, 11, 27))
    assert found is not None
    assert not found.confirmed
    assert "no British figure" in (found.doubt or "")


def test_a_currency_or_a_day_without_a_figure_has_none() -> None:
    assert in_force("CHF", date(2026, 11, 27)) is None
    assert in_force("GBP", VARIANCE_THRESHOLDS[1].first - timedelta(days=1)) is None


def test_on_no_day_are_there_two_for_one_currency() -> None:
    for one in VARIANCE_THRESHOLDS:
        others = [other for other in VARIANCE_THRESHOLDS if other.currency == one.currency]
        assert [other for other in others if other.applies_on(one.first)] == [one]
