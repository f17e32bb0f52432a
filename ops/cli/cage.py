"""`cage`: floats, slips and cash boxes, and whether they follow on from one another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from ops.cli.figures import folded
from ops.cli.options import Day, First, Json, Last, OnePremises, OneTable, wanted_rows
from ops.cli.screen import Exit, money, out, print_fitting, print_json
from ops.settings import Db
from ops.wiring import open_house
from projections.cage.cage import Cage
from projections.cage.views import (
    CageFinding,
    CageRow,
    ChainBroken,
    SlipsMissing,
    SlipTwice,
    SlipUse,
    slip_gaps,
)
from projections.cage.views import cage as cage_rows
from projections.cage.views import chain as broken_chain
from projections.pnl.views import Span


class By(StrEnum):
    """What one row covers."""

    SHIFT = "shift"
    DAY = "day"


def cage(
    db: Db,
    *,
    by: Annotated[By, typer.Option(help="What one row covers.")] = By.SHIFT,
    day: Day = None,
    first: First = None,
    last: Last = None,
    table: OneTable = None,
    premises: OnePremises = None,
    as_json: Json = False,
) -> None:
    """Openers, fills, credits, drops and closers of every table, with its win by inventory.

    Exit 1 where slip numbers are missing or used twice, or a float does not follow on from the last one.
    """
    wanted = wanted_rows(day, first, last, table, premises)
    with (
        open_house(db) as house,
        folded(house, (Cage(),)) as (tables, position),
        tables.snapshot() as statements,
    ):
        rows = cage_rows(statements, wanted, Span(by))
        findings: list[CageFinding] = [*slip_gaps(statements, wanted), *broken_chain(statements, wanted)]
    if as_json:
        print_json(
            {
                "position": position,
                "rows": [row.as_json() for row in rows],
                "findings": [finding.as_json() for finding in findings],
            }
        )
    else:
        _print(out(), rows, findings)
    if findings:
        raise typer.Exit(Exit.FINDINGS)


# --- For people ----------------------------------------------------------------------------------------


def _amount(name: str) -> Callable[[CageRow], str]:
    return lambda row: money(getattr(row, name), row.currency)


_Column = tuple[str, Callable[[CageRow], str]]
_WHERE: tuple[_Column, ...] = (
    ("gaming day", lambda row: row.gaming_day),
    ("premises", lambda row: row.premises),
    ("table", lambda row: row.table),
    ("shift", lambda row: row.shift or ""),
)
_CHIPS: tuple[_Column, ...] = (
    *_WHERE,
    ("opener", _amount("opener")),
    ("fills", _amount("fills")),
    ("credits", _amount("credits")),
    ("drop", _amount("drop")),
    ("closer", _amount("closer")),
    ("win by inventory", _amount("win_by_inventory")),
    ("charges", _amount("charges")),
)
_SLIPS: tuple[_Column, ...] = (
    *_WHERE,
    ("fills", lambda row: f"{len(row.fill_slips):,}"),
    ("fill slips", lambda row: " ".join(row.fill_slips)),
    ("credits", lambda row: f"{len(row.credit_slips):,}"),
    ("credit slips", lambda row: " ".join(row.credit_slips)),
    ("void slips", lambda row: " ".join(row.void_slips)),
)
_WORDS = frozenset({name for name, _ in _WHERE} | {"fill slips", "credit slips", "void slips"})
DISPENSABLE = ("premises", "charges", "drop", "credits", "fills")
"""What a narrow terminal does without, the first first."""


def _print(console: Console, rows: Sequence[CageRow], findings: Sequence[CageFinding]) -> None:
    if not rows:
        console.print(
            "No table opened: the record has none (`baccarat-ledger import TAPE`), or none of these."
        )
    else:
        _print_rows(console, "Chips", _CHIPS, rows)
        slips = [row for row in rows if row.fill_slips or row.credit_slips or row.void_slips]
        if slips:
            _print_rows(console, "Slips", _SLIPS, slips)
        if any(row.win_by_inventory is None for row in rows):
            console.print("–: not counted yet, or no count was made when the shift changed.")
    if findings:
        console.print(_findings_table(findings))
    elif rows:
        console.print("No slip number is missing or used twice, and every float follows on from the last.")


def _print_rows(console: Console, title: str, columns: Sequence[_Column], rows: Sequence[CageRow]) -> None:
    """The rows as a table, without what the terminal has no room for."""
    if not any(row.shift for row in rows):
        columns = [column for column in columns if column[0] != "shift"]
    print_fitting(console, columns, DISPENSABLE, partial(_table, title, rows=rows))


def _table(title: str, columns: Sequence[_Column], rows: Sequence[CageRow]) -> Table:
    table = Table(title=title, title_justify="left")
    for name, _ in columns:
        words = name in _WORDS
        table.add_column(name, justify="left" if words else "right", no_wrap=not name.endswith(" slips"))
    for row in rows:
        table.add_row(*(tell(row) for _, tell in columns))
    return table


def _findings_table(findings: Sequence[CageFinding]) -> Table:
    table = Table("premises", "finding", title="Findings", title_justify="left")
    for finding in findings:
        table.add_row(finding.premises, told(finding))
    return table


def told(finding: CageFinding) -> str:
    """A finding as a sentence that a manager understands."""
    match finding:
        case SlipsMissing():
            which = f"slip {finding.first} is"
            if finding.count > 1:
                which = f"{finding.count:,} slips, {finding.first} to {finding.last}, are"
            return f"{which} missing between {_use(finding.before)} and {_use(finding.after)}"
        case SlipTwice():
            return f"one number was used {len(finding.uses)} times: {', '.join(map(_use, finding.uses))}"
        case ChainBroken():
            return _broken(finding)


def _use(use: SlipUse) -> str:
    return f"{use.slip} ({use.table}, {use.gaming_day})"


def _broken(broken: ChainBroken) -> str:
    more = "more" if broken.difference > 0 else "less"
    left = _when(broken.closed_day, broken.closed_shift)
    taken = _when(broken.opened_day, broken.opened_shift)
    return (
        f"{broken.table} closed {left} with {money(broken.closer, broken.currency)} and opened {taken} with "
        f"{money(broken.opener, broken.currency)}: {money(abs(broken.difference), broken.currency)} {more}"
    )


def _when(gaming_day: str, shift: str | None) -> str:
    return gaming_day if shift is None else f"{gaming_day} shift {shift}"
