"""A reconciled day for people at a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from ops.cli.screen import money
from ops.reconcile.report import DayReport, TableReport
from projections.reconciliation.reconciliation import Comparison


def print_report(console: Console, report: DayReport) -> None:
    """Tables, causes, findings, and whether the day is closed."""
    title = f"Gaming day {report.gaming_day}, premises {report.premises}"
    shown = Table(title=title, title_justify="left")
    for name in ("table", "shift"):
        shown.add_column(name, no_wrap=True)
    for name in ("win by wagers", "charges", "win by inventory", "variance"):
        shown.add_column(name, justify="right", no_wrap=True)
    shown.add_column("likely cause")
    for table in report.tables:
        _add(shown, table)
    console.print(shown)
    console.print("Variance: win by wagers + charges - win by inventory. More than 0: the count is short.")
    _print_words(console, report)
    _print_end(console, report)


def _add(shown: Table, table: TableReport) -> None:
    at = table.at
    several = len(at.shifts) > 1
    for sums in at.shifts if several else ():
        figures = (sums.win_by_wagers, sums.charges, sums.win_by_inventory, sums.variance)
        shown.add_row(at.books.table, sums.shift, *_money(at, figures), "")
    cause = table.cause.code if table.cause else ""
    shift = "all" if several else at.shifts[0].shift
    figures = (at.win_by_wagers, at.charges, at.win_by_inventory, at.variance)
    shown.add_row(at.books.table, shift, *_money(at, figures), cause, style="red" if at.above else "bold")
    shown.add_section()


def _money(at: Comparison, figures: tuple[int, ...]) -> list[str]:
    return [money(figure, at.books.currency) for figure in figures]


def _print_words(console: Console, report: DayReport) -> None:
    for table in report.tables:
        name = table.at.books.table
        if table.cause is not None:
            console.print(f"{name}: {table.cause.code}: {table.cause.evidence}", soft_wrap=True)
        if table.explanation:
            console.print(f"{name}: explained: {table.explanation}", soft_wrap=True)
    findings = report.findings
    if findings:
        console.print(f"\nTo look at: {len(findings)}", style="red")
    for finding in findings:
        where = " ".join(filter(None, (finding.table, finding.shift and f"shift {finding.shift}")))
        console.print(f"  {f'{where}: ' if where else ''}{finding.detail}", soft_wrap=True)


def _print_end(console: Console, report: DayReport) -> None:
    for source in report.sources:
        if not source.confirmed:
            limit = money(source.report_over, source.currency)
            console.print(f"Threshold {limit}: {source.source}; {source.doubt}", style="dim", soft_wrap=True)
    if report.closed is None:
        console.print("Clean. The day is not closed." if report.clean else "The day is not closed.")
        return
    how = "was closed already" if report.closed.already else "is closed"
    under = (
        f"checkpoint of {report.closed.checkpoint:,} events" if report.closed.checkpoint else "no checkpoint"
    )
    signed = ", ".join(report.closed.signed_by)
    console.print(f"The day {how}, signed off by {signed}, under {under}.", style="bold", soft_wrap=True)
