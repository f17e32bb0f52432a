"""One night at each format, step by step: which facts stand in which stream, and what they come to."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.application import Ledger
from ledger.events.coup import HandsDealt, WagerRefused, WagersCancelled
from ledger.events.shoe import CardsSeen
from tests.properties.against import oracle_lines, recorded_lines
from tests.tabletalk import GAMING_DAY, Night, events_of, hands, play, topics_of, wagers

TABLE = f"table/main/T1/{GAMING_DAY}"
SHOE = "shoe/main/T1/S1"
COUP = "coup/main/T1/S1/{}".format

A_COUP = ["coup-opened", "wagers-placed", "wagers-closed", "hands-dealt", "wagers-settled", "coup-settled"]
CHIPS = {"chips": {"2500": 20}, "signed_by": ["dealer-1", "inspector-1", "cashier-1"]}
COUNTED = {"chips": {"2500": 380}, "signed_by": ["dealer-1", "inspector-1"]}


def deal(night: Night, number: int, dealt: str, staked: str, **more: Any) -> None:
    """A whole coup, step by step; `more` goes with the steps that it belongs to."""
    night.step("open-coup", number)
    night.step("place-wagers", number, wagers=wagers(staked))
    if cancelled := more.get("cancelled"):
        night.step("cancel-wagers", number, wagers=cancelled)
    in_play = {"hands_in_play": more["in_play"]} if "in_play" in more else {}
    night.step("close-wagers", number, **in_play)
    claim = {"claimed": more["claimed"]} if "claimed" in more else {}
    night.step("deal-hands", number, hands=hands(dealt), **claim)
    night.step("settle-coup", number)


def run(ledger: Ledger, night: Night) -> None:
    """Every command of the night is obeyed, once, and leaves one record of itself."""
    answers = play(ledger, night)
    assert [answer for answer in answers if not answer.applied] == []
    for line in night.lines:
        assert topics_of(ledger, f"command/{line['id']}") == ["command-recorded"]


def test_a_night_of_punto_banco(ledger: Ledger) -> None:
    """The player's nine, six all, the banker's seven: 6(3), 6(4)(a), 6(7)(i), 6(7)(ii), and 2(2)."""
    night = Night()
    night.say(
        "open-table",
        gaming_day=GAMING_DAY,
        format="punto-banco",
        opener={"chips": {"2500": 400}, "signed_by": ["dealer-1", "inspector-1"]},
        limits={"tie": {"min": 1, "max": 500}},
    )
    night.say("start-shoe", shoe="S1", decks=6, burned="A 5s")
    deal(night, 1, "P 9 K / B 7 Q", "player 100, banker 200, tie 50, tie 600")
    night.say("change-shift", shift="late")
    night.say("fill-chips", slip="F-1", **CHIPS)
    night.say("credit-chips", slip="C-1", **CHIPS)
    deal(night, 2, "P K 6 / B J 6", "player 100, banker 200, tie 50", claimed="tie")
    deal(night, 3, "P 3 3 / B 2 2 3", "player 100, banker 200, tie 50, banker 40", cancelled=["w4"])
    night.say("end-shoe", shoe="S1")
    night.say("count-drop", amount=125_000, signed_by=["counter-1"])
    night.say("close-table", closer=COUNTED)
    run(ledger, night)

    assert topics_of(ledger, TABLE) == [
        "table-opened",
        "shoe-started",
        "shift-changed",
        "chips-filled",
        "chips-credited",
        "shoe-ended",
        "drop-counted",
        "table-closed",
    ]
    assert topics_of(ledger, COUP(1)) == [*A_COUP[:2], "wager-refused", *A_COUP[2:]]
    assert topics_of(ledger, COUP(2)) == A_COUP
    assert topics_of(ledger, COUP(3)) == [*A_COUP[:2], "wagers-cancelled", *A_COUP[2:]]
    seen = [event for event in events_of(ledger, SHOE) if isinstance(event, CardsSeen)]
    assert [(event.coup, event.cards) for event in seen] == [
        (None, "A 5s"),
        (1, "9 7 K Q"),
        (2, "K J 6 6"),
        (3, "3 2 3 2 3"),
    ]
    for number in (1, 2, 3):
        assert recorded_lines(ledger, COUP(number)) == oracle_lines(night.lines, number)
    assert [line[3:] for line in recorded_lines(ledger, COUP(2))] == [
        ("void", "1/1", 0, 100, "0", "6(4)(a)"),
        ("stand-off", "19/20", 0, 200, "0", "house rule (reg 2(2))"),
        ("won", "8/1", 400, 50, "0", "6(7)(ii)"),
    ]


def test_a_night_of_chemin_de_fer(ledger: Ledger) -> None:
    """The bank grows, stays and falls; each coup is covered by what stands, and no house shares in it."""
    night = Night("chemin-de-fer").opens()
    night.say("take-bank", holder="p-1", capacity="player", sum=1000, seat=4)
    deal(night, 1, "P 2 4 / B 10 7", "player 600, player 600, banker 100")
    deal(night, 2, "P K 6 / B J 6", "player 1600")
    deal(night, 3, "P 9 K / B 10 7", "player 500")
    night.say("pass-bank", holder="p-2", capacity="player", sum=300, seat=5)
    deal(night, 4, "P 2 3 / B 10 6", "player 300")
    night.say("retire-bank")
    night.say("close-table", closer=COUNTED)
    run(ledger, night)

    commits = ["bank-committed", "bank-settled"]
    assert topics_of(ledger, TABLE) == [
        "table-opened",
        "shoe-started",
        "bank-taken",
        *commits * 3,
        "bank-passed",
        *commits,
        "bank-retired",
        "table-closed",
    ]
    # 600 of 1,000, then 400 of the second stake: 200 go back, and no banker wager is to be had.
    refused = [event for event in events_of(ledger, COUP(1)) if isinstance(event, WagerRefused)]
    assert [(event.wager.id, event.stake, event.reason, event.paragraph) for event in refused] == [
        ("w2", 200, "bank-exceeded", "6(3)"),
        ("w3", 100, "kind-not-available", "6(7)(a)"),
    ]
    assert topics_of(ledger, COUP(1)) == [*A_COUP[:2], "wager-refused", "wager-refused", *A_COUP[2:]]
    for number in (2, 3, 4):
        assert topics_of(ledger, COUP(number)) == A_COUP
    for number in (1, 2, 3, 4):
        assert recorded_lines(ledger, COUP(number)) == oracle_lines(night.lines, number)


def test_a_night_of_baccarat_banque(ledger: Ledger) -> None:
    """Two hands against one, 6(4)(b); then one hand alone: what was staked on the other goes back, 2(2)."""
    staked = "hand-1 100, hand-2 200, both-hands 300"
    night = Night("baccarat-banque").opens()
    deal(night, 1, "1 9 K / 2 5 5 3 / B 7 Q", staked)
    deal(night, 2, "1 9 K / 2 8 K / B 7 Q", staked, claimed={"hand-1": "W", "hand-2": "L"})
    deal(night, 3, "1 2 2 / B 7 Q", staked, in_play=["hand-1"], claimed="banker")
    night.say("close-table", closer=COUNTED)
    run(ledger, night)

    assert topics_of(ledger, TABLE) == ["table-opened", "shoe-started", "table-closed"]
    assert topics_of(ledger, COUP(1)) == A_COUP
    assert topics_of(ledger, COUP(2)) == A_COUP
    assert topics_of(ledger, COUP(3)) == [*A_COUP[:2], "wagers-cancelled", *A_COUP[2:]]
    for number in (1, 2, 3):
        assert recorded_lines(ledger, COUP(number)) == oracle_lines(night.lines, number)
    assert [line[3] for line in recorded_lines(ledger, COUP(1))] == ["won", "lost", "void"]
    assert [line[3] for line in recorded_lines(ledger, COUP(2))] == ["won", "won", "won"]
    assert [line[0] for line in recorded_lines(ledger, COUP(3))] == ["w1"]
    (cancelled,) = (event for event in events_of(ledger, COUP(3)) if isinstance(event, WagersCancelled))
    assert (cancelled.wagers, cancelled.stakes, cancelled.paragraph) == (("w2", "w3"), 500, "2(2)")
    seen = [event for event in events_of(ledger, SHOE) if isinstance(event, CardsSeen)]
    assert [event.cards for event in seen[1:]] == ["9 5 7 K 5 Q 3", "9 8 7 K K Q", "2 7 2 Q"]


@pytest.mark.parametrize(
    ("format", "dealt", "claimed", "agrees"),
    [
        ("punto-banco", "P 9 K / B 7 Q", "player", True),
        ("punto-banco", "P 9 K / B 7 Q", "banker", False),
        ("punto-banco", "P K 6 / B J 6", "tie", True),
        ("punto-banco", "P 9 K / B 7 Q", {"player": "W"}, True),
        ("baccarat-banque", "1 9 K / 2 5 5 3 / B 7 Q", {"hand-1": "W", "hand-2": "L"}, True),
        ("baccarat-banque", "1 9 K / 2 5 5 3 / B 7 Q", {"hand-1": "W", "hand-2": "D"}, False),
        ("punto-banco", "P 9 K / B 7 Q", None, None),
    ],
)
def test_the_cards_are_evidence_and_a_stated_winner_is_a_claim(
    ledger: Ledger, format: str, dealt: str, claimed: Any, agrees: bool | None
) -> None:
    """Both stand in the record, whether they agree or not, and the coup settles by the cards."""
    night = Night(format).opens()
    night.coup(1, dealt, **({} if claimed is None else {"claimed": claimed}))
    run(ledger, night)
    (event,) = (event for event in events_of(ledger, COUP(1)) if isinstance(event, HandsDealt))
    assert event.claim_agrees is agrees
    assert (event.claimed is None) is (claimed is None)
    assert topics_of(ledger, COUP(1))[-1] == "coup-settled"
