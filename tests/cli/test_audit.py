"""`audit`: exit codes, what people see, and NDJSON for programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.shell import ended, run, start
from tests.oracle.night import pnl as oracle
from tests.projections.houses import evening
from tests.projections.tampered import Fields, alter, stream

COUP = stream(1, "PB1", "2026-11-27-1")


@pytest.fixture
def wrong(db: Path) -> Path:
    """The evening with one settlement altered: the first line of the first coup pays 10p too much."""
    alter(db, COUP, "wagers-settled", lambda event: event["lines"][0].update(winnings=2385))
    return db


def test_where_nothing_differs_it_is_exit_0(db: Path) -> None:
    done = run("audit", "--db", db)
    assert (done.code, done.err) == (0, "")
    assert "Nothing differs." in done.out
    assert f"{sum(row['coups'] for row in oracle(evening())):,} settled" in done.out


def test_a_difference_is_exit_1_and_told_in_money(wrong: Path) -> None:
    done = run("audit", "--db", wrong)
    assert done.code == 1
    assert "Net: £0.10" in done.out
    (told,) = [line for line in done.out.splitlines() if f"{COUP.removeprefix('coup/')} w1" in line]
    assert "winnings, £0.10: recorded winnings 2385, due winnings 2375" in told


def test_programs_get_a_line_a_difference_and_the_summary_last(wrong: Path) -> None:
    done = run("audit", "--db", wrong, "--json")
    assert done.code == 1
    *differences, last = done.lines()
    assert [(line["cause"], line["wager"], line["difference"]) for line in differences] == [
        ("totals", None, -10),
        ("winnings", "w1", 10),
    ]
    assert {line["coup"] for line in differences} == {COUP}
    assert {line["gaming_day"] for line in differences} == {"2026-11-27"}
    assert last["summary"]["counterfactual"] is None
    assert last["summary"]["net"] == {"GBP": 10}
    assert last["summary"]["differences"] == 2


def _number_and_totals(event: Fields) -> None:
    event["number"] = 99
    event["totals"][0]["wagers"] = 99


def test_people_see_the_first_twenty_and_how_many_there_are(db: Path) -> None:
    """Two in each of eleven settlements."""
    for number in range(1, 12):
        alter(db, stream(number, "PB1", "2026-11-27-1"), "coup-settled", _number_and_totals)
    done = run("audit", "--db", db)
    assert done.code == 1
    assert sum(line.startswith("main/PB1/") for line in done.out.splitlines()) == 20
    assert "22 in all" in done.out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--table", "CF1"), 0),
        (("--table", "PB1"), 1),
        (("--premises", "annex"), 0),
        (("--from", "2026-11-27", "--to", "2026-11-27"), 1),
        (("--from", "2026-11-28"), 0),
        (("--to", "2026-11-26"), 0),
    ],
)
def test_only_the_coups_asked_for(wrong: Path, arguments: tuple[str, ...], code: int) -> None:
    assert run("audit", "--db", wrong, *arguments).code == code


@pytest.mark.parametrize(
    "terms", ["banker_on_draw=lost", '{"banker_on_draw":"lost"}', " banker_on_draw = lost"]
)
def test_a_counterfactual_is_exit_0_whatever_it_finds(db: Path, terms: str) -> None:
    """Every stood-off banker wager of PB1 would have been lost: those stakes are the difference."""
    done = run("audit", "--db", db, "--terms", terms, "--json")
    assert done.code == 0
    summary = done.lines()[-1]["summary"]
    stood_off = sum(row["stand_off_stakes"] for row in oracle(evening()))
    assert summary["net"] == {"GBP": stood_off}
    assert summary["counterfactual"] == {"profile": None, "terms": {"banker_on_draw": "lost"}}
    tables = {table["table"]: table["difference"] for table in summary["tables"]}
    assert tables == {"PB1": stood_off, "BB1": 0, "CF1": 0}


def test_people_see_a_counterfactual_by_table(db: Path) -> None:
    done = run("audit", "--db", db, "--profile", "si-2000-597-7a", "--terms", "rounding=exact-only,unit=50")
    assert done.code == 0
    assert "would have been" in done.out
    assert "paragraph-only" in done.out
    assert "not-to-be-accepted" in done.out


def test_where_no_line_would_have_differed_it_says_so(db: Path) -> None:
    done = run("audit", "--db", db, "--profile", "si-1994-2899")
    assert done.code == 0
    assert "Nothing would have differed." in done.out


@pytest.mark.parametrize(
    "arguments",
    [
        ("--terms", ""),
        ("--terms", "{}"),
        ("--terms", "{"),
        ("--terms", "[1]"),
        ("--terms", "unit"),
        ("--terms", "unit=0"),
        ("--terms", "unit=1.5"),
        ("--terms", '{"unit":1.0}'),
        ("--terms", "unit=" + "9" * 5000),
        ("--terms", "rounding=down"),
        ("--terms", "colour=red"),
        ("--profile", "si-1968"),
        ("--profile", "si-2000-597-7b"),
        ("--from", "yesterday"),
        ("--to", "2026-13-01"),
    ],
)
def test_bad_usage_is_exit_2(db: Path, arguments: tuple[str, ...]) -> None:
    done = run("audit", "--db", db, *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err
    assert "Traceback" not in done.err


def test_without_a_ledger_it_is_bad_usage(tmp_path: Path) -> None:
    done = run("audit", "--db", tmp_path / "missing.db")
    assert (done.code, done.out) == (2, "")
    assert not (tmp_path / "missing.db").exists()


def test_each_line_is_json_on_its_own_in_a_process_of_its_own(wrong: Path) -> None:
    done = ended(start("audit", "--db", str(wrong), "--json", "--terms", "unit=50"))
    assert (done.code, done.err) == (0, "")
    assert len([json.loads(line) for line in done.out.splitlines()]) > 50


@pytest.mark.parametrize("asked", [("--table", "NOPE"), ("--from", "2030-01-01")])
def test_an_audit_of_nothing_does_not_say_that_nothing_differs(db: Path, asked: tuple[str, str]) -> None:
    """A mistyped table is no clean audit."""
    done = run("audit", "--db", db, *asked)
    assert "Nothing differs" not in done.out
    assert "nothing was audited" in done.out


def test_days_the_wrong_way_round_are_bad_usage(db: Path) -> None:
    assert run("audit", "--db", db, "--from", "2026-12-01", "--to", "2026-01-01").code == 2
