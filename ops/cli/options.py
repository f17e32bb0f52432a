"""Options that several commands take."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

import typer

from projections.pnl.views import PnlFilter

Json = Annotated[bool, typer.Option("--json", help="One JSON value, for programs.")]


def _gaming_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter("a gaming day is written YYYY-MM-DD") from None


def day_option(name: str, help_: str) -> Any:
    """An option that is a gaming day."""
    return typer.Option(name, parser=_gaming_day, metavar="YYYY-MM-DD", help=help_)


Day = Annotated[date | None, day_option("--day", "Only this gaming day.")]
First = Annotated[date | None, day_option("--from", "From this gaming day.")]
Last = Annotated[date | None, day_option("--to", "Up to this gaming day, included.")]
OneTable = Annotated[str | None, typer.Option("--table", help="Only this table.")]
OnePremises = Annotated[str | None, typer.Option("--premises", help="Only these premises.")]


def days_wanted(day: date | None, first: date | None, last: date | None) -> tuple[date | None, date | None]:
    """The first and the last gaming day asked for; None: no end on that side.

    Raises:
        typer.BadParameter: they do not go together.
    """
    if day and (first or last):
        raise typer.BadParameter("--day says it all; leave out --from and --to")
    if first and last and first > last:
        raise typer.BadParameter("--from comes after --to")
    return day or first, day or last


def wanted_rows(
    day: date | None, first: date | None, last: date | None, table: str | None, premises: str | None
) -> PnlFilter:
    """What the options ask for. Raises: typer.BadParameter: they do not go together."""
    first_day, last_day = days_wanted(day, first, last)
    return PnlFilter(first_day=first_day, last_day=last_day, table=table, premises=premises)
