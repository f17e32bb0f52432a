"""`audit`: every coup settled again from its cards, and what differs from the record."""

from __future__ import annotations

import json
from itertools import islice
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.table import Table

from ledger.terms.house import Terms
from ops.cli.options import First, Last, OnePremises, OneTable, days_wanted
from ops.cli.screen import Exit, money, out, print_json, progress_bar
from ops.memory import few_collections
from ops.settings import Db
from ops.wiring import open_house
from projections.audit.audit import Audit, Wanted
from projections.audit.causes import MEANING, Cause
from projections.audit.differences import Difference, Summary, TableSums
from projections.audit.due import Change

SHOWN = 20
"""Differences shown to people; programs get all of them."""

_DAY = ["%Y-%m-%d"]


def _terms(text: str) -> dict[str, Any]:
    """The terms named, checked: as a JSON object, or as `rounding=nearest,unit=5`."""
    try:
        named = json.loads(text) if text.lstrip().startswith("{") else _pairs(text)
        checked = Terms.model_validate(named)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise typer.BadParameter(f"{field}: {first['msg']}") from None
    except (ValueError, RecursionError):
        raise typer.BadParameter(
            "terms are a JSON object, or pairs such as rounding=nearest,unit=5"
        ) from None
    if not named:
        raise typer.BadParameter("no term is named")
    return {name: getattr(checked, name) for name in named}


def _pairs(text: str) -> dict[str, object]:
    pairs = dict(pair.split("=", 1) for pair in text.split(","))
    return {
        name.strip(): int(value) if value.strip().isdecimal() else value.strip()
        for name, value in pairs.items()
    }


def audit(
    db: Db,
    *,
    first: First = None,
    last: Last = None,
    table: OneTable = None,
    premises: OnePremises = None,
    profile: Annotated[
        str | None, typer.Option(help="What would have been paid under this profile.", metavar="ID")
    ] = None,
    terms: Annotated[
        Any,
        typer.Option(
            parser=_terms,
            metavar="JSON|K=V,…",
            help="What would have been paid under these terms: rounding, unit, banker_on_draw.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="NDJSON: the differences, then the summary.")
    ] = False,
) -> None:
    """Settle every coup again from its cards; report what differs from the record, by cause.

    Under another profile or other terms: what the same wagers would have been paid.
    """
    wanted = Wanted(*days_wanted(None, first, last), table, premises)
    change = Change(profile, terms or {})
    with open_house(db) as house, few_collections():
        work = Audit(house.ledger.record, wanted, change)
        shown = _run(work, as_json=as_json)
    if as_json:
        asked = {"profile": change.profile, "terms": dict(change.terms)} if change else None
        print_json({"summary": {"counterfactual": asked, **work.summary.as_json()}})
    elif change:
        print_counterfactual(out(), work.summary)
    else:
        print_audit(out(), work.summary, shown)
    if work.summary.differences and not change:
        raise typer.Exit(Exit.FINDINGS)


def _run(work: Audit, *, as_json: bool) -> list[Difference]:
    """Go through the record; each difference to a program at once, the first few kept for people."""
    with progress_bar("auditing") as (bar, task):
        differences = work.differences(
            lambda position, goal: bar.update(
                task, total=goal, completed=position, note=f"{work.summary.settled:,} coups settled"
            )
        )
        shown = [] if as_json else list(islice(differences, SHOWN))
        for difference in differences:
            if as_json:
                print_json(difference.as_json())
    return shown


def print_audit(console: Console, summary: Summary, shown: list[Difference]) -> None:
    """An audit for people: what was gone through, the differences by cause, and the first of them."""
    _print_counts(console, summary)
    if not summary.differences:
        console.print("Nothing differs." if summary.coups else "No such coup: nothing was audited.")
        return
    _print_causes(console, summary, "recorded less due")
    for currency, net in summary.net().items():
        console.print(f"Net: {money(net, currency)} (more than 0: patrons were paid too much)")
    console.print()
    for difference in shown:
        console.print(_in_words(difference), markup=False, soft_wrap=True)
    if summary.differences > len(shown):
        console.print(f"… and more: {summary.differences:,} in all. --json has every one.")


def print_counterfactual(console: Console, summary: Summary) -> None:
    """What would have been paid, for people."""
    _print_counts(console, summary)
    if summary.differences:
        _print_causes(console, summary, "paid less due then")
    else:
        console.print("Nothing would have differed.")
    told = Table(title="Paid: winnings, and stakes handed back", title_justify="left")
    for name in ("premises", "table"):
        told.add_column(name)
    for name in ("coups", "wagers", "paid", "would have been", "difference", "refused", "stakes refused"):
        told.add_column(name, justify="right", no_wrap=True)
    for (premises, table, currency), sums in sorted(summary.tables.items()):
        told.add_row(premises, table, *_figures(sums, currency))
    console.print(told)
    console.print("Refused: wagers that would have been refused before the cards; they stand apart.")


def _figures(sums: TableSums, currency: str) -> list[str]:
    refused = sums.refused
    return [
        f"{sums.coups:,}",
        f"{sums.wagers:,}",
        money(sums.paid_on_accepted, currency),
        money(sums.paid_on_accepted - sums.difference, currency),
        money(sums.difference, currency),
        f"{refused.found - refused.superseded:,}",
        money(refused.stakes, currency),
    ]


def _print_counts(console: Console, summary: Summary) -> None:
    console.print(
        f"{summary.coups:,} coups, {summary.settled:,} settled with {summary.wagers:,} wagers; "
        f"{summary.corrected:,} corrections, {summary.voided:,} void by ruling, {summary.held:,} held",
        soft_wrap=True,
    )


def _print_causes(console: Console, summary: Summary, heading: str) -> None:
    table = Table()
    table.add_column("cause")
    table.add_column("found", justify="right")
    table.add_column("superseded", justify="right")
    table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("meaning")
    for (cause, currency), sums in summary.by_cause().items():
        table.add_row(
            cause.value,
            f"{sums.found:,}",
            f"{sums.superseded:,}",
            money(sums.difference, currency),
            MEANING[cause],
        )
    console.print(table)


def _in_words(difference: Difference) -> str:
    finding = difference.finding
    subject = difference.coup.removeprefix("coup/")
    if finding.wager:
        subject += f" {finding.wager}"
    told = f"{subject}: {finding.cause.value}"
    if difference.superseded:
        told += " (superseded by a ruling)"
    if finding.difference or finding.cause is not Cause.UNREADABLE:
        told += f", {money(finding.difference, difference.currency)}"
    if finding.recorded is not None or finding.due is not None:
        told += f": recorded {_plain(finding.recorded)}, due {_plain(finding.due)}"
    return f"{told} ({finding.detail})" if finding.detail else told


def _plain(fields: Any) -> str:
    return "none" if fields is None else ", ".join(f"{name} {value}" for name, value in fields.items())
