"""A night in which every command is used, some in vain, for the promises that hold for all of them."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from ledger.answer import Answer
from tests.tabletalk import GAMING_DAY, Night, hands, wagers

CHIPS = {"chips": {"2500": 4}, "signed_by": ["dealer-1", "inspector-1"]}
RULING: dict[str, Any] = {"reason": "camera 4", "approvers": ["pit-1", "pit-2"]}
SEEN: dict[str, Any] = {**RULING, "evidence": "clip 17"}
NINE_TO_SEVEN = "P 9 K / B 7 Q"
IRREGULAR = "P K 2 8 / B A 2 5"
"""The banker's three draws against any third card but an eight; here it drew against one."""


def every_command() -> list[dict[str, Any]]:
    """Two tables one after the other: each kind of command applied, and a good many refused."""
    return [*_punto().lines, *_chemin().lines, *_after_midnight().lines]


def _punto() -> Night:
    """Coups at once and step by step, held and ruled upon, disputed, corrected and void; slips and counts."""
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
    punto.step("raise-dispute", 1, dispute="D-1", wager="w2", patron="p-3", statement="I saw a six.")
    punto.step("raise-dispute", 1, dispute="D-1", statement="I saw a six.")
    punto.step("correct-coup", 1, hands=hands("P 6 K / B 7 Q"), **SEEN)
    punto.step("correct-coup", 1, hands=hands("P 6 K / B 7 Q"), **SEEN)
    punto.step("resolve-dispute", 1, dispute="D-1", decision="upheld")
    punto.step("void-coup", 1, **RULING)
    punto.step("void-coup", 1, **RULING)
    punto.say("declare-interest", person="dealer-1", capacity="employee")
    punto.coup(5, NINE_TO_SEVEN)
    punto.say("withdraw-interest", person="dealer-1")
    punto.say("change-offer", kinds=["player", "banker"])
    punto.coup(5, NINE_TO_SEVEN, "player 100, tie 5")
    punto.say("change-shift", shift="late")
    punto.say("fill-chips", slip="17", **CHIPS)
    punto.say("credit-chips", slip="18", **CHIPS)
    punto.say("credit-chips", slip="18", **CHIPS)
    punto.say("end-shoe", shoe="S1")
    punto.say("void-slip", slip="18", reason="the runner came back")
    punto.say("void-slip", slip="18", reason="the runner came back")
    punto.say("count-float", count=CHIPS)
    punto.say("count-drop", amount=5000, signed_by=["counter-1"])
    punto.say("close-table", closer=CHIPS)
    punto.say("open-table", gaming_day=GAMING_DAY, format="punto-banco", opener=CHIPS)
    return punto


def _after_midnight() -> Night:
    """The cage counts, the day is closed, and what comes to light then goes on the next."""
    day = Night(table="PB1", prefix="day-")
    counted = {"shift": "late", "opener": 10_000, "closer": 10_000, "drop": 5000}
    day.say("record-count", gaming_day=GAMING_DAY, counted=counted)
    day.say("record-count", gaming_day=GAMING_DAY, counted=counted)
    day.closes_day(tables=[], signed_by=["accounts-1"])
    nought = {"win_by_wagers": 0, "win_by_inventory": 0, "variance": 0}
    tables = [{"table": table, **nought} for table in ("PB1", "CF1")]
    day.closes_day(tables=tables, signed_by=["counter-1"])
    day.closes_day(tables=tables)
    day.closes_day(tables=tables)
    day.say("count-drop", amount=1, gaming_day=GAMING_DAY)
    ruling = {**SEEN, "approvers": ["pit-1", "pit-2"]}
    day.step("correct-coup", 2, hands=hands("P K 9 / B J 6"), **ruling)
    adjustment = {"adjusts": GAMING_DAY, "account": "drop", "amount": -500, "reason": "counted twice"}
    day.say("book-adjustment", **adjustment, approvers=["accounts-1"])
    day.say("book-adjustment", **adjustment, approvers=["accounts-1", "manager-1"])
    day.of_the_house("issue-key", key="K-1", person="cashier-1", roles=["cage"])
    day.of_the_house("issue-key", key="K-1", person="cashier-2", roles=["cage"])
    day.of_the_house("revoke-key", key="K-1", reason="left")
    day.of_the_house("revoke-key", key="K-1", reason="left")
    return day


def _chemin() -> Night:
    """Banks that the house may not hold and that pass, and a banco."""
    chemin = Night("chemin-de-fer", table="CF1", prefix="cf-").opens(decks=6)
    chemin.say("take-bank", holder="house", capacity="employee", sum=1000)
    chemin.say("take-bank", holder="p-1", capacity="player", sum=1000)
    chemin.coup(1, NINE_TO_SEVEN, "player 600, player 600")
    chemin.coup(2, NINE_TO_SEVEN, "player 600")
    chemin.say("pass-bank", holder="p-2", capacity="player", sum=800)
    chemin.say("seat-player", patron="p-3", seat=3)
    chemin.say("seat-player", patron="p-4", seat=4)
    chemin.say("take-charge", amount=300, patron="p-3", seat=3)
    chemin.step("open-coup", 3)
    chemin.step("call-banco", 3, patron="p-3", seat=3, wager="b1")
    chemin.step("call-banco", 3, patron="p-4", seat=4, wager="b2", call="with-the-table")
    chemin.step("close-wagers", 3)
    chemin.step("deal-hands", 3, hands=hands("P 2 4 / B 10 7"), decisions=[{"hand": "player", "drew": False}])
    chemin.step("settle-coup", 3)
    chemin.say("unseat-player", patron="p-4")
    chemin.say("pass-bank", holder="p-4", capacity="player", sum=800)
    chemin.say("retire-bank")
    chemin.say("close-table", closer=CHIPS)
    return chemin


def again(answer: Answer) -> Answer:
    """The first answer, as it is given when its command comes again."""
    return replace(answer, repeat=True)
