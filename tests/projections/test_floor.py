"""The floor: tables as they stand, and each coup as the last word on it stands."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from ops.wiring import House
from projections.floor.floor import Floor
from projections.floor.views import (
    CoupRow,
    TableNow,
    coups_of_last_shoes,
    coups_of_night,
    tables_now,
    wins_of_last_days,
)
from projections.pnl.table_pnl import TablePnl
from tests.oracle.night import pnl as oracle
from tests.projections.houses import Line, evening, house_at, house_in_memory, take
from tests.projections.nights import nights
from tests.tabletalk import GAMING_DAY, Night, hands


@pytest.fixture
def here(tmp_path: Path) -> Iterator[House]:
    with house_at(tmp_path / "ledger.db") as opened:
        yield opened


def caught_up(house: House) -> House:
    house.runner((Floor(), TablePnl())).catch_up()
    return house


def table(house: House, name: str = "T1") -> TableNow:
    with caught_up(house).tables.snapshot() as statements:
        (now,) = tables_now(statements, "main", name)
    return now


def coups(house: House, name: str = "T1") -> list[CoupRow]:
    with caught_up(house).tables.snapshot() as statements:
        return coups_of_night(statements, "main", name, GAMING_DAY)


def test_a_settled_coup_worked_by_hand(here: House) -> None:
    """9 to 7: player 1000 won 1000, banker 2000 lost, tie 50 lost: the bank has won 1050."""
    night = Night().opens()
    night.coup(1, "P 9 K / B 7 Q", "player 1000, banker 2000, tie 50")
    take(here, night.lines)
    (coup,) = coups(here)
    assert (coup.shoe, coup.number, coup.state, coup.results) == ("S1", 1, "settled", "player=W")
    assert (coup.wagers, coup.stakes, coup.win, coup.currency) == (3, 3050, 1050, "GBP")
    assert sorted(coup.sums()) == [
        ("banker", "value", "lost", 1, 2000, 0),
        ("player", "value", "won", 1, 1000, 1000),
        ("tie", "value", "lost", 1, 50, 0),
    ]


def test_a_ruling_is_the_last_word(here: House) -> None:
    """A void coup has no result and no win; a corrected one those of the ruling.

    Which is 7 to 7: the stake of 1000 goes back, and 8 to 1 of 50 are paid.
    """
    night = Night().opens()
    night.coup(1, "P 9 K / B 7 Q", "player 1000, tie 50")
    night.coup(2, "P 9 K / B 7 Q", "player 1000")
    ruling = {"reason": "misread", "approvers": ["pit-1", "pit-2"], "evidence": "camera 2"}
    night.step("correct-coup", 1, hands=hands("P 7 K / B 7 Q"), **ruling)
    night.step("void-coup", 2, **ruling)
    for line in night.lines[-2:]:
        line["occurred_at"] = f"{GAMING_DAY}T23:00:00Z"
    take(here, night.lines)
    told = [(coup.number, coup.state, coup.results, coup.stakes, coup.win) for coup in coups(here)]
    assert told == [(1, "corrected", "player=D", 1050, -400), (2, "void", "", 0, 0)]
    moments = {(coup.dealt_at[11:16], coup.occurred_at[11:16]) for coup in coups(here)}
    assert moments == {("21:00", "23:00")}


def test_an_irregular_coup_is_held_until_it_is_ruled_upon(here: House) -> None:
    """The player's hand stands on 6 and the banker's 5 must draw, and did not."""
    night = Night().opens()
    night.coup(1, "P 6 K / B 5 Q", "player 1000")
    take(here, night.lines)
    assert [coup.state for coup in coups(here)] == ["held"]
    night.lines.clear()
    ruling = {"reason": "found", "approvers": ["pit-1", "pit-2"]}
    line = night.step("correct-hands", 1, hands=hands("P 6 K / B 5 Q 3"), **ruling)
    take(here, [line | {"id": "ruling", "occurred_at": f"{GAMING_DAY}T23:00:00Z"}])
    (coup,) = coups(here)
    assert (coup.dealt_at[11:16], coup.occurred_at[11:16]) == ("21:00", "23:00")  # of another batch
    assert (coup.state, coup.results, coup.win) == ("settled", "player=L", 1000)


def test_a_table_as_it_stands(here: House) -> None:
    night = Night().opens()
    take(here, night.lines)
    now = table(here)
    assert (now.gaming_day, now.format, now.shoe, now.shoe_ended) == (GAMING_DAY, "punto-banco", "S1", 0)
    assert (now.holder, now.closed_at) == (None, None)
    after = [
        night.say("end-shoe", shoe="S1"),
        night.say("change-shift", shift="late"),
        night.say("start-shoe", shoe="S2", decks=6),
    ]
    take(here, after)
    assert (table(here).shift, table(here).shoe, table(here).shoe_ended) == ("late", "S2", 0)
    take(here, [night.say("end-shoe", shoe="S2"), night.say("close-table", closer={"chips": {"2500": 400}})])
    assert (table(here).shoe, table(here).shoe_ended) == ("S2", 1)
    assert table(here).closed_at == "2026-11-27T21:00:00+00:00"


def test_who_holds_the_bank_and_of_how_much(here: House) -> None:
    """A bank of 5000 wins 3000, then loses 2000: it must pass; the next holder puts up 4000."""
    night = Night("chemin-de-fer").opens(decks=6)
    night.say("take-bank", holder="p-1", capacity="player", sum=5000)
    night.coup(1, "P 2 5 / B 9 K", "player 3000 p-2")
    take(here, night.lines)
    assert (table(here).holder, table(here).bank, table(here).must_pass) == ("p-1", 8000, 0)
    night.lines.clear()
    night.prefix = "d"
    night.coup(2, "P 9 K / B 2 5", "player 2000 p-2")
    take(here, night.lines)
    assert (table(here).bank, table(here).must_pass) == (6000, 1)
    take(here, [night.say("pass-bank", holder="p-2", capacity="player", sum=4000)])
    assert (table(here).holder, table(here).bank, table(here).must_pass) == ("p-2", 4000, 0)
    take(here, [night.say("retire-bank")])
    assert (table(here).holder, table(here).bank) == (None, None)


def test_the_last_shoe_alone_is_on_the_roads(here: House) -> None:
    night = Night().opens()
    night.coup(1, "P 9 K / B 7 Q", "player 1000")
    night.say("end-shoe", shoe="S1")
    night.say("start-shoe", shoe="S2", decks=8)
    night.coup(1, "P 7 K / B 9 Q", "player 500", shoe="S2")
    take(here, night.lines)
    with caught_up(here).tables.snapshot() as statements:
        dealt = coups_of_last_shoes(statements, "main")
        wins = wins_of_last_days(statements, "main")
    assert [(coup.shoe, coup.results) for coup in dealt] == [("S2", "player=L")]
    assert wins == {("T1", "house"): (-500, 1500)}  # of the whole day: 1000 lost, 500 won


def test_both_engines_tell_the_same(here: House, postgres_url: str) -> None:
    """Tables, shoes, wins and a night, of the evening."""

    def told(house: House) -> list[Any]:
        take(house, evening())
        with caught_up(house).tables.snapshot() as statements:
            return [
                tables_now(statements, "main"),
                coups_of_last_shoes(statements, "main"),
                coups_of_last_shoes(statements, "main", "PB1"),
                wins_of_last_days(statements, "main"),
                coups_of_night(statements, "main", "CF1", GAMING_DAY),
            ]

    with house_at(postgres_url) as server:
        on_server = [[strip(row) for row in part] for part in told(server)]
    assert on_server == [[strip(row) for row in part] for part in told(here)]


def strip(row: Any) -> Any:
    """A row as plain values; wins are looked up by their names."""
    return tuple(row) if isinstance(row, tuple) else row


def by_side(rows: list[Line]) -> dict[tuple[str, str, str], tuple[int, int]]:
    """The oracle's win and handle by premises, table and side."""
    added: defaultdict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0])
    for row in rows:
        sums = added[row["premises"], row["table"], row["banked_by"]]
        sums[0] += row["win"] + row["banker_win"]
        sums[1] += row["handle"]
    return {key: (sums[0], sums[1]) for key, sums in added.items()}


