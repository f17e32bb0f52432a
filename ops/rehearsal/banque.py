"""The baccarat banque table of the evening tape: one banker against two hands, and at times against one."""

from __future__ import annotations

from typing import Any, ClassVar

from ledger.terms.hands import BANKER, HAND_1, HAND_2
from ledger.terms.wagers import HANDS_OF_KIND, Wager
from ops.rehearsal.house import HouseTable
from ops.rehearsal.play import Dealt, baccarat_banque, total
from ops.rehearsal.setting import Line
from ops.rehearsal.shoe import Shoe
from ops.rehearsal.tray import Patron

FIRST_SEAT_ON_THE_LEFT = 6
"""Seats below it are at hand 1, the others at hand 2."""


class BanqueTable(HouseTable):
    """Wagers on either hand, and on both."""

    dealers: ClassVar[dict[str, str]] = {"1": "dealer-03", "2": "dealer-16"}
    first_slip: ClassVar[int] = 2_087
    move: ClassVar[int] = 1_000_000

    def hands_in_play(self) -> tuple[str, ...]:
        """Both hands, unless nobody stakes on one side."""
        case = self.case() or ""
        return (case[:6],) if case.startswith("hand-") else self.format.hand_names

    def offers(self) -> list[Line]:
        """Most stake on their own side, some on both."""
        rng, in_play = self.rng, self.hands_in_play()
        offers = []
        for patron in self.seated:
            side = HAND_1 if patron.seat < FIRST_SEAT_ON_THE_LEFT else HAND_2
            if side not in in_play or rng.random() < 0.2:
                continue
            both = len(in_play) == 2 and rng.random() < 0.22
            stake = patron.stake * rng.choice((1, 1, 2, 2, 3))
            offers.append(self.offer("both-hands" if both else side, stake, self.stakes(patron)))
        return offers + self.out_of_the_ordinary(self.seated[0])

    def out_of_the_ordinary(self, patron: Patron) -> list[Line]:
        """A wager that the law, the terms or the cards of this coup leave no room for."""
        wagers = {
            "banker": ("banker", 5_000),
            "tie": ("tie", 2_500),
            "not payable": (HAND_1, 5_250),
            "over the maximum": ("both-hands", 600_000),
            "hand-1, one on both": ("both-hands", 5_000),
            "hand-2, one on both": ("both-hands", 5_000),
        }
        wager = wagers.get(self.case() or "")
        return [self.offer(*wager, patron)] if wager else []

    def deal(self, shoe: Shoe, accepted: list[Wager]) -> Dealt:
        """The banker plays against the side that has more at stake."""
        in_play = self.hands_in_play()
        at_stake = {
            side: sum(wager.stake for wager in accepted if side in HANDS_OF_KIND[wager.kind])
            for side in in_play
        }
        return baccarat_banque(shoe, self.rng, in_play, max(in_play, key=at_stake.__getitem__))

    def claim(self, dealt: Dealt) -> Any:
        """The result of each hand."""
        banker = total(dealt[BANKER])
        return {
            name: "W" if total(cards) > banker else "L" if total(cards) < banker else "D"
            for name, cards in dealt.items()
            if name != BANKER
        }
