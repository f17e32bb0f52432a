"""The punto banco table of the evening tape, with a dealer who makes three mistakes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, ClassVar

from ledger.terms.hands import BANKER, PLAYER
from ledger.terms.wagers import Wager
from ops.rehearsal.house import HouseTable
from ops.rehearsal.play import Dealt, Mistake, punto_banco, total, written
from ops.rehearsal.setting import Line, Setting
from ops.rehearsal.shoe import Shoe

APPROVERS = ("duty-manager-01", "pit-manager-01")
RULED_AFTER = 4
"""Coups that are dealt while a held one is looked into."""
_OTHER = {"player": "banker", "banker": "player", "tie": "banker"}

MISTAKES = {
    "corrected": Mistake.SURPLUS,
    "void": Mistake.MISSING,
    "held": Mistake.SURPLUS,
}
"""What becomes of an irregular coup, to the mistake that made it one."""


class PuntoBancoTable(HouseTable):
    """Wagers on the player's hand, the banker's and equal hands."""

    dealers: ClassVar[dict[str, str]] = {"1": "dealer-07", "2": "dealer-12"}
    first_slip: ClassVar[int] = 4_411
    move: ClassVar[int] = 200_000

    def __init__(self, setting: Setting, rng: random.Random) -> None:
        super().__init__(setting, rng)
        self.to_come: list[str] = []
        self.slipped: str | None = None
        self.rulings: dict[int, tuple[str, Line, Dealt, list[Wager]]] = {}

    def before_coup(self) -> Iterator[Line]:
        """The rulings that are due, and the cage."""
        if ruling := self.rulings.pop(self.coup, None):
            yield self.ruling(*ruling)
            self.wait(10, 20)
        yield from super().before_coup()

    def offers(self) -> list[Line]:
        """Most of those at the table stake; now and then a tie, an odd amount or a voucher beside it."""
        rng = self.rng
        offers = []
        for patron in self.seated:
            if rng.random() < 0.3:
                continue
            voucher = patron.vouchers and rng.random() < 0.1
            kind = "banker" if rng.random() < 0.52 else "player"
            stake = 1_000 if voucher else patron.stake * rng.choice((1, 1, 1, 2, 3))
            if rng.random() < 0.25:
                stake += 250
            offers.append(self.offer(kind, stake, self.stakes(patron, voucher=voucher), voucher=voucher))
            if rng.random() < 0.1:
                offers.append(self.offer("tie", rng.choice((500, 1_000, 2_000)), self.stakes(patron)))
        outside = {"over the maximum": ("tie", 25_000), "under the minimum": ("player", 250)}
        if limits_tested := outside.get(self.case() or ""):
            offers.append(self.offer(*limits_tested, self.seated[0]))
        return offers

    def deal(self, shoe: Shoe, _accepted: list[Wager]) -> Dealt:
        """By the tableau, unless a mistake is due and the cards give occasion to it."""
        case = self.case()
        if case in MISTAKES:
            self.to_come.append(case)
        due = self.to_come[0] if self.to_come and self.coup not in self.setting.by_steps else None
        dealt, slipped = punto_banco(shoe, MISTAKES[due] if due else None)
        self.slipped = self.to_come.pop(0) if slipped else None
        return dealt

    def settle(self, accepted: list[Wager], dealt: Dealt) -> None:
        """A regular coup settles; an irregular one waits for its ruling."""
        if self.slipped is None:
            super().settle(accepted, dealt)
        elif self.slipped != "held":
            self.rulings[self.coup + RULED_AFTER] = self.slipped, self.which(), dealt, accepted

    def ruling(self, case: str, which: Line, dealt: Dealt, accepted: list[Wager]) -> Line:
        """What the surveillance picture showed, and what two managers make of it."""
        at = f"surveillance PB1 camera 2, coup {which['number']}"
        if case == "void":
            reason = "banker's third card not dealt, found after the layout was cleared"
            return self.say("void-coup", **which, reason=reason, approvers=list(APPROVERS), evidence=at)
        hands = {PLAYER: dealt[PLAYER], BANKER: dealt[BANKER][:2]}
        super().settle(accepted, hands)
        return self.say(
            "correct-hands",
            **which,
            hands=written(hands),
            reason="banker's third card dealt by mistake, burnt",
            approvers=list(APPROVERS),
            evidence=at,
        )

    def claim(self, dealt: Dealt) -> Any:
        """The winner by name; wrong once."""
        player, banker = total(dealt[PLAYER]), total(dealt[BANKER])
        winner = "player" if player > banker else "banker" if banker > player else "tie"
        return _OTHER[winner] if self.case() == "false claim" else winner

    def play_coup(self) -> Iterator[Line]:
        """Once the table system sends a coup twice, the second time under a new id."""
        for line in super().play_coup():
            yield line
            if self.case() == "number used twice":
                self.wait(20, 40)
                yield self.say_again(line)
