"""Tables for the comparison, in few words: what the ledger has, and what was counted. Minor units."""

from __future__ import annotations

from typing import Any

from ledger.terms.books import CountedShift
from projections.reconciliation.reconciliation import Comparison, ShiftBooks, TableBooks, compare

FLOAT = 1_000_000


def shift(name: str = "1", **facts: Any) -> ShiftBooks:
    """What the ledger has of a shift. The float was £10,000.00 before and after, unless said otherwise."""
    return ShiftBooks(name, **{"opener": FLOAT, "closer": FLOAT, "drop": 0, **facts})


def books(*shifts: ShiftBooks, table: str = "T1", **facts: Any) -> TableBooks:
    """What the ledger has of a table's day."""
    return TableBooks(table, facts.pop("currency", "GBP"), "punto-banco", shifts or (shift(),), **facts)


def counted(name: str = "1", **figures: Any) -> CountedShift:
    """A count of the same float, no slips named unless said otherwise."""
    return CountedShift(shift=name, **{"opener": FLOAT, "closer": FLOAT, "drop": 0, **figures})


def compared(
    table: TableBooks, *counts: CountedShift, threshold: int = 2500, others: tuple[Any, ...] = ()
) -> list[Comparison]:
    """This table beside its counts, and others as (books, count) after it."""
    pairs = [(table, counts or (counted(),)), *((one, (count,)) for one, count in others)]
    by_table = {one.table: {count.shift: count for count in of_it} for one, of_it in pairs}
    return compare([one for one, _ in pairs], by_table, {table.currency: threshold})
