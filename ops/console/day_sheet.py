"""A gaming day's books beside what the cage has counted so far, and what is in the way of its close."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple

from ledger.commands import CloseDay
from ledger.errors import NoTablesOnDay
from ops.cli.sign_off import covered_by
from ops.console.desk import Desk
from ops.console.evidence import about
from ops.reconcile.closing import unexplained
from ops.reconcile.day_record import DayRecord, day_record
from ops.reconcile.job import report_of
from ops.reconcile.report import Closed, DayReport
from ops.service.consents import Consents, Outstanding
from projections.reconciliation.reconciliation import TableBooks
from projections.reconciliation.views import DayBooks, day_books
from projections.story.words import listed

WAITING_MAX = 1_000
NOTHING_EXPLAINED: Mapping[str, str] = {}


class Obstacle(NamedTuple):
    """Something in the way, and what to do; the stream that it is about, if it is of one."""

    what: str
    advice: str
    stream: str | None = None


@dataclass(frozen=True, slots=True)
class DaySheet:
    """A gaming day.

    Attributes:
        report: of the tables that are counted whole; of others there is nothing to compare.
        uncounted: tables with a shift that the cage has not counted, each with those shifts.
        waiting: closes of this day that somebody has proposed and not everybody consented to.
    """

    books: DayBooks
    record: DayRecord
    report: DayReport
    uncounted: Sequence[tuple[TableBooks, Sequence[str]]]
    waiting: Sequence[Outstanding]

    @property
    def whole(self) -> bool:
        """Whether every table is counted, so that the report is of the day."""
        return not self.uncounted

    @property
    def to_explain(self) -> list[str]:
        """Tables that vary by more than their threshold, and that nobody has explained."""
        explained = {
            table.at.books.table: table.explanation for table in self.report.tables if table.explanation
        }
        return [at.books.table for at in unexplained([table.at for table in self.report.tables], explained)]

    def in_the_way(self) -> Iterator[Obstacle]:
        """Why the day cannot be closed yet."""
        for table in self.books.still_open:
            yield Obstacle(
                f"Table {table} is open for this gaming day.", "Close it, with its closer counted."
            )
        for books, shifts in self.uncounted:
            counted = f"shift{'s' if len(shifts) > 1 else ''} {listed(shifts)}"
            yield Obstacle(
                f"The cage has not counted {counted} of table {books.table}.",
                "The cage records its count (record-count), or the daily job reads its count sheet.",
            )
        for books in self.books.tables:
            for coup, _ in books.unfinished:
                yield Obstacle(
                    f"Coup {about(coup)} has not ended.",
                    "Settle it, or have it ruled upon by two approvers.",
                    coup,
                )


def day_sheet(desk: Desk, day: date, explained: Mapping[str, str] = NOTHING_EXPLAINED) -> DaySheet:
    """The day as the read tables and the record have it now: the books first, then what was counted.

    Args:
        explained: why a table varies, by its name.

    Raises:
        NoTablesOnDay; ReadTablesBehind.
    """
    service = desk.console.service
    with desk.reading() as statements:
        books = day_books(statements, desk.premises, day)
    if not books.tables:
        raise NoTablesOnDay(day.isoformat())
    record = day_record(service.house.ledger.record, desk.premises, day)
    uncounted = [(table, missing) for table in books.tables if (missing := _missing(table, record))]
    without = {table.table for table, _ in uncounted}
    counted = tuple(table for table in books.tables if table.table not in without)
    report = report_of(
        desk.premises,
        day,
        books._replace(tables=counted),
        record,
        record.counts,
        explained=explained,
        own_thresholds={},
    )
    if record.closed:
        closed = Closed(record.signed_by, already=True, checkpoint=covered_by(service.house, record))
        report = replace(report, closed=closed)
    return DaySheet(books, record, report, uncounted, _waiting(desk, day))


def _missing(table: TableBooks, record: DayRecord) -> list[str]:
    counts = record.counts.get(table.table, {})
    return [shift.shift for shift in table.shifts if shift.shift not in counts]


def _waiting(desk: Desk, day: date) -> list[Outstanding]:
    """There are never many: each was run or withdrawn, or somebody is waited for."""
    found = Consents(desk.console.service).waiting(desk.premises, "", WAITING_MAX)
    return [one for one in found if isinstance(one.command, CloseDay) and one.command.gaming_day == day]
