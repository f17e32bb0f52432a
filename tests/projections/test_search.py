"""Where coups, slips and nights are found: by token, by time, by number, each along a key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from ops.wiring import House
from projections import runner
from projections.cage.cage import Cage
from projections.floor.floor import Floor
from projections.search.search import Search
from projections.search.views import coups_around, coups_of_patron, nights_beside, slip_uses
from tests.projections.houses import evening, house_at, take
from tests.tabletalk import GAMING_DAY, Night, step_by_step, wagers

EVERY = (Search(), Floor(), Cage())


@pytest.fixture
def here(tmp_path: Path) -> Iterator[House]:
    with house_at(tmp_path / "ledger.db") as opened:
        yield opened


def caught_up(house: House, batch_events: int = 100_000) -> House:
    with patch.object(runner, "PAGE_EVENTS", batch_events):
        house.runner(EVERY).catch_up()
    return house


def numbers_of(house: House, patron: str) -> list[tuple[str, int, str]]:
    with caught_up(house).tables.snapshot() as statements:
        found, _ = coups_of_patron(statements, "main", patron, 100)
    return [(coup.shoe, coup.number, coup.state) for coup in found]


def at(clock: str, day: int = 27) -> datetime:
    hour, minute = clock.split(":")
    return datetime(2026, 11, day, int(hour), int(minute), tzinfo=UTC)


def test_a_patron_is_found_where_they_staked_were_refused_or_disputed(here: House) -> None:
    night = Night().opens(limits={"tie": {"min": 0, "max": 100}})
    night.coup(1, "P 9 K / B 7 Q", "player 1000 p-1, banker 1000 p-2")
    night.coup(2, "P 9 K / B 7 Q", "player 1000 p-2")
    night.coup(3, "P 9 K / B 7 Q", "tie 500 p-1, player 1000 p-2")  # over the limit
    night.coup(4, "P 9 K / B 7 Q", "player 1000 p-2")
    night.step("raise-dispute", 4, dispute="D-1", patron="p-1", statement="mine")
    night.step("open-coup", 5)
    night.step("place-wagers", 5, wagers=wagers("player 1000 p-1"))
    take(here, night.lines)
    assert numbers_of(here, "p-1") == [
        ("S1", 5, "open"),
        ("S1", 4, "settled"),
        ("S1", 3, "settled"),
        ("S1", 1, "settled"),
    ]
    assert numbers_of(here, "p-") == []


def test_whoever_held_the_bank_is_found(here: House) -> None:
    night = Night("chemin-de-fer").opens(decks=6)
    night.say("take-bank", holder="p-1", capacity="player", sum=5000)
    night.coup(1, "P 2 5 / B 9 K", "player 3000 p-2")
    take(here, night.lines)
    assert numbers_of(here, "p-1") == [("S1", 1, "settled")]


def test_a_patron_who_plays_much_comes_page_by_page(here: House) -> None:
    night = Night().opens()
    for number in (1, 2, 3):
        night.coup(1, "P 9 K / B 7 Q", "player 1000 p-1", shoe=f"S{number}")
        night.say("end-shoe", shoe=f"S{number}")
        night.say("start-shoe", shoe=f"S{number + 1}", decks=8)
    take(here, night.lines)
    with caught_up(here).tables.snapshot() as statements:
        first, more = coups_of_patron(statements, "main", "p-1", 2)
        last, no_more = coups_of_patron(statements, "main", "p-1", 2, skip=2)
    assert ([coup.shoe for coup in first], more) == (["S3", "S2"], True)
    assert ([coup.shoe for coup in last], no_more) == (["S1"], False)


def test_the_evening_finds_for_every_token_the_coups_that_its_tape_names_it_in(here: House) -> None:
    """Also folded a few events at a time: the rows do not depend on where a batch ended."""
    take(here, evening())
    caught_up(here, batch_events=50)
    named: dict[str, set[tuple[str, str, int]]] = {}
    for line in evening():
        for wager in line.get("wagers", ()):
            if isinstance(wager, dict) and "patron" in wager:
                coup = (line["table"], line["shoe"], line["number"])
                named.setdefault(wager["patron"], set()).add(coup)
    at_banque = {token: coups for token, coups in named.items() if all(c[0] == "BB1" for c in coups)}
    assert len(at_banque) > 5
    with here.tables.snapshot() as statements:
        for token, coups in at_banque.items():
            found, _ = coups_of_patron(statements, "main", token, 100)
            assert {(coup.table, coup.shoe, coup.number) for coup in found} == coups
        live = statements.execute(
            "SELECT * FROM search_patrons ORDER BY patron, gaming_day, shoe, table_name"
        )
    with here.tables.transaction() as writing:
        writing.execute("DELETE FROM projection_positions WHERE projection = 'search'")
        writing.execute("DELETE FROM search_patrons")
    with caught_up(here).tables.snapshot() as statements:
        sql = "SELECT * FROM search_patrons ORDER BY patron, gaming_day, shoe, table_name"
        assert statements.execute(sql) == live


def test_a_span_finds_the_coups_dealt_in_it_and_a_ruling_moves_none(here: House) -> None:
    night = Night().opens()
    for number, clock in ((1, "21:00"), (2, "21:05"), (3, "21:10")):
        night.coup(number, "P 9 K / B 7 Q", "player 1000", occurred_at=f"2026-11-27T{clock}:00Z")
    ruling = {"reason": "misread", "approvers": ["pit-1", "pit-2"], "evidence": "camera 2"}
    night.step("void-coup", 2, occurred_at="2026-11-28T09:00:00Z", **ruling)
    take(here, night.lines)
    with caught_up(here).tables.snapshot() as statements:
        found = coups_around(statements, "main", "T1", at("21:05"), at("21:10"), limit=10)
        everywhere = coups_around(statements, "main", None, at("20:00"), at("22:00"), limit=2)
        nowhere = coups_around(statements, "main", "T2", at("20:00"), at("22:00"), limit=2)
    assert [(coup.number, coup.at, coup.state) for coup in found] == [
        (2, "2026-11-27T21:05:00+00:00", "void")
    ]
    assert [coup.number for coup in everywhere] == [1, 2]
    assert nowhere == []


def test_a_slip_is_found_by_its_number_however_many_noughts_it_has(here: House) -> None:
    night = Night().opens()
    night.say("fill-chips", slip="T1-00007", chips={"2500": 4}, signed_by=["cage-1", "dealer-1"])
    night.say("void-slip", slip="spoiled", reason="torn", signed_by=["cage-1", "dealer-1"])
    take(here, night.lines)
    with caught_up(here).tables.snapshot() as statements:
        for asked in ("T1-00007", "T1-7"):
            (slip,) = slip_uses(statements, "main", asked, 5)
            assert (slip.gaming_day, slip.table, slip.slip) == (GAMING_DAY, "T1", "T1-00007")
            assert (slip.moved, slip.amount, slip.void, slip.currency) == ("fill", 10_000, 0, "GBP")
        (spoiled,) = slip_uses(statements, "main", "spoiled", 5)
        assert (spoiled.moved, spoiled.void) == (None, 1)
        assert slip_uses(statements, "main", "spoilt", 5) == []


def test_the_nights_before_and_after(here: House) -> None:
    for nth, day in enumerate(("2026-11-26", "2026-11-27", "2026-11-28")):
        night = Night(shoe=f"S{nth}", prefix=f"d{nth}-").opens(gaming_day=day)
        night.coup(1, "P 9 K / B 7 Q", "player 1000")
        night.say("end-shoe", shoe=f"S{nth}")
        night.say("close-table", closer={"chips": {"2500": 400}})
        take(here, night.lines)
    with caught_up(here).tables.snapshot() as statements:
        assert nights_beside(statements, "main", "T1", "2026-11-27") == ("2026-11-26", "2026-11-28")
        assert nights_beside(statements, "main", "T1", "2026-11-26") == (None, "2026-11-27")
        assert nights_beside(statements, "main", "T2", "2026-11-27") == (None, None)


def test_steps_over_many_batches_find_the_same(here: House) -> None:
    night = Night().opens()
    coup = night.coup(1, "P 9 K / B 7 Q", "player 1000 p-1")
    night.lines[-1:] = step_by_step(coup)
    for line in night.lines:
        take(here, [line])
        caught_up(here)
    assert numbers_of(here, "p-1") == [("S1", 1, "settled")]


def test_both_engines_find_the_same(here: House, postgres_url: str) -> None:
    def found(house: House) -> list[Any]:
        take(house, evening())
        with caught_up(house).tables.snapshot() as statements:
            return [
                coups_of_patron(statements, "main", "p-06a4db", 1),
                coups_around(statements, "main", None, at("23:00"), at("23:30"), limit=50),
                slip_uses(statements, "main", "PB1-4412", 5),
                nights_beside(statements, "main", "PB1", "2026-11-28"),
            ]

    with house_at(postgres_url) as server:
        on_server = found(server)
    assert on_server == found(here)


OF_CAGE = "premises=? AND gaming_day=? AND table_name=?"
ALONG = "premises=? AND table_name=? AND gaming_day"
QUERIES = (
    (coups_of_patron, ("p-1", 10), f"search_patrons (premises=? AND patron=?); ended ({ALONG}=? AND shoe=?)"),
    (
        coups_around,
        ("T1", at("21:00"), at("22:00")),
        f"t (premises=? AND table_name=?); coup ({ALONG}>? AND gaming_day<?)",
    ),
    (
        slip_uses,
        ("T1-7", 5),
        f"used (premises=? AND series=? AND number=?); slip ({OF_CAGE} AND slip=?); night ({OF_CAGE})",
    ),
    (nights_beside, ("T1", GAMING_DAY), f"floor_coups ({ALONG}<?); floor_coups ({ALONG}>?)"),
)


@pytest.mark.parametrize(("view", "asked", "way"), QUERIES, ids=[view.__name__ for view, *_ in QUERIES])
def test_every_search_is_one_query_along_a_key(here: House, view: Any, asked: Any, way: str) -> None:
    """SQLite says how it goes about it; what it scans is what it found so far."""
    caught_up(here)
    plans: list[str] = []

    class Explained:
        def execute(self, sql: str, parameters: Any = ()) -> list[Any]:
            with here.tables.snapshot() as statements:
                plans.append(
                    "; ".join(row[3] for row in statements.execute(f"EXPLAIN QUERY PLAN {sql}", parameters))
                )
            return [(None, None)] if view is nights_beside else []

    view(Explained(), "main", *asked, **({"limit": 5} if view is coups_around else {}))
    (plan,) = plans
    searched = re.findall(r"(SEARCH|SCAN) (\w+)[^;(]*(\([^;]*\))?", plan)
    assert "; ".join(f"{name} {key}" for how, name, key in searched if how == "SEARCH") == way
    assert {name for how, name, _ in searched if how == "SCAN"} <= {"played", "CONSTANT"}
