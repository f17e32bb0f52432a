"""`python -m ops.bench.postgres URL`: what a commit costs on PostgreSQL, against the bare driver, same rows.

Ours decides, checks, encodes and saves; the bare driver only writes the very same rows. They take turns, a
block of coups each, so that what else the machine does is borne by both. Each figure is the median over the
blocks of all repetitions, with its quartiles. Schemas of the database are made and dropped again.

With `--events`: what a live coup costs in a record of so many events, against one of fifty thousand, by
turns. The large one is the small one's rows over and over, at premises of other names.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import NamedTuple

import psycopg
from rich.table import Table

from ledger.application import Ledger
from ledger.commands import TAPE_LINE, Command, RecordCoup
from ledger.store.port import Row
from ledger.store.postgres_connections import settings_of
from ledger.store.postgres_schema import upgrade
from ops import logs
from ops.cli.screen import out, progress_bar
from ops.memory import few_collections
from ops.rehearsal.deal import load
from ops.wiring import open_house

BULK_COUPS = 100
BLOCK_COMMITS = 20
"""So many commits of ours, then the same rows as often by the bare driver."""

SMALL_EVENTS = 50_000
_EVENTS_A_COUP = 8
_PREMISES = "load-1"
"""Where a load is dealt."""

_SCHEMA = "ledger_bench"
_MULTIPLY = (
    "INSERT INTO stored_events "
    "SELECT sequence + $1, replace(originator_id, $2, $3), originator_version, topic, state "
    "FROM stored_events WHERE sequence <= $4 ORDER BY sequence"
)
_BARE = (
    'CREATE TABLE bare (sequence BIGINT PRIMARY KEY, originator_id TEXT COLLATE "C" NOT NULL, '
    'originator_version BIGINT NOT NULL, topic TEXT COLLATE "C" NOT NULL, state BYTEA NOT NULL, '
    "UNIQUE (originator_id, originator_version))"
)
Bare = Callable[[psycopg.Connection, Sequence[Row]], None]


def _executemany(connection: psycopg.Connection, rows: Sequence[Row]) -> None:
    """One prepared statement for all rows of a coup."""
    connection.cursor().executemany("INSERT INTO bare VALUES (%s, %s, %s, %s, %s)", rows)


def _copy(connection: psycopg.Connection, rows: Sequence[Row]) -> None:
    with connection.cursor().copy("COPY bare FROM STDIN (FORMAT BINARY)") as copy:
        copy.set_types(("int8", "text", "int8", "text", "bytea"))
        for row in rows:
            copy.write_row(row)


class Block(NamedTuple):
    """So many coups, and how long they took (seconds)."""

    coups: int
    ours: float
    bare: float

    @property
    def ratio(self) -> float:
        """Our rate over the bare driver's. A ratio of times is no money, so a float will do."""
        return self.bare / self.ours


