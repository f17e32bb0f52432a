"""What should not grow with the record, in a large one against a small one.

Replaying a coup and reconciling a day, on SQLite; adding a live coup, on PostgreSQL. The large record is the
small one's rows over and over, at premises of other names.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import psycopg

from ledger.commands import Command
from ledger.store.postgres_connections import settings_of
from ops.bench.contest import dealt, seconds
from ops.bench.figure import Figure, Sort, Turn
from ops.bench.ledgers import PREMISES, Growth, Pair, two_ledgers
from ops.bench.reconcile import reconciled, two_days
from ops.bench.replay import growths
from ops.bench.server import own, scratch
from ops.cli.screen import progress_bar
from ops.memory import few_collections
from ops.wiring import House, open_house

GOAL, APPEND_GOAL = 1.5, 1.15
BULK_COUPS, COMMITS_A_TURN = 100, 20
_EVENTS_A_COUP = 8
_MULTIPLY = (
    "INSERT INTO stored_events "
    "SELECT sequence + $1, replace(originator_id, $2, $3), originator_version, topic, state "
    "FROM stored_events WHERE sequence <= $4 ORDER BY sequence"
)


def growth(url: str | None, small: int, large: int, repeat: int, live: int) -> Iterator[Figure]:
    """Every figure.

    Args:
        url: of a database to work in; None: SQLite alone.
        small, large: events of the two records.
        live: coups to add to each, on PostgreSQL.
    """
    with tempfile.TemporaryDirectory() as folder:
        pair = two_ledgers(Path(folder), small, large)
        yield from _grown(pair, [list(growths(pair, seed)) for seed in range(repeat)])
    with tempfile.TemporaryDirectory() as folder:
        pair = two_days(Path(folder), large)
        yield from _grown(pair, [list(reconciled(pair, seed)) for seed in range(repeat)])
    if url:
        turns = list(appended(url, small, large, live))
        name = f"a live coup, PostgreSQL, {large:,} events"
        yield Figure(name, f"{small:,} events", "coups", turns, Sort.TIME, APPEND_GOAL)


def _grown(pair: Pair, runs: Sequence[Sequence[Growth]]) -> Iterator[Figure]:
    for of_one in zip(*runs, strict=True):
        turns = [Turn(1, found.large_seconds, found.small_seconds) for found in of_one]
        name = f"{of_one[0].name}, {pair.large_events:,} events"
        yield Figure(name, f"{pair.small_events:,} events", "times", turns, Sort.TIME, GOAL)


def appended(url: str, small: int, large: int, live: int) -> Iterator[Turn]:
    """Coups with a commit each in a record of so many events (ours), and in a small one (other), by turns."""
    commands = dealt(small // _EVENTS_A_COUP + live, seed=1)
    played, to_play = commands[: len(commands) - live], commands[len(commands) - live :]
    with (
        scratch(url, own("large")) as one,
        scratch(url, own("small")) as other,
        open_house(one) as in_large,
        open_house(other) as in_small,
        few_collections(),
    ):
        for house in (in_large, in_small):
            for start in range(0, len(played), BULK_COUPS):
                house.ledger.run_many(played[start : start + BULK_COUPS])
        _multiply(one, in_large.ledger.record.last_sequence(), large)
        for start in range(0, len(to_play), COMMITS_A_TURN):
            block = to_play[start : start + COMMITS_A_TURN]
            of_large, of_small = (seconds(partial(_add, house, block)) for house in (in_large, in_small))
            yield Turn(len(block), of_large / len(block), of_small / len(block))


def _add(house: House, commands: Sequence[Command]) -> None:
    for command in commands:
        house.ledger.run(command)


def _multiply(address: str, base: int, events: int) -> None:
    settings = settings_of(address)
    with (
        psycopg.connect(**settings, autocommit=True, cursor_factory=psycopg.RawCursor) as connection,
        progress_bar("growing") as (bar, task),
    ):
        for copy in range(1, max(round(events / base), 1)):
            bar.update(task, total=events, completed=copy * base)
            connection.execute(_MULTIPLY.encode(), (copy * base, PREMISES, f"copy-{copy}", base))
        connection.execute("VACUUM ANALYZE stored_events")
        connection.execute("CHECKPOINT")