def added_up(house: House) -> dict[tuple[str, str, str], tuple[int, int]]:
    with house.tables.snapshot() as statements:
        rows = statements.execute(
            "SELECT premises, table_name, banked_by, SUM(win), SUM(stakes) FROM floor_coups "
            "GROUP BY premises, table_name, banked_by"
        )
    return {(premises, name, side): (int(win), int(handle)) for premises, name, side, win, handle in rows}


def some(figures: dict[tuple[str, str, str], tuple[int, int]]) -> dict[tuple[str, str, str], tuple[int, int]]:
    return {key: sums for key, sums in figures.items() if any(sums)}


def test_the_coups_of_the_evening_add_up_to_the_oracles_figures(here: House) -> None:
    take(here, evening())
    assert some(added_up(caught_up(here))) == some(by_side(oracle(evening())))


@settings(max_examples=25, deadline=None)
@given(night=nights())
def test_the_coups_of_any_night_add_up_to_the_oracles_figures(night: list[Line]) -> None:
    with house_in_memory() as house:
        take(house, night)
        assert some(added_up(caught_up(house))) == some(by_side(oracle(night)))


ALONG = "premises=? AND table_name=? AND gaming_day=?"
QUERIES = (
    (tables_now, ("main",), "t (premises=?)"),
    (coups_of_last_shoes, ("main",), f"t (premises=?); coup ({ALONG} AND shoe=?)"),
    (wins_of_last_days, ("main",), f"t (premises=?); wager ({ALONG})"),
    (coups_of_night, ("main", "T1", GAMING_DAY), f"coup ({ALONG})"),
)


@pytest.mark.parametrize(("view", "asked", "way"), QUERIES, ids=[view.__name__ for view, *_ in QUERIES])
def test_every_panel_is_one_query_along_a_key(here: House, view: Any, asked: Any, way: str) -> None:
    """SQLite says how it goes about it: never through what other nights and shoes have left."""
    caught_up(here)
    plans: list[str] = []

    class Explained:
        def execute(self, sql: str, parameters: Any = ()) -> list[Any]:
            with here.tables.snapshot() as statements:
                plans.append(
                    "; ".join(row[3] for row in statements.execute(f"EXPLAIN QUERY PLAN {sql}", parameters))
                )
            return []

    view(Explained(), *asked)
    (plan,) = plans
    searched = re.findall(r"(SEARCH|SCAN) (\w+)[^;(]*(\([^;]*\))?", plan)
    assert "; ".join(f"{name} {key}" for _, name, key in searched) == way
