"""Who holds the bank, and what becomes of it: paragraphs 6(3), 6(5) and 6(6)."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.application import Ledger
from ledger.events.coup import CoupOpened, CoupSettled, WagerRefused, WagersPlaced
from ledger.events.table import BankPassed, BankRetired, BankSettled, BankTaken
from tests.tabletalk import Live, hands, topics_of, wagers

BANKER_WINS = "P 2 4 / B 10 7"
PLAYER_WINS = "P 9 K / B 10 7"
DRAW = "P K 6 / B J 6"
P_2 = {"holder": "p-2", "capacity": "player", "sum": 5000}


@pytest.fixture
def live(ledger: Ledger) -> Live:
    """Chemin de fer, with a bank of a thousand in the hands of p-1."""
    live = Live(ledger, "chemin-de-fer")
    assert live.say("take-bank", holder="p-1", capacity="player", sum=1000).applied
    return live


def settlements(live: Live) -> list[tuple[int, int, bool]]:
    """What each coup did to the bank: the banker's win, the sum left, whether it must pass."""
    return [
        (event.banker_win, event.sum, event.must_pass)
        for event in live.table_events()
        if isinstance(event, BankSettled)
    ]


def cover(live: Live, number: int) -> int | None:
    """The bank that a coup was opened on."""
    (opened,) = (event for event in live.coup_events(number) if isinstance(event, CoupOpened))
    return opened.conditions.bank


def accepted(live: Live, number: int) -> list[tuple[str, int]]:
    """The accepted wagers of a coup and their stakes."""
    return [
        (wager.id, wager.stake)
        for event in live.coup_events(number)
        if isinstance(event, WagersPlaced)
        for wager in event.wagers
    ]


def test_a_winning_bank_grows_by_the_lost_stakes(live: Live) -> None:
    assert live.coup(1, BANKER_WINS, "player 400, player 100").applied
    assert settlements(live) == [(500, 1500, False)]
    assert live.coup(2, BANKER_WINS, "player 1500").applied
    assert cover(live, 2) == 1500
    assert settlements(live)[1:] == [(1500, 3000, False)]


def test_a_losing_bank_shrinks_by_what_it_pays_and_must_pass(live: Live) -> None:
    """6(6): the banker gives up being banker immediately an opposing hand wins a game."""
    assert live.coup(1, PLAYER_WINS, "player 400").applied
    assert settlements(live) == [(-400, 600, True)]
    refused = live.coup(2, DRAW, "player 100")
    assert (refused.outcome, refused.code, refused.paragraph) == ("refused", "bank-must-pass", "6(6)")
    assert live.coup_events(2) == []


def test_a_bank_that_loses_all_is_empty_and_passes_all_the_same(live: Live) -> None:
    assert live.coup(1, PLAYER_WINS, "player 1000").applied
    assert settlements(live) == [(-1000, 0, True)]
    assert live.say("pass-bank", **P_2).applied
    assert live.coup(2, DRAW, "player 100").applied
    assert cover(live, 2) == 5000


def test_the_bank_must_pass_when_an_opposing_hand_wins_though_nobody_had_staked(live: Live) -> None:
    """6(6) asks whether an opposing hand won the game, not whether it cost the banker anything."""
    assert live.coup(1, PLAYER_WINS, "").applied
    assert settlements(live) == [(0, 1000, True)]
    assert live.coup(2, DRAW, "player 100").code == "bank-must-pass"


def test_a_draw_moves_nothing(live: Live) -> None:
    """6(4)(a): the wagers are void; the bank stays with its holder and keeps its sum."""
    assert live.coup(1, DRAW, "player 1000").applied
    assert settlements(live) == [(0, 1000, False)]
    assert live.coup(2, DRAW, "player 1000").applied
    assert cover(live, 2) == 1000


