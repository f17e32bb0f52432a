"""`init`, `import`, `tape` and `demo`: the record and what is played into it."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import Done, ended, run, start
from tests.oracle.night import pnl as oracle
from tests.projections.houses import EVENING, evening
from tests.tabletalk import Night

NINE_TO_SEVEN = "P 9 K / B 7 Q"


def tape(path: Path, *lines: Any) -> Path:
    """A tape of these lines; text as it is, anything else as JSON."""
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return path


def night(prefix: str = "c", table: str = "T1") -> Night:
    opened = Night(prefix=prefix, table=table).opens()
    opened.coup(1, NINE_TO_SEVEN, "player 100 p-secret, banker 200")
    return opened


# --- init ------------------------------------------------------------------------------------------------


def test_init_makes_a_ledger_and_leaves_one_that_is_there(tmp_path: Path) -> None:
    db = tmp_path / "new.db"
    first = run("init", "--db", db)
    assert (first.code, first.err) == (0, "")
    assert str(db) in first.out
    run("import", tape(tmp_path / "t.ndjson", *night().lines), "--db", db)
    before = db.read_bytes()
    again = run("init", "--db", db)
    assert again.code == 0
    assert again.out != first.out
    assert db.read_bytes() == before


@pytest.mark.parametrize("where", ["no/such/folder/l.db", "."])
def test_init_where_no_file_can_be_is_bad_input(tmp_path: Path, where: str) -> None:
    done = run("init", "--db", tmp_path / where)
    assert done.code == 2
    assert "cannot be used as a ledger" in done.err


# --- import ----------------------------------------------------------------------------------------------


def test_a_clean_tape_is_exit_0(tmp_path: Path) -> None:
    done = run("import", tape(tmp_path / "t.ndjson", *night().lines), "--db", tmp_path / "l.db")
    assert done.code == 0
    assert re.search(r"3 lines: 3 applied, 0 applied before, 0 refused", done.out)


def test_a_tape_with_bad_lines_is_exit_1_and_each_is_told_with_number_and_reason(tmp_path: Path) -> None:
    lines = [*night().lines, "{", {"command": "deal-again"}]
    path = tape(tmp_path / "t.ndjson", *lines)
    done = run("import", path, "--db", tmp_path / "l.db")
    assert done.code == 1
    assert [line.split(": ")[:3] for line in done.err.splitlines() if line.startswith(f"{path}:")] == [
        [f"{path}:4", "unreadable", "not-json"],
        [f"{path}:5", "unreadable", "unknown-command"],
    ]
    assert "5 lines: 3 applied" in done.out


def test_a_refused_command_is_told_with_its_paragraph(imported: tuple[Path, Done]) -> None:
    """6(6): the house takes no bank at chemin de fer, and a losing banker's bank must pass."""
    _, done = imported
    assert done.code == 1
    told = [line for line in done.err.splitlines() if line.startswith(f"{EVENING}:")]
    assert [line.split(": ")[2] for line in told] == [
        "bank-may-not-stand",
        "bank-must-pass",
        "coup-number-used",
    ]
    assert ["6(6)" in line for line in told] == [True, True, False]
    assert "378 lines: 375 applied" in done.out


def test_for_programs_reports_and_summary_are_ndjson(tmp_path: Path) -> None:
    path = tape(tmp_path / "t.ndjson", *night().lines, {**night().lines[-1], "id": "again"}, "{")
    done = run("import", path, "--db", tmp_path / "l.db", "--json")
    assert done.code == 1
    refused, unreadable, summary = done.lines()
    assert {name: refused[name] for name in ("tape", "line", "outcome", "code", "command_id")} == {
        "tape": str(path),
        "line": 4,
        "outcome": "refused",
        "code": "coup-number-used",
        "command_id": "again",
    }
    assert refused["detail"]
    assert (unreadable["line"], unreadable["outcome"], unreadable["code"]) == (5, "unreadable", "not-json")
    assert summary == {
        "tape": str(path),
        "lines": 5,
        "applied": 3,
        "repeated": 0,
        "held": 0,
        "refused": 1,
        "rejected": 0,
        "unreadable": 1,
    }


def test_running_an_import_twice_changes_nothing(db: Path) -> None:
    rows = run("pnl", "--db", db, "--json").json()
    again = run("import", EVENING, "--db", db, "--json")
    assert again.lines()[-1]["repeated"] == 375
    assert again.lines()[-1]["applied"] == 0
    assert run("pnl", "--db", db, "--json").json() == rows


