"""The report as a page to print: HTML with its style in it, no script, and no address of anything outside."""

from __future__ import annotations

from importlib import resources

from jinja2 import Environment, StrictUndefined

from ledger.terms.money import exactly, in_words
from ops.reconcile.report import DayReport

FIGURES = ("opener", "fills", "credits", "drop", "closer")


def page(report: DayReport) -> str:
    """The whole page: a summary, then a sheet of paper a table. Everything that anybody wrote is escaped."""
    room = resources.files(__package__)
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["money"] = _money
    environment.filters["exactly"] = exactly
    template = environment.from_string(room.joinpath("page.html").read_text(encoding="utf-8"))
    style = room.joinpath("page.css").read_text(encoding="utf-8")
    return template.render(day=report, findings=report.findings, figures=FIGURES, style=style)


def _money(amount: int | None, currency: str) -> str:
    return "–" if amount is None else in_words(amount, currency)
