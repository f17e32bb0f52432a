"""Where something is booked: premises, table, gaming day and shift, as read tables hold them."""

from __future__ import annotations

from typing import NamedTuple

from ledger.events.coup import CoupCorrected, CoupVoided
from ledger.terms.books import ADJUSTMENT


class Night(NamedTuple):
    """One table's one gaming day."""

    premises: str
    table: str
    gaming_day: str
    """YYYY-MM-DD, which sorts as the days do."""


def night_of(stream: str) -> Night:
    """The night that a table's stream is of: `table/PREMISES/TABLE/GAMING-DAY`."""
    _, premises, table, gaming_day = stream.split("/")
    return Night(premises, table, gaming_day)


def booked(ruling: CoupCorrected | CoupVoided) -> tuple[str, str]:
    """The gaming day and shift that a ruling on a coup is booked on.

    Its coup's own, unless that day was sealed before the ruling.
    """
    if ruling.booked_on is not None:
        return ruling.booked_on.isoformat(), ADJUSTMENT
    return ruling.conditions.gaming_day.isoformat(), ruling.conditions.shift
