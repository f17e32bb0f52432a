"""`cage`: the oracle's floats, slips and boxes, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import Done, run
from tests.oracle import cage as oracle
from tests.projections.houses import evening
from tests.tabletalk import Night


def chips(pence: int) -> dict[str, Any]:
    return {"chips": {"1": pence}, "signed_by": ["dealer-1"]}


def told(*arguments: str | Path) -> Any:
    """The rows, where there is nothing to find."""
    done = run("cage", *arguments, "--json")
    assert (done.code, done.err) == (0, "")
    assert done.json()["findings"] == []
    return done.json()["rows"]


def with_findings(tmp_path: Path) -> Path:
    """Two days of a table: slip 2 and 3 are missing, 1 is used twice, and 1.00 is missing from the float."""
    night = Night().opens(gaming_day="2026-11-26", opener=chips(10_000))
    night.say("fill-chips", slip="1", **chips(500))
    night.say("fill-chips", slip="4", **chips(500))
    night.say("close-table", closer=chips(11_000))
    night.shoe = "S2"
    night.opens(opener=chips(10_900))
    night.say("credit-chips", slip="1", **chips(500))
    tape = tmp_path / "tape.ndjson"
    tape.write_text("".join(json.dumps(line) + "\n" for line in night.lines))
    assert run("import", tape, "--db", tmp_path / "ledger.db").code == 0
    return tmp_path / "ledger.db"


def test_the_rows_for_programs_are_the_oracles(db: Path) -> None:
    assert told("--db", db) == oracle.rows(evening())
    assert told("--db", db, "--by", "day") == oracle.rows(evening(), by_day=True)


def test_the_position_says_how_far_the_figures_reach(db: Path) -> None:
    done = run("cage", "--db", db, "--json").json()
    assert set(done) == {"position", "rows", "findings"}
    assert done["position"] > 1000


@pytest.mark.parametrize(
    ("arguments", "rows"),
    [
        (("--table", "CF1"), 2),
        (("--table", "PB9"), 0),
        (("--premises", "annex"), 0),
        (("--day", "2026-11-27"), 6),
        (("--day", "2026-11-27", "--by", "day"), 3),
        (("--from", "2026-11-28"), 0),
        (("--to", "2026-11-26"), 0),
    ],
)
def test_only_the_rows_asked_for(db: Path, arguments: tuple[str, ...], rows: int) -> None:
    assert len(told("--db", db, *arguments)) == rows


@pytest.mark.parametrize("arguments", [("--day", "yesterday"), ("--by", "month"), ("--colour",)])
def test_bad_usage_is_exit_2(db: Path, arguments: tuple[str, ...]) -> None:
    done = run("cage", "--db", db, *arguments)
    assert (done.code, done.out) == (2, "")
    assert arguments[0] in done.err


def test_findings_are_exit_1_for_programs(tmp_path: Path) -> None:
    done = run("cage", "--db", with_findings(tmp_path), "--json")
    assert done.code == 1
    missing, twice, broken = sorted(done.json()["findings"], key=lambda found: found["finding"], reverse=True)
    before = {"gaming_day": "2026-11-27", "table": "T1", "slip": "1"}
    assert missing == {
        "finding": "slips-missing",
        "premises": "main",
        "series": "",
        "first": "2",
        "last": "3",
        "count": 2,
        "before": before,
        "after": {"gaming_day": "2026-11-26", "table": "T1", "slip": "4"},
    }
    assert (twice["finding"], twice["slip"], len(twice["uses"])) == ("slip-used-twice", "1", 2)
    assert broken == {
        "finding": "chain-broken",
        "premises": "main",
        "table": "T1",
        "currency": "GBP",
        "closed_day": "2026-11-26",
        "closed_shift": None,
        "closer": 11_000,
        "opened_day": "2026-11-27",
        "opened_shift": None,
        "opener": 10_900,
        "difference": -100,
    }


def test_findings_are_sentences_for_people(tmp_path: Path) -> None:
    done = run("cage", "--db", with_findings(tmp_path))
    assert done.code == 1
    for sentence in (
        "2 slips, 2 to 3, are missing between 1 (T1, 2026-11-27) and 4 (T1, 2026-11-26)",
        "one number was used 2 times: 1 (T1, 2026-11-26), 1 (T1, 2026-11-27)",
        "T1 closed 2026-11-26 with £110.00 and opened 2026-11-27 with £109.00: £1.00 less",
    ):
        assert sentence in done.out


def test_findings_of_other_days_are_none_of_this_one(tmp_path: Path) -> None:
    """The first day was all right with its float, and had its slips missing."""
    db = with_findings(tmp_path)
    codes = [
        found["finding"]
        for found in run("cage", "--db", db, "--day", "2026-11-26", "--json").json()["findings"]
    ]
    assert codes == ["slips-missing", "slip-used-twice"]
    assert run("cage", "--db", db, "--day", "2026-11-28").code == 0


def lines_of(done: Done, table: str) -> Sequence[str]:
    return [line for line in done.out.splitlines() if f" {table} " in line]


def test_people_see_chips_and_slips(db: Path) -> None:
    done = run("cage", "--db", db, "--by", "day")
    assert done.code == 0
    floats, slips = lines_of(done, "BB1")
    row = next(row for row in oracle.rows(evening(), by_day=True) if row["table"] == "BB1")
    win = row["win_by_inventory"]
    assert f"-£{-win // 100:,}.{-win % 100:02}" in floats
    assert " ".join(row["fill_slips"]) in slips
    assert "follows on" in done.out


@pytest.mark.parametrize("columns", [80, 120])
def test_on_a_narrow_terminal_no_figure_is_cut(db: Path, columns: int) -> None:
    done = run("cage", "--db", db, settings={"COLUMNS": str(columns)})
    assert "…" not in done.out
    assert "£100,000.00" in done.out
    assert "Left out for want of width" in done.out


def test_an_empty_ledger_has_no_rows_and_says_so(tmp_path: Path) -> None:
    run("init", "--db", tmp_path / "new.db")
    assert told("--db", tmp_path / "new.db") == []
    assert "import" in run("cage", "--db", tmp_path / "new.db").out
