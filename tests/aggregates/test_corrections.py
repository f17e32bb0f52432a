"""Settled coups put right: what was settled is taken back, and nothing else moves (design §4)."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.application import Ledger
from ledger.events.base import LedgerEvent
from ledger.events.coup import CoupCorrected, CoupSettled, CoupVoided, WagersReversed, WagersSettled
from ledger.events.table import BankSettled
from tests.tabletalk import Live, hands, topics_of, wagers

COUP = "coup/main/T1/S1/1"
SIX_TO_SEVEN = "P 2 4 / B 10 7"
NINE_TO_SEVEN = "P 9 K / B 10 7"
SEVEN_ALL = "P J 7 / B 10 7"
STAKED = "player 100, banker 200, tie 50"
RULING: dict[str, Any] = {
    "reason": "the first card was misread",
    "approvers": ["pit-1", "pit-2"],
    "evidence": "clip 17",
}


@pytest.fixture
def live(ledger: Ledger) -> Live:
    """Punto banco, with one coup settled: the banker's seven beat a six."""
    live = Live(ledger)
    assert live.coup(1, SIX_TO_SEVEN, STAKED).stage == "settled"
    return live


def correct(live: Live, dealt: str, number: int = 1, **facts: Any) -> Any:
    """A correction by two approvers."""
    return live.step("correct-coup", number, **{**RULING, "hands": hands(dealt), **facts})


def corrections(live: Live, number: int = 1) -> list[CoupCorrected]:
    """The corrections of a coup, in order."""
    return [event for event in live.coup_events(number) if isinstance(event, CoupCorrected)]


def lines(events: list[LedgerEvent], kind: type[WagersSettled | WagersReversed]) -> list[Any]:
    """All lines in the events of one type."""
    return [line for event in events if isinstance(event, kind) for line in event.lines]


def test_a_correction_takes_back_each_line_and_settles_anew(live: Live) -> None:
    """Six to seven: the banker's wager had won 190. Nine to seven: the player's wins 100."""
    answer = correct(live, NINE_TO_SEVEN)
    assert (answer.outcome, answer.stage) == ("applied", "settled")
    assert topics_of(live.ledger, COUP)[5:] == [
        "coup-settled",
        "wagers-reversed",
        "wagers-settled",
        "coup-corrected",
    ]
    (event,) = corrections(live)
    assert (event.reason, event.evidence) == ("the first card was misread", "clip 17")
    assert event.approvers == ("pit-1", "pit-2")
    assert (str(event.hands["player"]), event.results) == ("9 K", {"player": "W"})
    assert [(t.kind, t.outcome, t.stakes, t.winnings) for t in event.reversed_totals] == [
        ("banker", "won", 200, 190),
        ("player", "lost", 100, 0),
        ("tie", "lost", 50, 0),
    ]
    assert [(t.kind, t.outcome, t.stakes, t.winnings) for t in event.totals] == [
        ("banker", "lost", 200, 0),
        ("player", "won", 100, 100),
        ("tie", "lost", 50, 0),
    ]


def test_the_first_settlement_stays_in_the_record_as_it_was(live: Live) -> None:
    before = live.coup_events(1)
    correct(live, NINE_TO_SEVEN)
    assert live.coup_events(1)[: len(before)] == before


def test_what_is_reversed_is_what_was_settled_to_the_last_field(live: Live) -> None:
    """Of each settlement in turn: the first, and those of the corrections."""
    for dealt in (NINE_TO_SEVEN, SEVEN_ALL, SIX_TO_SEVEN):
        settled_now = lines(live.coup_events(1), WagersSettled)[-3:]
        assert correct(live, dealt).applied
        assert lines(live.coup_events(1), WagersReversed)[-3:] == settled_now
    assert live.step("void-coup", 1, **RULING).applied
    told = live.coup_events(1)
    assert lines(told, WagersReversed) == lines(told, WagersSettled)


def test_a_correction_names_the_settlement_that_it_supersedes(live: Live) -> None:
    """The event that settled the coup, then each correction in turn; a dispute between is none of them."""
    correct(live, NINE_TO_SEVEN)
    live.step("raise-dispute", 1, dispute="D-1", statement="It was an eight.")
    correct(live, SEVEN_ALL)
    live.step("void-coup", 1, **RULING)
    (settled,) = (event for event in live.coup_events(1) if isinstance(event, CoupSettled))
    first, second = corrections(live)
    (void,) = (event for event in live.coup_events(1) if isinstance(event, CoupVoided))
    assert (first.supersedes, second.supersedes) == (settled.version, first.version)
    assert void.supersedes == second.version
    assert void.reversed_totals == second.totals


def test_a_settled_coup_that_is_void_returns_every_stake(live: Live) -> None:
    answer = live.step("void-coup", 1, **RULING)
    assert (answer.outcome, answer.stage) == ("applied", "void")
    void = live.coup_events(1)[-1]
    assert isinstance(void, CoupVoided)
    assert (void.wagers, void.stakes, void.was_held) == (3, 350, False)
    assert topics_of(live.ledger, COUP)[6:] == ["wagers-reversed", "coup-voided"]


