"""Reconciling one day of twenty tables, in a large ledger against a small one: it should not grow with it.

The small ledger is that one gaming day, with the cage's counts on the record; the large one has it at as many
premises as make it up (`ops.bench.ledgers`). The read tables are up to date, as a daily job finds them.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout, suppress
from functools import partial
from io import StringIO
from pathlib import Path
from statistics import median
from time import perf_counter

import typer

from ledger.commands import TAPE_LINE, Command
from ops.bench.ledgers import PREMISES, Growth, Pair, premises_of, two_ledgers
from ops.cli.reconcile import reconcile
from ops.memory import few_collections
from ops.rehearsal.load import COUPS_A_DAY, FIRST_DAY, load
from ops.rehearsal.setting import Line
from ops.tape.importer import BATCH_COMMANDS
from ops.wiring import open_house
from projections.cage.views import cage
from projections.catalogue import EVERY
from projections.pnl.views import PnlFilter, Span
from projections.runner import rebuild

TABLES = 20
TIMES = 7
"""How often the day is reconciled in each ledger, in one repetition."""


def two_days(folder: Path, large_events: int) -> Pair:
    """One day of twenty tables, and as many such days at other premises as come to so many events."""
    counts = counts_of(folder / "counted.db", load(COUPS_A_DAY * TABLES, tables=TABLES))
    with open_house(str(folder / "counted.db")) as house:
        small_events = house.ledger.record.last_sequence()
    pair = two_ledgers(folder, small_events, large_events, TABLES, counts)
    for path in (pair.small, pair.large):
        with open_house(str(path)) as house, few_collections():
            rebuild(house.ledger.record, house.tables, EVERY)
    return pair


def counts_of(path: Path, tape: Iterable[Line]) -> list[Command]:
    """What the cage counts of each shift on a tape, by the tape itself, which is played at `path`."""
    with open_house(str(path), create=True) as house, few_collections():
        lines = list(tape)
        for start in range(0, len(lines), BATCH_COMMANDS):
            batch = [TAPE_LINE.validate_python(line) for line in lines[start : start + BATCH_COMMANDS]]
            house.ledger.run_many(batch)
        house.runner().catch_up()
        with house.tables.snapshot() as statements:
            rows = cage(statements, PnlFilter(premises=PREMISES), Span.SHIFT)
    return [
        TAPE_LINE.validate_python(
            {
                "command": "record-count",
                "id": f"{PREMISES}-count-{row.table}-{row.shift}",
                "occurred_at": "2008-01-03T09:00:00Z",
                "actor": "cage-01",
                "premises": PREMISES,
                "table": row.table,
                "gaming_day": row.gaming_day,
                "counted": {
                    "shift": row.shift,
                    "opener": row.opener,
                    "closer": row.closer,
                    "fills": row.fills,
                    "credits": row.credits,
                    "drop": row.drop,
                    "fill_slips": row.fill_slips,
                    "credit_slips": row.credit_slips,
                },
            }
        )
        for row in rows
    ]


def reconciled(pair: Pair, seed: int) -> Iterator[Growth]:
    """The command as the daily job runs it, from opening the file on, and without `--close`."""
    chance = random.Random(seed)  # noqa: S311 which premises are looked at is no secret
    small, large = partial(_seconds, pair.small), partial(_seconds, pair.large)
    with few_collections():
        times = [(small(PREMISES), large(premises_of(chance.randrange(pair.copies)))) for _ in range(TIMES)]
    yield Growth(
        f"reconcile a day of {TABLES} tables",
        median(of_small for of_small, _ in times),
        median(of_large for _, of_large in times),
    )


def _seconds(path: Path, premises: str) -> float:
    told = StringIO()
    with redirect_stdout(told):
        start = perf_counter()
        with suppress(typer.Exit):  # by which it says that there is something to look at
            reconcile(str(path), FIRST_DAY, premises=premises, as_json=True)
        seconds = perf_counter() - start
    assert f'"{premises}"' in told.getvalue(), told.getvalue()
    return seconds
