"""`export`: files for other programs, whole or not at all."""

from __future__ import annotations

import csv
import sys
from io import StringIO
from pathlib import Path

import pytest

from tests.cli.shell import Done, run
from tests.projections.tampered import behind_its_back

FORMATS = [
    ("csv",),
    ("csv", "--of", "pnl"),
    ("csv", "--of", "postings"),
    ("journal",),
    ("journal", "--for", "beancount"),
    ("parquet",),
]
every_format = pytest.mark.parametrize("format", FORMATS, ids=" ".join)


@pytest.fixture(autouse=True)
def _with_pyarrow(request: pytest.FixtureRequest) -> None:
    if "parquet" in request.node.name:
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")


def export(*arguments: str | Path, db: Path) -> Done:
    return run("export", *arguments, "--db", db)


def left_in(folder: Path) -> list[str]:
    """What there is in a folder; a database keeps files beside it."""
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("ledger.db"))


@every_format
def test_a_file_is_written_and_standard_output_says_the_same(
    db: Path, tmp_path: Path, format: tuple[str, ...]
) -> None:
    path = tmp_path / "out"
    done = export(*format, "-o", path, db=db)
    assert (done.code, done.out) == (0, "")
    assert str(path) in done.err
    assert left_in(tmp_path) == ["out"]
    if format[0] != "parquet":
        assert export(*format, db=db).out == path.read_bytes().decode()


def test_the_wagers_are_what_is_exported_unless_told_otherwise(db: Path) -> None:
    told = export("csv", db=db).out
    assert told == export("csv", "--of", "wagers", db=db).out
    (header, *rows) = csv.reader(StringIO(told, newline=""))
    assert header[:5] == ["premises", "gaming_day", "shift", "table", "coup"]
    assert len(rows) > 900


@pytest.mark.parametrize("format", FORMATS[:-1], ids=" ".join)
def test_only_the_days_asked_for(db: Path, format: tuple[str, ...]) -> None:
    """The evening is the 27th; both ends of a range are included."""
    everything = export(*format, db=db).out
    assert export(*format, "--day", "2026-11-27", db=db).out == everything
    assert export(*format, "--from", "2026-11-27", "--to", "2026-11-27", db=db).out == everything
    for nothing in (("--day", "2026-11-26"), ("--from", "2026-11-28"), ("--premises", "annex")):
        assert len(export(*format, *nothing, db=db).out.splitlines()) == 1


def test_only_the_table_asked_for(db: Path) -> None:
    rows = csv.DictReader(StringIO(export("csv", "--of", "pnl", "--table", "CF1", db=db).out, newline=""))
    assert {row["table"] for row in rows} == {"CF1"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("csv", "--day", "2026-11-27", "--from", "2026-11-27"),
        ("csv", "--from", "2026-11-28", "--to", "2026-11-27"),
        ("csv", "--day", "yesterday"),
        ("csv", "--of", "everything"),
        ("journal", "--for", "quickbooks"),
    ],
)
def test_what_cannot_be_meant_is_bad_usage(db: Path, arguments: tuple[str, ...]) -> None:
    assert export(*arguments, db=db).code == 2


@every_format
def test_it_is_never_written_over_a_ledger(db: Path, format: tuple[str, ...]) -> None:
    told = run("pnl", "--json", "--db", db).out
    done = export(*format, "-o", db, db=db)
    assert done.code == 2
    assert "ledger's own file" in done.err
    assert run("pnl", "--json", "--db", db).out == told


@pytest.mark.parametrize("format", [("csv",), ("parquet",)], ids=" ".join)
def test_an_export_that_fails_half_way_leaves_the_file_as_it_was(
    db: Path, tmp_path: Path, format: tuple[str, ...]
) -> None:
    """A settlement, late on the record, has become unreadable."""
    path = tmp_path / "out"
    path.write_text("last week's")
    assert export(*format, "-o", tmp_path / "whole", db=db).code == 0
    with behind_its_back(db) as connection:
        connection.execute(
            "UPDATE stored_events SET state = 'no such event' WHERE sequence = "
            "(SELECT MAX(sequence) FROM stored_events WHERE topic = 'wagers-settled.v1')"
        )
    done = export(*format, "-o", path, db=db)
    assert done.code == 2
    assert "wagers-settled.v1" in done.err
    assert path.read_text() == "last week's"
    assert left_in(tmp_path) == ["out", "whole"]


def test_a_folder_that_is_not_there_is_said(db: Path, tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "out.csv"
    done = export("csv", "-o", path, db=db)
    assert done.code == 2
    assert str(path) in done.err


def test_without_pyarrow_it_says_what_brings_it(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    done = export("parquet", "-o", tmp_path / "out", db=db)
    assert done.code == 2
    assert "pip install baccarat-ledger[parquet]" in done.err
    assert left_in(tmp_path) == []
