"""What a table offers, 6(8); what those with an option choose, 6(7)(c); and charges, which are apart."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.application import Ledger
from ledger.events.coup import HandsDealt, WagerRefused
from ledger.events.table import BankSettled, OfferChanged, TableChargeTaken
from tests.properties.against import recorded_lines
from tests.tabletalk import Live, hands, wagers

COUP = "coup/main/T1/S1/1"
NINE_TO_SEVEN = "P 9 K / B 10 7"
ONE_HAND_OPTIONS = ("chemin-de-fer-kept-bank", "single-hand-with-option")


@pytest.mark.parametrize(
    ("format", "kinds", "missing"),
    [
        ("punto-banco", ["player", "banker", "tie"], []),
        ("punto-banco", ["player", "banker"], ["tie"]),
        ("punto-banco", ["tie"], ["player", "banker"]),
        ("punto-banco", [], ["player", "banker", "tie"]),
        ("chemin-de-fer", ["player"], []),
        ("chemin-de-fer", [], ["player"]),
        ("baccarat-banque", ["hand-1", "hand-2", "both-hands"], []),
        ("baccarat-banque", ["hand-1", "hand-2"], ["both-hands"]),
        ("baccarat-banque", [], ["hand-1", "hand-2", "both-hands"]),
        *((format, ["player"], []) for format in ONE_HAND_OPTIONS),
        *((format, [], ["player"]) for format in ONE_HAND_OPTIONS),
    ],
)
def test_what_6_8_would_have_offered_too_is_written_down(
    ledger: Ledger, format: str, kinds: list[str], missing: list[str]
) -> None:
    """Every kind that the version and the bank allow (domain §3.1, §3.4 A6)."""
    live = Live(ledger, format)
    assert live.say("change-offer", kinds=kinds).applied
    offered = live.table_events()[-1]
    assert isinstance(offered, OfferChanged)
    assert ([*offered.kinds], [*offered.missing]) == (kinds, missing)


@pytest.mark.parametrize(
    ("format", "kinds", "barred", "paragraph"),
    [
        ("punto-banco", ["player", "hand-1"], "hand-1", "6(4)"),
        ("punto-banco", ["both-hands", "player", "banker", "tie"], "both-hands", "6(4)"),
        ("chemin-de-fer", ["player", "tie"], "tie", "6(7)(a)"),
        ("chemin-de-fer", ["banker", "tie"], "banker", "6(7)(a)"),
        ("chemin-de-fer", ["hand-2", "tie"], "hand-2", "6(4)"),
        # One hand may be out of play, so 6(7)(b) could be met; 6(7)(c) never is.
        ("baccarat-banque", ["hand-1", "tie"], "tie", "6(7)(c)"),
        ("baccarat-banque", ["banker"], "banker", "6(7)(c)"),
        ("baccarat-banque", ["player"], "player", "6(4)"),
        *((format, ["player", "banker"], "banker", "6(7)(c)") for format in ONE_HAND_OPTIONS),
    ],
)
def test_what_the_law_bars_from_a_table_is_not_on_offer_there(
    ledger: Ledger, format: str, kinds: list[str], barred: str, paragraph: str
) -> None:
    """6(4), 6(7): the whole command is refused under the paragraph, and what was on offer stays on offer."""
    live = Live(ledger, format)
    before = live.table_events()
    answer = live.say("change-offer", kinds=kinds)
    assert (answer.outcome, answer.code, answer.paragraph) == ("refused", "kind-not-available", paragraph)
    assert f"no {barred} wager" in (answer.detail or "")
    assert live.table_events() == before


def test_a_kind_that_is_not_on_offer_is_refused_and_recorded(ledger: Ledger) -> None:
    """2(2): no wager has to be accepted. A kind that the law bars is barred by the law first."""
    live = Live(ledger)
    live.say("change-offer", kinds=["player"])
    assert live.coup(1, NINE_TO_SEVEN, "player 100, tie 5, banker 20, both-hands 7").stage == "settled"
    refused = [event for event in live.coup_events(1) if isinstance(event, WagerRefused)]
    assert [(event.wager.id, event.stake, event.reason, event.paragraph) for event in refused] == [
        ("w2", 5, "kind-not-on-offer", "terms.offer"),
        ("w3", 20, "kind-not-on-offer", "terms.offer"),
        ("w4", 7, "kind-not-available", "6(4)"),
    ]


def test_an_offer_holds_from_the_next_coup_on(ledger: Ledger) -> None:
    """What was on offer when the coup opened is on offer until its wagers close, and the other way round."""
    live = Live(ledger)
    live.step("open-coup", 1)
    live.say("change-offer", kinds=["player"])
    live.step("open-coup", 2)
    live.say("change-offer", kinds=["player", "tie"])
    live.step("open-coup", 3)
    for number in (1, 2, 3):
        live.step("place-wagers", number, wagers=wagers("tie 5"))
    assert [
        bool([event for event in live.coup_events(number) if isinstance(event, WagerRefused)])
        for number in (1, 2, 3)
    ] == [False, True, False]


def test_a_table_that_has_said_nothing_offers_all_that_is_allowed(ledger: Ledger) -> None:
    live = Live(ledger)
    live.coup(1, NINE_TO_SEVEN, "player 100, banker 20, tie 5")
    assert not [event for event in live.coup_events(1) if isinstance(event, WagerRefused)]


# --- Drawing decisions ---------------------------------------------------------------------------------


@pytest.mark.parametrize("at_once", [True, False], ids=["record-coup", "steps"])
@pytest.mark.parametrize(
    ("format", "dealt", "decisions"),
    [
        ("chemin-de-fer", "P 2 3 / B 10 7", [("player", False, "p-2")]),
        ("chemin-de-fer", "P 2 3 K / B 10 5 2", [("player", True, "p-2"), ("banker", True, "p-1")]),
        ("baccarat-banque", "1 2 3 / 2 2 3 9 / B 10 6", [("hand-2", True, "p-3"), ("hand-1", False, None)]),
        ("single-hand-with-option", "P 2 3 / B 10 7", [("banker", False, "employee-3")]),
    ],
)
def test_a_decision_on_a_third_card_is_recorded(
    ledger: Ledger, format: str, dealt: str, decisions: list[tuple[str, bool, str | None]], at_once: bool
) -> None:
    """Who chose what, beside the cards it came to."""
    live = Live(ledger, format)
    if format == "chemin-de-fer":
        live.say("take-bank", holder="p-1", sum=1000)
    told = [{"hand": hand, "drew": drew, **({"by": by} if by else {})} for hand, drew, by in decisions]
    if at_once:
        assert live.coup(1, dealt, decisions=told).stage == "settled"
    else:
        live.step("open-coup", 1)
        live.step("close-wagers", 1)
        assert live.step("deal-hands", 1, hands=hands(dealt), decisions=told).applied
    (event,) = (event for event in live.coup_events(1) if isinstance(event, HandsDealt))
    assert [(one.hand, one.drew, one.by) for one in event.decisions or ()] == decisions


@pytest.mark.parametrize(
    ("format", "dealt", "decision"),
    [
        ("chemin-de-fer", "P 2 3 / B 10 7", {"hand": "player", "drew": True}),
        ("chemin-de-fer", "P 2 3 K / B 10 7", {"hand": "player", "drew": False}),
        ("chemin-de-fer", "P 2 3 K / B 10 7", {"hand": "hand-1", "drew": True}),
        ("baccarat-banque", "1 2 3 / B 10 7", {"hand": "hand-2", "drew": False}),
        ("baccarat-banque", "1 2 3 / 2 2 3 K / B 10 7", {"hand": "banker", "drew": True}),
    ],
)
def test_cards_that_contradict_a_decision_are_not_read(
    ledger: Ledger, format: str, dealt: str, decision: dict[str, Any]
) -> None:
    """One of the two was misread; nothing is recorded, and it may be sent again."""
    live = Live(ledger, format)
    if format == "chemin-de-fer":
        live.say("take-bank", holder="p-1", sum=1000)
    before = ledger.record.last_sequence()
    answer = live.coup(1, dealt, decisions=[decision])
    assert (answer.outcome, answer.code) == ("rejected", "decision-contradicts-cards")
    assert ledger.record.last_sequence() == before


@pytest.mark.parametrize("drew", [True, False])
def test_nobody_decides_where_nobody_has_an_option(ledger: Ledger, drew: bool) -> None:
    """6(7)(c): if anybody had one, no banker or tie wager could stand there."""
    live = Live(ledger)
    refused = live.coup(1, NINE_TO_SEVEN, decisions=[{"hand": "player", "drew": drew}])
    assert (refused.outcome, refused.code, refused.paragraph) == ("refused", "no-option", "6(7)(c)")
    assert live.coup_events(1) == []


# --- Charges -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", ["punto-banco", "chemin-de-fer"])
def test_a_charge_never_touches_a_settlement(ledger: Ledger, format: str) -> None:
    """Domain §1.4, 6(3): 1 to 1 is paid whole, whatever was charged for taking part, before or meanwhile."""
    live = Live(ledger, format)
    if format == "chemin-de-fer":
        live.say("take-bank", holder="p-1", sum=1000)
    assert live.say("take-charge", amount=300, patron="p-2", seat=5).applied
    live.step("open-coup", 1)
    live.step("place-wagers", 1, wagers=wagers("player 100 p-2"))
    assert live.say("take-charge", amount=25).applied
    live.step("close-wagers", 1)
    live.step("deal-hands", 1, hands=hands(NINE_TO_SEVEN))
    live.step("settle-coup", 1)
    assert recorded_lines(ledger, COUP) == [("w1", "player", 100, "won", "1/1", 100, 100, "0", "6(3),(4)")]
    charges = [event for event in live.table_events() if isinstance(event, TableChargeTaken)]
    assert [(event.amount, event.patron, event.seat) for event in charges] == [
        (300, "p-2", 5),
        (25, None, None),
    ]
    banks = [event.sum for event in live.table_events() if isinstance(event, BankSettled)]
    assert banks == ([900] if format == "chemin-de-fer" else [])


def test_a_charge_belongs_to_the_shift_in_force(ledger: Ledger) -> None:
    live = Live(ledger, shift="day")
    live.say("take-charge", amount=300)
    live.say("change-shift", shift="late")
    live.say("take-charge", amount=400)
    charges = [event for event in live.table_events() if isinstance(event, TableChargeTaken)]
    assert [(event.shift, event.amount, event.table) for event in charges] == [
        ("day", 300, "T1"),
        ("late", 400, "T1"),
    ]
