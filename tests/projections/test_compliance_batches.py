"""Compliance and patrons: the same tables whatever the batches, and however often somebody folds between."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.events.day import DaySealed
from ledger.events.table import BankTaken
from ledger.terms.house import Capacity
from ops.wiring import House
from projections import runner
from projections.compliance.compliance import Compliance
from projections.compliance.findings import MEANINGS
from projections.folding import Folding
from projections.patrons.patrons import Patrons
from projections.projection import Projection
from tests.application.story import CHIPS, NINE_TO_SEVEN, RULING, every_command
from tests.projections.findings import Dump, codes, record, tables_of
from tests.projections.houses import Line, house_in_memory, take
from tests.projections.nights import nights
from tests.projections.reading import Reading
from tests.tabletalk import NOON, Night

DAY = "2026-11-26"
PROJECTIONS: tuple[Projection, ...] = (Compliance(), Patrons())


def more_than_the_story() -> list[Line]:
    """What the story has not, on the day before it.

    Interests and offers among coups in hand, disputes left open, a table closed over a coup, a charge.
    """
    more = Night(table="PB7", prefix="more-").opens(gaming_day=DAY)
    more.step("open-coup", 1)
    more.say("declare-interest", person="p-1", capacity="player")
    more.step("open-coup", 2)
    more.say("withdraw-interest", person="p-1")
    more.coup(2, NINE_TO_SEVEN, "player 100, banker 200, tie 50", claimed="tie")
    more.coup(4, NINE_TO_SEVEN, claimed="player")
    more.step("raise-dispute", 2, dispute="D-1", statement="I saw a six.")
    more.step("raise-dispute", 2, dispute="D-2", statement="So did I.", received_at="2026-08-01T12:00:00Z")
    more.step("resolve-dispute", 2, dispute="D-2", decision="not upheld")
    more.say("change-offer", kinds=["player"])
    more.step("open-coup", 3)
    more.step("place-wagers", 3, wagers=[{"id": "w1", "kind": "tie", "stake": 100, "patron": "p-1"}])
    more.say("change-shift", shift="late")
    more.say("fill-chips", slip="21", **CHIPS)
    more.say("void-slip", slip="21", reason="torn", signed_by=["cashier-1"])
    more.say("fill-chips", slip="22", **CHIPS)
    more.say("void-slip", slip="22", reason="torn", signed_by=["cashier-1", "security-1"])
    more.say("close-table", closer=CHIPS)
    more.step("void-coup", 1, **RULING)
    chemin = Night("chemin-de-fer", table="CF7", prefix="fee-").opens(gaming_day=DAY)
    chemin.say("take-charge", amount=301)
    return [*more.lines, *chemin.lines]


@pytest.fixture(scope="module")
def everything() -> list[Line]:
    return [*more_than_the_story(), *every_command()]


@pytest.fixture
def house(everything: list[Line]) -> Iterator[House]:
    with house_in_memory() as opened:
        take(opened, everything)
        night = f"table/main/PB7/{DAY}"
        record(opened, BankTaken, night, 900, holder="p-9", capacity=Capacity.PLAYER, sum=1000)
        day: dict[str, Any] = {"premises": "main", "gaming_day": DAY, "signed_by": ("accounts-9",)}
        record(opened, DaySealed, f"day/main/{DAY}", 900, **day)
        yield opened


def folded(house: House, size: int) -> list[Dump]:
    with patch.object(runner, "PAGE_EVENTS", size):
        house.runner(PROJECTIONS).catch_up()
    return [tables_of(house, projection) for projection in PROJECTIONS]


def test_the_whole_of_it_holds_every_kind_of_finding(house: House) -> None:
    """So what follows is said of all of them; those of the clock at their moment."""
    weeks_later = NOON.replace(year=2027)
    assert {*codes(house), *codes(house, weeks_later)} == set(MEANINGS)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 40])
def test_batches_of_any_size_come_to_the_same(house: House, everything: list[Line], size: int) -> None:
    in_pieces = folded(house, size)
    for projection in PROJECTIONS:
        house.runner((projection,)).drop_tables()
    assert folded(house, 100_000) == in_pieces


def test_folding_after_every_command_comes_to_the_same(everything: list[Line]) -> None:
    with house_in_memory() as at_once, house_in_memory() as between:
        take(at_once, everything)
        for line in everything:
            take(between, [line])
            folded(between, 2_000)
        assert folded(between, 2_000) == folded(at_once, 2_000)


def test_what_is_left_unread_would_not_have_been_folded(house: House) -> None:
    """Applied commands and claims that agree are most of their topics."""

    class Unfiltered(Compliance):
        only_with: Mapping[str, bytes] = {}

    rows = house.ledger.record.select_rows(0, 100_000)
    read, all_of_them = Reading(Compliance()), Reading(Unfiltered())
    for only_one in (read, all_of_them):
        Folding((only_one,)).read(rows)
    assert 0 < len(read.taken) < len(all_of_them.taken)
    both = Reading(Compliance()), Reading(Unfiltered())
    Folding(both).read(rows)
    assert [one.taken for one in both] == [all_of_them.taken] * 2
    house.runner((Compliance(),)).catch_up()
    filtered = tables_of(house, Compliance())
    house.runner((Compliance(),)).drop_tables()
    house.runner((Unfiltered(),)).catch_up()
    assert tables_of(house, Unfiltered()) == filtered


@settings(max_examples=15, deadline=None)
@given(tape=nights(), size=st.integers(1, 60))
def test_any_nights_in_batches_of_any_size_come_to_the_same(tape: list[Line], size: int) -> None:
    with house_in_memory() as house:
        take(house, tape)
        in_pieces = folded(house, size)
        for projection in PROJECTIONS:
            house.runner((projection,)).drop_tables()
        assert folded(house, 100_000) == in_pieces
