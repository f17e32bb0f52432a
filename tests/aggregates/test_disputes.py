"""Disputes and their eight weeks, and cancellation by mutual consent before the first card."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from ledger.application import Ledger
from ledger.events.coup import DisputeRaised, DisputeResolved, WagersCancelled
from tests.tabletalk import EVENING, Live, hands, wagers

NINE_TO_SEVEN = "P 9 K / B 7 Q"
D_1: dict[str, Any] = {"dispute": "D-1", "statement": "My hand was a six."}
RULING: dict[str, Any] = {"reason": "camera 4", "approvers": ["pit-1", "pit-2"], "evidence": "clip 17"}


@pytest.fixture
def live(ledger: Ledger) -> Live:
    """Punto banco, with one coup settled."""
    live = Live(ledger)
    live.coup(1, NINE_TO_SEVEN, "player 100 p-7, tie 5, hand-1 3")
    return live


def raised(live: Live, number: int = 1) -> list[DisputeRaised]:
    """The disputes raised on a coup."""
    return [event for event in live.coup_events(number) if isinstance(event, DisputeRaised)]


def test_a_dispute_is_raised_and_resolved(live: Live) -> None:
    """Domain §5: when it was received, whose it is, what it is about; and how it ended."""
    answer = live.step("raise-dispute", 1, **D_1, patron="p-7", wager="w1")
    assert (answer.outcome, answer.stage) == ("applied", "settled")
    (event,) = raised(live)
    assert (event.dispute, event.patron, event.wager) == ("D-1", "p-7", "w1")
    assert event.statement == "My hand was a six."
    assert event.received_at == datetime.fromisoformat(EVENING)
    assert live.step("resolve-dispute", 1, dispute="D-1", decision="not upheld", evidence="clip 9").applied
    end = live.coup_events(1)[-1]
    assert isinstance(end, DisputeResolved)
    assert (end.dispute, end.decision, end.evidence) == ("D-1", "not upheld", "clip 9")


@pytest.mark.parametrize(
    ("received", "unresolved"),
    [
        ("2026-11-27T19:15:00Z", "2027-01-22T19:15:00Z"),
        # London's clocks went back on 25 October 2026 and forward on 29 March: eight weeks are 56 days of
        # 24 hours, so the clock on the wall then shows an hour less, or one more.
        ("2026-10-01T12:00:00+01:00", "2026-11-26T11:00:00Z"),
        ("2026-03-01T00:30:00Z", "2026-04-26T01:30:00+01:00"),
        ("2024-01-31T23:59:59Z", "2024-03-27T23:59:59Z"),  # over a leap day
    ],
)
def test_a_dispute_is_unresolved_after_exactly_eight_weeks(
    live: Live, received: str, unresolved: str
) -> None:
    """SR code 6.1.1 (domain §5), counted from when it was received, not from when it was typed in."""
    assert live.step("raise-dispute", 1, **D_1, received_at=received).applied
    (event,) = raised(live)
    assert event.received_at == datetime.fromisoformat(received)
    assert event.unresolved_at == datetime.fromisoformat(unresolved)
    assert event.unresolved_at - event.received_at == timedelta(hours=8 * 7 * 24)


@pytest.mark.parametrize(
    "received", ["2026-11-27T21:00:01Z", "2026-11-27T21:00:00-01:00", "9999-12-31T00:00:00Z"]
)
def test_no_dispute_was_received_after_it_was_reported(live: Live, received: str) -> None:
    """A clock that starts in the future would give the house more than eight weeks."""
    before = live.ledger.record.last_sequence()
    answer = live.step("raise-dispute", 1, **D_1, received_at=received)
    assert (answer.outcome, answer.code) == ("rejected", "not-yet-received")
    assert live.ledger.record.last_sequence() == before


@pytest.mark.parametrize("resolved", [False, True], ids=["standing", "resolved"])
def test_the_id_of_a_dispute_is_used_once(live: Live, resolved: bool) -> None:
    live.step("raise-dispute", 1, **D_1)
    if resolved:
        live.step("resolve-dispute", 1, dispute="D-1", decision="upheld")
    answer = live.step("raise-dispute", 1, **D_1)
    assert (answer.outcome, answer.code) == ("refused", "dispute-id-used")
    assert live.step("raise-dispute", 1, **{**D_1, "dispute": "D-2"}).applied


def test_a_dispute_is_resolved_once_and_no_other_with_it(live: Live) -> None:
    live.step("raise-dispute", 1, **D_1)
    live.step("raise-dispute", 1, **{**D_1, "dispute": "D-2"})
    for dispute, code in (
        ("D-3", "no-such-dispute"),
        ("D-1", None),
        ("D-1", "no-such-dispute"),
        ("D-2", None),
    ):
        assert live.step("resolve-dispute", 1, dispute=dispute, decision="upheld").code == code


@pytest.mark.parametrize(
    ("wager", "code"), [("w1", None), ("w2", None), ("w3", None), ("w9", "wager-unknown")]
)
def test_a_dispute_is_about_a_wager_that_was_offered_taken_or_refused(
    live: Live, wager: str, code: str | None
) -> None:
    answer = live.step("raise-dispute", 1, **D_1, wager=wager)
    assert answer.code == code


@pytest.mark.parametrize("end", ["open", "held", "void"])
def test_a_coup_may_be_disputed_wherever_it_stands(ledger: Ledger, end: str) -> None:
    """And it goes on, or stays held, or void, as before."""
    live = Live(ledger)
    if end == "held":
        live.coup(1, "P K 2 8 / B A 2 5", "player 100")
    else:
        live.step("open-coup", 1)
        live.step("place-wagers", 1, wagers=wagers("player 100"))
    if end == "void":
        live.step("void-coup", 1, **RULING)
    assert live.step("raise-dispute", 1, **D_1, wager="w1").stage == end
    assert live.step("resolve-dispute", 1, dispute="D-1", decision="upheld").stage == end
    if end == "open":
        live.step("close-wagers", 1)
        live.step("deal-hands", 1, hands=hands(NINE_TO_SEVEN))
        assert live.step("settle-coup", 1).stage == "settled"


def test_whoever_takes_a_dispute_down_may_rule_on_it(live: Live) -> None:
    """He recorded the patron's words and no step of the coup."""
    live.step("raise-dispute", 1, **D_1, actor="pit-1")
    assert live.step("correct-coup", 1, hands=hands("P 6 K / B 7 Q"), **RULING).applied
    assert live.step("resolve-dispute", 1, dispute="D-1", decision="upheld").stage == "settled"


