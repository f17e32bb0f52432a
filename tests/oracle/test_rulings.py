"""The oracle's rulings, banks and banco, worked by hand."""

from __future__ import annotations

from typing import Any

import pytest

from .bank import seats_from_the_banker
from .notebook import Bank, table_opened
from .telling import Tape

APPROVED = {"reason": "surveillance tape", "approvers": ["pit-1", "pit-2"], "evidence": "clip 17"}
NINE = {"player": "9 K", "banker": "10 7"}
SIX = {"player": "2 4", "banker": "10 7"}


def test_a_correction_of_a_correction_leaves_the_last_hands_alone_to_count() -> None:
    """Six loses to seven, then it was nine, then six after all: 100, less 200, and 100 again."""
    tape = Tape().coup(1, "2 4", "10 7", "player 100").row(win=100, lost_stakes=100)
    tape.add("correct-coup", number=1, hands=NINE, **APPROVED).row(win=-100, winnings=100, lost_stakes=0)
    tape.add("correct-coup", number=1, hands=SIX, **APPROVED).row(win=100, winnings=0, lost_stakes=100)


def test_the_same_hands_in_other_letters_correct_nothing() -> None:
    tape = Tape().coup(1, "2 4", "T 7", "player 100")
    tape.add("correct-coup", number=1, hands={"player": "2 4", "banker": "10 7"}, **APPROVED).row(win=100)


def test_a_coup_is_void_once() -> None:
    """The stakes went back at the first ruling; there is nothing for a second or for a correction."""
    tape = Tape().coup(1, "9 K", "10 7", "player 100").add("void-coup", number=1, **APPROVED)
    tape.add("void-coup", number=1, **APPROVED).add("correct-coup", number=1, hands=SIX, **APPROVED)
    tape.row(coups=0, voided=1, voided_coup_stakes=100, win=0, winnings=0)


@pytest.mark.parametrize("state", ["open", "held"])
def test_only_a_settled_coup_is_corrected_and_only_a_held_one_is_given_its_hands(state: str) -> None:
    tape = Tape().add("open-coup", number=2) if state == "open" else Tape().coup(2, "K 2 8", "A 2 5", "tie 1")
    tape.add("correct-coup", number=2, hands=SIX, **APPROVED).coup(1, "2 4", "10 7", "player 100")
    tape.add("correct-hands", number=1, hands=NINE, **APPROVED).row(coups=1, win=100)


@pytest.mark.parametrize(
    ("approvers", "obeyed"),
    [
        (["pit-1", "pit-2"], True),
        (["pit-1", "pit-2", "pit-3"], True),
        (["pit-1"], False),
        (["pit-1", "pit-1"], False),
        (["pit-1", "pit-2", "pit-1"], False),
        (["pit-1", "d-1"], False),  # who reported the coup
        (["pit-1", "pit-9"], False),  # who may not
    ],
)
@pytest.mark.parametrize("ruling", ["correct-coup", "void-coup"])
def test_two_with_the_right_who_did_not_record_it(ruling: str, approvers: list[str], obeyed: bool) -> None:
    tape = Tape(may_approve=["pit-1", "pit-2", "pit-3", "d-1"]).coup(1, "2 4", "10 7", "player 100")
    facts = {**APPROVED, "approvers": approvers, **({"hands": NINE} if ruling == "correct-coup" else {})}
    tape.add(ruling, number=1, **facts)
    after = {"correct-coup": -100, "void-coup": 0}[ruling]
    tape.row(win=after if obeyed else 100)


def test_a_ruling_moves_no_bank_and_no_later_coup() -> None:
    """A bank of 100 lost its coup and passed; corrected to a win it is the other's bank all the same."""
    tape = Tape("chemin-de-fer").add("take-bank", holder="b-1", sum=100)
    tape.coup(1, "9 K", "10 7", "player 100").add("pass-bank", holder="p-2", sum=50)
    tape.add("correct-coup", number=1, hands=SIX, **APPROVED).coup(2, "2 4", "10 7", "player 80")
    tape.row(coups=2, handle=150, banker_win=150)
    tape.add("void-coup", number=1, **APPROVED).coup(3, "2 4", "10 7", "player 500")
    tape.row(coups=2, voided=1, handle=150, banker_win=150, voided_coup_stakes=100)


