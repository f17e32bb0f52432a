"""Profit and loss of every table, shift and gaming day.

Two tables of whole numbers, added to and never recomputed: coups and drops, and wagers by everything that
the figures are made from. The figures themselves are exact arithmetic on those when they are read.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ledger.events.coup import CoupCorrected, CoupOpened, CoupSettled, CoupVoided, IrregularityFound
from ledger.events.day import AdjustmentBooked
from ledger.events.table import DropCounted
from ledger.regulation.bank import capacities_allowed
from ledger.terms.books import ADJUSTMENT, Account
from ledger.terms.formats import format_named
from ledger.terms.house import BankedBy, Capacity, Conditions
from ledger.terms.wagers import Total
from projections.nights import booked
from projections.read_table import NUMBER, TEXT, Columns, ReadTable, Writes

Key = tuple[Any, ...]
Sums = defaultdict[Key, Counter[str]]

WHERE_AND_WHEN: Columns = dict.fromkeys(
    ("premises", "table_name", "gaming_day", "shift", "banked_by", "format", "currency"), TEXT
)
"""What a row of either table belongs to."""
WAGER_BASIS: Columns = {
    "profile": TEXT,
    "decks": NUMBER,
    "banker_on_draw": TEXT,
    "kind": TEXT,
    "tender": TEXT,
    "outcome": TEXT,
}
"""What the figures of a row's wagers follow from."""

COUPS = ReadTable(
    "table_pnl_coups",
    WHERE_AND_WHEN,
    dict.fromkeys(("in_hand", "settled", "voided", "held", "voided_stakes", "drops", "drop_amount"), NUMBER),
)
WAGERS = ReadTable(
    "table_pnl_wagers",
    {**WHERE_AND_WHEN, **WAGER_BASIS},
    dict.fromkeys(("wagers", "stakes", "winnings"), NUMBER),
)


class _Batch:
    """What a batch adds up to, by the keys of the tables."""

    def __init__(self) -> None:
        self.coups: Sums = defaultdict(Counter)
        self.wagers: Sums = defaultdict(Counter)

    def take(self, _: int, event: Any) -> None:
        _FOLD[event.TOPIC](self, event)

    def write(self, into: Writes) -> None:
        into.executemany(COUPS.add, _rows(self.coups, COUPS.values))
        into.executemany(WAGERS.add, _rows(self.wagers, WAGERS.values))


def _rows(sums: Sums, columns: Iterable[str]) -> list[tuple[Any, ...]]:
    return [(*key, *(counted[column] for column in columns)) for key, counted in sums.items()]


def _key(premises: str, table: str, conditions: Conditions, booked_on: tuple[str, str] | None = None) -> Key:
    gaming_day, shift = booked_on or (conditions.gaming_day.isoformat(), conditions.shift)
    return (
        premises,
        table,
        gaming_day,
        shift,
        conditions.banked_by.value,
        conditions.format,
        conditions.currency,
    )


def _add_totals(key: Key, pinned: Conditions, totals: Sequence[Total], sign: int, wagers: Sums) -> None:
    """Add settled wagers to their sums, or take them back (`sign` -1)."""
    for total in totals:
        sums = wagers[
            *key,
            pinned.profile,
            pinned.decks,
            pinned.terms.banker_on_draw.value,
            total.kind.value,
            total.tender.value,
            total.outcome.value,
        ]
        sums["wagers"] += sign * total.wagers
        sums["stakes"] += sign * total.stakes
        sums["winnings"] += sign * total.winnings


def _opened(batch: _Batch, event: CoupOpened) -> None:
    batch.coups[_key(event.premises, event.table, event.conditions)]["in_hand"] += 1


def _settled(batch: _Batch, event: CoupSettled) -> None:
    key = _key(event.premises, event.table, event.conditions)
    sums = batch.coups[key]
    sums["settled"] += 1
    sums["held" if event.ruled else "in_hand"] -= 1
    _add_totals(key, event.conditions, event.totals, 1, batch.wagers)


def _corrected(batch: _Batch, event: CoupCorrected) -> None:
    key = _key(event.premises, event.table, event.conditions, booked(event))
    batch.coups[key]["settled"] += 0  # that there is a row
    _add_totals(key, event.conditions, event.reversed_totals, -1, batch.wagers)
    _add_totals(key, event.conditions, event.totals, 1, batch.wagers)


def _voided(batch: _Batch, event: CoupVoided) -> None:
    key = _key(event.premises, event.table, event.conditions, booked(event))
    was = "settled" if event.supersedes is not None else "held" if event.was_held else "in_hand"
    sums = batch.coups[key]
    sums[was] -= 1
    sums["voided"] += 1
    sums["voided_stakes"] += event.stakes
    _add_totals(key, event.conditions, event.reversed_totals or (), -1, batch.wagers)


def _held(batch: _Batch, event: IrregularityFound) -> None:
    sums = batch.coups[_key(event.premises, event.table, event.conditions)]
    sums["in_hand"] -= 1
    sums["held"] += 1


def _side(format: str) -> str:
    """Who holds the bank where this is dealt."""
    by_player = Capacity.PLAYER in capacities_allowed(format_named(format))
    return (BankedBy.PLAYER if by_player else BankedBy.HOUSE).value


def _dropped(batch: _Batch, event: DropCounted) -> None:
    sums = batch.coups[
        event.premises,
        event.table,
        event.gaming_day.isoformat(),
        event.shift,
        _side(event.format),
        event.format,
        event.currency,
    ]
    sums["drops"] += 1
    sums["drop_amount"] += event.amount


def _adjusted(batch: _Batch, event: AdjustmentBooked) -> None:
    """A drop that was counted wrongly, of a day sealed since."""
    if event.account is not Account.DROP or event.format is None:
        return
    sums = batch.coups[
        event.premises,
        event.table,
        event.gaming_day.isoformat(),
        ADJUSTMENT,
        _side(event.format),
        event.format,
        event.currency,
    ]
    sums["drops"] += 1
    sums["drop_amount"] += event.amount


_FOLD: Mapping[str, Callable[[_Batch, Any], None]] = {
    CoupOpened.TOPIC: _opened,
    CoupSettled.TOPIC: _settled,
    CoupCorrected.TOPIC: _corrected,
    CoupVoided.TOPIC: _voided,
    IrregularityFound.TOPIC: _held,
    DropCounted.TOPIC: _dropped,
    AdjustmentBooked.TOPIC: _adjusted,
}


class TablePnl:
    """The projection; see `projections.projection.Projection`."""

    name = "table_pnl"
    version = 2
    topics = tuple(_FOLD)
    tables = (COUPS, WAGERS)

    def batch(self) -> _Batch:
        """Added up in memory, then added to the tables, a statement for each."""
        return _Batch()
