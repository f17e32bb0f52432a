"""Open houses for tests: a ledger and its read tables, and their P&L in the contract's words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ledger.store.sqlite_read_tables import SQLiteReadTables
from ops.wiring import House, open_house
from projections.pnl.views import PnlFilter, PnlRow, Span, pnl
from tests.tabletalk import NOON, command, open_ledger

Line = dict[str, Any]
Row = dict[str, Any]

EVENING = Path(__file__).parents[2] / "ops" / "rehearsal" / "evening.ndjson"
KEY = ("premises", "table", "gaming_day", "shift", "banked_by")
COUNTED = (
    "coups",
    "voided",
    "held",
    "wagers",
    "handle",
    "lost_stakes",
    "winnings",
    "win",
    "banker_win",
    "void_stakes",
    "stand_off_stakes",
    "voided_coup_stakes",
)
CONTRACT = (*KEY, *COUNTED, "remainder", "theoretical_win", "drop", "hold")
"""The fields of a P&L row that other systems rely on."""


def evening() -> list[Line]:
    """The lines of the evening tape."""
    return [json.loads(line) for line in EVENING.read_bytes().splitlines()]


@contextmanager
def house_at(path: Path | str) -> Iterator[House]:
    """The ledger on this file or server, made if it is not there, on a day after every tape's."""
    with open_house(str(path), create=True, clock=lambda: NOON) as house:
        yield house


@contextmanager
def house_in_memory() -> Iterator[House]:
    """An empty ledger; hypothesis wants one for each example."""
    ledger, tables = open_ledger(":memory:"), SQLiteReadTables(":memory:")
    try:
        yield House(ledger, tables)
    finally:
        tables.close()
        ledger.close()


def take(house: House, lines: Iterable[Line]) -> None:
    """Run every line, in one transaction."""
    house.ledger.run_many([command(line) for line in lines])


def read(house: House, wanted: PnlFilter | None = None, span: Span = Span.SHIFT) -> list[PnlRow]:
    """The P&L as the read tables have it now."""
    with house.tables.snapshot() as statements:
        return pnl(statements, wanted or PnlFilter(), span)


def in_contract(rows: Iterable[PnlRow]) -> list[Row]:
    """Rows as programs get them, with the contract's fields, in the oracle's order."""
    told = [{name: row.as_json()[name] for name in CONTRACT} for row in rows]
    return sorted(told, key=lambda row: [row[name] or "" for name in KEY])
