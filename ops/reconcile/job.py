"""The daily job, from a gaming day's books and counts to its report. The command line is around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from ledger.errors import MalformedInput
from ledger.terms.books import ReconciledTable
from ops.reconcile.day_record import DayRecord
from ops.reconcile.report import DayReport, TableReport
from ops.reconcile.sheet import AMOUNTS, Counts, TableShifts
from projections.reconciliation.causes import cause_of
from projections.reconciliation.reconciliation import Cause, Comparison, compare
from projections.reconciliation.thresholds import in_force
from projections.reconciliation.views import DayBooks


@dataclass(eq=False)
class DayNotOver(MalformedInput):
    """The day cannot be reconciled yet. A line for each table that is open."""

    gaming_day: str
    tables: tuple[str, ...]
    code = "day-not-over"

    def __str__(self) -> str:
        return "\n".join(
            f"table {table} is still open for gaming day {self.gaming_day}" for table in self.tables
        )


@dataclass(eq=False)
class NoCounts(MalformedInput):
    missing: str
    code = "no-counts"
    template = "the record has no count of {missing}; name the count sheet with --counts"


def shifts_of(books: DayBooks) -> list[TableShifts]:
    """The tables and shifts that a count sheet of the day is about."""
    return [
        TableShifts(
            table.table,
            table.currency,
            tuple(shift.shift for shift in table.shifts),
            {
                shift.shift: {name: known for name in AMOUNTS if (known := getattr(shift, name)) is not None}
                for shift in table.shifts
            },
        )
        for table in books.tables
    ]


def recorded_counts(books: DayBooks, record: DayRecord) -> Counts:
    """What the record says was counted. Raises: NoCounts: not of every table and shift."""
    missing = [
        f"{table.table} shift {shift.shift}"
        for table in books.tables
        for shift in table.shifts
        if shift.shift not in record.counts.get(table.table, {})
    ]
    if missing:
        raise NoCounts(", ".join(missing))
    return record.counts


def report_of(
    premises: str,
    day: date,
    books: DayBooks,
    record: DayRecord,
    counts: Counts,
    *,
    explained: Mapping[str, str],
    own_thresholds: Mapping[str, int],
) -> DayReport:
    """Compare, and look for causes.

    Args:
        explained: why there is a variance, by table. Of a closed day the record's own words stand.
        own_thresholds: the house's own, by currency; "" is for every currency that is not named.
    """
    currencies = sorted({table.currency for table in books.tables})
    sources = [found for currency in currencies if (found := in_force(currency, day)) is not None]
    thresholds = {source.currency: source.report_over for source in sources}
    own = {one: own_thresholds.get(one, own_thresholds.get("")) for one in currencies}
    thresholds |= {currency: limit for currency, limit in own.items() if limit is not None}
    compared = compare(books.tables, counts, thresholds)
    return DayReport(
        premises=premises,
        gaming_day=day,
        position=record.position if record.closed else books.position,
        tables=[
            _table(at, cause_of(at, compared), record.reconciled.get(at.books.table), explained)
            for at in compared
        ],
        slips=books.slips,
        thresholds=thresholds,
        sources=[source for source in sources if own[source.currency] is None],
    )


def _table(
    at: Comparison, cause: Cause | None, recorded: ReconciledTable | None, explained: Mapping[str, str]
) -> TableReport:
    explanation = recorded.explanation if recorded else explained.get(at.books.table)
    return TableReport(at, cause, explanation, recorded)
