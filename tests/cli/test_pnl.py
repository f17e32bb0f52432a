"""`pnl`: the oracle's figures, for people and for programs."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import run
from tests.oracle.night import pnl as oracle
from tests.projections.houses import CONTRACT, evening


def told(*arguments: str | Path, settings: dict[str, str] | None = None) -> list[dict[str, Any]]:
    """The rows, with the contract's fields."""
    done = run("pnl", *arguments, "--json", settings=settings)
    assert (done.code, done.err) == (0, "")
    return [{name: row[name] for name in CONTRACT} for row in done.json()["rows"]]


def test_the_rows_for_programs_are_the_oracles(db: Path) -> None:
    assert told("--db", db) == oracle(evening())


def test_the_position_says_how_far_the_figures_reach(db: Path) -> None:
    done = run("pnl", "--db", db, "--json").json()
    assert set(done) == {"position", "rows"}
    assert done["position"] > 1000
    assert all(isinstance(row["remainder"], str) for row in done["rows"])


@pytest.mark.parametrize(("by", "gaming_day"), [("day", "2026-11-27"), ("month", "2026-11")])
def test_by_day_and_month(db: Path, by: str, gaming_day: str) -> None:
    rows = told("--db", db, "--by", by)
    assert [(row["table"], row["gaming_day"], row["shift"]) for row in rows] == [
        (table, gaming_day, None) for table in ("BB1", "CF1", "PB1")
    ]
    for row in rows:
        shifts = [shift for shift in oracle(evening()) if shift["table"] == row["table"]]
        assert row["win"] == sum(shift["win"] for shift in shifts)
        assert Fraction(row["remainder"]) == sum(Fraction(shift["remainder"]) for shift in shifts)


@pytest.mark.parametrize(
    ("arguments", "rows"),
    [
        (("--table", "CF1"), 2),
        (("--table", "PB9"), 0),
        (("--premises", "main"), 6),
        (("--premises", "annex"), 0),
        (("--day", "2026-11-27"), 6),
        (("--day", "2026-11-28"), 0),
        (("--from", "2026-11-27", "--to", "2026-11-27", "--table", "BB1"), 2),
        (("--from", "2026-11-28"), 0),
        (("--to", "2026-11-26"), 0),
    ],
)
def test_only_the_rows_asked_for(db: Path, arguments: tuple[str, ...], rows: int) -> None:
    assert len(told("--db", db, *arguments)) == rows


@pytest.mark.parametrize(
    "arguments",
    [
        ("--day", "yesterday"),
        ("--day", "2026-13-01"),
        ("--from", "27/11/2026"),
        ("--by", "year"),
        ("--colour",),
    ],
)
def test_bad_usage_is_exit_2(db: Path, arguments: tuple[str, ...]) -> None:
    done = run("pnl", "--db", db, *arguments)
    assert (done.code, done.out) == (2, "")
    assert arguments[0] in done.err


def test_the_ledger_may_stand_in_the_environment_and_the_option_wins(db: Path, tmp_path: Path) -> None:
    assert told(settings={"BACCARAT_LEDGER_DB": str(db)}) == oracle(evening())
    missing = {"BACCARAT_LEDGER_DB": str(tmp_path / "missing.db")}
    assert told("--db", db, settings=missing) == oracle(evening())


def test_without_a_ledger_it_is_bad_usage(tmp_path: Path) -> None:
    assert run("pnl").code == 2
    done = run("pnl", "--db", tmp_path / "missing.db")
    assert (done.code, done.out) == (2, "")
    assert "missing.db" in done.err
    assert not (tmp_path / "missing.db").exists()


def test_an_empty_ledger_has_no_rows_and_says_so(tmp_path: Path) -> None:
    run("init", "--db", tmp_path / "new.db")
    assert told("--db", tmp_path / "new.db") == []
    assert "import" in run("pnl", "--db", tmp_path / "new.db").out


def test_people_see_both_banks_apart_with_a_foot_each(db: Path) -> None:
    """The house's win without the bankers': the sums of the oracle's rows."""
    out = run("pnl", "--db", db).out
    house, player = out[: out.index("Player-banked")], out[out.index("Player-banked") :]
    assert "CF1" not in house
    assert "PB1" not in player
    win = sum(row["win"] for row in oracle(evening()))
    foot = next(line for line in house.splitlines() if " all " in line)
    assert f"{'-' if win < 0 else ''}£{abs(win) // 100:,}.{abs(win) % 100:02}" in foot


@pytest.mark.parametrize("columns", [80, 120])
def test_on_a_narrow_terminal_no_figure_is_cut(db: Path, columns: int) -> None:
    """What does not fit is left out, and that is said."""
    out = run("pnl", "--db", db, settings={"COLUMNS": str(columns)}).out
    assert "…" not in out
    assert "£10,922.50" in out
    assert "Left out for want of width" in out


def test_where_the_terminal_cannot_write_a_pound_sign_the_figures_come_all_the_same(db: Path) -> None:
    done = run("pnl", "--db", db, encoding="ascii")
    assert done.code == 0
    assert "10,922.50" in done.out


@pytest.mark.parametrize("command", [("pnl",), ("coup", "show", "PB1/S1/1"), ("init",), ("import", "-")])
@pytest.mark.parametrize(
    "content", [b"PK\x03\x04 no ledger at all\n" * 40, b"SQLite format 3\x00" + 84 * b"\x00"]
)
def test_a_file_that_is_no_ledger_is_told_in_a_sentence_and_left_as_it_is(
    tmp_path: Path, command: tuple[str, ...], content: bytes
) -> None:
    path = tmp_path / "other.db"
    path.write_bytes(content)
    done = run(*command, "--db", path)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"baccarat-ledger: {path} cannot be used as a ledger")
    assert path.read_bytes() == content


def test_a_ledger_with_damaged_pages_is_told_in_a_sentence(db: Path) -> None:
    """The file still says that it is ours."""
    content = db.read_bytes()
    db.write_bytes(content[:4096] + bytes(len(content) - 4096))
    done = run("pnl", "--db", db)
    assert done.code == 2
    assert done.err.startswith("baccarat-ledger: ")
