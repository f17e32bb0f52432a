"""Long tapes: memory that stays flat, and imports that are killed and run again."""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from ops.rehearsal.deal import load
from tests.cli.shell import PATIENCE_SECONDS, ended, start
from tests.oracle.night import pnl as oracle
from tests.projections.houses import house_at, in_contract, read, take

ROOT = Path(__file__).parents[2]
KILLS = 2


def test_memory_stays_flat_however_long_the_tape(tmp_path: Path) -> None:
    """Another 1,200 coups after 400: to keep their lines, commands or events would take twice as much."""
    program = [sys.executable, "-m", "tests.tape.importing", str(tmp_path / "ledger.db"), "400", "1200"]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    (first, applied), (second, applied_more) = (map(int, line.split()) for line in done.stdout.splitlines())
    assert applied > 400
    assert applied_more > 1200
    assert second - first < 4 * 1024 * 1024


# --- Killed -------------------------------------------------------------------------------------------


def events_in(path: Path) -> int:
    """How many events the ledger holds, seen from outside; 0 as long as there is none."""
    if not path.exists():
        return 0
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        try:
            ((last,),) = connection.execute("SELECT COALESCE(MAX(sequence), 0) FROM stored_events")
        except sqlite3.OperationalError:  # the file is there, the table is not yet
            return 0
    return int(last)


def said_by(path: Path) -> list[tuple[Any, ...]]:
    """Every event in order, without the time at which it was recorded."""
    with house_at(path) as house:
        rows = house.ledger.record.select_rows(0, 10**6)
    return [
        (row.sequence, row.stream, row.version, row.topic, json.loads(row.state) | {"recorded_at": None})
        for row in rows
    ]


def test_an_import_that_is_killed_and_run_again_is_an_import(tmp_path: Path) -> None:
    """SIGKILL in the middle of batches, more than once: the same events, no gap, no double, no penny less."""
    lines = list(load(500, wagers=1, tables=2))
    tape, path, whole = tmp_path / "tape.ndjson", tmp_path / "killed.db", tmp_path / "whole.db"
    tape.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with house_at(whole) as house:
        take(house, lines)
        events = house.ledger.record.last_sequence()
    marks = sorted(random.sample(range(events * 3 // 4), KILLS))
    killed_at = []
    for mark in marks:
        process = start("import", tape, "--db", path)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while events_in(path) < mark and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.001)
        process.kill()
        ended(process)
        killed_at.append(events_in(path))
    assert killed_at[-1] < events, (marks, "no import was cut short")
    done = ended(start("import", tape, "--db", path, "--json"))
    assert (done.code, done.err) == (0, "")
    (summary,) = done.lines()
    assert summary["applied"] + summary["repeated"] == len(lines)
    assert summary["repeated"] > 0
    assert said_by(path) == said_by(whole)
    with house_at(path) as house:
        house.pnl_runner().catch_up()
        assert in_contract(read(house)) == oracle(lines)
