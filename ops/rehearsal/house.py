"""A house-banked table on the tape: its float, its fills and credits."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import ClassVar

from ledger.terms.wagers import SettlementLine
from ops.rehearsal.setting import Line, Setting
from ops.rehearsal.table import TapedTable
from ops.rehearsal.tray import Patron, Tray, chips


class HouseTable(TapedTable):
    """A table whose wagers the house covers out of a float that the cage fills and empties."""

    first_slip: ClassVar[int]
    move: ClassVar[int]
    """What a slip is mostly for, minor units: a float that far from its opener is put right."""

    def __init__(self, setting: Setting, rng: random.Random) -> None:
        super().__init__(setting, rng)
        self.tray = Tray(setting.opener)
        self.slip = self.first_slip
        self.plaques_back = False

    def before_coup(self) -> Iterator[Line]:
        """Chips from the cage when the float is low, chips to it when it is high.

        The second shift begins by sending back plaques that it does not need.
        """
        away = self.tray.float - self.setting.opener
        if self.shift == "2" and not self.plaques_back:
            self.plaques_back = True
            yield self.credit(self.move // 2, self.setting.denominations[:2])
        elif away <= -self.move:
            yield self.fill(self.move, self.setting.denominations[:-2])
        elif away >= self.move:
            yield self.credit(self.move, self.setting.denominations[:-2])
        else:
            return
        self.wait(30, 60)

    def fill(self, value: int, denominations: tuple[int, ...]) -> Line:
        """Chips from the cage."""
        self.tray.float += value
        return self.say_slip("fill-chips", value, denominations)

    def credit(self, value: int, denominations: tuple[int, ...]) -> Line:
        """Chips to the cage."""
        self.tray.float -= value
        return self.say_slip("credit-chips", value, denominations)

    def say_slip(self, command: str, value: int, denominations: tuple[int, ...]) -> Line:
        """A slip, under the next number of the table's series."""
        slip = f"{self.setting.name}-{self.slip:05d}"
        self.slip += 1
        signed_by = ["cashier-04", "security-02", *self.signatures()]
        return self.say(command, slip=slip, chips=chips(value, denominations), signed_by=signed_by)

    def stakes(self, patron: Patron, *, voucher: bool = False) -> Patron:
        """The patron, with chips enough for a wager."""
        if not voucher:
            self.tray.buy_in(patron)
        return patron

    def take_and_pay(self, lines: tuple[SettlementLine, ...]) -> None:
        """Losing chips go into the float, winnings come out of it."""
        everybody = {patron.token: patron for patrons in self.setting.seated.values() for patron in patrons}
        self.tray.settle(lines, everybody)

    def count_drop(self) -> int:
        """What the box of the shift holds."""
        return self.tray.count_box()

    def closer(self) -> int:
        """What is in the float."""
        return self.tray.float