@pytest.mark.parametrize(
    ("table_format", "capacity", "stands"),
    [
        ("chemin-de-fer", "licence-holder", False),
        ("chemin-de-fer", "employee", False),
        ("chemin-de-fer", "player", True),
        ("punto-banco", "licence-holder", True),
        ("punto-banco", "employee", False),
        ("punto-banco", "player", False),
    ],
)
def test_a_share_in_the_bank_keeps_coups_from_opening(table_format: str, capacity: str, stands: bool) -> None:
    """6(5)(b) and 6(6); withdrawn, the bank stands again."""
    tape = Tape(table_format).add("take-bank", holder="b-1", sum=100)
    tape.add("declare-interest", person="x-1", capacity=capacity).coup(1, "2 4", "10 7", "player 10")
    assert len(tape.rows()) == int(stands)
    tape.add("withdraw-interest", person="x-1").coup(1, "2 4", "10 7", "player 10").row(coups=1)


def test_kinds_not_on_offer_are_not_taken_from_the_next_coup_on() -> None:
    tape = Tape().add("open-coup", number=1).add("change-offer", kinds=["player"])
    tape.add("place-wagers", number=1, wagers="tie 5").deal(1, "2 4", "10 7").row(handle=5)
    tape.coup(2, "2 4", "10 7", "tie 7, player 10").row(handle=15)


def test_an_offer_of_what_the_law_bars_changes_nothing() -> None:
    """6(4), 6(7)(a): the offer before it stands."""
    for table_format, barred in (("chemin-de-fer", "tie"), ("punto-banco", "hand-1")):
        tape = Tape(table_format).add("take-bank", holder="b-1", sum=100).add("change-offer", kinds=[])
        tape.add("change-offer", kinds=["player", barred]).coup(1, "2 4", "10 7", "player 10").row(handle=0)
        tape.add("change-offer", kinds=["player"]).coup(2, "2 4", "10 7", "player 10").row(handle=10)


def test_a_bank_goes_to_a_player_at_the_table() -> None:
    """Once seats are reported, also when the last of them is empty again."""
    tape = Tape("chemin-de-fer").add("seat-player", patron="p-1", seat=1)
    tape.add("take-bank", holder="p-2", sum=100).coup(1, "2 4", "10 7", "player 10")
    assert tape.rows() == []
    tape.add("unseat-player", patron="p-1").add("take-bank", holder="p-2", sum=100)
    assert tape.coup(1, "2 4", "10 7", "player 10").rows() == []
    tape.add("seat-player", patron="p-2", seat=1).add("seat-player", patron="p-3", seat=1)
    tape.add("take-bank", holder="p-3", sum=9).add("take-bank", holder="p-2", sum=100)
    tape.coup(1, "2 4", "10 7", "player 10").row(coups=1)


def test_a_banker_makes_no_wager_with_himself() -> None:
    """6(3): the patron of these wagers is p-1."""
    tape = Tape("chemin-de-fer").add("take-bank", holder="p-1", sum=100).coup(1, "2 4", "10 7", "player 10")
    tape.row(coups=1, wagers=0, handle=0)


def test_who_has_just_lost_the_bank_does_not_take_it_again() -> None:
    """6(6): not by retiring first; once another has held it he may."""
    tape = Tape("chemin-de-fer").add("take-bank", holder="b-1", sum=100).coup(1, "9 K", "10 7", "player 5")
    tape.add("retire-bank").add("take-bank", holder="b-1", sum=100).coup(2, "2 4", "10 7", "player 5")
    tape.row(coups=1).add("take-bank", holder="b-2", sum=100).add("pass-bank", holder="b-1", sum=100)
    tape.coup(2, "2 4", "10 7", "player 5").row(coups=2)


def chemin(bank: int, **more: Any) -> Tape:
    """Open a table whose bank is p-4's, in seat 4, and a first coup."""
    tape = Tape("chemin-de-fer", **more).add("take-bank", holder="p-4", sum=bank, seat=4)
    return tape.add("open-coup", number=1)


