"""The race against others, with those that need no environment of their own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ops.bench.others.contestants import OTHERS, Place
from ops.bench.others.environments import PINS
from ops.bench.others.facts import prepared
from ops.bench.others.process import Broken
from ops.bench.others.race import BULK, LIVE, PROJECTION, REBUILD, REPLAY, Race, Wanted
from ops.bench.results import page

COUPS, LIVE_LINES = 30, 10
HERE = ("bare-sqlite", "bare-postgres", "eventsourcing")


def test_facts_are_the_events_of_each_line_of_the_tape(tmp_path: Path) -> None:
    facts = prepared(tmp_path, COUPS)
    lines = [json.loads(line) for line in facts.tape.read_text().splitlines()]
    events = [json.loads(line) for line in facts.facts.read_text().splitlines()]
    assert len(lines) == len(events) == len(facts.coups) == len(facts.wins)
    for line, of_line, coup in zip(lines, events, facts.coups, strict=True):
        assert {fact["cause"] for _, _, fact in of_line} == {line["id"]}
        assert bool(coup) == (line["command"] == "record-coup")
    assert sum(map(bool, facts.coups)) == COUPS
    assert not list(tmp_path.glob("*.db*"))


def test_everybody_writes_every_coup_and_comes_to_the_same_p_and_l(
    tmp_path: Path, postgres_server: str
) -> None:
    """The race itself compares each P&L with the facts: who is not right to the penny is left out of it."""
    facts = prepared(tmp_path, COUPS)
    wanted = Wanted(live=LIVE_LINES, seconds=60, repeat=1)
    with Race(facts, Place(tmp_path, postgres_server), wanted, HERE) as race:
        race.run()
        assert race.missing() == {}
        assert {runner.coups for runner in race.runners.values()} == {COUPS}
        found = dict(race.figures())
        for work in (LIVE, BULK, PROJECTION, REPLAY, REBUILD):
            assert [figure.against for figure in found[work]] == [OTHERS[name].label for name in HERE]
        for runner in race.runners.values():
            assert sum(turn.done for work in (LIVE, BULK) for turn in runner.turns[work]) == COUPS
            assert runner.turns[PROJECTION][0].done == runner.turns[REBUILD][0].done == COUPS


def test_who_comes_to_another_p_and_l_is_left_out(tmp_path: Path) -> None:
    facts = prepared(tmp_path, COUPS)
    facts.wins[facts.coups.index(next(filter(None, facts.coups)))] = ("load-1/L1", 1)
    with Race(facts, Place(tmp_path, None), Wanted(LIVE_LINES, 60, 1), ("bare-sqlite",)) as race:
        race.run()
        assert race.missing()["this ledger, SQLite, " + PROJECTION] == "its P&L is not what its coups come to"


def test_who_cannot_be_had_is_named_with_the_reason(tmp_path: Path) -> None:
    facts = prepared(tmp_path, 2)
    with Race(facts, Place(tmp_path, None), Wanted(2, 60, 1), ("eventsourcing",)) as race:
        assert race.left_out == {
            OTHERS["eventsourcing"].label: "there is no PostgreSQL server",
            "this ledger, PostgreSQL": "there is no PostgreSQL server",
        }
        with pytest.raises(Broken):
            race.runners["sqlite"].process.ask("read", 30, lines=10_000, size=1)


def test_what_is_installed_for_them_is_pinned_with_hashes_and_names_no_registry() -> None:
    for path in PINS.glob("*.txt"):
        text = path.read_text()
        assert text.count("==") <= text.count("--hash=sha256:")
        assert "://" not in text
    lock = json.loads((PINS / "package-lock.json").read_text())
    packages = [entry for name, entry in lock["packages"].items() if name]
    assert packages
    assert all("integrity" in entry and "resolved" not in entry for entry in packages)


def test_the_page_has_every_figure_of_every_run_and_who_was_left_out() -> None:
    figure = {
        "name": "this ledger",
        "against": "another",
        "unit": "coups",
        "sort": "rate",
        "turns": 3,
        "ratio": {"low": 1.25, "median": 1.5, "high": 2.0},
        "goal": 1.0,
        "held": True,
        "ours": 1500.0,
        "other": 1000.0,
    }
    run = {
        "taken_at": "2026-11-30T00:00:00+00:00",
        "machine": {
            "processor": "a processor",
            "cores": 2,
            "memory_bytes": 2**34,
            "system": "Linux",
            "load_average": [0.5, 0, 0],
        },
        "versions": {"python": "3.11"},
        "parts": [{"name": "live", "title": "live", "figures": [figure]}],
        "left_out": {"somebody": "no server"},
    }
    written = page([run])
    assert (
        "| this ledger | another | 1.50 | 1.25 to 2.00 | ≥ 1 held | 1,500 coups/s | 1,000 coups/s | 3 |"
        in written
    )
    assert "* somebody: no server" in written
    assert "2 cores of a processor; 16 GiB; Linux; load average at the start 0.5. python 3.11." in written
