"""What the audit costs, against selecting and JSON-decoding the very same rows."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from time import perf_counter

from ops.memory import few_collections
from ops.wiring import open_house
from projections.audit.audit import TOPICS, Audit


def audit(path: Path) -> tuple[str, str, int, float, float]:
    """Settle every coup of a ledger again: the fields of a `Measure`, in order (seconds).

    Neither side keeps what it has read.
    """
    with open_house(str(path)) as house, few_collections():
        work = Audit(house.ledger.record)
        start = perf_counter()
        differences = sum(1 for _ in work.differences())
        ours = perf_counter() - start
        bare = _bare(path)
    if differences:
        msg = f"{differences} differences in a ledger that nobody has touched"
        raise AssertionError(msg)
    return "audit, every coup", "coups", work.summary.settled, ours, bare


def _bare(path: Path) -> float:
    """How long the bare driver and the standard library take for the same rows (seconds)."""
    marks = ",".join("?" * len(TOPICS))
    sql = f"SELECT state FROM stored_events WHERE topic IN ({marks}) ORDER BY sequence"
    with closing(sqlite3.connect(path)) as connection:
        start = perf_counter()
        for (state,) in connection.execute(sql, TOPICS):
            json.loads(state)
        return perf_counter() - start
