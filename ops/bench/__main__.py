"""`python -m ops.bench`: how the core compares with the bare driver, on a made-up load.

Each figure is a ratio of rates in one run, the median of its repetitions: 1 would mean that deciding,
checking and encoding cost nothing beside writing (or reading) the very same rows. Absolute rates stand
beside them and mean little: they are this machine's, in that minute.

What `coup replay` and `reconcile` cost in a large ledger is a ratio of times to the same in a small one:
`python -m ops.bench --only growth --events 5000000` takes some minutes and 7 GB in the temporary folder.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import statistics
import tempfile
from collections.abc import Callable, Sequence
from itertools import groupby, starmap
from pathlib import Path
from time import perf_counter
from typing import NamedTuple, TypeVar

from rich.table import Table

from ledger.commands import TAPE_LINE, Command, RecordCoup
from ops import logs
from ops.bench.audit import audit
from ops.bench.ledgers import SMALL_EVENTS, Growth, Pair, two_ledgers
from ops.bench.rebuild import against_the_library, rebuilding
from ops.bench.reconcile import reconciled, two_days
from ops.bench.replay import growths
from ops.bench.verify import verifying
from ops.cli.screen import out
from ops.memory import few_collections
from ops.rehearsal.deal import load
from ops.tape.importer import BATCH_COMMANDS
from ops.wiring import open_house
from projections.pnl.table_pnl import TablePnl

BARE_TABLE = (
    "CREATE TABLE stored_events (sequence INTEGER PRIMARY KEY, originator_id TEXT NOT NULL, "
    "originator_version INTEGER NOT NULL, topic TEXT NOT NULL, state BLOB NOT NULL, "
    "UNIQUE (originator_id, originator_version))"
)
StoredRow = tuple[int, str, int, str, bytes]


class Measure(NamedTuple):
    """One figure: what was done how often, and how long it took us and the bare loop (seconds)."""

    name: str
    unit: str
    done: int
    ours_seconds: float
    bare_seconds: float

    @property
    def ratio(self) -> float:
        """Our rate over the bare loop's. A ratio of times is no money, so a float will do."""
        return self.bare_seconds / self.ours_seconds


