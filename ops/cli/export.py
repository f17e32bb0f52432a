"""`export`: settled wagers, profit and loss and the books, for other programs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, BinaryIO, TypeVar

import typer

from ops.cli.figures import folded
from ops.cli.options import Day, First, Last, OnePremises, OneTable, wanted_rows
from ops.cli.screen import err, progress_bar
from ops.export.csv_file import write_csv
from ops.export.journal import Program, write_journal
from ops.export.parquet_file import pyarrow, write_parquet
from ops.export.pnl import PNL
from ops.export.postings import POSTINGS
from ops.export.sheet import Row, Sheet, Source
from ops.export.wagers import WAGERS
from ops.output import open_output
from ops.settings import Db
from ops.wiring import open_house
from projections.pnl.table_pnl import TablePnl
from projections.pnl.views import PnlFilter
from projections.postings.postings import Postings
from projections.postings.views import by_entry, entries


class Of(StrEnum):
    """What to export."""

    WAGERS = "wagers"
    PNL = "pnl"
    POSTINGS = "postings"


SHEETS: Mapping[Of, Sheet] = {Of.WAGERS: WAGERS, Of.PNL: PNL, Of.POSTINGS: POSTINGS}
TELL_ROWS = 1_000
"""How often progress is told."""

_Item = TypeVar("_Item")

Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write to this file, whole or not at all; else standard output."),
]
What = Annotated[Of, typer.Option("--of", help="Settled wagers, profit and loss, or the books.")]


def export_csv(
    db: Db,
    *,
    of: What = Of.WAGERS,
    output: Output = None,
    day: Day = None,
    first: First = None,
    last: Last = None,
    table: OneTable = None,
    premises: OnePremises = None,
) -> None:
    """CSV (RFC 4180): amounts in minor units, with their currency; no text can become a formula."""
    wanted = wanted_rows(day, first, last, table, premises)
    _export_sheet(db, SHEETS[of], wanted, output, write_csv)


def export_parquet(
    db: Db,
    *,
    of: What = Of.WAGERS,
    output: Output = None,
    day: Day = None,
    first: First = None,
    last: Last = None,
    table: OneTable = None,
    premises: OnePremises = None,
) -> None:
    """Parquet: amounts in minor units, moments in UTC. Needs the extra `parquet`."""
    wanted = wanted_rows(day, first, last, table, premises)
    if output is None and sys.stdout.isatty():
        raise typer.BadParameter("a terminal cannot show Parquet; give --output")
    pyarrow()  # before anything is folded or made
    _export_sheet(db, SHEETS[of], wanted, output, write_parquet)


def export_journal(
    db: Db,
    *,
    program: Annotated[Program, typer.Option("--for", help="The program that is to read it.")] = (
        Program.HLEDGER
    ),
    output: Output = None,
    day: Day = None,
    first: First = None,
    last: Last = None,
    table: OneTable = None,
    premises: OnePremises = None,
) -> None:
    """A double-entry journal for hledger or beancount, exact to the last part of a penny."""
    wanted = wanted_rows(day, first, last, table, premises)
    with _exporting(db, output) as (source, file):
        booked = by_entry(entries(source.statements, wanted))
        write_journal(_told(booked, output, "entries"), program, file)


def _export_sheet(
    db: str,
    sheet: Sheet,
    wanted: PnlFilter,
    output: Path | None,
    write: Callable[[Sheet, Iterable[Row], BinaryIO], None],
) -> None:
    with _exporting(db, output) as (source, file):
        write(sheet, _told(sheet.rows(source, wanted), output, "rows"), file)


@contextmanager
def _exporting(db: str, output: Path | None) -> Iterator[tuple[Source, BinaryIO]]:
    """Where rows come from, at one moment, and where they go."""
    with ExitStack() as stack:
        house = stack.enter_context(open_house(db))
        tables, _ = stack.enter_context(folded(house, (TablePnl(), Postings())))
        statements = stack.enter_context(tables.snapshot())
        file = stack.enter_context(open_output(output, db)) if output else sys.stdout.buffer
        yield Source(house.ledger.record, statements), file
        file.flush()


def _told(items: Iterable[_Item], output: Path | None, noun: str) -> Iterator[_Item]:
    """The items, with progress while they go by."""
    count = 0
    with progress_bar("exporting") as (bar, task):
        for count, item in enumerate(items, start=1):
            if count % TELL_ROWS == 0:
                bar.update(task, note=f"{count:,} {noun}")
            yield item
    if output is not None:
        err().print(f"{count:,} {noun} to {output}", soft_wrap=True)
