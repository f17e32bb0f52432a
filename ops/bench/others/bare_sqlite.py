"""The limit on SQLite: the bare driver writes the rows, a bare loop reads and adds them up."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ops.bench.others.protocol import Pnl, facts_of, in_saves, serve, where, win_of

_TABLE = (
    "CREATE TABLE IF NOT EXISTS stored_events (sequence INTEGER PRIMARY KEY, originator_id TEXT NOT NULL, "
    "originator_version INTEGER NOT NULL, topic TEXT NOT NULL, state BLOB NOT NULL, "
    "UNIQUE (originator_id, originator_version))"
)
_SETTLED = "SELECT state FROM stored_events WHERE topic = 'coup-settled.v1' ORDER BY sequence"
_STREAM = "SELECT state FROM stored_events WHERE originator_id = ? ORDER BY originator_version"
Row = tuple[int, str, int, str, bytes]


class BareDriver:
    """See `ops.bench.others.protocol.Contestant`. Its lines are facts, whose bytes are made before."""

    insert = "INSERT INTO stored_events VALUES (?,?,?,?,?)"

    def __init__(self, given: dict[str, Any]) -> None:
        self.connect(given)
        self._written = 0
        self._pnl: Counter[str] = Counter()

    def connect(self, given: dict[str, Any]) -> None:
        """Open, and make the table."""
        self._connection = sqlite3.connect(Path(given["folder"]) / "bare.db", isolation_level=None)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=FULL")
        self._connection.execute(_TABLE)

    def prepare(self, lines: Sequence[str], size: int) -> Callable[[], object]:
        saves = [
            [row for rows in save for row in rows] for save in in_saves(list(map(self._rows, lines)), size)
        ]

        def work() -> None:
            for rows in saves:
                self.write(rows, size)

        return work

    def _rows(self, line: str) -> list[Row]:
        facts = facts_of(line)
        first = self._written + 1
        self._written += len(facts)
        return [
            (sequence, stream, fact["version"], topic, json.dumps(fact, separators=(",", ":")).encode())
            for sequence, (stream, topic, fact) in enumerate(facts, first)
        ]

    def write(self, rows: Sequence[Row], size: int) -> None:
        """One commit, of so many lines."""
        del size
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.executemany(self.insert, rows)
        self._connection.execute("COMMIT")

    def settled(self) -> Any:
        """The states of all settled coups."""
        return self._connection.execute(_SETTLED)

    def stream(self, name: str) -> Sequence[tuple[bytes]]:
        """The states of one stream."""
        return self._connection.execute(_STREAM, (name,)).fetchall()

    def project(self, coups: int, seconds: float) -> int:
        del coups, seconds
        self._pnl.clear()
        done = 0
        for (state,) in self.settled():
            facts = json.loads(state)
            self._pnl[where(facts)] += win_of(facts["totals"])
            done += 1
        return done

    rebuild = project

    def replay(self, stream: str) -> int:
        return len([json.loads(state) for (state,) in self.stream(stream)])

    def pnl(self) -> Pnl:
        return dict(self._pnl)

    def close(self) -> None:
        self._connection.close()


if __name__ == "__main__":
    serve(BareDriver)
