"""`patrons`: stakes and winnings by token, against the thresholds of due diligence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from ledger.terms.money import exactly
from ops.cli.figures import folded
from ops.cli.options import Day, First, Json, Last, OnePremises, days_wanted
from ops.cli.screen import Exit, money, out, print_json
from ops.settings import Db
from ops.wiring import open_house
from projections.patrons.patrons import Patrons
from projections.patrons.thresholds import THRESHOLDS
from projections.patrons.views import MEASURES, Judgement, Link, PatronFilter, PatronRow, judge, patron_rows

_RATE = re.compile(r"([A-Z]{3})/([A-Z]{3})=([0-9]{1,9}(?:\.[0-9]{1,12}|/[0-9]{1,9})?)", re.ASCII)
_WORDS = {name: told for name, told, _ in MEASURES}


def _rate(text: str) -> tuple[tuple[str, str], Fraction]:
    found = _RATE.fullmatch(text)
    try:
        rate = Fraction(found[3]) if found else Fraction(0)
    except ZeroDivisionError:
        rate = Fraction(0)
    if found is None or not rate:
        raise typer.BadParameter("a rate is written EUR/GBP=0.85 or EUR/GBP=17/20: one EUR is so many GBP")
    return (found[1], found[2]), rate


def patrons(
    db: Db,
    *,
    by: Annotated[Link, typer.Option(help="What is linked together.")] = Link.DAY,
    day: Day = None,
    first: First = None,
    last: Last = None,
    table: Annotated[str | None, typer.Option(help="Only what was staked at this table.")] = None,
    premises: OnePremises = None,
    patron: Annotated[str | None, typer.Option(help="Only this token.", metavar="TOKEN")] = None,
    over: Annotated[
        bool, typer.Option("--over", help="Only those at or over the threshold, or of whom nobody can tell.")
    ] = False,
    rate: Annotated[
        list[Any] | None,
        typer.Option(
            parser=_rate,
            metavar="EUR/GBP=RATE",
            help="A rate of exchange, exact; none is in the record. More than one may be given.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Stakes and winnings of each patron's gaming day, against the threshold that applied then.

    With --over the exit code is 1 where there is anybody to look at.
    """
    wanted = PatronFilter(*days_wanted(day, first, last), table, premises, patron)
    with (
        open_house(db) as house,
        folded(house, (Patrons(),)) as (tables, position),
        tables.snapshot() as statements,
    ):
        rows = patron_rows(statements, wanted, by)
    judge(rows, dict(rate or ()))
    if over:
        rows = [row for row in rows if _to_look_at(row)]
    if as_json:
        thresholds = [threshold.as_json() for threshold in THRESHOLDS]
        told = [row.as_json() for row in rows]
        print_json({"position": position, "thresholds": thresholds, "rows": told})
    else:
        print_patrons(out(), rows)
    if over and rows:
        raise typer.Exit(Exit.FINDINGS)


def _judged(row: PatronRow) -> Judgement:
    assert row.judgement is not None
    return row.judgement


def _to_look_at(row: PatronRow) -> bool:
    """At or over, or such that it cannot be told."""
    return _judged(row).over is not False


def _told(row: PatronRow) -> str:
    judged = _judged(row)
    if judged.over is None:
        return "cannot be told"
    return ", ".join(_WORDS[one.measure] for one in judged.reached) or "under"


def print_patrons(console: Console, rows: Sequence[PatronRow]) -> None:
    """Patrons as a table; then which thresholds applied, and what is in doubt about them."""
    if not rows:
        console.print("Nobody: no wager is settled, or none of these.")
        return
    table = Table(title="Patrons", title_justify="left")
    for name in ("gaming day", "patron", "tables"):
        table.add_column(name, no_wrap=True)
    for name in ("stakes", "promotional", "banks", "winnings", "bank won", "largest stake"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("at or over the threshold", overflow="fold")
    for row in rows:
        table.add_row(
            row.gaming_day,
            row.patron or "(no token)",
            ", ".join(row.tables),
            money(row.stakes, row.currency),
            money(row.promotional_stakes, row.currency),
            money(row.bank_put_up, row.currency),
            money(row.winnings + row.promotional_winnings, row.currency),
            money(row.bank_won, row.currency),
            money(max(row.largest_stake, row.largest_bank), row.currency),
            _told(row),
        )
    console.print(table)
    for line in _thresholds_told(rows):
        console.print(line, soft_wrap=True)


def _thresholds_told(rows: Sequence[PatronRow]) -> list[str]:
    """Each threshold that was applied, once, and each doubt, once."""
    lines: dict[str, None] = {}
    for row in rows:
        judged = _judged(row)
        if judged.threshold is not None:
            lines[_threshold_told(judged, row.currency)] = None
        for doubt in judged.doubts:
            lines[f"Doubt: {doubt}."] = None
    return list(lines)


def _threshold_told(judged: Judgement, currency: str) -> str:
    threshold = judged.threshold
    assert threshold is not None
    until = "" if threshold.last is None else f" to {threshold.last}"
    confirmed = "" if threshold.confirmed else ", NOT CONFIRMED"
    turned = ""
    if judged.limit is not None and judged.rate is not None:
        turned = f" = {exactly(judged.limit, currency)} at {judged.rate}"
    return (
        f"Threshold {threshold.id}{confirmed}: {money(threshold.amount, threshold.currency)}{turned}, "
        f"{threshold.what}, from {threshold.first}{until} ({threshold.source})"
    )
