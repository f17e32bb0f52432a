"""Two sealed ledgers, one many times the size of the other: what a figure costs that should not grow.

The small ledger is played: a tape of punto banco, run as commands. The large one is that ledger's file with
all its rows copied over and over, each time at premises of another name: names of streams, ids of commands
and the states that mention them are rewritten alike, and the sequence goes on without a gap. So streams,
commands, indexes and tiles are as many and as deep as in a ledger that was played to that size. What is not
as it would be: a command's digest is still that of the command at the first premises. Both are sealed to
the end, with one checkpoint.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from ledger.commands import TAPE_LINE, Command
from ledger.seal.checkpoint import origin_of
from ledger.seal.checkpoints import Checkpoints
from ledger.seal.identity import ensure_ledger_id
from ledger.seal.keys import KEY_BYTES, new_key
from ledger.seal.sealer import Sealer
from ops.memory import few_collections
from ops.rehearsal.deal import load
from ops.tape.importer import BATCH_COMMANDS
from ops.wiring import open_house

SMALL_EVENTS = 50_000
COUPS_A_TIME = 40
"""Coups of the small ledger that are named, spread over the whole of it."""
_EVENTS_A_COUP = 6
PREMISES = "load-1"
"""Where the tape is dealt. Nothing else in its events is written so."""
KEY = new_key("bench", bytes(range(KEY_BYTES)))
_COPY = (
    "INSERT INTO stored_events SELECT sequence + ?, replace(originator_id, ?, ?), originator_version, topic, "
    "CAST(replace(state, ?, ?) AS BLOB) FROM stored_events WHERE sequence <= ? ORDER BY sequence"
)


class Growth(NamedTuple):
    """What something costs in one repetition (median, seconds), of the small ledger and of the large."""

    name: str
    small_seconds: float
    large_seconds: float

    @property
    def ratio(self) -> float:
        """How much more it costs from the large one. A ratio of times is no money."""
        return self.large_seconds / self.small_seconds


class Pair(NamedTuple):
    """Two sealed ledgers: every coup of the small one is in the large one, at each of its premises.

    Attributes:
        small_events, large_events: how many they hold.
        coups: some of the small one, as the command line names them.
        copies: how often the large one has each.
    """

    small: Path
    large: Path
    small_events: int
    large_events: int
    coups: tuple[str, ...]
    copies: int

    def in_large(self, coup: str, copy: int) -> str:
        """The same coup at other premises."""
        return coup.replace(PREMISES, premises_of(copy))


def two_ledgers(
    folder: Path, small_events: int, large_events: int, tables: int = 4, also: Sequence[Command] = ()
) -> Pair:
    """Play the small ledger, make the large one of it, and seal both.

    Args:
        small_events: so many or a few more.
        large_events: rounded to a whole number of copies of the small one.
        tables: that the tape is dealt at.
        also: commands to run after the tape.
    """
    small, large = folder / "small.db", folder / "large.db"
    events = _play(small, small_events, tables, also)
    shutil.copy(small, large)
    copies = max(round(large_events / events), 1)
    _multiply(large, events, copies)
    for path in (small, large):
        _seal(path)
    return Pair(small, large, events, events * copies, _some_coups(small), copies)


def _play(path: Path, events: int, tables: int, also: Sequence[Command]) -> int:
    """A ledger of so many events, or a few more; returns how many."""
    tape = load(events, tables=tables)
    with open_house(str(path), create=True) as house, few_collections():
        while (found := house.ledger.record.last_sequence()) < events:
            lines = list(islice(tape, min(BATCH_COMMANDS, (events - found) // _EVENTS_A_COUP + 1)))
            house.ledger.run_many([TAPE_LINE.validate_python(line) for line in lines])
        if also:
            house.ledger.run_many(also)
        return house.ledger.record.last_sequence()


def _multiply(path: Path, events: int, copies: int) -> None:
    """Copy every row of a ledger until it has each so many times, a commit a copy."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous=OFF")  # who pulls the plug measures again
        connection.execute("PRAGMA cache_size=-262144")
        for copy in range(1, copies):
            names = (PREMISES, premises_of(copy))
            connection.execute(_COPY, (copy * events, *names, *names, events))


def premises_of(copy: int) -> str:
    return f"load-{1_000 + copy}" if copy else PREMISES


def _seal(path: Path) -> None:
    with open_house(str(path)) as house, few_collections():
        origin = origin_of(ensure_ledger_id(house.tables, "bench"))
        Sealer(house.ledger.record, house.tables).catch_up()
        Checkpoints(house.tables, origin, (KEY.verifier,)).sign(KEY)


def _some_coups(path: Path) -> tuple[str, ...]:
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(
            "SELECT originator_id FROM stored_events WHERE topic = 'coup-settled.v1' ORDER BY sequence"
        ).fetchall()
    every = max(len(rows) // COUPS_A_TIME, 1)
    return tuple(stream.removeprefix("coup/") for (stream,) in rows[::every])[:COUPS_A_TIME]