def test_seats_are_counted_from_the_bankers_right() -> None:
    table = table_opened({"table": "T1", "gaming_day": "2026-11-28", "format": "chemin-de-fer"})
    table.bank = Bank("p-4", 100, seat=4)
    assert sorted([1, 3, 4, 5, 9], key=lambda seat: seats_from_the_banker(table, seat)) == [5, 9, 1, 3, 4]


@pytest.mark.parametrize(
    ("calls", "covered_by"),
    [
        ([("p-9", 9, "banco"), ("p-5", 5, "banco")], "p-5"),
        ([("p-5", 5, "banco"), ("p-9", 9, "banco")], "p-5"),
        ([("p-3", 3, "banco"), ("p-9", 9, "banco")], "p-9"),
        ([("p-5", 5, "with-the-table"), ("p-3", 3, "banco")], "p-3"),
        ([("p-3", 3, "banco"), ("p-5", 5, "with-the-table")], "p-3"),
        ([("p-3", 3, "banco"), ("p-4", 4, "banco")], "p-3"),  # nobody covers a bank of their own
        ([("p-3", 3, "banco"), ("p-5", 5, "suivi")], "p-3"),  # nobody has lost a banco yet
        ([("p-3", 3, "banco"), ("p-8", 3, "banco")], "p-3"),  # the earlier of equals
    ],
)
def test_who_covers_the_bank(calls: list[tuple[str, int, str]], covered_by: str) -> None:
    """One of them alone: the bank of 100 grows by a hundred."""
    tape = chemin(100)
    for patron, seat, call in calls:
        tape.banco(1, patron, seat, call)
    tape.deal(1, "2 4", "10 7").row(wagers=1, handle=100, banker_win=100)
    # And the loser, he alone, has the suivi: before the seat next to the banker.
    tape.add("open-coup", number=2).banco(2, "p-55", 5)
    tape.add("call-banco", number=2, call="suivi", patron=covered_by, seat=3, wager="s")
    tape.add("cancel-wagers", number=2, wagers=["s"]).deal(2, "2 4", "10 7").row(coups=2, handle=100)


def test_half_with_the_table_leaves_the_rest_to_it() -> None:
    """Half of 105 in fives is 55, the odd five with the caller; of the 60 that are staked 50 are covered."""
    tape = chemin(105, terms={"unit": 5}).banco(1, "p-5", 5, "with-the-table")
    tape.add("place-wagers", number=1, wagers="player 60").deal(1, "2 4", "10 7")
    tape.row(wagers=2, handle=105, banker_win=105)


def test_no_banco_when_somebody_has_staked_and_no_stake_beside_a_banco() -> None:
    tape = chemin(100).add("place-wagers", number=1, wagers="player 10").banco(1, "p-5", 5)
    tape.deal(1, "J 7", "10 7").row(handle=10)
    tape.add("open-coup", number=2).banco(2, "p-5", 5).add("place-wagers", number=2, wagers="player 10")
    tape.deal(2, "2 4", "10 7").row(handle=110, banker_win=100)


@pytest.mark.parametrize(
    "more",
    [{"limits": {"player": {"max": 99}}}, {"limits": {"player": {"min": 101, "max": 500}}}],
    ids=["over", "under"],
)
def test_a_table_that_takes_no_such_stake_takes_no_banco(more: dict[str, Any]) -> None:
    tape = chemin(100, **more).banco(1, "p-5", 5).deal(1, "2 4", "10 7")
    tape.row(coups=1, wagers=0, handle=0)


def test_the_suivi_outlives_a_draw_and_nothing_else() -> None:
    """A hundred lost, a draw, and he covers all two hundred; then others lose ten and it is his no more."""
    tape = chemin(100).banco(1, "p-9", 9).deal(1, "2 4", "10 7")
    tape.coup(2, "J 7", "10 7", "player 20").add("open-coup", number=3).banco(3, "p-9", 9, "suivi")
    tape.deal(3, "2 4", "10 7").row(handle=100 + 20 + 200, banker_win=300)
    tape.coup(4, "2 4", "10 7", "player 10").add("open-coup", number=5).banco(5, "p-9", 9, "suivi")
    tape.deal(5, "2 4", "10 7").row(handle=330, banker_win=310)
