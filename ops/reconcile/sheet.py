"""The cage's count sheet: a CSV with a line for each table and shift. All amounts in minor units.

Every fault is found and told, a line each; a sheet with any is not read at all.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from ledger.errors import MalformedInput
from ledger.terms.books import CountedShift
from ledger.terms.money import minor_digits
from ops.reconcile.amounts import MINOR_UNITS, BadAmount, amount
from ops.reconcile.cells import BadLine, Fault, Row, Unreadable, bad_line, named, rows

AMOUNTS = ("opener", "closer", "fills", "credits", "drop")
SLIPS = ("fill_slips", "credit_slips")
COLUMNS = ("table", "shift", *AMOUNTS, *SLIPS)
"""The columns of a sheet; the heading may have them in any order, and need not have those of slips."""
_NO_TEXT = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
"""Control characters, and bytes that were no UTF-8."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:\-]{0,63}", re.ASCII)


class TableShifts(NamedTuple):
    """A table of the day as the ledger has it.

    Attributes:
        shifts: in their order.
        figures: what the ledger itself has, by shift and column: only by this can a sheet in pounds be told.
    """

    table: str
    currency: str
    shifts: tuple[str, ...]
    figures: Mapping[str, Mapping[str, int]] = MappingProxyType({})


@dataclass(eq=False)
class BadSheet(MalformedInput):
    """Everything that is wrong with a sheet."""

    sheet: str
    bad: tuple[BadLine, ...]
    code = "bad-count-sheet"

    def __str__(self) -> str:
        return "\n".join(
            f"{self.sheet}{'' if bad.line is None else f':{bad.line}'}: {bad}" for bad in self.bad
        )


Counts = Mapping[str, Mapping[str, CountedShift]]
"""What was counted, by table and by shift."""


def read_sheet(name: str, content: bytes, tables: Sequence[TableShifts]) -> Counts:
    """What a count sheet says of these tables: of every shift of each, and of nothing else.

    Args:
        name: what the sheet is called, for messages.

    Raises:
        BadSheet: with everything that is wrong with it.
    """
    reader = _Reader(tables)
    try:
        found = list(rows(content, COLUMNS)) or [Row(1, (), "the sheet has no heading")]
        if any(bad := reader.head(found[0])):
            raise BadSheet(name, tuple(bad))
        for row in found[1:]:
            reader.take(row)
    except Unreadable as error:
        raise BadSheet(name, (error.bad,)) from None
    if bad := [*reader.bad, *reader.missing()]:
        raise BadSheet(name, tuple(bad))
    return reader.counts