def test_a_bank_that_retired_can_be_taken_by_another(live: Live) -> None:
    assert live.say("retire-bank").applied
    assert live.coup(1, DRAW).code == "no-bank"
    assert live.say("take-bank", **P_2).applied
    assert live.coup(1, DRAW, "player 5000, player 1").applied
    assert accepted(live, 1) == [("w1", 5000)]
    (retired,) = (event for event in live.table_events() if isinstance(event, BankRetired))
    assert (retired.holder, retired.sum) == ("p-1", 1000)
    assert [event.holder for event in live.table_events() if isinstance(event, BankTaken)] == ["p-1", "p-2"]


def test_a_bank_that_must_pass_may_retire_and_be_taken(live: Live) -> None:
    assert live.coup(1, PLAYER_WINS, "player 400").applied
    assert live.say("retire-bank").applied
    assert live.say("take-bank", **P_2).applied
    assert live.coup(2, DRAW, "player 100").applied


def test_nobody_takes_again_the_bank_that_they_have_just_lost(live: Live) -> None:
    """6(6): retiring and taking it again would not be giving up being banker. Another's turn ends that."""
    assert live.coup(1, PLAYER_WINS, "player 400").applied
    assert live.say("retire-bank").applied
    refused = live.say("take-bank", holder="p-1", sum=600)
    assert (refused.outcome, refused.code, refused.paragraph) == ("refused", "bank-must-pass", "6(6)")
    assert live.say("take-bank", **P_2).applied
    assert live.say("pass-bank", holder="p-1", sum=600).applied


@pytest.mark.parametrize("dealt", [BANKER_WINS, DRAW])
def test_a_banker_who_has_not_lost_may_retire_and_take_it_again(live: Live, dealt: str) -> None:
    assert live.coup(1, dealt, "player 400").applied
    assert live.say("retire-bank").applied
    assert live.say("take-bank", holder="p-1", sum=600).applied


def test_a_bank_that_passes_is_taken_away_by_its_holder(live: Live) -> None:
    """What it stood at goes with him; the next one puts up his own."""
    assert live.coup(1, BANKER_WINS, "player 400").applied
    assert live.say("pass-bank", **P_2).applied
    (passed,) = (event for event in live.table_events() if isinstance(event, BankPassed))
    assert (passed.from_holder, passed.from_sum, passed.holder, passed.sum) == ("p-1", 1400, "p-2", 5000)


def test_the_banker_makes_no_wager_with_himself(live: Live) -> None:
    """6(3): a wager is made with the banker."""
    live.step("open-coup", 1)
    live.step("place-wagers", 1, wagers=wagers("player 100 p-1, player 100 p-2"))
    assert accepted(live, 1) == [("w2", 100)]
    (refused,) = (event for event in live.coup_events(1) if isinstance(event, WagerRefused))
    assert (refused.wager.id, refused.reason, refused.paragraph) == ("w1", "wager-by-the-banker", "6(3)")


@pytest.mark.parametrize("after_a_loss", [False, True], ids=["standing", "must-pass"])
def test_the_bank_passes_to_another_and_not_to_its_holder(live: Live, after_a_loss: bool) -> None:
    """Passing to oneself would not be giving up being banker, 6(6)."""
    assert live.coup(1, PLAYER_WINS if after_a_loss else BANKER_WINS, "player 400").applied
    oneself = live.say("pass-bank", holder="p-1", capacity="player", sum=9000)
    assert (oneself.outcome, oneself.code) == ("refused", "bank-must-pass" if after_a_loss else "bank-taken")
    assert live.say("pass-bank", **P_2).applied
    (passed,) = (event for event in live.table_events() if isinstance(event, BankPassed))
    assert (passed.from_holder, passed.holder, passed.sum) == ("p-1", "p-2", 5000)


@pytest.mark.parametrize("command", ["take-bank", "pass-bank"])
@pytest.mark.parametrize("capacity", ["licence-holder", "employee"])
def test_the_house_may_not_hold_the_bank_of_chemin_de_fer(live: Live, command: str, capacity: str) -> None:
    """6(6): neither the holder of the licence nor any person acting on his behalf."""
    if command == "take-bank":
        assert live.say("retire-bank").applied
    refused = live.say(command, holder="house", capacity=capacity, sum=1000)
    assert (refused.outcome, refused.code, refused.paragraph) == ("refused", "bank-may-not-stand", "6(6)")


