"""The bytes of a count sheet as rows of cells: what spreadsheets write, where it can only mean one thing.

UTF-8 with or without its mark, UTF-16 and UTF-32 with theirs (Excel's "Unicode text"); commas, semicolons or
tabs; any line ends; blank lines, also those that have empty cells.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

SHEET_BYTES_MAX = 4_000_000
"""Thousands of tables. A longer file is something else."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LINE_END = re.compile("\r\n|\n|\r")
_SEPARATORS = (",", ";", "\t")
_SEPARATOR_LINE = re.compile(r'"?sep=([,;\t])"?', re.IGNORECASE)
"""By which a spreadsheet says what separates its cells: `sep=;`."""


class Fault(NamedTuple):
    """What is wrong with a cell, or with a whole line (`column` None). `position` counts columns from 1."""

    column: str | None
    position: int | None
    why: str


class BadLine(NamedTuple):
    """All that is wrong with one line of a sheet; `line` is None where no line is there to be wrong."""

    line: int | None
    faults: tuple[Fault, ...]

    def __str__(self) -> str:
        return "; ".join(
            fault.why if fault.column is None else f"{fault.column} (column {fault.position}): {fault.why}"
            for fault in self.faults
        )


def bad_line(line: int | None, why: str) -> BadLine:
    """Something is wrong with a whole line."""
    return BadLine(line, (Fault(None, None, why),))


class Unreadable(Exception):
    """The sheet cannot be taken apart at all."""

    def __init__(self, bad: BadLine) -> None:
        super().__init__(str(bad))
        self.bad = bad


class Row(NamedTuple):
    """A line that is not blank, with its cells without the empty ones at its end; or why it has none.

    Attributes:
        width: how many cells it has with those.
    """

    line: int
    cells: tuple[str, ...]
    fault: str | None = None
    width: int = 0


def rows(content: bytes, columns: Sequence[str]) -> Iterator[Row]:
    """Every line with something in it, counted from 1 with the blank ones.

    Args:
        columns: names of which the first line has some, which shows what separates its cells.

    Raises:
        Unreadable: it is too long, no text, or nothing says what separates its cells.
    """
    lines = [(number, text) for number, text in enumerate(_LINE_END.split(_decoded(content)), 1)]
    lines = [(number, text) for number, text in lines if text.strip(" \t,;\u00a0")]
    if not lines:
        raise Unreadable(bad_line(1, "the sheet is empty"))
    separator = None
    if said := _SEPARATOR_LINE.fullmatch(lines[0][1]):
        separator = said[1]
        lines = lines[1:]
    if not lines:
        raise Unreadable(bad_line(1, "the sheet has no heading"))
    separator = separator or _separator(lines[0][1], columns)
    if separator is None:
        names = ",".join(columns)
        raise Unreadable(bad_line(lines[0][0], f"this is not the heading of a count sheet: {names}"))
    for number, text in lines:
        row = _row(number, text, separator)
        if row.fault or any(row.cells):
            yield row


def _decoded(content: bytes) -> str:
    if len(content) > SHEET_BYTES_MAX:
        raise Unreadable(bad_line(None, f"the file has more than {SHEET_BYTES_MAX:,} bytes"))
    mark, encoding = next((one for one in _MARKS if content.startswith(one[0])), (b"", "utf-8"))
    if not mark and b"\x00" in content:
        raise Unreadable(bad_line(1, "it does not say what text it is; save the sheet as CSV, UTF-8"))
    try:
        # bytes that are no UTF-8 stay, as what no text has, so that the cells they are in can be named
        return content[len(mark) :].decode(encoding, "surrogateescape" if encoding == "utf-8" else "strict")
    except UnicodeDecodeError as error:
        readable = content[len(mark) : len(mark) + error.start].decode(encoding, "ignore")
        line = len(_LINE_END.findall(readable)) + 1
        raise Unreadable(bad_line(line, f"it is no {encoding[:6].upper()} text from here on")) from None


def _separator(heading: str, columns: Sequence[str]) -> str | None:
    """What separates the cells of the heading: only one of them makes known names of it."""
    found = [
        separator
        for separator in _SEPARATORS
        if len({named(cell) for cell in _row(1, heading, separator).cells} & set(columns)) > 1
    ]
    return found[0] if len(found) == 1 else None


def named(cell: str) -> str:
    """A cell of the heading as the name of a column: `Fill slips` is `fill_slips`."""
    return re.sub(r"[\s_-]+", "_", cell.strip().casefold())


def _row(number: int, text: str, separator: str) -> Row:
    try:
        parsed = next(csv.reader([text], delimiter=separator, strict=True), [])
    except csv.Error:
        return Row(number, (), "a quotation mark is not closed, or stands inside a cell")
    cells = [cell.strip() for cell in parsed]
    while cells and not cells[-1]:
        cells.pop()
    return Row(number, tuple(cells), width=len(parsed))
