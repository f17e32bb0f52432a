"""Profit and loss of every table, shift and gaming day.

Two tables of whole numbers, added to and never recomputed: coups and drops, and wagers by everything that
the figures are made from. The figures themselves are exact arithmetic on those when they are read.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ledger.events.base import LedgerEvent
from ledger.events.coup import CoupCorrected, CoupOpened, CoupSettled, CoupVoided, IrregularityFound
from ledger.events.table import DropCounted
from ledger.regulation.bank import capacities_allowed
from ledger.store.port import Statements
from ledger.terms.formats import format_named
from ledger.terms.house import BankedBy, Capacity, Conditions
from ledger.terms.wagers import Total

Key = tuple[Any, ...]
Sums = defaultdict[Key, Counter[str]]

WHERE_AND_WHEN = "premises, table_name, gaming_day, shift, banked_by, format, currency"
"""What a row of either table belongs to, in this order."""
COUP_SUMS = ("in_hand", "settled", "voided", "held", "voided_stakes", "drops", "drop_amount")
WAGER_BASIS = "profile, decks, banker_on_draw, kind, tender, outcome"
"""What the figures of a row's wagers follow from, in this order."""
WAGER_SUMS = ("wagers", "stakes", "winnings")
_WAGER_KEY = f"{WHERE_AND_WHEN}, {WAGER_BASIS}"


def _create(name: str, key: str, sums: Sequence[str]) -> str:
    columns = [f"{column} {'BIGINT' if column == 'decks' else 'TEXT'} NOT NULL" for column in key.split(", ")]
    columns += [f"{column} BIGINT NOT NULL" for column in sums]
    return f"CREATE TABLE IF NOT EXISTS {name} ({', '.join(columns)}, PRIMARY KEY ({key}))"


def _add(name: str, key: str, sums: Sequence[str]) -> str:
    marks = ", ".join("?" * (len(key.split(", ")) + len(sums)))
    added = ", ".join(f"{column} = {name}.{column} + excluded.{column}" for column in sums)
    return f"INSERT INTO {name} VALUES ({marks}) ON CONFLICT ({key}) DO UPDATE SET {added}"


_ADD_COUPS = _add("table_pnl_coups", WHERE_AND_WHEN, COUP_SUMS)
_ADD_WAGERS = _add("table_pnl_wagers", _WAGER_KEY, WAGER_SUMS)


def _key(premises: str, table: str, conditions: Conditions) -> Key:
    return (
        premises,
        table,
        conditions.gaming_day.isoformat(),
        conditions.shift,
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


def _opened(event: CoupOpened, coups: Sums, _wagers: Sums) -> None:
    coups[_key(event.premises, event.table, event.conditions)]["in_hand"] += 1


def _settled(event: CoupSettled, coups: Sums, wagers: Sums) -> None:
    key = _key(event.premises, event.table, event.conditions)
    sums = coups[key]
    sums["settled"] += 1
    sums["held" if event.ruled else "in_hand"] -= 1
    _add_totals(key, event.conditions, event.totals, 1, wagers)


def _corrected(event: CoupCorrected, _coups: Sums, wagers: Sums) -> None:
    key = _key(event.premises, event.table, event.conditions)
    _add_totals(key, event.conditions, event.reversed_totals, -1, wagers)
    _add_totals(key, event.conditions, event.totals, 1, wagers)


def _voided(event: CoupVoided, coups: Sums, wagers: Sums) -> None:
    key = _key(event.premises, event.table, event.conditions)
    was = "settled" if event.supersedes is not None else "held" if event.was_held else "in_hand"
    sums = coups[key]
    sums[was] -= 1
    sums["voided"] += 1
    sums["voided_stakes"] += event.stakes
    _add_totals(key, event.conditions, event.reversed_totals or (), -1, wagers)


def _held(event: IrregularityFound, coups: Sums, _wagers: Sums) -> None:
    sums = coups[_key(event.premises, event.table, event.conditions)]
    sums["in_hand"] -= 1
    sums["held"] += 1


def _dropped(event: DropCounted, coups: Sums, _wagers: Sums) -> None:
    by_player = Capacity.PLAYER in capacities_allowed(format_named(event.format))
    sums = coups[
        event.premises,
        event.table,
        event.gaming_day.isoformat(),
        event.shift,
        (BankedBy.PLAYER if by_player else BankedBy.HOUSE).value,
        event.format,
        event.currency,
    ]
    sums["drops"] += 1
    sums["drop_amount"] += event.amount


_FOLD: Mapping[type[LedgerEvent], Callable[[Any, Sums, Sums], None]] = {
    CoupOpened: _opened,
    CoupSettled: _settled,
    CoupCorrected: _corrected,
    CoupVoided: _voided,
    IrregularityFound: _held,
    DropCounted: _dropped,
}


class TablePnl:
    """The projection; see `projections.runner.Projection`."""

    name = "table_pnl"
    topics = tuple(event.TOPIC for event in _FOLD)
    tables = (
        _create("table_pnl_coups", WHERE_AND_WHEN, COUP_SUMS),
        _create("table_pnl_wagers", _WAGER_KEY, WAGER_SUMS),
    )

    def fold(self, events: Sequence[LedgerEvent], statements: Statements) -> None:
        """Add a batch up in memory, then add it to the tables, a statement for each."""
        coups: Sums = defaultdict(Counter)
        wagers: Sums = defaultdict(Counter)
        for event in events:
            _FOLD[type(event)](event, coups, wagers)
        statements.executemany(_ADD_COUPS, _rows(coups, COUP_SUMS))
        statements.executemany(_ADD_WAGERS, _rows(wagers, WAGER_SUMS))


def _rows(sums: Sums, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    return [(*key, *(counted[column] for column in columns)) for key, counted in sums.items()]
