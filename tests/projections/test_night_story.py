"""A table's night told from its own stream: who held the bank, interests in it, and what the cage moved."""

from __future__ import annotations

from pathlib import Path

import pytest

from projections.story.nights import NightStory, tell_night
from tests.tabletalk import GAMING_DAY, Night, open_ledger, play


def told(path: Path, night: Night) -> NightStory:
    ledger = open_ledger(path / "ledger.db")
    assert all(answer.applied for answer in play(ledger, night))
    story = tell_night(ledger.record.select_stream(f"table/main/T1/{GAMING_DAY}"))
    ledger.close()
    return story


def test_banks_of_chemin_de_fer_one_after_another(tmp_path: Path) -> None:
    """5000 wins 3000 and then loses 2000, so it must pass with 6000; the next is retired with its 4000."""
    night = Night("chemin-de-fer").opens(decks=6)
    night.say("take-bank", holder="p-1", capacity="player", sum=5000, seat=2)
    night.coup(1, "P 2 5 / B 9 K", "player 3000 p-2")
    night.coup(2, "P 9 K / B 2 5", "player 2000 p-2")
    night.say("pass-bank", holder="p-2", capacity="player", sum=4000)
    night.say("retire-bank")
    first, second = told(tmp_path, night).tenures
    assert (first.holder, first.capacity, first.paragraph, first.seat) == ("p-1", "player", "6(6)", 2)
    assert (first.put_up, first.coups, first.won, first.must_pass) == (5000, 2, 1000, True)
    assert (first.taken_away, first.ending, first.until) == (6000, "passed", second.since)
    assert (second.holder, second.coups, second.must_pass) == ("p-2", 0, False)
    assert (second.taken_away, second.ending) == (4000, "retired")


@pytest.mark.parametrize("format", ["punto-banco", "baccarat-banque"])
def test_the_house_holds_every_other_bank(tmp_path: Path, format: str) -> None:
    (bank,) = told(tmp_path, Night(format).opens()).tenures
    assert (bank.holder, bank.capacity, bank.paragraph) == ("the house", "licence-holder", "6(5)(a)")
    assert bank.until is None


@pytest.mark.parametrize(
    ("format", "capacity", "paragraph"),
    [
        ("punto-banco", "player", "6(5)(b)"),
        ("punto-banco", "licence-holder", None),
        ("chemin-de-fer", "licence-holder", "6(6)"),
        ("chemin-de-fer", "player", None),
    ],
)
def test_an_interest_and_whether_the_bank_may_stand_with_it(
    tmp_path: Path, format: str, capacity: str, paragraph: str | None
) -> None:
    night = Night(format).opens(decks=6)
    night.say("declare-interest", person="p-9", capacity=capacity, detail="a tenth")
    night.say("withdraw-interest", person="p-9", occurred_at="2026-11-27T21:30:00Z")
    (interest,) = told(tmp_path, night).interests
    assert (interest.person, interest.detail, interest.paragraph) == ("p-9", "a tenth", paragraph)
    assert interest.withdrawn is not None
    assert interest.withdrawn.hour == 21


def test_what_the_cage_sees_in_order(tmp_path: Path) -> None:
    night = Night().opens()  # 400 chips of 2500
    night.say("fill-chips", slip="T1-1", chips={"2500": 4}, signed_by=["cage-1", "dealer-1"])
    night.say("change-shift", shift="late")
    night.say("credit-chips", slip="T1-2", chips={"2500": 2}, signed_by=["cage-1", "dealer-1"])
    night.say("void-slip", slip="T1-2", reason="counted twice", signed_by=["cage-1", "dealer-1"])
    night.say("count-drop", amount=700, signed_by=["count-1", "security-1"])
    night.say("end-shoe", shoe="S1")
    closer = {"chips": {"2500": 404}, "signed_by": ["dealer-1", "inspector-1"]}
    night.say("close-table", closer=closer)
    story = told(tmp_path, night)
    assert [(move.what, move.slip, move.amount) for move in story.moves] == [
        ("opener", None, 1_000_000),
        ("fill", "T1-1", 10_000),
        ("credit", "T1-2", 5_000),
        ("slip void", "T1-2", 5_000),
        ("drop", None, 700),
        ("closer", None, 1_010_000),
    ]
    assert story.moves[1].signed_by == "cage-1, dealer-1"
    assert story.moves[3].note == "counted twice"
    assert [move.shift for move in story.moves[:3]] == ["1", "1", "late"]
    assert story.tenures[0].ending == "table closed"
    assert story.shoes == ["S1"]
