"""The books of a house for tests: folded in batches of any size, and read in the accounts' own names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any
from unittest.mock import patch

from ops.wiring import House
from projections import runner
from projections.pnl.views import PnlFilter
from projections.postings.postings import Postings
from projections.postings.views import Balance, BookedEntry, balances, entries

Moves = dict[str, int]
Told = tuple[str, str | None, Moves]


def fold_books(house: House, batch_events: int = 100_000) -> None:
    """Fold what is new into the books, about so many events at a time."""
    with patch.object(runner, "PAGE_EVENTS", batch_events):
        house.runner((Postings(),)).catch_up()


def booked(house: House, wanted: PnlFilter | None = None, page_rows: int = 3) -> list[BookedEntry]:
    """Every entry, read in small pages."""
    with house.tables.snapshot() as statements:
        return list(entries(statements, wanted or PnlFilter(), page_rows))


def balanced(house: House, wanted: PnlFilter | None = None) -> list[Balance]:
    with house.tables.snapshot() as statements:
        return balances(statements, wanted or PnlFilter())


def moves(entry: BookedEntry | Balance) -> Moves:
    """What each account that moved got, or gave (less than 0), in whole minor units."""
    return {posting.account.value: posting.amount for posting in entry.postings if posting.amount}


def told(house: House) -> list[Told]:
    """Each entry as its name, what it is about, and what it moved."""
    fold_books(house)
    return [(entry.entry, entry.about, moves(entry)) for entry in booked(house)]


def sums(found: Iterable[BookedEntry | Balance]) -> Moves:
    """What all of them moved together."""
    added: defaultdict[str, int] = defaultdict(int)
    for one in found:
        for account, amount in moves(one).items():
            added[account] += amount
    return {account: amount for account, amount in added.items() if amount}


def everything(house: House) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table of the projection."""
    with house.tables.snapshot() as statements:
        return {
            table.name: sorted(statements.execute(f"SELECT * FROM {table.name}"), key=str)
            for table in Postings.tables
        }
