"""`compliance`: findings for people and programs, and the month's rule coverage."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import run
from tests.projections.houses import evening, house_at, take
from tests.tabletalk import Night

DAY = ("--day", "2026-11-27")
SOON = ("--as-of", "2026-11-28T12:00:00Z")


@pytest.fixture
def disputed(tmp_path: Path) -> Path:
    """A ledger with a coup whose claim was wrong, and a dispute about it."""
    path = tmp_path / "ledger.db"
    night = Night().opens()
    night.coup(1, "P 9 K / B 7 Q", "player 100 p-7, tie 5, hand-1 100", claimed="banker")
    night.step("raise-dispute", 1, dispute="D-1", patron="p-7", statement="I saw a six.")
    with house_at(path) as house:
        take(house, night.lines)
    return path


def told(db: Path, *arguments: str) -> list[dict[str, Any]]:
    done = run("compliance", "--db", db, "--json", *arguments)
    assert done.err == ""
    rows: list[dict[str, Any]] = done.json()["rows"]
    return rows


def test_the_evenings_findings_are_those_of_its_tape(db: Path) -> None:
    """What the tape's own page says stands where: commands refused, irregular coups, rulings, a claim."""
    count = Counter(row["code"] for row in told(db, *SOON))
    del count["wager-refused"]
    assert count == {
        "command-refused": 3,
        "irregular-coup": 3,
        "hands-corrected": 1,
        "coup-voided": 1,
        "claim-contradicts-cards": 1,
        "closed-over-coup": 1,
    }


def test_each_finding_leads_to_its_events(db: Path) -> None:
    with house_at(db) as house:
        stored = {row.sequence: row for row in house.ledger.record.select_rows(0, 100_000)}
    for row in told(db, *SOON):
        assert row["evidence"]
        assert row["sequence"] in row["evidence"]
        if row["code"] == "wager-refused":
            assert stored[row["sequence"]].topic == "wager-refused.v1"
            assert stored[row["sequence"]].stream == row["stream"]


def test_no_patrons_token_is_told_where_it_is_not_needed(db: Path) -> None:
    offered = [line["wagers"] for line in evening() if line["command"] in {"record-coup", "place-wagers"}]
    patrons = {wager.get("patron") for wagers in offered for wager in wagers} - {None}
    assert len(patrons) > 10
    everything = json.dumps(told(db, *SOON))
    assert not [patron for patron in patrons if patron in everything]


def test_a_breach_is_an_exit_code(disputed: Path) -> None:
    """Not before it is one: the eight weeks of the dispute end on 22 January 2027."""
    before = run("compliance", "--db", disputed, "--as-of", "2027-01-22T20:59:59Z")
    assert (before.code, before.err) == (0, "")
    after = run("compliance", "--db", disputed, "--as-of", "2027-01-22T21:00:00Z")
    assert (after.code, after.err) == (1, "")
    assert "alternative dispute resolution" in " ".join(after.out.split())
    elsewhere = run("compliance", "--db", disputed, "--as-of", "2027-02-01T00:00:00Z", "--table", "T2")
    assert (elsewhere.code, elsewhere.out) == (0, "Nothing was found.\n")


def test_people_read_a_sentence_a_paragraph_and_the_events(disputed: Path) -> None:
    done = run("compliance", "--db", disputed, *SOON, settings={"COLUMNS": "250"})
    assert "A wager that the first hand wins was not taken (£1.00 of £1.00)" in done.out
    assert "6(4)" in done.out
    assert "The feed said that the player's hand loses to the banker's hand; by the cards" in done.out
    assert "warning: claim-contradicts-cards 1, wager-refused 1" in done.out


@pytest.mark.parametrize(
    ("arguments", "rows"),
    [
        ((), 3),
        (DAY, 3),
        (("--day", "2026-11-26"), 0),
        (("--from", "2026-11-27", "--to", "2026-11-27"), 3),
        (("--from", "2026-11-28"), 0),
        (("--to", "2026-11-26"), 0),
        (("--table", "T1"), 3),
        (("--premises", "annex"), 0),
        (("--severity", "warning"), 2),
        (("--severity", "breach"), 0),
        (("--code", "kind-not-available"), 1),
        (("--paragraph", "6"), 1),
        (("--person", "dealer-1"), 3),
        (("--person", "dealer-2"), 0),
    ],
)
def test_only_the_findings_asked_for(disputed: Path, arguments: tuple[str, ...], rows: int) -> None:
    assert len(told(disputed, *SOON, *arguments)) == rows


@pytest.mark.parametrize(
    "arguments",
    [
        ("--as-of", "2026-11-28T12:00:00"),
        ("--as-of", "soon"),
        ("--severity", "grave"),
        ("--day", "27.11.2026"),
        (*DAY, "--from", "2026-11-27"),
        ("--from", "2026-11-28", "--to", "2026-11-27"),
        ("coverage", "--month", "2026-13"),
        ("coverage", "--month", "November"),
        ("coverage",),
    ],
)
def test_bad_usage_is_an_exit_code_of_its_own(disputed: Path, arguments: tuple[str, ...]) -> None:
    done = run("compliance", *arguments, settings={"BACCARAT_LEDGER_DB": str(disputed)})
    assert (done.code, done.out) == (2, "")


def test_it_asks_where_the_ledger_is() -> None:
    done = run("compliance")
    assert done.code == 2
    assert "--db" in done.err


# --- Coverage ----------------------------------------------------------------------------------------------


def test_a_month_says_what_it_exercised_and_what_it_did_not(disputed: Path) -> None:
    done = run("compliance", "coverage", "--month", "2026-11", "--db", disputed, "--json")
    assert done.code == 0
    rows = {row["branch"]: row for row in done.json()["rows"]}
    exercised = {branch for branch, row in rows.items() if row["times"]}
    assert exercised == {
        "punto-banco/player/W/won",
        "punto-banco/si-1994-2899/tie/W/lost",
        "wager-refused/kind-not-available/6(4)",
        "bank/house",
        "offer/all",
    }
    won = rows["punto-banco/player/W/won"]
    assert (won["paragraph"], won["times"], won["example"]) == ("6(3),(4)", 1, "coup/main/T1/S1/1")


def test_coverage_for_people_names_the_games_that_were_not_played(disputed: Path) -> None:
    done = run("compliance", "coverage", "--month", "2026-11", "--db", disputed)
    assert "T1/S1/1" in done.out
    assert "none" in done.out
    assert "Not played at all: Baccarat against one hand, with an option (3); Baccarat banque" in done.out


def test_a_month_without_coups_says_so(disputed: Path) -> None:
    done = run("compliance", "coverage", "--month", "2026-12", "--db", disputed)
    assert (done.code, done.out) == (0, "No coup of 2026-12 is on the record.\n")
