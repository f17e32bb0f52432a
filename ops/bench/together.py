"""Several tables live at once: each waits for the answer to its coup, and those that wait share a commit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial

from ledger.commands import Command
from ops.bench.contest import EVENTS_MAX, Rival, Turns, by_save, read, seconds
from ops.bench.figure import Figure
from ops.bench.shoes import shoes_of
from ops.bench.writes import BARE, LIVE, on_postgres, on_sqlite
from ops.cli.screen import progress_bar
from ops.memory import few_collections
from ops.service.writer import Writer
from ops.wiring import House

TABLES = 8
GOALS = {"SQLite": 0.6, "PostgreSQL": 0.6}
"""One table deals a coup a minute, so a rate is asked of many tables at once, or of none."""


def figures(url: str | None, shoes: int) -> Iterator[Figure]:
    """On SQLite, and on PostgreSQL where there is a database to work in."""
    for engine in ("SQLite", *(("PostgreSQL",) if url else ())):
        name = f"{engine}, live: {TABLES} tables at once"
        found = []
        with progress_bar(name) as (bar, task):
            bar.update(task, total=shoes)
            opened = on_postgres(url, LIVE) if url and engine == "PostgreSQL" else on_sqlite(LIVE)
            with opened as (house, rivals):
                for turn in together(house, shoes, {BARE: rivals[BARE]}):
                    found.append(turn.against(BARE))
                    bar.advance(task)
        yield Figure(name, "the bare driver, a coup a commit", "coups", found, goal=GOALS[engine])


def together(house: House, shoes: int, rivals: Mapping[str, Rival]) -> Iterator[Turns]:
    """A shoe at every table at once; then each rival, who commits the same coups one after the other.

    Args:
        shoes: turns; some seventy coups of each table.
    """
    tapes = [shoes_of(table) for table in range(1, TABLES + 1)]
    with (
        few_collections(),
        closing(Writer(house.ledger, TABLES, lambda: None)) as writer,
        ThreadPoolExecutor(TABLES) as tables,
    ):
        for _ in range(shoes):
            dealt = [next(tape) for tape in tapes]
            for shoe in dealt:
                house.ledger.run_many(read(shoe.before))
            coups = [read(shoe.coups) for shoe in dealt]
            after = house.ledger.record.last_sequence()
            ours = seconds(partial(_at_once, tables, partial(_play, writer), coups))
            saves = [[command] for commands in coups for command in commands]
            written = by_save(house.ledger.record.select_rows(after, EVENTS_MAX), saves)
            yield Turns(len(saves), ours, {name: seconds(ready(written)) for name, ready in rivals.items()})


def _at_once(
    tables: ThreadPoolExecutor, play: Callable[[Sequence[Command]], None], coups: Sequence[Sequence[Command]]
) -> None:
    for _ in tables.map(play, coups):
        pass


def _play(writer: Writer, coups: Sequence[Command]) -> None:
    for coup in coups:
        writer.submit(coup).result()