class _Reader:
    """One sheet being read."""

    def __init__(self, tables: Sequence[TableShifts]) -> None:
        self._tables = {table.table: table for table in tables}
        self._columns: tuple[str, ...] = ()
        self._width = 0
        self._line_of: dict[tuple[str, str], int] = {}
        self.counts: dict[str, dict[str, CountedShift]] = {}
        self.bad: list[BadLine] = []

    def head(self, row: Row) -> list[BadLine]:
        """Take the heading. Returns what is wrong with it."""
        if row.fault:
            return [bad_line(row.line, row.fault)]
        self._columns = tuple(map(named, row.cells))
        self._width = row.width
        faults = []
        for at, (cell, name) in enumerate(zip(row.cells, self._columns, strict=True), 1):
            if name not in COLUMNS:
                faults.append(Fault(cell or "(no name)", at, "there is no such column on a count sheet"))
            elif name in self._columns[: at - 1]:
                faults.append(Fault(cell, at, "this column stands twice"))
        missing = [name for name in COLUMNS if name not in (*self._columns, *SLIPS)]
        if missing:
            faults.append(Fault(None, None, f"columns are missing: {', '.join(missing)}"))
        return [BadLine(row.line, tuple(faults))] if faults else []

    def take(self, row: Row) -> None:
        """Take one line, or what is wrong with it."""
        if row.fault:
            self.bad.append(bad_line(row.line, row.fault))
            return
        cells = dict(zip(self._columns, row.cells + ("",) * len(self._columns), strict=False))
        if row.width != self._width or len(row.cells) > len(self._columns):
            # also where what is too much is empty: `1,000` may be two cells
            why = (
                f"it has {row.width} cells, the heading has {self._width}; `1,000` stands in quotation marks"
            )
            self.bad.append(bad_line(row.line, why))
            self._line_of.setdefault((cells["table"], cells["shift"]), row.line)  # it is not missing
        else:
            faults = list(self._faults(cells, row.line)) or self._wrong_unit(cells)
            if faults:
                self.bad.append(BadLine(row.line, tuple(faults)))
            else:
                self._count(cells)

    def _faults(self, cells: Mapping[str, str], line: int) -> Iterator[Fault]:
        unreadable = [name for name in self._columns if _NO_TEXT.search(cells[name])]
        for name in unreadable:
            yield self._fault(name, "something in it is no text; save the sheet as CSV, UTF-8")
        readable = [name for name in self._columns if name not in unreadable]
        yield from self._wrong_place(cells, readable, line)
        table = self._tables.get(cells["table"])
        for name in readable:
            wrong = None
            if name in AMOUNTS:
                wrong = _wrong_amount(cells[name], table.currency if table else "")
            elif name in SLIPS:
                wrong = _wrong_slips(cells[name])
            if wrong:
                yield self._fault(name, wrong)

    def _wrong_place(self, cells: Mapping[str, str], readable: Sequence[str], line: int) -> Iterator[Fault]:
        """What is wrong with the table and the shift that a line is about."""
        name, shift = cells["table"], cells["shift"]
        table = self._tables.get(name)
        if table is None:
            if "table" in readable:
                yield self._fault("table", _unknown(name, self._tables, "table of this day"))
        elif shift not in table.shifts:
            if "shift" in readable:
                what = f"shift of table {name} on this day"
                yield self._fault("shift", _unknown(shift, table.shifts, what))
        elif (first := self._line_of.setdefault((name, shift), line)) != line:
            yield self._fault("shift", f"this table and shift stand on line {first} already")

    def _wrong_unit(self, cells: Mapping[str, str]) -> list[Fault]:
        """Whether the line is in pounds: every figure that the ledger has, of two or more, is a hundredth."""
        table = self._tables[cells["table"]]
        scale = 10 ** minor_digits(table.currency)
        ledger = table.figures.get(cells["shift"], {})
        counted = {name: amount(cells[name], table.currency) for name, known in ledger.items() if known}
        if scale == 1 or len(counted) < 2 or any(scale * counted[name] != ledger[name] for name in counted):
            return []
        why = f"{' and '.join(counted)} are 1/{scale} of what the ledger has: {MINOR_UNITS}"
        return [Fault(None, None, why)]

    def _fault(self, column: str, why: str) -> Fault:
        return Fault(column, self._columns.index(column) + 1, why)

    def _count(self, cells: Mapping[str, str]) -> None:
        table = self._tables[cells["table"]]
        facts: dict[str, Any] = {name: amount(cells[name], table.currency) for name in AMOUNTS}
        facts |= {name: tuple(cells[name].split()) for name in SLIPS if name in self._columns}
        self.counts.setdefault(table.table, {})[cells["shift"]] = CountedShift(shift=cells["shift"], **facts)

    def missing(self) -> Iterator[BadLine]:
        """Each table and shift of the day that no line is about."""
        for table in self._tables.values():
            for shift in table.shifts:
                if (table.table, shift) not in self._line_of:
                    yield bad_line(None, f"table {table.table}, shift {shift} is missing")


def _unknown(cell: str, known: Iterable[str], what: str) -> str:
    if not cell:
        return "it is empty"
    return f"{cell!r} is no {what}; there are: {', '.join(known) or 'none'}"


def _wrong_amount(cell: str, currency: str) -> str | None:
    try:
        amount(cell, currency)
    except BadAmount as error:
        return str(error)
    return None


def _wrong_slips(cell: str) -> str | None:
    slips = cell.split()
    for slip in slips:
        if not _NAME.fullmatch(slip):
            return f"{slip!r} is no slip's number; they are separated by spaces"
    if len(set(slips)) < len(slips):
        return "a slip stands twice"
    return None


def template(tables: Sequence[TableShifts]) -> bytes:
    """An empty count sheet for these tables: their shifts, and nothing counted yet."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for table in tables:
        for shift in table.shifts:
            writer.writerow([table.table, shift, *("" for _ in (*AMOUNTS, *SLIPS))])
    return text.getvalue().encode()
