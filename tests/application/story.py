"""A night in which every command is used, some in vain, for the promises that hold for all of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ledger.batch import Answer
from tests.tabletalk import GAMING_DAY, Night, hands, wagers

CHIPS = {"chips": {"2500": 4}, "signed_by": ["dealer-1", "inspector-1"]}
RULING: dict[str, Any] = {"reason": "camera 4", "approvers": ["pit-1", "pit-2"]}
NINE_TO_SEVEN = "P 9 K / B 7 Q"
IRREGULAR = "P K 2 8 / B A 2 5"
"""The banker's three draws against any third card but an eight; here it drew against one."""


def every_command() -> list[dict[str, Any]]:
    """Two tables side by side: each kind of command applied, and a good many refused."""
    punto = Night(table="PB1", prefix="pb-").opens(decks=6)
    punto.coup(1, NINE_TO_SEVEN, "player 100, banker 200, tie 50, hand-1 5")
    punto.step("open-coup", 2)
    punto.step("place-wagers", 2, wagers=wagers("player 100, banker 200, banker 1"))
    punto.step("cancel-wagers", 2, wagers=["w1"])
    punto.step("close-wagers", 2)
    punto.step("deal-hands", 2, hands=hands("P K 6 / B J 6"), claimed="banker")
    punto.step("settle-coup", 2)
    punto.step("settle-coup", 2)
    punto.coup(3, IRREGULAR, "player 100")
    punto.step("settle-coup", 3)
    punto.step("correct-hands", 3, hands=hands("P K 2 8 / B A 2"), **{**RULING, "approvers": ["pit-1"]})
    punto.step("correct-hands", 3, hands=hands("P K 2 8 / B A 2"), **RULING)
    punto.coup(4, IRREGULAR, "player 100")
    punto.step("void-coup", 4, **RULING)
    punto.coup(4, NINE_TO_SEVEN)
    punto.say("change-shift", shift="late")
    punto.say("fill-chips", slip="17", **CHIPS)
    punto.say("credit-chips", slip="18", **CHIPS)
    punto.say("credit-chips", slip="18", **CHIPS)
    punto.say("end-shoe", shoe="S1")
    punto.say("count-drop", amount=5000, signed_by=["counter-1"])
    punto.say("close-table", closer=CHIPS)
    punto.say("open-table", gaming_day=GAMING_DAY, format="punto-banco", opener=CHIPS)

    chemin = Night("chemin-de-fer", table="CF1", prefix="cf-").opens(decks=6)
    chemin.say("take-bank", holder="house", capacity="employee", sum=1000)
    chemin.say("take-bank", holder="p-1", capacity="player", sum=1000)
    chemin.coup(1, NINE_TO_SEVEN, "player 600, player 600")
    chemin.coup(2, NINE_TO_SEVEN, "player 600")
    chemin.say("pass-bank", holder="p-2", capacity="player", sum=800)
    chemin.say("retire-bank")
    return [*punto.lines, *chemin.lines]


def again(answer: Answer) -> Answer:
    """The first answer, as it is given when its command comes again."""
    return replace(answer, repeat=True)
