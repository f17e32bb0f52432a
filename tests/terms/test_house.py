"""The house's side: terms, chips, capacities, and the conditions of a coup."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from ledger.terms.house import BankedBy, BankerOnDraw, Capacity, Chips, Conditions, Terms, value_of
from ledger.terms.money import Rounding

CHIPS: TypeAdapter[dict[int, int]] = TypeAdapter(Chips)
CONDITIONS: dict[str, Any] = {
    "gaming_day": "2026-11-27",
    "shift": "1",
    "format": "punto-banco",
    "profile": "si-1994-2899",
    "terms": {},
    "currency": "GBP",
    "decks": 8,
    "banked_by": "house",
}


def test_a_table_that_says_nothing_pays_exactly_and_stands_off() -> None:
    """Domain §3.4 A1 and §3.5: the defaults."""
    silent = Terms()
    assert (silent.rounding, silent.unit) == (Rounding.EXACT_ONLY, 1)
    assert silent.banker_on_draw is BankerOnDraw.STAND_OFF


@pytest.mark.parametrize(
    "terms",
    [
        {"unit": 0},
        {"unit": 0.5},
        {"unit": 1.0},
        {"unit": "1"},
        {"unit": True},
        {"rounding": "down"},
        {"rounding": "EXACT_ONLY"},
        {"banker_on_draw": "void"},
        {"commission": 5},
    ],
)
def test_terms_that_no_table_has_are_refused(terms: dict[str, object]) -> None:
    """Rounding down would pay under the legal odds, so there is none (domain §3.5)."""
    with pytest.raises(ValidationError):
        Terms.model_validate(terms)


@pytest.mark.parametrize(
    ("capacity", "side"), [("licence-holder", "house"), ("employee", "house"), ("player", "player")]
)
def test_whose_money_stands_behind_a_banker(capacity: str, side: str) -> None:
    """6(5)(a): an employee stands for the licence holder."""
    assert BankedBy.of(Capacity(capacity)) == side


def test_chips_are_worth_their_denominations() -> None:
    assert value_of(CHIPS.validate_json('{"2500": 400, "500": 3, "1": 7}')) == 1_001_507
    assert value_of({}) == 0


@pytest.mark.parametrize(
    "chips",
    [
        *('{"0": 1}', '{"-5": 1}', '{"x": 1}', '{"25.5": 1}'),
        *('{"2500": -1}', '{"2500": 1.0}', '{"2500": true}', '{"2500": "4"}'),
        '{"1000000000": 1000000, "999999999": 1000000}',
    ],
)
def test_chips_are_counted_in_whole_numbers(chips: str) -> None:
    """Nor may a float be worth more than the largest amount."""
    with pytest.raises(ValidationError):
        CHIPS.validate_json(chips)


@pytest.mark.parametrize("again", ["2500.0", " 2500", "+2500", "2_500", "02500"])
def test_a_denomination_that_stands_twice_does_not_lose_the_first_count(again: str) -> None:
    """Two spellings of one denomination: refused, or added up, but never the last alone."""
    try:
        chips = CHIPS.validate_json(f'{{"2500": 400, "{again}": 1}}')
    except ValidationError:
        return
    assert value_of(chips) == 401 * 2500


@pytest.mark.parametrize("decks", [0, 9, -1, 6.0, "6", True, None])
def test_a_shoe_holds_one_to_eight_decks(decks: object) -> None:
    assert Conditions.model_validate({**CONDITIONS, "decks": 1}).decks == 1
    with pytest.raises(ValidationError):
        Conditions.model_validate({**CONDITIONS, "decks": decks})


@pytest.mark.parametrize(
    "day", [0, 86_400, "0", "86400", "20261127", 1.0, True, "27/11/2026", "2026-11-31", ""]
)
def test_a_gaming_day_is_a_date_and_not_a_number(day: object) -> None:
    assert Conditions.model_validate(CONDITIONS).gaming_day == date(2026, 11, 27)
    with pytest.raises(ValidationError):
        Conditions.model_validate({**CONDITIONS, "gaming_day": day})


def test_chips_come_to_as_much_as_an_amount_can_be_and_no_more() -> None:
    """A million of the largest denomination are just that; a penny more is refused."""
    most: dict[int, int] = {10**9: 10**6}
    assert value_of(TypeAdapter(Chips).validate_python(most)) == 10**15
    with pytest.raises(ValidationError):
        TypeAdapter(Chips).validate_python({**most, 1: 1})


@pytest.mark.parametrize("denomination", [True, 25.0, "0025", "+25", " 25", None])
def test_a_denomination_is_a_whole_number_or_its_plain_digits(denomination: object) -> None:
    assert TypeAdapter(Chips).validate_python({25: 4}) == TypeAdapter(Chips).validate_python({"25": 4})
    with pytest.raises(ValidationError):
        TypeAdapter(Chips).validate_python({denomination: 4})
