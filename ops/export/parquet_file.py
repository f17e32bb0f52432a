"""Parquet, a row group at a time. Needs pyarrow, which is large: the extra `parquet`."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from itertools import islice
from typing import Any, BinaryIO

from ledger.errors import ExtraMissing
from ops.export.sheet import Holds, Row, Sheet
from projections.postings.chart import PARTS

GROUP_ROWS = 10_000
"""Rows a group: enough for columns to be packed well, few enough to hold."""


def pyarrow() -> Any:
    """The library. Raises: ExtraMissing: it is not installed."""
    try:
        import_module("pyarrow.parquet")
        return import_module("pyarrow")
    except ImportError as error:
        raise ExtraMissing("parquet", "pyarrow") from error


def write_parquet(sheet: Sheet, rows: Iterable[Row], file: BinaryIO) -> None:
    """Write rows: amounts as whole minor units, moments in UTC, days as days.

    Raises:
        ExtraMissing: pyarrow is not installed. Nothing is written then.
    """
    arrow = pyarrow()
    kinds = {
        Holds.TEXT: arrow.string(),
        Holds.NUMBER: arrow.int64(),
        Holds.MONEY: arrow.int64(),
        Holds.PARTS: arrow.int64(),
        Holds.DAY: arrow.date32(),
        Holds.MOMENT: arrow.timestamp("us", tz="UTC"),
    }
    schema = arrow.schema(
        [
            arrow.field(column.name, kinds[column.holds], metadata={"holds": column.holds.value})
            for column in sheet.columns
        ],
        metadata={"sheet": sheet.name, "parts_of_a_minor_unit": str(PARTS)},
    )
    waiting = iter(rows)
    with arrow.parquet.ParquetWriter(file, schema) as writer:
        while group := list(islice(waiting, GROUP_ROWS)):
            columns = [
                arrow.array(cells, field.type)
                for cells, field in zip(zip(*group, strict=True), schema, strict=True)
            ]
            writer.write_table(arrow.table(columns, schema=schema))
