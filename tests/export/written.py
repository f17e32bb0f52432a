"""What is exported from a house, as bytes and as rows."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO, StringIO
from typing import Any

import pytest

from ops.export.csv_file import write_csv
from ops.export.journal import Program, write_journal
from ops.export.sheet import Row, Sheet, Source
from ops.wiring import House
from projections.pnl.table_pnl import TablePnl
from projections.pnl.views import PnlFilter
from projections.postings.postings import Postings
from projections.postings.views import by_entry, entries

ALL = PnlFilter()


def needs(program: str) -> pytest.MarkDecorator:
    """For tests that run an accountant's program."""
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed")


@contextmanager
def source_of(house: House) -> Iterator[Source]:
    """Everything folded, read at one moment."""
    house.runner((TablePnl(), Postings())).catch_up()
    with house.tables.snapshot() as statements:
        yield Source(house.ledger.record, statements)


def rows_of(house: House, sheet: Sheet, wanted: PnlFilter = ALL) -> list[Row]:
    with source_of(house) as source:
        return list(sheet.rows(source, wanted))


def csv_bytes(sheet: Sheet, rows: Sequence[Row]) -> bytes:
    file = BytesIO()
    write_csv(sheet, rows, file)
    return file.getvalue()


def csv_of(house: House, sheet: Sheet, wanted: PnlFilter = ALL) -> list[dict[str, Any]]:
    """The rows of a CSV, read by Python's own reader; whole numbers as such."""
    told = csv_bytes(sheet, rows_of(house, sheet, wanted)).decode()
    texts = {column.name for column in sheet.columns if column.holds.value in {"text", "day", "moment, UTC"}}
    return [
        {name: cell if name in texts else int(cell) if cell else None for name, cell in row.items()}
        for row in csv.DictReader(StringIO(told, newline=""))
    ]


def journal_of(house: House, program: Program, wanted: PnlFilter = ALL) -> bytes:
    file = BytesIO()
    with source_of(house) as source:
        write_journal(by_entry(entries(source.statements, wanted)), program, file)
    return file.getvalue()
