"""A tape in portions of any size is the same tape."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.application.story import CHIPS, IRREGULAR, NINE_TO_SEVEN, RULING, every_command
from tests.properties.strategies import coup_nights
from tests.properties.test_coups import in_memory
from tests.tabletalk import GAMING_DAY, Night, all_events, command, hands, step_by_step, wagers

Line = dict[str, Any]


def _anything() -> list[Line]:
    """Commands that follow from one another or do not, and some that cannot be read."""
    night = Night(prefix="any-")
    night.say("open-table", gaming_day=GAMING_DAY, format="punto-banco", opener=CHIPS)
    night.say("open-table", gaming_day="2026-11-28", format="chemin-de-fer", opener=CHIPS)
    night.say("open-table", gaming_day="2026-11-28", format="whist", opener=CHIPS)
    night.say("start-shoe", shoe="S1", decks=1)
    night.say("start-shoe", shoe="S2", decks=8, burned="1s")
    night.say("end-shoe", shoe="S1")
    night.say("take-bank", holder="p-1", sum=500)
    night.say("pass-bank", holder="p-2", sum=500)
    night.coup(1, "P As 6 / B 7 Q", "player 100, banker 30, tie 5")
    night.coup(1, NINE_TO_SEVEN, "player 100")
    night.coup(2, "P As 6 / B 7 Q", "player 100")
    night.coup(3, "P 9 K", "player 100")
    night.coup(4, IRREGULAR, "player 100")
    night.step("void-coup", 4, **RULING)
    night.step("correct-hands", 4, hands=hands("P K 2 8 / B A 2"), **RULING)
    night.step("open-coup", 5)
    night.step("place-wagers", 5, wagers=wagers("player 100, tie 20"))
    night.step("close-wagers", 5)
    night.step("settle-coup", 5)
    night.say("fill-chips", slip="17", **CHIPS)
    night.say("count-drop", amount=10)
    night.say("change-shift", shift="late", occurred_at="2026-11-28T13:00:00Z")
    night.say("close-table", closer=CHIPS)
    return night.lines


ANYTHING = _anything()


def assert_portions_are_the_tape(lines: list[Line], sizes: list[int]) -> None:
    """The same answers and the same events, whether one by one or in portions of these sizes."""
    with in_memory() as one, in_memory() as many:
        single = [one.run(command(line)) for line in lines]
        answers, start = [], 0
        for size in [*sizes, len(lines)]:
            answers += many.run_many([command(line) for line in lines[start : start + size]])
            start += size
        assert answers == single
        assert all_events(many) == all_events(one)


sizes = st.lists(st.integers(1, 9), max_size=8)


@settings(max_examples=40, deadline=None)
@given(lines=st.lists(st.sampled_from(ANYTHING), max_size=30), sizes=sizes)
def test_any_commands_in_any_order(lines: list[Line], sizes: list[int]) -> None:
    """Refusals, repeats and what cannot be read disturb nobody beside them, in the same batch or the next."""
    opening = ANYTHING[:1] + ANYTHING[3:4]
    assert_portions_are_the_tape([*opening, *lines], sizes)


@settings(max_examples=15, deadline=None)
@given(cuts=st.lists(st.integers(1, 15), max_size=8), again=st.integers(0, 40))
def test_a_whole_night_cut_anywhere(cuts: list[int], again: int) -> None:
    """Some of it sent again from an earlier line, as a feed does after an interruption."""
    lines = every_command()
    assert_portions_are_the_tape([*lines[: again + 5], *lines[again:]], cuts)


@settings(max_examples=30, deadline=None)
@given(night=coup_nights(), sizes=sizes)
def test_the_steps_of_a_coup_in_one_batch(night: Any, sizes: list[int]) -> None:
    """Every step sees what those before it in the batch recorded."""
    assert_portions_are_the_tape([*night.opening, *step_by_step(night.coup)], sizes)