def test_a_tape_comes_from_standard_input_too(tmp_path: Path) -> None:
    content = tape(tmp_path / "t.ndjson", *night().lines).read_bytes()
    done = run("import", "-", "--db", tmp_path / "l.db", "--json", said=content)
    assert (done.code, done.lines()[-1]["tape"], done.lines()[-1]["applied"]) == (0, "-", 3)


def test_tapes_are_played_in_the_order_given(tmp_path: Path) -> None:
    """The second would be refused before the first."""
    lines = night().lines
    first, second = tape(tmp_path / "1.ndjson", *lines[:2]), tape(tmp_path / "2.ndjson", *lines[2:])
    done = run("import", first, second, "--db", tmp_path / "l.db", "--json")
    assert done.code == 0
    assert [(told["tape"], told["applied"]) for told in done.lines()] == [(str(first), 2), (str(second), 1)]


def test_one_bad_tape_among_good_ones_is_exit_1(tmp_path: Path) -> None:
    bad, good = tape(tmp_path / "bad.ndjson", "{"), tape(tmp_path / "good.ndjson", *night().lines)
    assert run("import", bad, good, "--db", tmp_path / "l.db").code == 1


def test_a_tape_that_is_not_there_is_exit_2(tmp_path: Path) -> None:
    done = run("import", tmp_path / "missing.ndjson", "--db", tmp_path / "l.db")
    assert done.code == 2
    assert "missing.ndjson" in done.err
    assert run("import", tmp_path, "--db", tmp_path / "l.db").code == 2
    assert run("import", "--db", tmp_path / "l.db").code == 2


def test_the_name_of_a_tape_or_a_ledger_is_printed_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Brackets are part of a name, not of a style."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a[").mkdir()
    name = "a[/b].ndjson"
    tape(Path(name), *night().lines)
    done = run("import", name, "--db", "[old].db")
    assert done.code == 0
    assert name in done.out
    assert "[old].db" in done.err
    assert "[old].db" in run("init", "--db", "[old].db").out
    assert run("init", "--db", "a[/c].db").code == 0


def test_no_patrons_token_stands_on_standard_error(tmp_path: Path) -> None:
    """The log says what the program did, never whose stake it was; nor does a refusal."""
    patrons = {
        wager["patron"]
        for line in evening()
        for wager in line.get("wagers", [])
        if isinstance(wager, dict) and "patron" in wager
    }
    done = ended(start("import", EVENING, "--db", tmp_path / "l.db", BACCARAT_LEDGER_LOG="info"))
    assert done.code == 1
    assert "tape imported" in done.err
    assert {patron for patron in patrons if patron in done.err} == set()


# --- tape and demo ---------------------------------------------------------------------------------------


def test_the_tape_that_is_dealt_is_the_one_in_the_repository(tmp_path: Path) -> None:
    """The same seed, the same bytes; on standard output or in a file."""
    assert run("tape").out.encode() == EVENING.read_bytes()
    written = tmp_path / "t.ndjson"
    assert run("tape", "-o", written).code == 0
    assert written.read_bytes() == EVENING.read_bytes()
    assert run("tape", "--seed", "5").out.encode() != EVENING.read_bytes()


def test_a_load_of_any_size_is_the_same_every_time() -> None:
    arguments = ("tape", "--coups", "20", "--wagers", "2", "--tables", "2")
    once = run(*arguments)
    assert once == run(*arguments)
    assert once.out != run(*arguments, "--seed", "2").out
    coups = [line for line in once.lines() if line["command"] == "record-coup"]
    assert (len(coups), {len(coup["wagers"]) for coup in coups}) == (20, {2})
    assert run("tape", "--coups", "0").code == 2


def test_demo_plays_the_evening_into_a_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit 0, though the evening has refusals: they are part of it. Then it says what to try next."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    done = run("demo")
    assert done.code == 0
    (db,) = tmp_path.glob("**/*.db")
    assert str(db) in done.out
    for row in oracle(evening()):
        (told,) = (
            line
            for line in done.out.splitlines()
            if re.search(rf" {row['table']} .* {row['shift']} ", line) and row["gaming_day"] in line
        )
        assert f"£{row['handle'] // 100:,}.{row['handle'] % 100:02}" in told
    assert "baccarat-ledger pnl" in done.out
    shown = re.findall(r"coup show (\S+)", done.out)
    assert shown
    for coup in shown:
        assert run("coup", "show", coup, "--db", db).code == 0


def test_demo_plays_into_a_ledger_of_ones_own(tmp_path: Path) -> None:
    db = tmp_path / "mine.db"
    assert run("demo", "--db", db).code == 0
    assert run("pnl", "--db", db, "--json").json()["rows"]
