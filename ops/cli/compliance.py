"""`compliance`: what was found, and which branches of the regulation a month exercised."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ops.cli.figures import folded
from ops.cli.options import Day, First, Json, Last, OnePremises, OneTable, days_wanted
from ops.cli.screen import Exit, out, print_json
from ops.location import Location
from ops.settings import DB_HELP, DB_VARIABLE, Db
from ops.wiring import open_house, utc_now
from projections.compliance.compliance import Compliance
from projections.compliance.coverage import Covered, coverage
from projections.compliance.finding import Finding
from projections.compliance.finding_filter import FindingFilter
from projections.compliance.findings import Severity
from projections.compliance.views import findings

app = typer.Typer(
    invoke_without_command=True, help="What was found, and which branches of the regulation were exercised."
)

_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])", re.ASCII)
_STYLES = {Severity.INFO: "", Severity.WARNING: "yellow", Severity.BREACH: "bold red"}


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter("a moment is written as ISO 8601: 2026-11-28T06:00:00Z") from None
    if moment.tzinfo is None:
        raise typer.BadParameter("a moment needs an offset from UTC (such as Z or +01:00)")
    return moment.astimezone(UTC)


def _month(text: str) -> str:
    if not _MONTH.fullmatch(text):
        raise typer.BadParameter("a month is written YYYY-MM")
    return text


@app.callback()
def compliance(
    context: typer.Context,
    *,
    # `coverage` has an option of its own, so here it may be missing
    db: Annotated[
        str | None,
        typer.Option("--db", envvar=DB_VARIABLE, metavar="PATH|URL", help=DB_HELP, parser=Location),
    ] = None,
    day: Day = None,
    first: First = None,
    last: Last = None,
    table: OneTable = None,
    premises: OnePremises = None,
    severity: Annotated[Severity | None, typer.Option(help="This one and graver ones.")] = None,
    code: Annotated[
        str | None, typer.Option(help="Only findings of this kind, or refusals for this reason.")
    ] = None,
    paragraph: Annotated[
        str | None, typer.Option(help="Only of this paragraph and those in it, such as 6(7).")
    ] = None,
    person: Annotated[
        str | None, typer.Option(help="Only those that concern this actor, approver, holder or signatory.")
    ] = None,
    as_of: Annotated[
        datetime | None,
        typer.Option(
            "--as-of", parser=_moment, metavar="MOMENT", help="Judge what is due as of then, not now."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """What was found against the regulation and the house's own rules. Exit code 1 where there is a breach.

    A wager or a command that was refused is no breach: it shows that the rule was kept.
    """
    if context.invoked_subcommand is not None:
        return
    if db is None:
        raise typer.BadParameter(f"say where the ledger is: --db PATH, or {DB_VARIABLE}")
    first_day, last_day = days_wanted(day, first, last)
    wanted = FindingFilter(
        first_day=first_day,
        last_day=last_day,
        table=table,
        premises=premises,
        severity=severity,
        code=code,
        paragraph=paragraph,
        person=person,
    )
    now = as_of or utc_now()
    with (
        open_house(db) as house,
        folded(house, (Compliance(),)) as (tables, position),
        tables.snapshot() as statements,
    ):
        found = list(findings(statements, wanted, now))
    if as_json:
        rows = [finding.as_json() for finding in found]
        print_json({"position": position, "as_of": now.isoformat(), "rows": rows})
    else:
        print_findings(out(), found)
    if any(finding.severity is Severity.BREACH for finding in found):
        raise typer.Exit(Exit.FINDINGS)


def _coup(stream: str) -> str:
    """What a finding is about, as `coup show` takes it where it is a coup."""
    kind, _, *rest = stream.split("/")
    return "/".join(rest) if kind == "coup" else ""


def _where(finding: Finding) -> str:
    shift = f", {finding.shift}" if finding.shift else ""
    return f"{finding.table or finding.premises}{shift}"


def _persons(finding: Finding) -> str:
    return "; ".join(f"{role} {', '.join(names)}" for role, names in sorted(finding.persons.items()))


_COLUMNS: Mapping[str, Callable[[Finding], Text | str]] = {
    "gaming day": lambda finding: finding.gaming_day,
    "table, shift": _where,
    "severity": lambda finding: Text(finding.severity.value, _STYLES[finding.severity]),
    "paragraph": lambda finding: finding.paragraph or "",
    "what was found": lambda finding: finding.sentence,
    "coup": lambda finding: _coup(finding.stream),
    "concerns": _persons,
    "events": lambda finding: ", ".join(map(str, finding.evidence)),
}
_IN_ONE_LINE = frozenset({"gaming day", "table, shift", "severity", "paragraph"})
DISPENSABLE = ("concerns", "events")
"""What a narrow terminal does without, lest the sentences become columns of words."""
WIDE_ENOUGH = 140


def print_findings(console: Console, found: Sequence[Finding]) -> None:
    """Findings as a table, and how many there are of each kind."""
    if not found:
        console.print("Nothing was found.")
        return
    columns = dict(_COLUMNS)
    left_out = DISPENSABLE if console.width < WIDE_ENOUGH else ()
    for name in left_out:
        del columns[name]
    table = Table(title="Compliance", title_justify="left")
    for name in columns:
        table.add_column(name, no_wrap=name in _IN_ONE_LINE, overflow="fold")
    for finding in found:
        table.add_row(*(tell(finding) for tell in columns.values()))
    console.print(table)
    if left_out:
        console.print(f"Left out for want of width: {', '.join(left_out)}. --json has everything.")
    by_code = Counter((finding.severity, finding.code) for finding in found)
    for severity in reversed(Severity):
        counted = [f"{code} {times:,}" for (of, code), times in sorted(by_code.items()) if of is severity]
        if counted:
            console.print(f"{severity.value}: {', '.join(counted)}", soft_wrap=True)


# --- Coverage ------------------------------------------------------------------------------------------


@app.command("coverage")
def compliance_coverage(
    db: Db,
    *,
    month: Annotated[Any, typer.Option(parser=_month, metavar="YYYY-MM", help="A month of gaming days.")],
    premises: OnePremises = None,
    as_json: Json = False,
) -> None:
    """Which branches of the regulation a month exercised, an example each; and which it did not."""
    with (
        open_house(db) as house,
        folded(house, (Compliance(),)) as (tables, position),
        tables.snapshot() as statements,
    ):
        covered = coverage(statements, month, premises)
    if as_json:
        rows = [branch.as_json() for branch in covered]
        print_json({"position": position, "month": month, "rows": rows})
    else:
        print_coverage(out(), month, covered)


def print_coverage(console: Console, month: str, covered: Sequence[Covered]) -> None:
    """What was exercised, group by group; what of a group was not; and groups of which nothing was."""
    if not any(branch.times for branch in covered):
        console.print(f"No coup of {month} is on the record.")
        return
    untouched = []
    for group, members in groupby(sorted(covered, key=lambda one: one.branch.group), _group):
        branches = list(members)
        if not any(branch.times for branch in branches):
            untouched.append(f"{group} ({len(branches)})")
            continue
        _print_group(console, group, branches)
    if untouched:
        console.print(f"Not played at all: {'; '.join(untouched)}", soft_wrap=True)
    exercised = sum(bool(branch.times) for branch in covered)
    console.print(f"{month}: {exercised} of {len(covered)} branches were exercised")


def _group(covered: Covered) -> str:
    return covered.branch.group


def _print_group(console: Console, group: str, branches: Sequence[Covered]) -> None:
    table = Table(title=group, title_justify="left")
    table.add_column("branch", overflow="fold")
    table.add_column("paragraph", no_wrap=True)
    table.add_column("times", justify="right", no_wrap=True)
    table.add_column("example", overflow="fold")
    table.add_column("event", justify="right", no_wrap=True)
    for one in branches:
        table.add_row(
            one.branch.text,
            one.branch.paragraph,
            f"{one.times:,}" if one.times else "none",
            (_coup(one.example) or one.example) if one.example else "",
            "" if one.sequence is None else str(one.sequence),
            style="" if one.times else "dim",
        )
    console.print(table)