@pytest.mark.parametrize(
    "format", ["punto-banco", "baccarat-banque", "chemin-de-fer-kept-bank", "single-hand-with-option"]
)
def test_a_player_may_hold_the_bank_nowhere_else(ledger: Ledger, format: str) -> None:
    """6(5)(a): the holder of the licence, or a person in his service; also where a loser keeps the bank."""
    refused = Live(ledger, format).say("take-bank", holder="p-1", capacity="player", sum=1000)
    assert (refused.outcome, refused.code, refused.paragraph) == ("refused", "bank-may-not-stand", "6(5)(a)")


@pytest.mark.parametrize("stage", ["open-coup", "place-wagers", "close-wagers", "deal-hands"])
@pytest.mark.parametrize(
    ("command", "facts"),
    [
        ("pass-bank", P_2),
        ("retire-bank", {}),
        ("close-table", {"closer": {"chips": {"2500": 1}}}),
        ("open-coup", {"shoe": "S1", "number": 2}),
    ],
)
def test_the_bank_stays_while_a_coup_stands_on_it(
    live: Live, stage: str, command: str, facts: dict[str, Any]
) -> None:
    """From the opening of a coup until its end nobody moves the bank that covers it."""
    steps: dict[str, dict[str, Any]] = {
        "open-coup": {},
        "place-wagers": {"wagers": wagers("player 700")},
        "close-wagers": {},
        "deal-hands": {"hands": hands(BANKER_WINS)},
        "settle-coup": {},
    }
    todo = list(steps)
    for step in todo[: todo.index(stage) + 1]:
        assert live.step(step, 1, **steps[step]).applied
    refused = live.say(command, **facts)
    assert (refused.outcome, refused.code) == ("refused", "bank-committed")
    for step in todo[todo.index(stage) + 1 :]:
        assert live.step(step, 1, **steps[step]).applied
    assert live.say(command, **facts).applied


def test_nobody_takes_a_bank_that_is_held(live: Live) -> None:
    refused = live.say("take-bank", **P_2)
    assert (refused.outcome, refused.code) == ("refused", "bank-taken")


@pytest.mark.parametrize("command", ["pass-bank", "retire-bank"])
def test_a_bank_that_nobody_holds_neither_passes_nor_retires(ledger: Ledger, command: str) -> None:
    refused = Live(ledger, "chemin-de-fer").say(command, **(P_2 if command == "pass-bank" else {}))
    assert (refused.outcome, refused.code) == ("refused", "no-bank")


@pytest.mark.parametrize("split", [False, True], ids=["one-command", "one-by-one"])
def test_stakes_are_covered_in_order_of_acceptance_and_the_excess_goes_back(live: Live, split: bool) -> None:
    """6(3): odds of 1 to 1 that the bank could not pay are never promised."""
    offered = wagers("player 600, player 300, player 250, player 1")
    assert live.step("open-coup", 1).applied
    for portion in [[wager] for wager in offered] if split else [offered]:
        assert live.step("place-wagers", 1, wagers=portion).applied
    assert accepted(live, 1) == [("w1", 600), ("w2", 300), ("w3", 100)]
    refused = [event for event in live.coup_events(1) if isinstance(event, WagerRefused)]
    assert [(event.wager.id, event.stake, event.reason, event.paragraph) for event in refused] == [
        ("w3", 150, "bank-exceeded", "6(3)"),
        ("w4", 1, "bank-exceeded", "6(3)"),
    ]


def test_a_cancelled_stake_frees_the_bank_for_those_that_come_after(live: Live) -> None:
    """2(2), 6(3): cover given back is there again, and only for later wagers."""
    live.step("open-coup", 1)
    live.step("place-wagers", 1, wagers=wagers("player 800, player 800"))
    live.step("cancel-wagers", 1, wagers=["w1"])
    live.step("place-wagers", 1, wagers=[{"id": "w9", "kind": "player", "stake": 900}])
    assert accepted(live, 1) == [("w1", 800), ("w2", 200), ("w9", 800)]


