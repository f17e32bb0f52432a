"""The premises' gaming days, the latest first, and how far each has come: played, counted, closed."""

from __future__ import annotations

from typing import NamedTuple

from ledger.store.port import Statements
from projections.cage.cage import NIGHTS
from projections.compliance.tables import SEALED, SHIFTS


class GamingDayState(NamedTuple):
    """A gaming day of the premises.

    Attributes:
        tables: how many opened for it, and how many of them are `still_open`.
        shifts: of all tables together, and how many the cage has `counted`.
        sealed_at: the sequence of the event that closed it; None while it is not closed.
    """

    gaming_day: str
    tables: int
    still_open: int
    shifts: int
    counted: int
    sealed_at: int | None

    def state(self, signed_for: int) -> str:
        """`open`, `to count`, `counted`, `closed`, or `sealed`, which is closed and under a checkpoint.

        Args:
            signed_for: the size of the last checkpoint.
        """
        if self.sealed_at is not None:
            return "sealed" if self.sealed_at <= signed_for else "closed"
        if self.still_open:
            return "open"
        return "counted" if self.counted >= self.shifts else "to count"


def gaming_days(
    statements: Statements, premises: str, limit: int, before: str | None = None
) -> list[GamingDayState]:
    """The last gaming days, the latest first; those before one, where that is given."""
    earlier, parameters = ("", [premises]) if before is None else (" AND gaming_day < ?", [premises, before])
    sql = (
        f"WITH recent AS (SELECT DISTINCT gaming_day FROM {NIGHTS.name} WHERE premises = ?{earlier} "
        "ORDER BY gaming_day DESC LIMIT ?) "
        "SELECT night.gaming_day, COUNT(DISTINCT night.table_name), "
        "COUNT(DISTINCT CASE WHEN night.closer IS NULL THEN night.table_name END), "
        "COUNT(shift.begun), COUNT(CASE WHEN shift.begun IS NOT NULL THEN shift.counted END), "
        "MAX(day.sealed) "
        # as it is written: SQLite takes a CROSS JOIN in this order, and begins with the few days
        f"FROM recent CROSS JOIN {NIGHTS.name} AS night "
        f"LEFT JOIN {SHIFTS.name} AS shift ON shift.premises = night.premises "
        "AND shift.table_name = night.table_name AND shift.gaming_day = night.gaming_day "
        f"LEFT JOIN {SEALED.name} AS day ON day.premises = night.premises "
        "AND day.gaming_day = night.gaming_day "
        "WHERE night.premises = ? AND night.gaming_day = recent.gaming_day "
        "GROUP BY night.gaming_day ORDER BY night.gaming_day DESC"
    )
    rows = statements.execute(sql, [*parameters, limit, premises])
    return [GamingDayState(*row) for row in rows]
