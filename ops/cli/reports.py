"""`pnl` and `coup show`: what the record says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from ledger.terms.house import BankedBy
from ledger.terms.money import exactly, in_words
from ops.cli.screen import WIDE_COLUMNS, Exit, err, money, out, percent, print_json, progress_bar
from ops.settings import Db
from ops.wiring import House, open_house
from projections.coups import CoupStory, arithmetic, find_coup, tell_coup
from projections.views import PnlFilter, PnlRow, Span, totals
from projections.views import pnl as pnl_rows

Json = Annotated[bool, typer.Option("--json", help="JSON, for programs.")]


def _gaming_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter("a gaming day is written YYYY-MM-DD") from None


def _day_option(name: str, help_: str) -> Any:
    return typer.Option(name, parser=_gaming_day, metavar="YYYY-MM-DD", help=help_)


def catch_up(house: House) -> int:
    """Fold what is new into the read tables; returns the position reached."""
    with progress_bar("adding up") as (bar, task):
        return house.pnl_runner().catch_up(
            lambda position, goal: bar.update(task, total=goal, completed=position)
        )


def pnl(
    db: Db,
    *,
    by: Annotated[Span, typer.Option(help="What one row covers.")] = Span.SHIFT,
    day: Annotated[date | None, _day_option("--day", "Only this gaming day.")] = None,
    first: Annotated[date | None, _day_option("--from", "From this gaming day.")] = None,
    last: Annotated[date | None, _day_option("--to", "Up to this gaming day, included.")] = None,
    table: Annotated[str | None, typer.Option(help="Only this table.")] = None,
    premises: Annotated[str | None, typer.Option(help="Only these premises.")] = None,
    as_json: Json = False,
) -> None:
    """Profit and loss per table, shift and gaming day; house-banked and player-banked apart."""
    wanted = PnlFilter(first_day=day or first, last_day=day or last, table=table, premises=premises)
    with open_house(db) as house:
        position = catch_up(house)
        with house.tables.snapshot() as statements:
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


DISPENSABLE = ("game", "remainder", "void", "stood off", "void stakes", "held", "theoretical", "hold", "drop")
"""What a narrow terminal does without, the first first."""


def print_pnl(console: Console, rows: Sequence[PnlRow]) -> None:
    """The P&L as tables, one for each side that holds the bank."""
    if not rows:
        console.print("No coups in the record yet: `baccarat-ledger import TAPE` plays some.")
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


def coup_show(
    coup: Annotated[
        str,
        typer.Argument(metavar="ID", help="TABLE/SHOE/NUMBER, PREMISES/TABLE/SHOE/NUMBER or a command's id."),
    ],
    db: Db,
    *,
    as_json: Json = False,
) -> None:
    """One coup: its cards as dealt, the rules, each wager's arithmetic and paragraph."""
    with open_house(db) as house:
        stream = find_coup(house.ledger.record, coup)
        story = tell_coup(house.ledger.record, stream) if stream else None
    if story is None:
        err().print(f"no coup {coup!r} in this ledger", markup=False)
        raise typer.Exit(Exit.BAD_INPUT)
    if as_json:
        print_json(story.as_json())
    else:
        print_coup(out(), story)


_SAID = {"W": ", beats the banker's hand", "L": ", loses to the banker's hand", "D": ", a draw"}


def print_coup(console: Console, story: CoupStory) -> None:
    """A coup for people: what was dealt, why, and what each wager came to."""
    opened, currency = story.opened, story.currency
    console.print(f"[bold]{story.coup}[/bold]  {story.stage}")
    if opened is not None:
        pinned = opened.conditions
        console.print(
            f"{pinned.format} under {pinned.profile}, gaming day {pinned.gaming_day}, shift {pinned.shift}, "
            f"banked by the {pinned.banked_by.value}"
            + (f" ({pinned.banker}, {money(pinned.bank, currency)})" if pinned.banker else "")
        )
    if story.hands:
        console.print("Dealt: " + ", ".join(f"{name} {card}" for name, card in story.cards()))
        for name, hand in story.hands.items():
            said = _SAID.get(story.results.get(name, ""), "")
            console.print(f"  {name}: {hand} = {hand.total}{said}")
        for rule in story.drawing():
            console.print(f"  {rule}")
    if story.claim_agrees is False:
        console.print(f"[red]The feed claimed {story.claimed}; the cards say {story.results}.[/red]")
    if story.hands != story.dealt:
        told = "; ".join(f"{name} {hand}" for name, hand in story.hands.items())
        console.print(f"Settled on the hands as ruled: {told}")
    if story.irregular:
        console.print(f"[red]Irregular ({story.irregular['rule']}): {story.irregular['detail']}[/red]")
    if story.ruling:
        console.print(
            f"Ruling: {story.ruling['ruling']}: {story.ruling['reason']} "
            f"(approved by {' and '.join(story.ruling['approvers'])})",
            markup=False,
        )
    _print_wagers(console, story)
    if story.record:
        first, last = story.record[0]["sequence"], story.record[-1]["sequence"]
        console.print(f"In the record: {len(story.record)} events, from {first} to {last}")


def _print_wagers(console: Console, story: CoupStory) -> None:
    currency = story.currency
    table = Table()
    for name in ("wager", "kind", "stake", "outcome", "arithmetic", "paragraph"):
        table.add_column(name, justify="right" if name == "stake" else "left")
    for line in story.lines:
        table.add_row(
            line.wager,
            line.kind.value,
            in_words(line.stake, currency),
            line.outcome.value,
            arithmetic(line, currency),
            line.paragraph,
        )
    if not story.lines:
        for wager in story.wagers:
            table.add_row(wager["id"], wager["kind"], in_words(wager["stake"], currency), "open", "", "")
    for wager in story.refused:
        stake = in_words(wager["refused_stake"], currency)
        table.add_row(wager["id"], wager["kind"], stake, "refused", wager["reason"], wager["paragraph"])
    for wager in story.cancelled:
        table.add_row(wager["id"], "", "", "cancelled", wager["reason"], wager["paragraph"])
    if table.row_count:
        console.print(table)
