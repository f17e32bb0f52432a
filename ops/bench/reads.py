"""What reading a whole ledger costs: projections, rebuild, audit, verify; on SQLite, against bare loops."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from itertools import starmap
from pathlib import Path
from typing import NamedTuple

from ops.bench.audit import audit
from ops.bench.contest import dealt, seconds
from ops.bench.figure import Figure, Turn
from ops.bench.rebuild import against_the_library, rebuilding
from ops.bench.verify import verifying
from ops.cli.screen import progress_bar
from ops.memory import few_collections
from ops.tape.importer import BATCH_COMMANDS
from ops.wiring import open_house
from projections.catalogue import EVERY
from projections.pnl.table_pnl import TablePnl

LOOP, LIBRARY = "a bare loop", "ProjectionRunner"
GOALS = {
    "P&L, from nothing": 0.4,
    f"{len(EVERY)} projections, from nothing": 0.4,
    "audit, every coup": 0.4,
    "verify: read, hash, fold": 0.4,
}


class Measure(NamedTuple):
    """One repetition: what was done how often, and how long it took us and the other (seconds)."""

    name: str
    unit: str
    done: int
    ours: float
    other: float


def reads(coups: int, repeat: int) -> Iterator[Figure]:
    """Every figure, a turn each repetition; each on a ledger that has not been read before."""
    runs: list[list[Measure]] = []
    with progress_bar("reading") as (bar, task):
        bar.update(task, total=repeat)
        for seed in range(1, repeat + 1):
            with tempfile.TemporaryDirectory() as folder:
                runs.append(_once(Path(folder) / "ledger.db", coups, seed))
            bar.advance(task)
    for of_one in zip(*runs, strict=True):
        name, unit = of_one[0].name, of_one[0].unit
        against = LIBRARY if LIBRARY in name else LOOP
        turns = [Turn(found.done, found.ours, found.other) for found in of_one]
        yield Figure(name, against, unit, turns, goal=GOALS.get(name))


def _once(path: Path, coups: int, seed: int) -> list[Measure]:
    return [
        _projected(path, coups, seed),
        Measure(*rebuilding(path)),
        Measure(*against_the_library(path)),
        Measure(*audit(path)),
        *starmap(Measure, verifying(path)),
    ]


def _projected(path: Path, coups: int, seed: int) -> Measure:
    """Fold the P&L from nothing, against selecting and JSON-decoding the same rows."""
    commands = dealt(coups, seed)
    with open_house(str(path), create=True) as house, few_collections():
        for start in range(0, len(commands), BATCH_COMMANDS):
            house.ledger.run_many(commands[start : start + BATCH_COMMANDS])
        ours = seconds(house.pnl_runner().catch_up)
        events = house.ledger.record.last_sequence()
    with closing(sqlite3.connect(path)) as connection:
        marks = ",".join("?" * len(TablePnl.topics))
        sql = f"SELECT state FROM stored_events WHERE topic IN ({marks}) ORDER BY sequence"
        bare = seconds(lambda: [json.loads(state) for (state,) in connection.execute(sql, TablePnl.topics)])
    return Measure("P&L, from nothing", "events", events, ours, bare)
