"""The premises' gaming day: which tables played on it, what the cage counted, and how it was closed.

All amounts in minor units.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from ledger.events.base import LedgerEvent
from ledger.terms.books import Account, CountedShift, ReconciledTable
from ledger.terms.identifiers import Name
from ledger.terms.money import Count, Currency
from ledger.terms.value import GamingDay


class TableListed(LedgerEvent):
    """A table opened for this gaming day: the day cannot be closed without it."""

    TOPIC: ClassVar[str] = "table-listed.v1"

    premises: Name
    gaming_day: GamingDay
    table: Name
    currency: Currency
    format: Name


class CountRecorded(LedgerEvent):
    """What the cage's count sheet says of one table and shift; a later one for the same takes its place."""

    TOPIC: ClassVar[str] = "count-recorded.v1"

    premises: Name
    gaming_day: GamingDay
    table: Name
    currency: Currency
    counted: CountedShift
    signed_by: tuple[Name, ...]


class DayReconciled(LedgerEvent):
    """What the wagers say each table won, against what the cage counted."""

    TOPIC: ClassVar[str] = "day-reconciled.v1"

    premises: Name
    gaming_day: GamingDay
    position: Count
    """The figures are of the record up to this event."""
    tables: tuple[ReconciledTable, ...]


class DaySealed(LedgerEvent):
    """The day is closed. Nothing is booked on it any more: later facts go on an open day, and name it."""

    TOPIC: ClassVar[str] = "day-sealed.v1"

    premises: Name
    gaming_day: GamingDay
    signed_by: tuple[Name, ...]


class AdjustmentBooked(LedgerEvent):
    """A fact that came to light after its gaming day, `adjusts`, was sealed; booked on an open one.

    `amount` is signed: what it adds to the account's figure.
    """

    TOPIC: ClassVar[str] = "adjustment-booked.v1"

    premises: Name
    gaming_day: GamingDay
    adjusts: GamingDay
    table: Name
    currency: Currency
    account: Account
    amount: Annotated[int, Field(strict=True, ge=-(10**15), le=10**15)]
    reason: str
    approvers: tuple[Name, ...]
    evidence: str | None = None
    format: Name | None = None
    """What the table dealt on the day adjusted."""
