"""Wagers as a tape brings them: what is refused before anybody looks at the law."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from ledger.terms.wagers import HANDS_OF_KIND, Kind, Limit, Tender, Wager, Wagers, places_round

WAGER: dict[str, Any] = {"id": "w1", "kind": "banker", "stake": 2500, "patron": "p-1", "seat": 3}


def refused_field(facts: dict[str, Any]) -> str:
    """The one field for which these facts are no wager, read from Python or from JSON alike."""
    fields = set()
    for source in (facts, json.dumps(facts)):
        with pytest.raises(ValidationError) as refused:
            Wager.model_validate(source) if isinstance(source, dict) else Wager.model_validate_json(source)
        fields |= {str(finding["loc"][0]) for finding in refused.value.errors()}
    (field,) = fields
    return field


def test_a_wager_is_read_as_it_was_written() -> None:
    wager = Wager.model_validate(WAGER)
    assert wager == Wager(id="w1", kind=Kind.BANKER, stake=2500, patron="p-1", seat=3, tender=Tender.VALUE)
    assert Wager.model_validate_json(json.dumps(WAGER)) == wager
    assert Wager.model_validate_json(wager.model_dump_json()) == wager


@pytest.mark.parametrize(
    "stake",
    [2500.0, 0.5, 1e3, True, False, "2500", "", None, [2500], 0, -1, -2500, 10**12 + 1, 10**15, 10**30],
)
def test_a_stake_is_a_whole_number_of_minor_units_above_nothing_and_within_the_cap(stake: object) -> None:
    """Floats, truth values, texts, nothing, negatives and more than ten thousand million pounds."""
    assert refused_field({**WAGER, "stake": stake}) == "stake"


@pytest.mark.parametrize("stake", [float("nan"), float("inf"), Fraction(2500), b"2500"])
def test_a_stake_that_json_cannot_even_write_is_refused(stake: object) -> None:
    with pytest.raises(ValidationError):
        Wager.model_validate({**WAGER, "stake": stake})


@pytest.mark.parametrize("stake", [1, 20, 10**12])
def test_the_smallest_and_the_largest_stake(stake: int) -> None:
    assert Wager.model_validate({**WAGER, "stake": stake}).stake == stake


@pytest.mark.parametrize(
    "kind", ["Player", "PLAYER", "punto", "hand-3", "hand_1", "egalite", "pair", "", " banker", None, 1]
)
def test_a_kind_is_one_of_the_six_the_regulation_knows(kind: object) -> None:
    """6(4), 6(7): no other wager exists."""
    assert refused_field({**WAGER, "kind": kind}) == "kind"


def test_the_six_kinds_and_the_hands_they_are_wagers_on() -> None:
    """6(4): the opposing hand, a specific one or both; 6(7): the banker's, and equal hands."""
    assert [kind.value for kind in Kind] == ["player", "banker", "tie", "hand-1", "hand-2", "both-hands"]
    assert HANDS_OF_KIND == {
        "player": ("player",),
        "hand-1": ("hand-1",),
        "hand-2": ("hand-2",),
        "both-hands": ("hand-1", "hand-2"),
    }


@pytest.mark.parametrize("field", ["id", "patron"])
@pytest.mark.parametrize("name", ["a/b", "/", "p-1/", "../p", "p 1", "", "-p", "p\n", "é", "x" * 65, 7, True])
def test_names_on_a_wager_can_stand_in_a_streams_name(field: str, name: object) -> None:
    assert refused_field({**WAGER, field: name}) == field


@pytest.mark.parametrize("seat", [-1, 100, 3.0, "3", True])
def test_a_seat_is_a_small_whole_number(seat: object) -> None:
    assert refused_field({**WAGER, "seat": seat}) == "seat"


@pytest.mark.parametrize("tender", ["cash", "Value", "", None, 0])
def test_tender_is_value_or_promotional(tender: object) -> None:
    """Domain §4.1."""
    assert refused_field({**WAGER, "tender": tender}) == "tender"


@pytest.mark.parametrize("field", ["odds", "payout", "Stake", "amount"])
def test_a_field_that_a_wager_does_not_have_is_refused(field: str) -> None:
    """6(3), 6(7): the odds are the law's, so a wager cannot bring its own."""
    assert refused_field({**WAGER, field: 1}) == field


@pytest.mark.parametrize("field", ["id", "kind", "stake"])
def test_a_wager_without_its_essentials_is_refused(field: str) -> None:
    assert refused_field({name: value for name, value in WAGER.items() if name != field}) == field


def test_a_wager_does_not_change() -> None:
    wager = Wager.model_validate(WAGER)
    with pytest.raises(ValidationError, match="frozen"):
        wager.stake = 5000  # type: ignore[misc]


@pytest.mark.parametrize("limit", [{"min": 0.5, "max": 100}, {"min": -1, "max": 100}, {"max": 0}, {"min": 1}])
def test_limits_are_amounts_too(limit: dict[str, object]) -> None:
    assert Limit.model_validate({"max": 100}) == Limit(min=0, max=100)
    with pytest.raises(ValidationError):
        Limit.model_validate(limit)


WAGERS: TypeAdapter[tuple[Wager, ...]] = TypeAdapter(Wagers)


def test_wagers_keep_the_order_in_which_they_are_offered() -> None:
    """The bank is used up in that order, so it is part of the facts."""
    offered = [{**WAGER, "id": wager_id} for wager_id in ("z", "a", "m", "A")]
    assert [wager.id for wager in WAGERS.validate_python(offered)] == ["z", "a", "m", "A"]
    assert WAGERS.validate_python([]) == ()


def test_two_wagers_under_one_id_are_refused() -> None:
    """Even when the two are alike: which of them a later line means could not be told."""
    with pytest.raises(ValidationError, match="'w1' stands twice"):
        WAGERS.validate_python([WAGER, {**WAGER, "id": "w2"}, WAGER])


def test_a_coup_has_at_most_ten_thousand_wagers() -> None:
    offered = [{**WAGER, "id": f"w{number}"} for number in range(10_001)]
    assert len(WAGERS.validate_python(offered[:10_000])) == 10_000
    with pytest.raises(ValidationError, match="at most 10000 items"):
        WAGERS.validate_python(offered)


@pytest.mark.parametrize(
    ("bankers_seat", "order"),
    [(4, [5, 6, 99, 0, 3, 4]), (0, [3, 4, 5, 6, 99, 0]), (99, [0, 3, 4, 5, 6, 99]), (5, [6, 99, 0, 3, 4, 5])],
)
def test_seats_go_round_from_the_bankers_right(bankers_seat: int, order: list[int]) -> None:
    """Domain §2.2: the next higher number is on his right, the lowest follows the highest, his is last."""
    assert sorted([0, 3, 4, 5, 6, 99], key=lambda seat: places_round(seat, bankers_seat)) == order
    assert places_round(bankers_seat + 1 if bankers_seat < 99 else 0, bankers_seat) == 0