def test_a_refused_step_leaves_the_bank_where_it_was(live: Live) -> None:
    """A coup that is refused whole commits no bank."""
    refused = live.coup(1, "P As As / B As As", "player 10", format="punto-banco")
    assert refused.code == "conditions-differ"
    nine_aces = live.coup(1, "P As As As / B As As As", "player 10")
    assert nine_aces.applied
    assert live.coup(2, "P As As As / B As 7c", "player 10").code == "card-not-in-shoe"
    assert topics_of(live.ledger, "coup/main/T1/S1/2") == []
    assert live.say("retire-bank").applied


def test_a_void_coup_frees_the_bank_and_moves_nothing(live: Live) -> None:
    live.step("open-coup", 1)
    live.step("place-wagers", 1, wagers=wagers("player 700"))
    void = live.step("void-coup", 1, reason="a card fell off the table", approvers=["pit-1", "pit-2"])
    assert (void.outcome, void.stage) == ("applied", "void")
    assert settlements(live) == [(0, 1000, False)]
    assert live.coup(2, BANKER_WINS, "player 1000").applied
    assert cover(live, 2) == 1000


def test_the_bankers_own_result_stands_in_the_settled_coup(live: Live, ledger: Ledger) -> None:
    """The house has no share in that bank, 6(6): the result is the banker's and is named as his."""
    live.coup(1, BANKER_WINS, "player 400")
    live.coup(2, PLAYER_WINS, "player 300")
    results = [
        event.banker_win
        for number in (1, 2)
        for event in live.coup_events(number)
        if isinstance(event, CoupSettled)
    ]
    assert results == [400, -300]


def test_the_largest_bank_grows_no_further_and_breaks_nothing(ledger: Ledger) -> None:
    """A bank at the limit of what an amount may hold is answered, whichever way the coup goes."""
    live = Live(ledger, "chemin-de-fer")
    assert live.say("take-bank", holder="p-1", capacity="player", sum=10**15).applied
    before = ledger.record.last_sequence()
    answer = live.coup(1, BANKER_WINS, "player 100")
    if answer.applied:
        assert settlements(live) == [(100, 10**15 + 100, False)]
    else:
        assert topics_of(ledger, "coup/main/T1/S1/1") == []
        assert ledger.record.last_sequence() - before <= 1
    assert live.coup(2, DRAW, "player 100").applied


@pytest.mark.parametrize("rounding", ["exact-only", "up-to-unit", "nearest"])
@pytest.mark.parametrize(
    ("bank", "stake", "covered"),
    [
        (120, 100, 100),
        (100, 150, 100),
        (120, 150, 100),  # the twenty over are no whole unit: the bank could not pay them
        (40, 150, 0),
    ],
)
def test_a_bank_covers_what_it_can_pay_in_whole_units(
    ledger: Ledger, rounding: str, bank: int, stake: int, covered: int
) -> None:
    """6(3): what is taken is paid 1 to 1, also where the smallest thing that can be paid is fifty."""
    live = Live(ledger, "chemin-de-fer", terms={"rounding": rounding, "unit": 50})
    live.say("take-bank", holder="p-1", capacity="player", sum=bank)
    assert live.coup(1, PLAYER_WINS, f"player {stake}").stage == "settled"
    assert sum(staked for _, staked in accepted(live, 1)) == covered
    assert settlements(live) == [(-covered, bank - covered, True)]


def test_rounding_up_never_makes_a_bank_pay_more_than_it_holds(ledger: Ledger) -> None:
    """6(3): a hundred and twenty on a bank of as much; up to the next fifty would be a hundred and fifty."""
    live = Live(ledger, "chemin-de-fer", terms={"rounding": "up-to-unit", "unit": 50})
    live.say("take-bank", holder="p-1", capacity="player", sum=120)
    assert live.coup(1, PLAYER_WINS, "player 120").stage == "settled"
    ((_, left, must_pass),) = settlements(live)
    assert (left >= 0, must_pass) == (True, True)
