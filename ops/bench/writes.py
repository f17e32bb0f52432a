"""What a commit costs, live and in bulk, on both engines: against the bare driver, and against the library.

A coup has ten wagers. Live, each has a commit of its own; in bulk, a hundred share one. The bare driver only
writes the very same rows; the library's application is `ops.bench.stock`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from ops.bench.bare import postgres_bare, sqlite_bare
from ops.bench.contest import Rival, Turns, by_turns
from ops.bench.figure import Figure
from ops.bench.server import own, scratch
from ops.bench.stock import postgres_env, sqlite_env, stock
from ops.cli.screen import progress_bar
from ops.rehearsal.deal import load
from ops.wiring import House, open_house

BULK_COUPS = 100
"""In one commit."""
BARE, LIBRARY = "the bare driver", "eventsourcing, as it comes"


class Way(NamedTuple):
    """How coups are written: so many a commit, and so many commits a turn."""

    name: str
    size: int
    commits: int
    by_copy: bool = False


LIVE = Way("live: a commit a coup", 1, 20)
BULK = Way(f"bulk: {BULK_COUPS} coups a commit", BULK_COUPS, 10, by_copy=True)
GOALS: Mapping[tuple[str, Way, str], float] = {
    ("SQLite", LIVE, BARE): 0.7,
    ("SQLite", BULK, BARE): 0.5,
    ("PostgreSQL", LIVE, BARE): 0.7,
    ("PostgreSQL", BULK, BARE): 0.5,
    ("PostgreSQL", LIVE, LIBRARY): 1.8,
    ("PostgreSQL", BULK, LIBRARY): 3.0,
}


class Opened(NamedTuple):
    """An empty ledger, and who writes the same beside it."""

    house: House
    rivals: Mapping[str, Rival]


@contextmanager
def on_sqlite(way: Way) -> Iterator[Opened]:
    """All in one temporary folder, a file each."""
    del way  # the bare driver has one way
    with ExitStack() as open_, tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        house = open_.enter_context(open_house(str(path / "ledger.db"), create=True))
        bare = open_.enter_context(sqlite_bare(path / "bare.db", path / "ledger.db"))
        library = open_.enter_context(stock(sqlite_env(path / "stock.db")))
        yield Opened(house, {BARE: bare, LIBRARY: library})


@contextmanager
def on_postgres(url: str, way: Way) -> Iterator[Opened]:
    """All in one schema, tables each."""
    with ExitStack() as open_:
        schema = own("writes")
        address = open_.enter_context(scratch(url, schema))
        house = open_.enter_context(open_house(address))
        inserting, copying = open_.enter_context(postgres_bare(address))
        library = open_.enter_context(stock(postgres_env(url, schema)))
        yield Opened(house, {BARE: copying if way.by_copy else inserting, LIBRARY: library})


def writes(url: str | None, live: int, bulk: int, repeat: int) -> Iterator[Figure]:
    """Every figure, over all turns of all repetitions.

    Args:
        url: of a database to work in; None: SQLite alone.
        live, bulk: coups in one repetition.
    """
    for engine in ("SQLite", *(("PostgreSQL",) if url else ())):
        for way, coups in ((LIVE, live), (BULK, bulk)):
            found: list[Turns] = []
            with progress_bar(f"{engine}, {way.name}") as (bar, task):
                bar.update(task, total=repeat * coups)
                for seed in range(1, repeat + 1):
                    tape = list(load(coups, seed=seed))
                    opened = on_postgres(url, way) if url and engine == "PostgreSQL" else on_sqlite(way)
                    with opened as (house, rivals):
                        for turn in by_turns(house, tape, way.size, way.commits, rivals):
                            found.append(turn)
                            bar.advance(task, turn.coups)
            for rival in (BARE, LIBRARY):
                yield Figure(
                    f"{engine}, {way.name}",
                    "COPY" if (engine, way, rival) == ("PostgreSQL", BULK, BARE) else rival,
                    "coups",
                    [turn.against(rival) for turn in found],
                    goal=GOALS.get((engine, way, rival)),
                )
