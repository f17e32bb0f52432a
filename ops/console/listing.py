"""Tables of a page: sorted by their address, and the same rows as CSV. A script only saves the round trip."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from fractions import Fraction
from io import BytesIO
from typing import Any
from urllib.parse import urlencode

from fastapi.responses import Response

from ops.console.desk import Desk
from ops.export.csv_file import write_csv
from ops.export.sheet import Cell, Column, Holds, Sheet


class Shows(StrEnum):
    """How a column is shown, sorted and downloaded."""

    TEXT = "text"
    NUMBER = "number"
    MONEY = "money"
    """Minor units, in the row's `currency`."""
    WIN = "win"
    """The same, with a sign and a colour."""
    SHARE = "share"
    """A fraction, as a percentage."""
    DAY = "day"
    MOMENT = "moment"
    CLOCK = "clock"
    PARAGRAPH = "paragraph"
    CARDS = "cards"
    MARK = "mark"
    """A word that is coloured by its class: a severity, an outcome."""


_FIGURES = frozenset({Shows.NUMBER, Shows.MONEY, Shows.WIN, Shows.SHARE})
_HOLDS: Mapping[Shows, Holds] = {
    Shows.NUMBER: Holds.NUMBER,
    Shows.MONEY: Holds.MONEY,
    Shows.WIN: Holds.MONEY,
}


@dataclass(frozen=True, slots=True)
class Shown:
    """A column.

    Attributes:
        name: the member of a row that it shows; its name in a CSV file, too.
        link: where a cell leads; None, or an answer of None: nowhere.
    """

    name: str
    title: str
    shows: Shows = Shows.TEXT
    link: Callable[[Any], str | None] | None = None

    @property
    def is_figure(self) -> bool:
        """Whether it is set to the right."""
        return self.shows in _FIGURES


def of(row: Any, name: str) -> Any:
    """A member of a row, which is a mapping or an object."""
    return row[name] if isinstance(row, Mapping) else getattr(row, name)


@dataclass(frozen=True, slots=True)
class Listing:
    """A table of a page, all of whose rows are there or that goes on at `next`.

    Attributes:
        name: of its CSV file; also of its place on the page, so it is unlike every other's there.
        caption: what its rows are.
        empty: what to say, and what to do, where there is none.
        sorted_by, downwards: as its address says.
        next: the address of the next page; None on the last.
        totals: a row for its foot, if it has one.
    """

    name: str
    caption: str
    columns: Sequence[Shown]
    rows: Sequence[Any]
    empty: str
    sorted_by: str | None = None
    downwards: bool = False
    next: str | None = None
    totals: Any = None

    def heading_address(self, desk: Desk, column: Shown) -> str:
        """The address of the same page, sorted by that column; upside down, where it is already."""
        down = self.sorted_by == column.name and not self.downwards
        asked = {
            **desk.request.query_params,
            f"{self.name}-by": column.name,
            f"{self.name}-down": "1" if down else "",
        }
        return f"?{urlencode({name: text for name, text in asked.items() if text})}#{self.name}"

    def csv_address(self, desk: Desk) -> str:
        """The address of the same rows as CSV."""
        return f"?{urlencode({**desk.request.query_params, 'as': f'{self.name}.csv'})}"


def listing(
    desk: Desk, name: str, caption: str, columns: Sequence[Shown], rows: Sequence[Any], **more: Any
) -> Listing:
    """A table whose rows are sorted as the page's address says. See `Listing`."""
    by = desk.request.query_params.get(f"{name}-by")
    down = bool(desk.request.query_params.get(f"{name}-down"))
    if by not in {column.name for column in columns}:
        return Listing(name, caption, columns, rows, **more)
    known = [row for row in rows if of(row, by) is not None]
    unknown = [row for row in rows if of(row, by) is None]  # at the end, either way
    known.sort(key=lambda row: sort_key(of(row, by)), reverse=down)
    return Listing(name, caption, columns, [*known, *unknown], sorted_by=by, downwards=down, **more)


def sort_key(value: Any) -> Any:
    """What a cell is sorted by: numbers as such, everything else as the text it is."""
    return value if isinstance(value, int | Fraction | datetime) else str(value)


def download(desk: Desk, *listings: Listing) -> Response | None:
    """The CSV file that was asked for; None: the page was. Amounts are minor units."""
    asked = desk.request.query_params.get("as")
    table = next((one for one in listings if asked == f"{one.name}.csv"), None)
    if table is None:
        return None
    money = any(_HOLDS.get(column.shows) is Holds.MONEY for column in table.columns)
    names = [column.name for column in table.columns]
    if money and "currency" not in names:
        names.append("currency")
    holds = {column.name: _HOLDS.get(column.shows, Holds.TEXT) for column in table.columns}
    sheet = Sheet(
        table.name, tuple(Column(name, holds.get(name, Holds.TEXT)) for name in names), lambda *_: iter(())
    )
    file = BytesIO()
    write_csv(sheet, ([_cell(of(row, name), holds.get(name)) for name in names] for row in table.rows), file)
    headers = {"Content-Disposition": f'attachment; filename="{table.name}.csv"'}
    return Response(file.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


def _cell(value: Any, holds: Holds | None) -> Cell:
    if value is None or holds in {Holds.NUMBER, Holds.MONEY}:
        return value  # type: ignore[no-any-return]
    return str(value)
