"""CSV as RFC 4180 has it: CRLF, quotes where they are needed, UTF-8, a header. Whole numbers, no formulas."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from io import TextIOWrapper
from typing import Any, BinaryIO

from ops.export.sheet import Holds, Row, Sheet

FORMULA_BEGINS = frozenset("=+-@\t\r\n＝＋－＠'")  # noqa: RUF001 full-width ones count too
"""A spreadsheet may run what begins like this. The last is what makes it harmless, so it is doubled."""


def harmless(text: str) -> str:
    """A text that no spreadsheet takes for a formula: with an apostrophe before what may begin one.

    Only texts need it. A number is written as one, with its minus sign, so it stays a number.
    """
    return f"'{text}" if text[:1] in FORMULA_BEGINS else text


def _moment(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


_WRITTEN: Mapping[Holds, Callable[[Any], str]] = {
    Holds.TEXT: harmless,
    Holds.DAY: date.isoformat,
    Holds.MOMENT: _moment,
}
"""How a column is written; whole numbers are written as they are."""


def write_csv(sheet: Sheet, rows: Iterable[Row], file: BinaryIO) -> None:
    """Write a header and rows."""
    text = TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(column.name for column in sheet.columns)
    written = [_WRITTEN.get(column.holds) for column in sheet.columns]
    writer.writerows(
        [
            cell if cell is None or write is None else write(cell)
            for cell, write in zip(row, written, strict=True)
        ]
        for row in rows
    )
    text.flush()
    text.detach()  # the file is somebody else's to close
