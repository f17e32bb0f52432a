"""Profit and loss of every table, shift and gaming day.

Two tables of whole numbers, added to and never recomputed: coups and drops, and wagers by everything that
the figures are made from. The figures themselves are exact arithmetic on those when they are read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ledger.events.base import LedgerEvent
from ledger.events.coup import CoupSettled, CoupVoided, IrregularityFound
from ledger.events.table import DropCounted
from ledger.regulation.bank import capacities_allowed
from ledger.store.port import Statements
from ledger.terms.formats import format_named
from ledger.terms.house import BankedBy, Capacity, Conditions

Key = tuple[Any, ...]
Sums = dict[Key, list[int]]

_WHERE_AND_WHEN = "premises, table_name, gaming_day, shift, banked_by, format, currency"
_COUP_SUMS = ("settled", "voided", "held", "voided_stakes", "drops", "drop_amount")
_WAGER_KEY = f"{_WHERE_AND_WHEN}, profile, decks, banker_on_draw, kind, tender, outcome"
_WAGER_SUMS = ("wagers", "stakes", "winnings")


def _create(name: str, key: str, sums: Sequence[str]) -> str:
    columns = [f"{column} {'BIGINT' if column == 'decks' else 'TEXT'} NOT NULL" for column in key.split(", ")]
    columns += [f"{column} BIGINT NOT NULL" for column in sums]
    return f"CREATE TABLE IF NOT EXISTS {name} ({', '.join(columns)}, PRIMARY KEY ({key}))"


def _add(name: str, key: str, sums: Sequence[str]) -> str:
    marks = ", ".join("?" * (len(key.split(", ")) + len(sums)))
    added = ", ".join(f"{column} = {name}.{column} + excluded.{column}" for column in sums)
    return f"INSERT INTO {name} VALUES ({marks}) ON CONFLICT ({key}) DO UPDATE SET {added}"


_ADD_COUPS = _add("table_pnl_coups", _WHERE_AND_WHEN, _COUP_SUMS)
_ADD_WAGERS = _add("table_pnl_wagers", _WAGER_KEY, _WAGER_SUMS)


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


def _settled(event: CoupSettled, coups: Sums, wagers: Sums) -> None:
    pinned = event.conditions
    key = _key(event.premises, event.table, pinned)
    sums = coups[key]
    sums[0] += 1
    sums[2] -= event.ruled
    for total in event.totals:
        entry = wagers[
            *key,
            pinned.profile,
            pinned.decks,
            pinned.terms.banker_on_draw.value,
            total.kind.value,
            total.tender.value,
            total.outcome.value,
        ]
        entry[0] += total.wagers
        entry[1] += total.stakes
        entry[2] += total.winnings


def _voided(event: CoupVoided, coups: Sums, _wagers: Sums) -> None:
    sums = coups[_key(event.premises, event.table, event.conditions)]
    sums[1] += 1
    sums[2] -= event.was_held
    sums[3] += event.stakes


def _held(event: IrregularityFound, coups: Sums, _wagers: Sums) -> None:
    coups[_key(event.premises, event.table, event.conditions)][2] += 1


def _dropped(event: DropCounted, coups: Sums, _wagers: Sums) -> None:
    by_player = Capacity.PLAYER in capacities_allowed(format_named(event.format))
    key = (
        event.premises,
        event.table,
        event.gaming_day.isoformat(),
        event.shift,
        (BankedBy.PLAYER if by_player else BankedBy.HOUSE).value,
        event.format,
        event.currency,
    )
    sums = coups[key]
    sums[4] += 1
    sums[5] += event.amount


_FOLD: Mapping[type[LedgerEvent], Callable[[Any, Sums, Sums], None]] = {
    CoupSettled: _settled,
    CoupVoided: _voided,
    IrregularityFound: _held,
    DropCounted: _dropped,
}


class TablePnl:
    """The projection. See ledger-wide: `projections.runner.Projection`."""

    name = "table_pnl"
    topics = tuple(event.TOPIC for event in _FOLD)
    tables = (
        _create("table_pnl_coups", _WHERE_AND_WHEN, _COUP_SUMS),
        _create("table_pnl_wagers", _WAGER_KEY, _WAGER_SUMS),
    )

    def fold(self, events: Sequence[LedgerEvent], statements: Statements) -> None:
        """Add a batch up in memory, then add it to the tables, a statement for each."""
        coups: Sums = defaultdict(lambda: [0] * len(_COUP_SUMS))
        wagers: Sums = defaultdict(lambda: [0] * len(_WAGER_SUMS))
        for event in events:
            _FOLD[type(event)](event, coups, wagers)
        statements.executemany(_ADD_COUPS, [(*key, *sums) for key, sums in coups.items()])
        statements.executemany(_ADD_WAGERS, [(*key, *sums) for key, sums in wagers.items()])
