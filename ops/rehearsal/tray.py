"""The money at a table on the tape: patrons' purses, the float, the cash box. Minor units."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ledger.terms.wagers import Outcome, SettlementLine, Tender

BUY_IN = 5_000
"""Patrons buy in for a multiple of this."""


@dataclass
class Patron:
    """Somebody at the table: a token, and how they play.

    Attributes:
        stake: what they mostly stake.
        vouchers: whether they now and then stake promotional chips.
        purse: the value chips in front of them.
    """

    token: str
    seat: int
    stake: int
    vouchers: bool = False
    purse: int = 0


def chips(value: int, denominations: tuple[int, ...]) -> dict[str, int]:
    """Chips of this value, as a tape holds them: two thirds in the largest, and so on downwards.

    Args:
        value: a multiple of the smallest denomination.
        denominations: the largest first.
    """
    held: dict[str, int] = {}
    *larger, smallest = denominations
    for denomination in larger:
        held[str(denomination)] = value * 2 // 3 // denomination
        value -= held[str(denomination)] * denomination
    held[str(smallest)] = value // smallest
    return held


class Tray:
    """The float and the cash box of a house-banked table.

    Cash goes into the box, and so do promotional chips that are lost: both are in the drop, at face value.
    So drop + closer + credits - opener - fills is what the wagers say the house won.
    """

    def __init__(self, float_: int) -> None:
        self.float = float_
        self.box = 0

    def buy_in(self, patron: Patron) -> None:
        """The patron buys chips for cash, when few are left in front of them."""
        if patron.purse < 6 * patron.stake:
            amount = -(-20 * patron.stake // BUY_IN) * BUY_IN
            patron.purse += amount
            self.float -= amount
            self.box += amount

    def settle(self, lines: Iterable[SettlementLine], patrons: dict[str, Patron]) -> None:
        """Losing chips are taken, then winning ones are paid."""
        for line in lines:
            patron = patrons[line.patron or ""]
            if line.outcome is Outcome.LOST:
                if line.tender is Tender.PROMOTIONAL:
                    self.box += line.stake
                else:
                    self.float += line.stake
                    patron.purse -= line.stake
            patron.purse += line.winnings
            self.float -= line.winnings

    def count_box(self) -> int:
        """Empty the box. Returns the drop."""
        drop, self.box = self.box, 0
        return drop