@contextmanager
def scratch(url: str, schema: str = _SCHEMA) -> Iterator[str]:
    """The address of a new ledger beside whatever the database holds."""
    with psycopg.connect(**settings_of(url), autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE".encode())
        connection.execute(f"CREATE SCHEMA {schema}".encode())
        address = f"{url}{'&' if '?' in url else '?'}options=-csearch_path%3D{schema}"
        upgrade(address)
        try:
            yield address
        finally:
            connection.execute(f"DROP SCHEMA {schema} CASCADE".encode())


def blocks(url: str, commands: Sequence[Command], size: int, bare: Bare) -> Iterator[Block]:
    """Run commands, `size` coups a commit, in turns with the bare driver."""
    with (
        scratch(url) as address,
        open_house(address) as house,
        psycopg.connect(**settings_of(address)) as connection,
        few_collections(),
    ):
        connection.prepare_threshold = 0
        connection.execute(_BARE.encode())
        connection.commit()
        saves = [commands[start : start + size] for start in range(0, len(commands), size)]
        for start in range(0, len(saves), BLOCK_COMMITS):
            block = saves[start : start + BLOCK_COMMITS]
            after = house.ledger.record.last_sequence()
            begun = perf_counter()
            for save in block:
                house.ledger.run_many(save)
            ours = perf_counter() - begun
            written = _by_save(house.ledger.record.select_rows(after, 10_000_000), block)
            begun = perf_counter()
            for rows in written:
                bare(connection, rows)
                connection.commit()
            coups = sum(isinstance(command, RecordCoup) for save in block for command in save)
            yield Block(coups, ours, perf_counter() - begun)


def _by_save(rows: Sequence[Row], block: Sequence[Sequence[Command]]) -> list[list[Row]]:
    """The rows of each save: a command's end with its record."""
    ends = [number for number, row in enumerate(rows, 1) if row.topic.startswith("command-recorded")]
    written, begin, commands = [], 0, 0
    for save in block:
        commands += len(save)
        written.append(list(rows[begin : ends[commands - 1]]))
        begin = ends[commands - 1]
    return written


def growing(url: str, events: int, live: int) -> Iterator[Block]:
    """Coups with a commit each in a record of so many events (ours), and in a small one (bare), by turns."""
    base = SMALL_EVENTS // _EVENTS_A_COUP
    commands = [TAPE_LINE.validate_python(line) for line in load(base + live, seed=1)]
    played, to_play = commands[: -live or None], commands[-live:]
    with (
        scratch(url) as large,
        scratch(url, f"{_SCHEMA}_small") as small,
        open_house(large) as one,
        open_house(small) as other,
        few_collections(),
    ):
        for house in (one, other):
            for start in range(0, len(played), BULK_COUPS):
                house.ledger.run_many(played[start : start + BULK_COUPS])
        _multiply(large, one.ledger.record.last_sequence(), events)
        for start in range(0, len(to_play), BLOCK_COMMITS):
            block = to_play[start : start + BLOCK_COMMITS]
            yield Block(len(block), *(_timed(house.ledger, block) for house in (one, other)))


def _timed(ledger: Ledger, commands: Sequence[Command]) -> float:
    begun = perf_counter()
    for command in commands:
        ledger.run(command)
    return perf_counter() - begun


def _multiply(address: str, base: int, events: int) -> None:
    with (
        psycopg.connect(
            **settings_of(address), autocommit=True, cursor_factory=psycopg.RawCursor
        ) as connection,
        progress_bar("growing") as (bar, task),
    ):
        for copy in range(1, max(round(events / base), 1)):
            bar.update(task, total=events, completed=copy * base)
            names = (_PREMISES, f"copy-{copy}")
            connection.execute(_MULTIPLY.encode(), (copy * base, *names, base))
        connection.execute("VACUUM ANALYZE stored_events")
        connection.execute("CHECKPOINT")


def main() -> None:
    """Measure, and print the medians with their quartiles."""
    parser = argparse.ArgumentParser(prog="python -m ops.bench.postgres", description=__doc__.split("\n")[0])
    parser.add_argument("url", help="of a database for it to work in")
    parser.add_argument("--live", type=int, default=1_000, help="coups with a commit each (1000)")
    parser.add_argument("--bulk", type=int, default=10_000, help=f"coups, {BULK_COUPS} a commit (10000)")
    parser.add_argument("--repeat", type=int, default=3, help="repetitions (3)")
    parser.add_argument("--events", type=int, help="of a large record: only what it costs to add to that")
    wanted = parser.parse_args()
    logs.configure()
    if wanted.events:
        out().print(_grown(wanted.url, wanted.events, wanted.live))
        return
    table = Table(
        "work", "ratio to bare", "quartiles", "rate", "bare rate", title="ten wagers a coup, PostgreSQL"
    )
    for name, coups, size, bare in (
        ("live: a commit a coup, to executemany", wanted.live, 1, _executemany),
        (f"bulk: {BULK_COUPS} a commit, to COPY", wanted.bulk, BULK_COUPS, _copy),
    ):
        commands = [TAPE_LINE.validate_python(line) for line in load(coups, seed=2)]
        found: list[Block] = []
        with progress_bar(name) as (bar, task):
            bar.update(task, total=wanted.repeat * len(commands))
            for _ in range(wanted.repeat):
                for block in blocks(wanted.url, commands, size, bare):
                    found.append(block)
                    bar.advance(task, block.coups)
        table.add_row(name, *_figures(found))
    out().print(table)


def _grown(url: str, events: int, live: int) -> str:
    costs = [1 / block.ratio for block in growing(url, events, live)]
    low, median, high = statistics.quantiles(costs, n=4)
    return (
        f"a live coup in a record of {events:,} events costs {median:.2f} times what it costs in one of "
        f"{SMALL_EVENTS:,} (quartiles {low:.2f} to {high:.2f}); goal 1.15 at most"
    )


def _figures(found: Sequence[Block]) -> tuple[str, str, str, str]:
    low, median, high = statistics.quantiles([block.ratio for block in found if block.coups], n=4)
    coups = sum(block.coups for block in found)
    return (
        f"{median:.2f}",
        f"{low:.2f} to {high:.2f}",
        f"{coups / sum(block.ours for block in found):,.0f} coups/s",
        f"{coups / sum(block.bare for block in found):,.0f} coups/s",
    )


if __name__ == "__main__":
    main()
