"""`pnl`: what the tables won and lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import date
from typing import Annotated, Any

import typer
from eventsourcing.persistence import OperationalError
from rich.console import Console
from rich.table import Table

from ledger.store.port import ReadTables
from ledger.terms.house import BankedBy
from ledger.terms.money import exactly
from ops.cli.options import Json
from ops.cli.screen import WIDE_COLUMNS, money, out, percent, print_json, progress_bar
from ops.settings import Db
from ops.wiring import House, open_house, tables_in_memory
from projections.pnl.table_pnl import TablePnl
from projections.pnl.views import PnlFilter, PnlRow, Span, totals
from projections.pnl.views import pnl as pnl_rows
from projections.projection import Projection
from projections.runner import Runner


def _gaming_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter("a gaming day is written YYYY-MM-DD") from None


def day_option(name: str, help_: str) -> Any:
    """An option that is a gaming day."""
    return typer.Option(name, parser=_gaming_day, metavar="YYYY-MM-DD", help=help_)


@contextmanager
def folded(
    house: House, projections: Sequence[Projection] = (TablePnl(),)
) -> Iterator[tuple[ReadTables, int]]:
    """The read tables with everything folded in, of these projections, and the position reached.

    An auditor's copy may be one that nobody can write to: then they are made in memory, from the record.
    """
    with ExitStack() as stack:
        try:
            tables, position = house.tables, catch_up(house.runner(projections))
        except OperationalError as error:
            if "readonly" not in str(error):
                raise
            tables = stack.enter_context(tables_in_memory())
            position = catch_up(house.runner(projections, tables))
        yield tables, position


def catch_up(runner: Runner) -> int:
    """Fold what is new; returns the position reached."""
    with progress_bar("adding up") as (bar, task):
        return runner.catch_up(lambda position, goal: bar.update(task, total=goal, completed=position))


def wanted_rows(
    day: date | None, first: date | None, last: date | None, table: str | None, premises: str | None
) -> PnlFilter:
    """What the options ask for. Raises: typer.BadParameter: they do not go together."""
    if day and (first or last):
        raise typer.BadParameter("--day says it all; leave out --from and --to")
    if first and last and first > last:
        raise typer.BadParameter("--from comes after --to")
    return PnlFilter(first_day=day or first, last_day=day or last, table=table, premises=premises)


def pnl(
    db: Db,
    *,
    by: Annotated[Span, typer.Option(help="What one row covers.")] = Span.SHIFT,
    day: Annotated[date | None, day_option("--day", "Only this gaming day.")] = None,
    first: Annotated[date | None, day_option("--from", "From this gaming day.")] = None,
    last: Annotated[date | None, day_option("--to", "Up to this gaming day, included.")] = None,
    table: Annotated[str | None, typer.Option(help="Only this table.")] = None,
    premises: Annotated[str | None, typer.Option(help="Only these premises.")] = None,
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
            _print_side(console, TITLES[side], columns, of_side)


def _print_side(console: Console, title: str, columns: Sequence[_Column], rows: Sequence[PnlRow]) -> None:
    names = {name for name, _ in columns}
    dispensable = [name for name in DISPENSABLE if name in names]
    left_out: list[str] = []
    table = _table(title, columns, rows)
    unlimited = console.options.update(max_width=10 * WIDE_COLUMNS)
    while dispensable and console.measure(table, options=unlimited).maximum > console.width:
        left_out.append(dispensable.pop(0))
        table = _table(title, [column for column in columns if column[0] not in left_out], rows)
    console.print(table)
    if left_out:
        console.print(f"Left out for want of width: {', '.join(left_out)}. --json has everything.")


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