def test_a_coup_void_before_it_settled_supersedes_nothing(ledger: Ledger) -> None:
    live = Live(ledger)
    live.step("open-coup", 1)
    live.step("place-wagers", 1, wagers=wagers(STAKED))
    live.step("void-coup", 1, **RULING)
    void = live.coup_events(1)[-1]
    assert isinstance(void, CoupVoided)
    assert (void.supersedes, void.reversed_totals) == (None, None)


def test_a_coup_that_a_ruling_gave_its_hands_is_corrected_like_any_other(ledger: Ledger) -> None:
    live = Live(ledger)
    assert live.coup(1, "P K 2 8 / B A 2 5", STAKED).stage == "held"
    assert live.step("correct-hands", 1, **{**RULING, "hands": hands("P K 2 8 / B A 2")}).applied
    same = correct(live, "P K 2 8 / B A 2")
    assert (same.outcome, same.code) == ("refused", "nothing-to-correct")
    assert correct(live, SEVEN_ALL).applied
    (event,) = corrections(live)
    assert [(t.kind, t.outcome) for t in event.reversed_totals] == [
        ("banker", "won"),
        ("player", "lost"),
        ("tie", "lost"),
    ]


def test_a_correction_settles_under_the_conditions_of_that_night(ledger: Ledger) -> None:
    """The profile, the terms and the gaming day pinned at the opening; the table has opened anew since."""
    live = Live(ledger, profile="si-2000-597-7a", terms={"rounding": "up-to-unit", "unit": 50})
    live.coup(1, NINE_TO_SEVEN, "banker 110")
    live.say("close-table", closer={"chips": {}})
    opening = {"format": "punto-banco", "opener": {"chips": {}}, "gaming_day": "2026-11-28"}
    assert live.say("open-table", occurred_at="2026-11-28T09:00:00Z", **opening).applied
    correct(live, SIX_TO_SEVEN, occurred_at="2026-11-28T09:30:00Z")
    (event,) = corrections(live)
    (line,) = lines(live.coup_events(1), WagersSettled)[-1:]
    # 19 to 20 on 110 is 104.50: 150 in fifties.
    assert (line.winnings, line.remainder, line.paragraph) == (150, "91/2", "6(7A)(a)")
    assert event.conditions.gaming_day.isoformat() == "2026-11-27"


# --- What is no correction -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dealt", "outcome", "code"),
    [
        (SIX_TO_SEVEN, "refused", "nothing-to-correct"),
        ("P 2 4 / B T 7", "refused", "nothing-to-correct"),
        ("P 2 4 K / B 10 7", "refused", "still-irregular"),
        ("1 2 4 / B 10 7", "rejected", "hand-unknown"),
        ("P 2 4", "rejected", "hand-missing"),
    ],
)
def test_hands_that_correct_nothing_leave_the_coup_as_it_was(
    live: Live, dealt: str, outcome: str, code: str
) -> None:
    before = live.coup_events(1)
    answer = correct(live, dealt)
    assert (answer.outcome, answer.code) == (outcome, code)
    assert live.coup_events(1) == before


def test_other_suits_are_other_hands(ledger: Ledger) -> None:
    """The cards are evidence: that the six was of hearts is a correction, and it moves no money."""
    live = Live(ledger)
    live.coup(1, "P 2 4s / B 10 7", STAKED)
    assert correct(live, "P 2 4h / B 10 7").applied
    (event,) = corrections(live)
    assert event.totals == event.reversed_totals


def test_hands_corrected_back_are_a_correction(live: Live) -> None:
    """Only what stands now is no correction of itself."""
    assert correct(live, NINE_TO_SEVEN).applied
    assert correct(live, NINE_TO_SEVEN).code == "nothing-to-correct"
    assert correct(live, SIX_TO_SEVEN).applied


def test_a_hand_that_was_not_in_play_does_not_come_into_it(ledger: Ledger) -> None:
    """Domain §3.4 A5: hands in play are fixed at the close, for a correction too."""
    live = Live(ledger, "baccarat-banque")
    live.coup(1, "1 9 K / B 7 Q", "hand-1 100")
    for dealt, code in (
        ("1 8 K / 2 9 K / B 7 Q", "hand-unknown"),
        ("2 9 K / B 7 Q", "hand-missing"),
    ):
        answer = correct(live, dealt)
        assert (answer.outcome, answer.code) == ("rejected", code)
    assert correct(live, "1 5 K / B 7 Q").applied