def _timed(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def _bare_append(path: Path, saves: Sequence[Sequence[StoredRow]]) -> float:
    """The same rows by the bare driver: one prepared executemany and a durable commit a save."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute(BARE_TABLE)

    def work() -> None:
        for rows in saves:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("INSERT INTO stored_events VALUES (?,?,?,?,?)", rows)
            connection.execute("COMMIT")

    seconds = _timed(work)
    connection.close()
    return seconds


def _rows(path: Path) -> list[StoredRow]:
    connection = sqlite3.connect(path)
    rows = connection.execute(
        "SELECT sequence, originator_id, originator_version, topic, state "
        "FROM stored_events ORDER BY sequence"
    ).fetchall()
    connection.close()
    return rows


def _cause(row: StoredRow) -> str:
    return str(json.loads(row[4])["cause"])


def appends(folder: Path, commands: Sequence[Command], size: int, name: str) -> Measure:
    """Run commands, `size` to a commit, against the bare driver writing the same rows as often."""
    path = folder / "ledger.db"
    batches = [commands[start : start + size] for start in range(0, len(commands), size)]
    with open_house(str(path), create=True) as house, few_collections():
        ours = _timed(lambda: [house.ledger.run_many(batch) for batch in batches])
    by_command = [list(rows) for _, rows in groupby(_rows(path), key=_cause)]
    saves = [
        [row for rows in by_command[start : start + size] for row in rows]
        for start in range(0, len(by_command), size)
    ]
    coups = sum(isinstance(command, RecordCoup) for command in commands)
    return Measure(name, "coups", coups, ours, _bare_append(folder / "bare.db", saves))


def projection(folder: Path, commands: Sequence[Command]) -> Measure:
    """Fold the P&L from nothing, against selecting and JSON-decoding the same rows."""
    path = folder / "folded.db"
    with open_house(str(path), create=True) as house, few_collections():
        for start in range(0, len(commands), BATCH_COMMANDS):
            house.ledger.run_many(commands[start : start + BATCH_COMMANDS])
        ours = _timed(house.pnl_runner().catch_up)
        events = house.ledger.record.last_sequence()
    connection = sqlite3.connect(path)
    marks = ",".join("?" * len(TablePnl.topics))
    sql = f"SELECT state FROM stored_events WHERE topic IN ({marks}) ORDER BY sequence"
    bare = _timed(lambda: [json.loads(state) for (state,) in connection.execute(sql, TablePnl.topics)])
    connection.close()
    return Measure("P&L, from nothing", "events", events, ours, bare)


def measure(coups: int, live: int) -> list[Measure]:
    """Every figure once."""
    bulk = [TAPE_LINE.validate_python(line) for line in load(coups)]
    single = [TAPE_LINE.validate_python(line) for line in load(live, seed=2)]
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        return [
            appends(Path(one), single, 1, "live: a commit a coup"),
            appends(Path(other), bulk, BATCH_COMMANDS, f"bulk: {BATCH_COMMANDS} a commit"),
            projection(Path(one), bulk),
            Measure(*rebuilding(Path(one) / "folded.db")),
            Measure(*against_the_library(Path(one) / "folded.db")),
            Measure(*audit(Path(one) / "folded.db")),
            *starmap(Measure, verifying(Path(one) / "folded.db")),
        ]


def growing(small: int, large: int, repeat: int) -> Table:
    """What a replay, and reconciling a day, costs in a ledger of so many events, against a small one."""
    table = Table("work", "events", "ratio", "spread", "large", "small", title="growth: goal 1.5 at most")
    with tempfile.TemporaryDirectory() as folder:
        pair = two_ledgers(Path(folder), small, large)
        _grown(table, pair, [list(growths(pair, seed)) for seed in range(repeat)])
    with tempfile.TemporaryDirectory() as folder:
        pair = two_days(Path(folder), large)
        _grown(table, pair, [list(reconciled(pair, seed)) for seed in range(repeat)])
    return table


def _grown(table: Table, pair: Pair, runs: Sequence[Sequence[Growth]]) -> None:
    for of_one in zip(*runs, strict=True):
        median, ratios = _middle(of_one)
        table.add_row(
            median.name,
            f"{pair.large_events:,} to {pair.small_events:,}",
            f"{median.ratio:.2f}",
            f"{ratios[0]:.2f} to {ratios[-1]:.2f}",
            f"{median.large_seconds * 1e3:.1f} ms",
            f"{median.small_seconds * 1e3:.1f} ms",
        )


Figure = TypeVar("Figure", Measure, Growth)


def _middle(of_one: Sequence[Figure]) -> tuple[Figure, list[float]]:
    """The repetition with the median ratio (or next to it), and all ratios from the lowest."""
    ratios = sorted(found.ratio for found in of_one)
    return min(of_one, key=lambda found: abs(found.ratio - statistics.median(ratios))), ratios


def main() -> None:
    """Measure, and print the medians with their spread."""
    parser = argparse.ArgumentParser(prog="python -m ops.bench", description=__doc__.split("\n")[0])
    parser.add_argument("--coups", type=int, default=4_000, help="coups in bulk (4000)")
    parser.add_argument("--live", type=int, default=1_000, help="coups with a commit each (1000)")
    parser.add_argument("--repeat", type=int, default=3, help="repetitions (3)")
    parser.add_argument("--events", type=int, default=500_000, help="events of the large ledger (500000)")
    parser.add_argument("--small", type=int, default=SMALL_EVENTS, help="of the small one (50000)")
    parser.add_argument("--only", choices=("core", "growth"), help="one of the two tables")
    wanted = parser.parse_args()
    logs.configure()
    if wanted.only != "growth":
        out().print(_core(wanted))
    if wanted.only != "core":
        out().print(growing(wanted.small, wanted.events, wanted.repeat))


def _core(wanted: argparse.Namespace) -> Table:
    runs = [measure(wanted.coups, wanted.live) for _ in range(wanted.repeat)]
    table = Table("work", "ratio to bare", "spread", "rate", "bare rate", title="ten wagers a coup, SQLite")
    for of_one in zip(*runs, strict=True):
        median, ratios = _middle(of_one)
        table.add_row(
            median.name,
            f"{median.ratio:.2f}",
            f"{ratios[0]:.2f} to {ratios[-1]:.2f}",
            f"{median.done / median.ours_seconds:,.0f} {median.unit}/s",
            f"{median.done / median.bare_seconds:,.0f} {median.unit}/s",
        )
    return table


if __name__ == "__main__":
    main()
