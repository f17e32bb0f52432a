"""What the books say: entries in the order of the record, a gaming day at a time, and balances.

All amounts in minor units; parts are `chart.PARTS`-ths of one. Entries come in pages, so nobody holds a year.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from ledger.store.port import Statements
from projections.pnl.views import PnlFilter
from projections.postings.chart import COLUMNS, PARTS, Amounts, Posting, postings_of
from projections.postings.postings import BALANCES, POSTINGS

PAGE_ROWS = 2_000


class BookedEntry(NamedTuple):
    """An entry as it is booked; its postings sum to 0. See `postings.POSTINGS`."""

    premises: str
    gaming_day: str
    sequence: int
    leg: int
    tender: str
    table: str
    shift: str
    currency: str
    entry: str
    about: str | None
    adjusts: str | None
    moved: Amounts

    @property
    def postings(self) -> list[Posting]:
        """The accounts that it moves."""
        return postings_of(self.moved, self.currency)


class Balance(NamedTuple):
    """What one table's entries of one shift, currency and tender come to."""

    premises: str
    gaming_day: str
    table: str
    shift: str
    currency: str
    tender: str
    moved: Amounts

    @property
    def postings(self) -> list[Posting]:
        """The balance of each account that has one."""
        return postings_of(self.moved, self.currency)

    @property
    def win(self) -> int:
        """The house's win by wagers: `winnings` and `remainder`, which is whole together."""
        return -self.moved[COLUMNS.index("winnings")]

    @property
    def remainder(self) -> Fraction:
        """What rounding paid beyond the odds, exact."""
        return Fraction(self.moved[COLUMNS.index("parts")], PARTS)


def days(statements: Statements, wanted: PnlFilter) -> list[tuple[str, str]]:
    """The gaming days with entries, each with its premises; by day, then premises.

    Each is found by a step along the key, so years of entries are not read for it.
    """
    found = []
    premises = _next(statements, "premises", "premises > ?", ("",))
    while premises is not None:
        if wanted.premises in {None, premises}:
            where = "premises = ? AND gaming_day > ?"
            day = _next(statements, "gaming_day", where.replace(">", ">="), (premises, _first(wanted)))
            while day is not None and day <= _last(wanted):
                found.append((day, premises))
                day = _next(statements, "gaming_day", where, (premises, day))
        premises = _next(statements, "premises", "premises > ?", (premises,))
    return sorted(found)


def _next(statements: Statements, column: str, where: str, parameters: Sequence[str]) -> str | None:
    ((found,),) = statements.execute(f"SELECT MIN({column}) FROM {POSTINGS.name} WHERE {where}", parameters)
    return None if found is None else str(found)


def _first(wanted: PnlFilter) -> str:
    return "" if wanted.first_day is None else wanted.first_day.isoformat()


def _last(wanted: PnlFilter) -> str:
    return "9999-12-31" if wanted.last_day is None else wanted.last_day.isoformat()


def entries(statements: Statements, wanted: PnlFilter, page_rows: int = PAGE_ROWS) -> Iterator[BookedEntry]:
    """Entries by gaming day, premises, then in the order of the record. They are read as they are taken."""
    for day, premises in days(statements, wanted):
        for page in _pages(statements, premises, day, page_rows):
            for row in page:
                entry = BookedEntry._make((*row[: -len(COLUMNS)], row[-len(COLUMNS) :]))
                if wanted.table in {None, entry.table}:
                    yield entry


def _pages(statements: Statements, premises: str, day: str, rows: int) -> Iterator[list[tuple[Any, ...]]]:
    """A gaming day's rows, a page at a time: each begins where the last one ended."""
    sql = (
        f"SELECT {', '.join(POSTINGS.columns)} FROM {POSTINGS.name} WHERE premises = ? AND gaming_day = ? "
        "AND (sequence, leg, tender) > (?, ?, ?) ORDER BY sequence, leg, tender LIMIT ?"
    )
    after: tuple[Any, ...] = (0, 0, "")
    while page := statements.execute(sql, (premises, day, *after, rows)):
        yield page
        if len(page) < rows:
            return
        after = page[-1][2:5]


def balances(statements: Statements, wanted: PnlFilter) -> list[Balance]:
    """Balances by premises, gaming day, table, shift, currency and tender."""
    where, parameters = wanted.where()
    sql = f"SELECT {', '.join(BALANCES.columns)} FROM {BALANCES.name} {where}"
    key = len(BALANCES.key)
    rows = statements.execute(f"{sql} ORDER BY {', '.join(BALANCES.key)}", parameters)
    return [Balance._make((*row[:key], row[key:])) for row in rows]


def by_entry(booked: Iterator[BookedEntry]) -> Iterator[list[BookedEntry]]:
    """The rows of one entry together: its tenders."""
    for _, rows in groupby(booked, key=itemgetter(0, 1, 2, 3)):
        yield list(rows)