@pytest.mark.parametrize(
    ("approvers", "code"),
    [
        (["pit-1"], "approvers-not-independent"),
        (["pit-1", "pit-1"], "approvers-not-independent"),
        (["pit-1", "pit-2", "pit-2"], "approvers-not-independent"),
        (["pit-1", "dealer-1"], "approvers-not-independent"),
        (["pit-9", "dealer-1"], "approvers-not-independent"),
        (["pit-1", "pit-9"], "approver-without-right"),
        (["pit-9", "pit-8"], "approver-without-right"),
        (["pit-1", "pit-2", "pit-9"], "approver-without-right"),
        (["pit-1", "pit-2"], None),
        (["pit-2", "surveillance-1", "pit-1"], None),
    ],
)
@pytest.mark.parametrize("ruling", ["correct-coup", "void-coup", "correct-hands"])
def test_two_persons_with_the_right_who_did_not_record_it(
    ledger: Ledger, ruling: str, approvers: list[str], code: str | None
) -> None:
    """The right goes with the table, named when it opened; that the dealer has it makes him no approver."""
    live = Live(ledger, may_approve=["pit-1", "pit-2", "surveillance-1", "dealer-1"])
    held = ruling == "correct-hands"
    live.coup(1, "P K 2 8 / B A 2 5" if held else SIX_TO_SEVEN, STAKED)
    before = live.coup_events(1)
    facts = {} if ruling == "void-coup" else {"hands": hands("P K 2 8 / B A 2" if held else NINE_TO_SEVEN)}
    answer = live.step(ruling, 1, **{**RULING, **facts, "approvers": approvers})
    assert answer.code == code
    if code is not None:
        assert answer.outcome == "refused"
        assert live.coup_events(1) == before


def test_who_may_approve_is_pinned_when_the_coup_opens(live: Live) -> None:
    """This coup's table had named nobody; that it names somebody the next night changes nothing here."""
    live.say("close-table", closer={"chips": {}})
    opening = {"format": "punto-banco", "opener": {"chips": {}}, "gaming_day": "2026-11-28"}
    live.say("open-table", occurred_at="2026-11-28T09:00:00Z", may_approve=["pit-8", "pit-9"], **opening)
    assert correct(live, NINE_TO_SEVEN).applied


def test_whoever_reports_a_ruling_recorded_the_ruling_and_not_the_coup(live: Live) -> None:
    """The pit boss types it in and is one of its two; he dealt nothing."""
    assert correct(live, NINE_TO_SEVEN, actor="pit-1").applied
    assert correct(live, SEVEN_ALL, actor="pit-2").applied
    assert live.step("void-coup", 1, **RULING).applied


# --- Nothing else moves --------------------------------------------------------------------------------


@pytest.mark.parametrize("ruling", ["correct-coup", "void-coup"])
def test_a_ruling_on_a_settled_coup_touches_no_later_bank(ledger: Ledger, ruling: str) -> None:
    """Domain §2.4: later coups of chemin de fer are never replayed, though their bank was the wrong one."""
    live = Live(ledger, "chemin-de-fer")
    live.say("take-bank", holder="p-1", sum=1000)
    live.coup(1, SIX_TO_SEVEN, "player 400")
    live.coup(2, NINE_TO_SEVEN, "player 300")
    live.say("pass-bank", holder="p-2", sum=500)
    live.step("open-coup", 3)
    table, later = live.table_events(), live.coup_events(2)
    facts = {"hands": hands(NINE_TO_SEVEN)} if ruling == "correct-coup" else {}
    assert live.step(ruling, 1, **{**RULING, **facts}).applied
    assert live.table_events() == table
    assert live.coup_events(2) == later
    if ruling == "correct-coup":
        assert [event.banker_win for event in corrections(live)] == [-400]
    live.step("place-wagers", 3, wagers=wagers("player 600"))
    live.step("close-wagers", 3)
    live.step("deal-hands", 3, hands=hands(SIX_TO_SEVEN))
    assert live.step("settle-coup", 3).applied
    moved = [event for event in live.table_events() if isinstance(event, BankSettled)]
    assert [(event.banker_win, event.sum) for event in moved] == [(400, 1400), (-300, 1100), (500, 1000)]


def test_a_win_corrected_to_a_loss_does_not_make_the_bank_pass_now(ledger: Ledger) -> None:
    """It was not given up at once then, and nobody is asked to give it up now (6(6), design §4)."""
    live = Live(ledger, "chemin-de-fer")
    live.say("take-bank", holder="p-1", sum=1000)
    live.coup(1, SIX_TO_SEVEN, "player 400")
    assert correct(live, NINE_TO_SEVEN).applied
    assert live.coup(2, SIX_TO_SEVEN, "player 1400").applied


def test_a_thousand_lines_are_taken_back_in_portions(ledger: Ledger) -> None:
    live = Live(ledger)
    live.coup(1, SIX_TO_SEVEN, ", ".join(["player 10"] * 1001))
    assert correct(live, NINE_TO_SEVEN).applied
    told = [event for event in live.coup_events(1) if isinstance(event, WagersReversed)]
    assert [len(event.lines) for event in told] == [500, 500, 1]
    assert [line.wager for line in lines(live.coup_events(1), WagersReversed)] == [
        f"w{number}" for number in range(1, 1002)
    ]
