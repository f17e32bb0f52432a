"""What a figure says of its turns, and what a run prints."""

from __future__ import annotations

import json

import pytest

from ops.bench.figure import Figure, Sort, Turn, told
from ops.bench.report import Part, row_of, tell

TURNS = (Turn(10, 2.0, 1.0), Turn(10, 1.0, 1.0), Turn(10, 1.0, 2.0))
"""Half as fast, as fast, twice as fast: 30 in 4 seconds each."""


@pytest.mark.parametrize(("sort", "low", "high"), [(Sort.RATE, 0.75, 1.5), (Sort.TIME, 0.75, 1.5)])
def test_a_ratio_is_the_median_of_the_turns_with_its_quartiles(sort: Sort, low: float, high: float) -> None:
    assert Figure("work", "them", "coups", TURNS, sort).ratio == (low, 1.0, high)


@pytest.mark.parametrize(
    ("sort", "turn", "goal", "held"),
    [
        (Sort.RATE, Turn(1, 1.0, 2.0), 2.0, True),
        (Sort.RATE, Turn(1, 1.0, 2.0), 2.1, False),
        (Sort.TIME, Turn(1, 3.0, 2.0), 1.5, True),
        (Sort.TIME, Turn(1, 3.0, 2.0), 1.4, False),
        (Sort.MEMORY, Turn(1, 3.0, 2.0), 1.5, True),
        (Sort.RATE, Turn(1, 1.0, 2.0), None, None),
    ],
)
def test_a_rate_reaches_its_goal_from_above_and_a_cost_from_below(
    sort: Sort, turn: Turn, goal: float | None, held: bool | None
) -> None:
    assert Figure("work", "them", "coups", [turn], sort, goal).held is held


def test_a_rate_is_over_all_turns_and_a_time_is_the_middle_one() -> None:
    rate, time = (Figure("work", "them", "coups", TURNS, sort).as_json() for sort in (Sort.RATE, Sort.TIME))
    assert (rate["ours"], rate["other"]) == (7.5, 7.5)
    assert (time["ours"], time["other"]) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("amount", "sort", "said"),
    [(1234.4, "rate", "1,234 coups/s"), (0.0125, "time", "12.50 ms"), (3 * 2**20, "memory", "3 MiB")],
)
def test_amounts_are_told_with_their_unit(amount: float, sort: str, said: str) -> None:
    assert told(amount, sort, "coups") == said


def test_people_get_a_table_and_programs_json_of_the_same(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(
        "COLUMNS", raising=False
    )  # as wide as it needs, where nobody says how wide the screen is

    def parts() -> list[Part]:
        return [Part("writes", "writing", iter([Figure("work", "them", "coups", TURNS, goal=1.0)]))]

    tell(parts(), {"PostgreSQL": "there is no server"}, {"postgresql": "18.4"}, as_json=True)
    said = json.loads(capsys.readouterr().out)
    ((figure,),) = (part["figures"] for part in said["parts"])
    assert said["left_out"] == {"PostgreSQL": "there is no server"}
    assert said["versions"]["postgresql"] == "18.4"
    assert {"processor", "cores", "memory_bytes", "system"} <= said["machine"].keys()
    tell(parts(), {"PostgreSQL": "there is no server"}, {"postgresql": "18.4"}, as_json=False)
    printed = capsys.readouterr().out
    for word in row_of(figure):
        assert word in printed
    assert "Left out: PostgreSQL: there is no server." in printed
