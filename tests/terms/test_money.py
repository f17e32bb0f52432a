"""Money: whole minor units, exact fractions, and every rounding by its name (domain §3.5)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from ledger.terms.money import (
    AMOUNT_MAX,
    Amount,
    Currency,
    Rounding,
    Stake,
    Unit,
    exactly,
    in_words,
    payable,
)
from tests.oracle import published

NINETEEN_TO_TWENTY = Fraction(19, 20)
DUE = st.fractions(min_value=0, max_value=10**12, max_denominator=400)
UNITS = st.one_of(st.sampled_from([1, 5, 20, 25, 50, 100, 2500]), st.integers(1, 10**9))

# The nearest whole penny, halves up, of each stake of domain §3.5 at 19 to 20.
NEAREST_PENNY = {1: 1, 10: 10, 25: 24, 30: 29, 99: 94, 105: 100, 250: 238, 333: 316, 1005: 955}


@pytest.mark.parametrize(("stake", "exact", "ceiling"), published.NINETEEN_TO_TWENTY)
def test_nineteen_to_twenty_in_pennies(stake: int, exact: Fraction, ceiling: int) -> None:
    """Domain §3.5: the published vectors under each rounding."""
    due = stake * NINETEEN_TO_TWENTY
    assert due == exact
    assert payable(due, Rounding.EXACT_ONLY, 1) is None
    assert payable(due, Rounding.UP_TO_UNIT, 1) == ceiling
    assert payable(due, Rounding.NEAREST, 1) == NEAREST_PENNY[stake]


@pytest.mark.parametrize(("unit", "multiple"), [(1, 20), (50, 1000), (100, 2000)])
def test_nineteen_to_twenty_comes_out_exactly_on_these_stakes_alone(unit: int, multiple: int) -> None:
    """Domain §3.5: stakes of 20p in pence, of £10 in fifties, of £20 in pounds."""
    for stake in range(1, 2 * multiple + 1):
        due = stake * NINETEEN_TO_TWENTY
        assert (payable(due, Rounding.EXACT_ONLY, unit) is not None) == (stake % multiple == 0)


@pytest.mark.parametrize(
    ("due", "unit", "up", "nearest"),
    [
        ("0", 50, 0, 0),
        ("1", 50, 50, 0),
        ("24", 50, 50, 0),
        ("25", 50, 50, 50),
        ("49", 50, 50, 50),
        ("51", 50, 100, 50),
        ("75", 50, 100, 100),
        ("74999/1000", 50, 100, 50),
        ("1/20", 1, 1, 0),
        ("1/2", 1, 1, 1),
        ("95", 1, 95, 95),
        ("2375", 25, 2375, 2375),
    ],
)
def test_a_unit_of_more_than_a_penny(due: str, unit: int, up: int, nearest: int) -> None:
    """Up to the unit never stops below what is due; nearest sends halves up."""
    assert payable(Fraction(due), Rounding.UP_TO_UNIT, unit) == up
    assert payable(Fraction(due), Rounding.NEAREST, unit) == nearest


@given(DUE, UNITS)
@settings(max_examples=120, deadline=None)
def test_up_to_unit_is_the_least_payable_amount_that_is_not_under_the_odds(due: Fraction, unit: int) -> None:
    paid = payable(due, Rounding.UP_TO_UNIT, unit)
    assert isinstance(paid, int)
    assert paid % unit == 0
    assert paid - unit < due <= paid


@given(DUE, UNITS)
@settings(max_examples=120, deadline=None)
def test_nearest_is_within_half_a_unit_and_halves_go_up(due: Fraction, unit: int) -> None:
    paid = payable(due, Rounding.NEAREST, unit)
    assert isinstance(paid, int)
    assert paid % unit == 0
    assert -unit < 2 * (paid - due) <= unit


@given(DUE, UNITS)
@settings(max_examples=120, deadline=None)
def test_exact_only_pays_what_is_due_or_nothing_at_all(due: Fraction, unit: int) -> None:
    paid = payable(due, Rounding.EXACT_ONLY, unit)
    assert (paid is None) == ((due / unit).denominator != 1)
    assert paid in (None, due)


@given(st.integers(0, 10**9), UNITS, st.sampled_from(Rounding))
@settings(max_examples=120, deadline=None)
def test_what_comes_out_exactly_is_paid_exactly_under_every_rounding(
    units: int, unit: int, rounding: Rounding
) -> None:
    assert payable(Fraction(units * unit), rounding, unit) == units * unit


@pytest.mark.parametrize(
    ("kind", "least", "most"),
    [(Amount, 0, 10**15), (Stake, 1, 10**12), (Unit, 1, 10**9)],
    ids=["amount", "stake", "unit"],
)
def test_amounts_are_whole_numbers_within_their_bounds(kind: Any, least: int, most: int) -> None:
    """No float, truth value, text, fraction or missing figure passes for minor units."""
    reader: TypeAdapter[int] = TypeAdapter(kind)
    assert reader.validate_python(least) == least
    assert reader.validate_python(most) == most
    assert reader.validate_json(str(most)) == most
    wrong = [least - 1, most + 1, float(most), 20.0, 0.5, float("nan"), True, False, "20", b"20", None]
    for value in [*wrong, Fraction(20), [20]]:
        with pytest.raises(ValidationError):
            reader.validate_python(value)
    for text in (f"{least - 1}", f"{most + 1}", "20.0", "2e1", "true", '"20"', "null", "NaN"):
        with pytest.raises(ValidationError):
            reader.validate_json(text)


def test_the_largest_amount_holds_the_largest_winnings() -> None:
    """6(7)(ii): the largest stake at 8 to 1, up to the largest unit, is an amount still."""
    largest = payable(Fraction(8 * 10**12), Rounding.UP_TO_UNIT, 10**9 - 1)
    assert largest is not None
    assert largest <= AMOUNT_MAX


@pytest.mark.parametrize("code", ["gbp", "GB", "GBPP", "£", "", "GBP\n", "G1P"])
def test_a_currency_is_three_capital_letters(code: str) -> None:
    reader: TypeAdapter[str] = TypeAdapter(Currency)
    assert reader.validate_python("GBP") == "GBP"
    with pytest.raises(ValidationError):
        reader.validate_python(code)


@pytest.mark.parametrize(
    ("amount", "currency", "words"),
    [
        (0, "GBP", "£0.00"),
        (5, "GBP", "£0.05"),
        (-5, "GBP", "-£0.05"),
        (123450, "GBP", "£1,234.50"),
        (-100, "EUR", "-€1.00"),
        (10**15, "GBP", "£10,000,000,000,000.00"),
        (2500, "CHF", "CHF 25.00"),
        (2500, "JPY", "JPY 2,500"),
        (2500, "KWD", "KWD 2.500"),
        (Fraction(95, 2), "GBP", "£0.48"),
        (Fraction(-1, 3), "GBP", "£0.00"),
        (Fraction(5, 2), "GBP", "£0.02"),
    ],
)
def test_an_amount_as_people_write_it(amount: int | Fraction, currency: str, words: str) -> None:
    """Minor units by their currency; a fraction to the nearest one, halves to even."""
    assert in_words(amount, currency) == words


@pytest.mark.parametrize(
    ("amount", "currency", "written"),
    [
        (Fraction(525, 2), "GBP", "£2.62 1/2"),
        (Fraction(-525, 2), "GBP", "-£2.62 1/2"),
        (Fraction(-1, 20), "GBP", "-£0.00 1/20"),
        (Fraction(1, 20), "GBP", "£0.00 1/20"),
        (Fraction(300), "GBP", "£3.00"),
        (Fraction(0), "GBP", "£0.00"),
        (Fraction(5251, 2), "KWD", "KWD 2.625 1/2"),
        (Fraction(3, 2), "JPY", "JPY 1 1/2"),
    ],
)
def test_a_fraction_is_written_to_its_last_part(amount: Fraction, currency: str, written: str) -> None:
    assert exactly(amount, currency) == written
