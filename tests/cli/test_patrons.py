"""`patrons`: sums by token, and who is at or over the threshold that applied."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import run
from tests.projections.houses import house_at, take
from tests.tabletalk import Night

LOSES = "P 7 K / B 9 Q"


@pytest.fixture
def staked(tmp_path: Path) -> Path:
    """A ledger on which p-1 staked £1,700 and p-2 a penny less."""
    path = tmp_path / "ledger.db"
    night = Night().opens()
    night.coup(1, LOSES, "player 100000 p-1, player 169999 p-2")
    night.coup(2, LOSES, "player 70000 p-1")
    with house_at(path) as house:
        take(house, night.lines)
    return path


def told(db: Path, *arguments: str) -> list[dict[str, Any]]:
    done = run("patrons", "--db", db, "--json", *arguments)
    assert done.err == ""
    rows: list[dict[str, Any]] = done.json()["rows"]
    return rows


def test_who_is_over_is_told_by_a_rate_that_is_given(staked: Path) -> None:
    """€2,000 at 0.85."""
    done = run("patrons", "--db", staked, "--over", "--rate", "EUR/GBP=0.85", "--json")
    (row,) = done.json()["rows"]
    assert done.code == 1
    assert (row["patron"], row["reached"], row["limit"], row["rate"]) == (
        "p-1",
        {"stakes-linked": 170_000},
        "170000",
        "17/20",
    )
    dearer = run("patrons", "--db", staked, "--over", "--rate", "EUR/GBP=9/10", "--json")
    assert (dearer.code, dearer.json()["rows"]) == (0, [])


def test_without_a_rate_nobody_can_tell_and_it_is_said(staked: Path) -> None:
    assert [(row["patron"], row["over"]) for row in told(staked, "--over")] == [("p-1", None), ("p-2", None)]
    done = run("patrons", "--db", staked)
    assert done.code == 0
    assert "cannot be told" in done.out
    assert "Doubt: the threshold is in EUR and no rate EUR/GBP was given." in done.out


def test_what_is_not_confirmed_is_said_to_people_and_to_programs(staked: Path) -> None:
    done = run("patrons", "--db", staked, "--rate", "EUR/GBP=0.85")
    assert "Threshold mlr-2026-casino, NOT CONFIRMED: €2,000.00 = £1,700.00 at 17/20" in done.out
    assert "Doubt: the sterling figure for casinos from 30 June 2026 was not confirmed" in done.out
    thresholds = run("patrons", "--db", staked, "--json").json()["thresholds"]
    unconfirmed = [one["id"] for one in thresholds if not one["confirmed"]]
    assert unconfirmed == ["mlr-2026-casino"]


@pytest.mark.parametrize(
    ("arguments", "patrons"),
    [
        ((), ["p-1", "p-2"]),
        (("--by", "table"), ["p-1", "p-2"]),
        (("--patron", "p-2"), ["p-2"]),
        (("--day", "2026-11-27"), ["p-1", "p-2"]),
        (("--day", "2026-11-28"), []),
        (("--to", "2026-11-26"), []),
        (("--table", "T2"), []),
        (("--premises", "annex"), []),
    ],
)
def test_only_the_patrons_asked_for(staked: Path, arguments: tuple[str, ...], patrons: list[str]) -> None:
    assert [row["patron"] for row in told(staked, *arguments)] == patrons


@pytest.mark.parametrize(
    "rate", ["0.85", "EUR=0.85", "EUR/GBP=0", "EUR/GBP=-1", "EUR/GBP=1/0", "EUR/GBP=0,85", "eur/gbp=1"]
)
def test_a_rate_that_cannot_be_read_is_bad_usage(staked: Path, rate: str) -> None:
    done = run("patrons", "--db", staked, "--rate", rate)
    assert (done.code, done.out) == (2, "")


def test_nobody_staked(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    assert run("init", "--db", path).code == 0
    done = run("patrons", "--db", path, "--over")
    assert (done.code, done.out) == (0, "Nobody: no wager is settled, or none of these.\n")