# --- By mutual consent ---------------------------------------------------------------------------------


@pytest.mark.parametrize("stage", ["open", "closed", "dealt", "settled", "void"])
def test_wagers_are_cancelled_before_the_first_card_and_not_after(ledger: Ledger, stage: str) -> None:
    """2(2): afterwards only a ruling gives a stake back, and calls it another name."""
    live = Live(ledger)
    live.step("open-coup", 1)
    live.step("place-wagers", 1, wagers=wagers("player 100, tie 5"))
    steps: dict[str, dict[str, Any]] = {
        "close-wagers": {},
        "deal-hands": {"hands": hands(NINE_TO_SEVEN)},
        "settle-coup": {},
        "void-coup": RULING,
    }
    for (name, facts), reached in zip(steps.items(), ["closed", "dealt", "settled", "void"], strict=True):
        if stage == "open":
            break
        assert live.step(name, 1, **facts).stage == reached
        if reached == stage:
            break
    answer = live.step("cancel-wagers", 1, wagers=["w2"])
    cancelled = [event for event in live.coup_events(1) if isinstance(event, WagersCancelled)]
    if stage in {"open", "closed"}:
        assert [(event.wagers, event.stakes, event.reason, event.paragraph) for event in cancelled] == [
            (("w2",), 5, "mutual-consent", "2(2)")
        ]
    else:
        assert (answer.outcome, answer.code) == ("refused", "coup-not-ready")
        assert cancelled == []
