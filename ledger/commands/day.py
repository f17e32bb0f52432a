"""Commands about the premises' gaming day: what the cage counted, the close, and what comes after it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from ledger.commands.base import LedgerCommand, Reason, Signatures, TableCommand
from ledger.terms.books import Account, CountedShift, ReconciledTable
from ledger.terms.identifiers import Name
from ledger.terms.value import GamingDay


class RecordCount(TableCommand):
    """What the cage's count sheet says of one table and shift of a gaming day."""

    command: Literal["record-count"] = "record-count"
    gaming_day: GamingDay
    counted: CountedShift
    signed_by: Signatures = ()


def _adds_up(table: ReconciledTable) -> ReconciledTable:
    if table.variance != table.win_by_wagers + table.charges - table.win_by_inventory:
        msg = f"the variance of {table.table} is not its win by wagers plus charges less its win by inventory"
        raise ValueError(msg)
    return table


class CloseDay(LedgerCommand):
    """Close the premises' gaming day: what its tables came to, signed by somebody of neither pit nor cage.

    `position` is the sequence up to which the record was read for the figures, and `unfinished` are the coups
    that had not ended there: with any, the day cannot close. That the figures are the record's is
    for whoever sends them to know; that they add up is checked.
    """

    command: Literal["close-day"] = "close-day"
    gaming_day: GamingDay
    position: Annotated[int, Field(strict=True, ge=0)]
    tables: Annotated[
        tuple[Annotated[ReconciledTable, AfterValidator(_adds_up)], ...], Field(max_length=1000)
    ]
    unfinished: Annotated[tuple[str, ...], Field(max_length=10_000)] = ()
    signed_by: Annotated[Signatures, Field(min_length=1)]


class BookAdjustment(TableCommand):
    """A fact about a sealed gaming day, `adjusts`: it goes on the premises' open day. Two approvers."""

    command: Literal["book-adjustment"] = "book-adjustment"
    adjusts: GamingDay
    account: Account
    amount: Annotated[int, Field(strict=True, ge=-(10**15), le=10**15)]
    reason: Reason
    approvers: Annotated[tuple[Name, ...], Field(min_length=1, max_length=5)]
    evidence: Annotated[str, Field(max_length=500)] | None = None
