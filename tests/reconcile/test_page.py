"""The pages to print: a sheet of paper a table, everything escaped, nothing from outside."""

from __future__ import annotations

import re
from datetime import date
from fractions import Fraction
from html.parser import HTMLParser

from ops.reconcile.page import page
from ops.reconcile.report import Closed, DayReport, TableReport
from projections.cage.findings import SlipsMissing, SlipUse
from projections.reconciliation.reconciliation import Cause, Unfinished
from projections.reconciliation.thresholds import VARIANCE_THRESHOLDS
from tests.reconcile.tables import books, compared, counted, shift


def report(explanation: str = "a fill was lost", closed: Closed | None = None) -> DayReport:
    """A day of two tables: one is short of £50.00, the other is clean."""
    short = books(
        shift(win=5_000, drop=None), remainder=Fraction(3, 2), promotional_lost=100, adjustments=-200
    )
    clean = books(table="T2", unfinished=(Unfinished("coup/main/T2/S1/1", 0),))
    every = compared(short, others=((clean, counted()),))
    gap = SlipsMissing(
        "main", "F-", "F-2", "F-2", 1, SlipUse("2026-11-27", "T1", "F-1"), SlipUse("2026-11-27", "T1", "F-3")
    )
    return DayReport(
        "main",
        date(2026, 11, 27),
        1234,
        [
            TableReport(every[0], Cause("unexplained", "nothing fits"), explanation),
            TableReport(every[1], None),
        ],
        [gap],
        {"GBP": 2500},
        VARIANCE_THRESHOLDS,
        closed,
    )


class _Balanced(HTMLParser):
    """Checks that tags close in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.papers = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.papers += ("class", "paper") in attrs
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_summary_and_then_a_sheet_of_paper_a_table() -> None:
    told = page(report())
    parser = _Balanced()
    parser.feed(told)
    parser.close()
    assert (parser.open, parser.papers) == ([], 3)
    assert ".paper + .paper { margin: 0; padding: 0; border: 0; break-before: page; }" in told
    assert "size: A4" in told


def test_what_is_on_it() -> None:
    told = page(report())
    for text in (
        "Variance (above £25.00)",
        "£50.00",
        "Likely cause: unexplained",
        "a fill was lost",
        "slip F-2 is nowhere: F-1 and F-3 are",
        "Not confirmed.",
        "£0.01 1/2",
        "Not closed.",
        "coup/main/T2/S1/1 has not ended",
        "up to event 1,234",
    ):
        assert text in told, text


def test_who_closed_it_and_under_what() -> None:
    assert "signed off by accounts-1; under the checkpoint of 1,300 events" in page(
        report(closed=Closed(("accounts-1",), already=False, checkpoint=1300))
    )
    assert "under no checkpoint yet" in page(
        report(closed=Closed(("accounts-1",), already=True, checkpoint=None))
    )


def test_what_people_write_is_escaped_and_nothing_comes_from_outside() -> None:
    told = page(report('<script>alert(1)</script> & "so"'))
    assert "<script" not in told
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp;" in told
    assert not re.search(r"https?:|url\(|src=|href=|@import", told)
