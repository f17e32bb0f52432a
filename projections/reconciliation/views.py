"""One gaming day of the premises as the read tables have it, for the daily comparison. Minor units.

Every query begins with the columns that its table is ordered by, so that a day costs the same in a ledger of
ten years.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from typing import NamedTuple

from ledger.store.port import Statements
from ledger.terms.books import ADJUSTMENT
from ledger.terms.house import BankedBy
from ledger.terms.wagers import Outcome, Tender
from projections.cage.cage import NIGHTS, Cage
from projections.cage.views import CageRow, SlipFinding, cage, slip_gaps
from projections.pnl.table_pnl import WAGERS, TablePnl
from projections.pnl.views import PnlFilter, pnl
from projections.postings.postings import AT_HAND, Postings
from projections.postings.postings import WAGERS as WAGERS_AT_HAND
from projections.projection import Projection
from projections.reconciliation.reconciliation import EarlierCloser, ShiftBooks, TableBooks, Unfinished

PROJECTIONS: tuple[Projection, ...] = (TablePnl(), Cage(), Postings())
"""Whose tables are read here."""


class DayBooks(NamedTuple):
    """A gaming day of the premises.

    Attributes:
        position: the sequence up to which the record is in these figures.
        tables: every table that opened for the day, by name.
        still_open: those that have not closed.
        slips: numbers missing from the series used on this day, or used twice.
    """

    position: int
    tables: tuple[TableBooks, ...]
    still_open: tuple[str, ...]
    slips: tuple[SlipFinding, ...]


def day_books(statements: Statements, premises: str, day: date) -> DayBooks:
    """The day's books, all of one moment.

    Args:
        statements: a snapshot of the read tables of `PROJECTIONS`.
    """
    wanted = PnlFilter(day, day, None, premises)
    shifts: defaultdict[str, list[CageRow]] = defaultdict(list)
    for row in cage(statements, wanted):
        if row.opened:
            shifts[row.table].append(row)
    unfinished = _unfinished(statements, premises, day)
    return DayBooks(
        _position(statements),
        tuple(_table(statements, rows, day, unfinished[table]) for table, rows in sorted(shifts.items())),
        tuple(sorted(table for table, rows in shifts.items() if not rows[0].closed)),
        tuple(slip_gaps(statements, wanted)),
    )


def _position(statements: Statements) -> int:
    names = [projection.name for projection in PROJECTIONS]
    marks = ", ".join("?" * len(names))
    sql = f"SELECT MIN(position) FROM projection_positions WHERE projection IN ({marks})"
    ((position,),) = statements.execute(sql, names)
    return int(position or 0)


def _table(
    statements: Statements, rows: Sequence[CageRow], day: date, unfinished: Sequence[Unfinished]
) -> TableBooks:
    premises, table, currency = rows[0].premises, rows[0].table, rows[0].currency
    win: defaultdict[str, int] = defaultdict(int)
    remainder = Fraction(0)
    for row in pnl(statements, PnlFilter(day, day, table, premises)):
        win[row.shift or ""] += row.win
        if row.banked_by == BankedBy.HOUSE and row.shift != ADJUSTMENT:
            remainder += row.remainder
    return TableBooks(
        table=table,
        currency=currency,
        format=rows[0].format or "",
        shifts=tuple(_shift(row, win[row.shift or ""]) for row in rows),
        earlier=_earlier(statements, premises, table, day, currency),
        remainder=remainder,
        promotional_lost=_promotional_lost(statements, premises, table, day),
        adjustments=win[ADJUSTMENT],
        void_slips=tuple(slip for row in rows for slip in row.void_slips),
        unfinished=tuple(unfinished),
    )


def _shift(row: CageRow, win: int) -> ShiftBooks:
    return ShiftBooks(
        shift=row.shift or "",
        win=win,
        charges=row.charges,
        opener=row.opener,
        closer=row.closer,
        fills=row.fills,
        credits=row.credits,
        drop=row.drop,
        fill_slips=row.fill_slips,
        credit_slips=row.credit_slips,
    )


def _earlier(
    statements: Statements, premises: str, table: str, day: date, currency: str
) -> EarlierCloser | None:
    """The closer of the night before, whenever that was; none where it was another currency's float."""
    sql = (
        f"SELECT gaming_day, currency, closer FROM {NIGHTS.name} WHERE premises = ? AND gaming_day < ? "
        "AND table_name = ? ORDER BY gaming_day DESC LIMIT 1"
    )
    for gaming_day, in_currency, closer in statements.execute(sql, (premises, day.isoformat(), table)):
        if closer is not None and in_currency == currency:
            return EarlierCloser(gaming_day, closer)
    return None


def _promotional_lost(statements: Statements, premises: str, table: str, day: date) -> int:
    sql = (
        f"SELECT COALESCE(SUM(stakes), 0) FROM {WAGERS.name} WHERE premises = ? AND table_name = ? "
        "AND gaming_day = ? AND shift <> ? AND banked_by = ? AND tender = ? AND outcome = ?"
    )
    house, promotional, lost = BankedBy.HOUSE.value, Tender.PROMOTIONAL.value, Outcome.LOST.value
    parameters = (premises, table, day.isoformat(), ADJUSTMENT, house, promotional, lost)
    ((stakes,),) = statements.execute(sql, parameters)
    return int(stakes)


def _unfinished(statements: Statements, premises: str, day: date) -> defaultdict[str, list[Unfinished]]:
    """The day's coups that have not ended, by table. There are never many at hand."""
    sql = (
        "SELECT at_hand.table_name, at_hand.coup, COALESCE(SUM(wager.stake), 0) "
        f"FROM {AT_HAND.name} AS at_hand LEFT JOIN {WAGERS_AT_HAND.name} AS wager "
        "ON wager.coup = at_hand.coup WHERE at_hand.premises = ? AND at_hand.gaming_day = ? "
        "GROUP BY at_hand.table_name, at_hand.coup ORDER BY at_hand.coup"
    )
    found: defaultdict[str, list[Unfinished]] = defaultdict(list)
    for table, coup, stakes in statements.execute(sql, (premises, day.isoformat())):
        found[table].append(Unfinished(coup, int(stakes)))
    return found
