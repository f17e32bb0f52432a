"""Odds as the law writes them: exact ratios of winnings to stake."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple


class Odds(NamedTuple):
    """`Odds(19, 20)` is "19 to 20": a winning stake of 20 is paid 19 and handed back."""

    winnings: int
    stake: int

    def on(self, stake: int) -> Fraction:
        """The exact winnings of `stake`, in the stake's unit."""
        return Fraction(stake * self.winnings, self.stake)

    def exactly_on(self, stake: int, unit: int) -> int | None:
        """The winnings of `stake` where they come out in whole multiples of `unit`; else None.

        The same question as `on`, asked in whole numbers: nearly every wager ever settled stops here.
        """
        due, part = divmod(stake * self.winnings, self.stake)
        return due if not part and not due % unit else None

    def __str__(self) -> str:
        return f"{self.winnings}/{self.stake}"
