"""The books of a gaming day: what the cage counted of a shift, and how a table reconciles. Minor units."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ledger.terms.identifiers import Name
from ledger.terms.money import Amount
from ledger.terms.value import Value, Word

ADJUSTMENT = "adjustment"
"""Stands for the shift of what is booked on a later day than its own, because that one was sealed."""

Difference = Annotated[int, Field(strict=True, ge=-(2**63), le=2**63 - 1)]
"""Minor units, signed."""


class CountedShift(Value):
    """One table and shift on the cage's count sheet.

    Attributes:
        opener, closer: the float when the shift began and when it ended.
        fills, credits: chips from and to the cage, by the slips named.
        drop: the cash box.
        fill_slips, credit_slips: their serial numbers; None where the sheet does not say.
    """

    shift: Name
    opener: Amount
    closer: Amount
    fills: Amount = 0
    credits: Amount = 0
    drop: Amount
    fill_slips: tuple[Name, ...] | None = None
    credit_slips: tuple[Name, ...] | None = None

    @property
    def win(self) -> int:
        """Win by inventory: drop + closer + credits - opener - fills (domain §4.1)."""
        return self.drop + self.closer + self.credits - self.opener - self.fills


class ReconciledTable(Value):
    """How a table's gaming day came out.

    `variance` is what the wagers say the house won (and took in charges) less what the count says.
    """

    table: Name
    win_by_wagers: Difference
    charges: Amount = 0
    win_by_inventory: Difference
    variance: Difference
    cause: Name | None = None
    explanation: Annotated[str, Field(max_length=500)] | None = None


class Account(Word):
    """What an adjustment may be booked to: a figure of the count, or a correction that went wrong."""

    DROP = "drop"
    FILLS = "fills"
    CREDITS = "credits"
    OPENER = "opener"
    CLOSER = "closer"
    CHARGES = "charges"
    VARIANCE = "variance"
