"""The chemin de fer table of the evening tape: the bank goes from player to player."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import ClassVar

from ledger.terms.house import BankedBy
from ledger.terms.wagers import Outcome, SettlementLine, Wager
from ops.rehearsal.play import Dealt, chemin_de_fer
from ops.rehearsal.setting import Line, Setting
from ops.rehearsal.shoe import Shoe
from ops.rehearsal.table import TapedTable
from ops.rehearsal.tray import Patron

RETIRES_AFTER = 3
"""Coups won in a row, from which a banker thinks of leaving it at that."""


class CheminTable(TapedTable):
    """Wagers on the player's hand, up to the bank. The house has no part in it, so the float stays."""

    dealers: ClassVar[dict[str, str]] = {"1": "croupier-01", "2": "croupier-04"}
    banked_by: ClassVar[BankedBy] = BankedBy.PLAYER

    def __init__(self, setting: Setting, rng: random.Random) -> None:
        super().__init__(setting, rng)
        self.holder: Patron | None = None
        self.sum = self.put_up = 0
        self.early = False
        """Whether the next coup after a loss is to be reported before the bank has passed."""
        self.must_pass = False
        self.won = 0
        """Coups that the banker has won in a row."""

    def bank(self) -> int | None:
        """What the banker has put up and won."""
        return self.sum

    def which(self) -> Line:
        """Which coup, and at once also which bank stands for it."""
        bank = {} if self.early or self.coup in self.setting.by_steps else {"bank": self.sum}
        return {**super().which(), **bank}

    def before_coup(self) -> Iterator[Line]:
        """The bank passes when it lost; it is taken when nobody holds it; a lucky banker may retire."""
        at_once = self.coup not in self.setting.by_steps
        self.early = self.early or self.case() == "before the bank has passed"
        if self.holder is None:
            if self.case() == "house takes the bank":
                house = {"holder": "house", "capacity": "licence-holder", "sum": 100_000}
                yield self.say("take-bank", **house)
                self.wait(20, 40)
            yield self.bank_goes_to_next("take-bank")
        elif self.must_pass and not (self.early and at_once):
            yield self.bank_goes_to_next("pass-bank")
        elif not self.must_pass and self.won >= RETIRES_AFTER and self.rng.random() < 0.5:
            yield self.say("retire-bank")
            self.wait(20, 40)
            yield self.bank_goes_to_next("take-bank")
        else:
            return
        self.wait(10, 20)

    def before_close(self) -> Iterator[Line]:
        """The last banker takes the bank away."""
        yield self.say("retire-bank")
        self.wait(60, 90)

    def bank_goes_to_next(self, command: str) -> Line:
        """The next patron in order of seats puts up a bank."""
        self.next_banker()
        return self.say_bank(command)

    def next_banker(self) -> None:
        """Who that is, and how much."""
        after = [patron for patron in self.seated if self.holder and patron.seat > self.holder.seat]
        self.holder = (after or self.seated)[0]
        self.bankers_seat = self.holder.seat
        self.sum = self.put_up = self.holder.stake * self.rng.choice((6, 8, 10, 12))
        self.must_pass, self.won = False, 0

    def say_bank(self, command: str) -> Line:
        """The line that says so."""
        if self.holder is None:
            msg = "a bank has a holder"
            raise AssertionError(msg)
        return self.say(
            command,
            holder=self.holder.token,
            capacity="player",
            sum=self.put_up,
            seat=self.holder.seat,
        )

    def play_coup(self) -> Iterator[Line]:
        """Once a coup is reported before its bank has passed: it is refused, and reported again."""
        if not self.must_pass:
            yield from super().play_coup()
            return
        self.next_banker()
        line = self.coup_at_once()
        yield line
        self.early = False
        self.wait(20, 30)
        yield self.say_bank("pass-bank")
        self.wait(5, 10)
        yield self.say_again(line)

    def offers(self) -> list[Line]:
        """Somebody goes banco, or the others stake what they like; the bank may not cover it all."""
        rng = self.rng
        others = [patron for patron in self.seated if patron is not self.holder]
        if rng.random() < 0.15:
            offers = [self.offer("player", self.sum, rng.choice(others))]
        else:
            offers = [
                self.offer("player", patron.stake * rng.choice((1, 1, 2, 3)), patron)
                for patron in others
                if rng.random() < 0.75
            ] or [self.offer("player", others[0].stake, others[0])]
        if self.case() == "tie":
            offers.append(self.offer("tie", 1_000, others[0]))
        return offers

    def deal(self, shoe: Shoe, _accepted: list[Wager]) -> Dealt:
        """With choices on both sides; who staked most plays the hand, which the tape does not say."""
        return chemin_de_fer(shoe, self.rng)

    def take_and_pay(self, lines: tuple[SettlementLine, ...]) -> None:
        """The bank grows by what it wins; when it loses it must pass."""
        lost = sum(line.stake for line in lines if line.outcome is Outcome.LOST)
        winnings = sum(line.winnings for line in lines)
        self.sum += lost - winnings
        self.must_pass = winnings > 0
        self.won += lost > 0

    def count_drop(self) -> int:
        """Nobody buys in here."""
        return 0

    def closer(self) -> int:
        """The float as it was opened."""
        return self.setting.opener
