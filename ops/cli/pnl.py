"""`pnl`: what the tables won and lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from ledger.terms.house import BankedBy
from ledger.terms.money import exactly
from ops.cli.figures import folded
from ops.cli.options import Day, First, Json, Last, OnePremises, OneTable, wanted_rows
from ops.cli.screen import money, out, percent, print_fitting, print_json
from ops.settings import Db
from ops.wiring import open_house
from projections.pnl.views import PnlRow, Span, totals
from projections.pnl.views import pnl as pnl_rows


def pnl(
    db: Db,
    *,
    by: Annotated[Span, typer.Option(help="What one row covers.")] = Span.SHIFT,
    day: Day = None,
    first: First = None,
    last: Last = None,
    table: OneTable = None,
    premises: OnePremises = None,
    as_json: Json = False,
) -> None:
    """Profit and loss per table, shift and gaming day; house-banked and player-banked apart."""
    wanted = wanted_rows(day, first, last, table, premises)
    with open_house(db) as house, folded(house) as (tables, position), tables.snapshot() as statements:
        rows = pnl_rows(statements, wanted, by)
    if as_json:
        print_json({"position": position, "rows": [row.as_json() for row in rows]})
    else:
        print_pnl(out(), rows)


_Column = tuple[str, Callable[[PnlRow], str]]

_LEFT = {"gaming day", "table", "shift", "game"}
_WHERE: tuple[_Column, ...] = (
    ("gaming day", lambda row: row.gaming_day),
    ("table", lambda row: row.table),
    ("shift", lambda row: row.shift or ""),
    ("game", lambda row: row.format),
    ("coups", lambda row: f"{row.coups:,}"),
    ("in hand", lambda row: f"{row.in_hand:,}"),
    ("held", lambda row: f"{row.held:,}"),
    ("void", lambda row: f"{row.voided:,}"),
    ("handle", lambda row: money(row.handle, row.currency)),
)
_HANDED_BACK: tuple[_Column, ...] = (
    ("void stakes", lambda row: money(row.void_stakes, row.currency)),
    ("stood off", lambda row: money(row.stand_off_stakes, row.currency)),
)
COLUMNS: dict[BankedBy, tuple[_Column, ...]] = {
    BankedBy.HOUSE: (
        *_WHERE,
        ("win", lambda row: money(row.win, row.currency)),
        ("theoretical", lambda row: money(row.theoretical_win, row.currency)),
        ("drop", lambda row: money(row.drop, row.currency)),
        ("hold", lambda row: percent(row.hold)),
        *_HANDED_BACK,
        ("remainder", lambda row: exactly(row.remainder, row.currency)),
    ),
    BankedBy.PLAYER: (
        *_WHERE,
        ("bankers' win", lambda row: money(row.banker_win, row.currency)),
        *_HANDED_BACK,
    ),
}
TITLES = {
    BankedBy.HOUSE: "House-banked",
    BankedBy.PLAYER: "Player-banked: no part of the house's win",
}


DISPENSABLE = (
    "game",
    "remainder",
    "stood off",
    "void stakes",
    "theoretical",
    "hold",
    "drop",
    "void",
    "in hand",
    "held",
    "shift",
)
"""What a narrow terminal does without, the first first."""


def print_pnl(console: Console, rows: Sequence[PnlRow]) -> None:
    """The P&L as tables, one for each side that holds the bank."""
    if not rows:
        console.print("No coups: the record has none (`baccarat-ledger import TAPE`), or none of these.")
    for side, columns in COLUMNS.items():
        of_side = [row for row in rows if row.banked_by == side]
        if of_side:
            print_fitting(console, columns, DISPENSABLE, partial(_table, TITLES[side], rows=of_side))


def _table(title: str, columns: Sequence[_Column], rows: Sequence[PnlRow]) -> Table:
    table = Table(title=title, title_justify="left")
    for name, _ in columns:
        table.add_column(name, justify="left" if name in _LEFT else "right", no_wrap=True)
    for row in rows:
        table.add_row(*(tell(row) for _, tell in columns))
    table.add_section()
    for total in totals(rows):
        table.add_row(*(tell(total) for _, tell in columns), style="bold")
    return table
