"""Steps of a coup that do not follow, and wagers that are not to be had."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from ledger.application import Ledger
from ledger.events import coup as events
from tests.tabletalk import GAMING_DAY, Live, command, hands, topics_of, wagers

NINE_TO_SEVEN = "P 9 K / B 7 Q"
RULING = {"reason": "camera 4", "approvers": ["pit-1", "pit-2"]}
STEPS: dict[str, dict[str, Any]] = {
    "open-coup": {},
    "place-wagers": {"wagers": wagers("player 100, banker 200")},
    "close-wagers": {},
    "deal-hands": {"hands": hands(NINE_TO_SEVEN)},
    "settle-coup": {},
}
OTHER_STEPS: dict[str, dict[str, Any]] = {
    "cancel-wagers": {"wagers": ["w1"]},
    "call-banco": {"patron": "p-2", "seat": 2, "wager": "b1"},
    "correct-hands": {"hands": hands(NINE_TO_SEVEN), **RULING},
    "correct-coup": {"hands": hands("P 6 K / B 7 Q"), "evidence": "clip 17", **RULING},
    "void-coup": RULING,
    "raise-dispute": {"dispute": "D-1", "statement": "I saw a six."},
    "resolve-dispute": {"dispute": "D-1", "decision": "upheld"},
}


@pytest.fixture
def live(ledger: Ledger) -> Live:
    """Punto banco, open, with a shoe in use."""
    return Live(ledger)


def advance(live: Live, last: str, number: int = 1) -> None:
    """Take a coup through its steps up to `last`."""
    for step, facts in STEPS.items():
        assert live.step(step, number, **facts).applied
        if step == last:
            return


def refusals(live: Live, number: int = 1) -> list[tuple[str, int, str, str]]:
    """The refused wagers of a coup, or the parts that were: id, stake, reason, paragraph."""
    return [
        (event.wager.id, event.stake, event.reason, event.paragraph)
        for event in live.coup_events(number)
        if isinstance(event, events.WagerRefused)
    ]


# --- Steps in their order ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("last", "stage"),
    [
        ("open-coup", "open"),
        ("place-wagers", "open"),
        ("close-wagers", "closed"),
        ("deal-hands", "dealt"),
        ("settle-coup", "settled"),
    ],
)
@pytest.mark.parametrize("step", [*STEPS, "cancel-wagers", "correct-hands", "correct-coup", "void-coup"])
def test_a_step_is_taken_where_it_follows_and_refused_where_it_does_not(
    live: Live, last: str, stage: str, step: str
) -> None:
    """A refused step leaves the coup as it was, to the last event."""
    follows = {
        "open": {"place-wagers", "close-wagers", "cancel-wagers", "void-coup"},
        "closed": {"deal-hands", "cancel-wagers", "void-coup", "place-wagers"},
        "dealt": {"settle-coup", "void-coup", "place-wagers"},
        "settled": {"correct-coup", "void-coup"},
    }
    advance(live, last)
    if last == "open-coup":  # so that there is something to cancel
        assert live.step("place-wagers", 1, **STEPS["place-wagers"]).applied
    before = live.coup_events(1)
    facts = {
        **STEPS,
        **OTHER_STEPS,
        "place-wagers": {"wagers": [{"id": "w9", "kind": "player", "stake": 5}]},
    }
    answer = live.step(step, 1, **facts[step])
    if step in follows[stage]:
        assert answer.applied
        return
    code = "coup-number-used" if step == "open-coup" else "coup-not-ready"
    assert (answer.outcome, answer.code) == ("refused", code)
    assert live.coup_events(1) == before


@pytest.mark.parametrize("step", [*list(STEPS)[1:], *OTHER_STEPS])
def test_no_step_is_taken_of_a_coup_that_never_opened(live: Live, step: str) -> None:
    answer = live.step(step, 7, **{**STEPS, **OTHER_STEPS}[step])
    assert (answer.outcome, answer.code) == ("refused", "no-such-coup")
    assert live.coup_events(7) == []


@pytest.mark.parametrize("again", ["open-coup", "record-coup"])
@pytest.mark.parametrize("last", ["open-coup", "deal-hands", "settle-coup"])
def test_a_coup_number_is_used_once(live: Live, last: str, again: str) -> None:
    advance(live, last)
    before = live.coup_events(1)
    answer = live.step("open-coup", 1) if again == "open-coup" else live.coup(1, NINE_TO_SEVEN)
    assert (answer.outcome, answer.code) == ("refused", "coup-number-used")
    assert live.coup_events(1) == before


def test_another_shoe_counts_its_coups_anew(live: Live) -> None:
    advance(live, "settle-coup")
    live.say("end-shoe", shoe="S1")
    live.say("start-shoe", shoe="S2", decks=8)
    assert live.coup(1, NINE_TO_SEVEN, shoe="S2").applied


def test_a_coup_in_hand_is_finished_from_a_shoe_that_went_out_of_use(live: Live) -> None:
    """Domain §2.1: at the cut card the coup in hand is finished, and then one stops."""
    advance(live, "place-wagers")
    live.say("end-shoe", shoe="S1")
    for step in ("close-wagers", "deal-hands", "settle-coup"):
        assert live.step(step, 1, **STEPS[step]).applied
    assert live.step("open-coup", 2).code == "shoe-not-in-use"


def test_a_coup_in_hand_ends_under_its_own_conditions_though_the_table_has_closed(live: Live) -> None:
    """Everything it needs was pinned when it opened; but the close was the last moment for a wager."""
    advance(live, "place-wagers")
    assert live.say("close-table", closer={"chips": {"2500": 1}}).applied
    opening = {"format": "punto-banco", "opener": {"chips": {}}, "limits": {"player": {"min": 1, "max": 1}}}
    next_day = {"gaming_day": "2026-11-28", "occurred_at": "2026-11-28T09:00:00Z"}
    assert live.say("open-table", **next_day, **opening).applied
    late = live.step("place-wagers", 1, wagers=[{"id": "w9", "kind": "player", "stake": 100}])
    assert (late.outcome, late.code) == ("refused", "table-not-open")
    for step in ("close-wagers", "deal-hands", "settle-coup"):
        assert live.step(step, 1, **STEPS[step]).applied
    told = live.coup_events(1)
    assert not [event for event in told if isinstance(event, events.WagerRefused)]
    settled = told[-1]
    assert isinstance(settled, events.CoupSettled)
    assert settled.conditions.gaming_day.isoformat() == GAMING_DAY


def test_a_coup_belongs_to_the_shift_in_force_when_it_opened(live: Live) -> None:
    advance(live, "place-wagers")
    live.say("change-shift", shift="late")
    for step in ("close-wagers", "deal-hands", "settle-coup"):
        live.step(step, 1, **STEPS[step])
    live.step("open-coup", 2)
    opened = [event for n in (1, 2) for event in live.coup_events(n) if isinstance(event, events.CoupOpened)]
    assert [event.conditions.shift for event in opened] == ["1", "late"]


# --- Wagers --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("last", ["close-wagers", "deal-hands"])
def test_a_wager_after_the_close_is_refused_and_recorded(live: Live, last: str) -> None:
    """2(2): no wager has to be accepted; that it was offered stands in the record."""
    advance(live, last)
    answer = live.step("place-wagers", 1, wagers=wagers("player 100"))
    assert answer.applied
    assert refusals(live) == [("w1", 100, "wagers-closed", "2(2)")]
    assert [event.wagers for event in live.coup_events(1) if isinstance(event, events.WagersClosed)] == [2]


@pytest.mark.parametrize(
    ("format", "staked", "reason", "paragraph"),
    [
        ("chemin-de-fer", "tie 100", "kind-not-available", "6(7)(a)"),
        ("chemin-de-fer", "banker 100", "kind-not-available", "6(7)(a)"),
        ("chemin-de-fer", "hand-1 100", "kind-not-available", "6(4)"),
        ("chemin-de-fer", "both-hands 100", "kind-not-available", "6(4)"),
        ("chemin-de-fer", "player 1001", "bank-exceeded", "6(3)"),
        ("punto-banco", "hand-2 100", "kind-not-available", "6(4)"),
        ("punto-banco", "both-hands 100", "kind-not-available", "6(4)"),
        ("punto-banco", "banker 10", "not-payable-exactly", "terms.rounding"),
        ("punto-banco", "player 5001", "over-maximum", "terms.limits"),
        ("punto-banco", "player 9", "under-minimum", "terms.limits"),
        ("baccarat-banque", "player 100", "kind-not-available", "6(4)"),
        ("baccarat-banque", "banker 100", "kind-not-available", "6(7)(b)"),
        ("baccarat-banque", "tie 100", "kind-not-available", "6(7)(b)"),
        ("single-hand-with-option", "banker 100", "kind-not-available", "6(7)(c)"),
        ("single-hand-with-option", "tie 100", "kind-not-available", "6(7)(c)"),
    ],
)
def test_a_wager_that_is_not_to_be_had_is_refused_with_its_paragraph(
    ledger: Ledger, format: str, staked: str, reason: str, paragraph: str
) -> None:
    """Domain §3.1. The command is obeyed: it asked that the wagers be offered, and they were."""
    live = Live(ledger, format, limits={"player": {"min": 10, "max": 5000}})
    if format == "chemin-de-fer":
        live.say("take-bank", holder="p-1", capacity="player", sum=1000)
    live.step("open-coup", 1)
    assert live.step("place-wagers", 1, wagers=wagers(staked)).applied
    ((wager, _, found_reason, found_paragraph),) = refusals(live)
    assert (wager, found_reason, found_paragraph) == ("w1", reason, paragraph)


@pytest.mark.parametrize(("stake", "taken"), [(9, False), (10, True), (5000, True), (5001, False)])
def test_both_limits_of_a_kind_are_included(ledger: Ledger, stake: int, taken: bool) -> None:
    live = Live(ledger, limits={"player": {"min": 10, "max": 5000}})
    live.step("open-coup", 1)
    live.step("place-wagers", 1, wagers=wagers(f"player {stake}, tie 1"))
    assert ("w1" not in {refused[0] for refused in refusals(live)}) is taken


def test_a_refused_wager_leaves_those_beside_it(live: Live) -> None:
    live.step("open-coup", 1)
    live.step("place-wagers", 1, wagers=wagers("player 100, hand-1 50, banker 10, tie 5"))
    assert [refused[0] for refused in refusals(live)] == ["w2", "w3"]
    (placed,) = (event for event in live.coup_events(1) if isinstance(event, events.WagersPlaced))
    assert [wager.id for wager in placed.wagers] == ["w1", "w4"]


@pytest.mark.parametrize("cancelled", [False, True], ids=["standing", "cancelled"])
def test_the_id_of_an_accepted_wager_is_used_once(live: Live, cancelled: bool) -> None:
    advance(live, "place-wagers")
    if cancelled:
        live.step("cancel-wagers", 1, wagers=["w1"])
    assert live.step("place-wagers", 1, wagers=wagers("tie 30")).applied
    assert [refused[:3] for refused in refusals(live)] == [("w1", 30, "wager-id-used")]


@pytest.mark.parametrize("name", ["record-coup", "place-wagers"])
def test_a_wager_id_twice_in_one_command_cannot_be_read(live: Live, name: str) -> None:
    """Which of the two would be meant? Nothing is recorded."""
    line = live.night.step(name, 1, wagers=wagers("player 100") * 2, hands=hands(NINE_TO_SEVEN))
    if name == "place-wagers":
        del line["hands"]
    with pytest.raises(ValidationError, match="w1"):
        command(line)


def test_cancelling_is_whole_or_not_at_all(live: Live) -> None:
    """2(2): consent was to all of them."""
    advance(live, "place-wagers")
    refused = live.step("cancel-wagers", 1, wagers=["w1", "w7"])
    assert (refused.outcome, refused.code) == ("refused", "wager-unknown")
    assert topics_of(live.ledger, "coup/main/T1/S1/1") == ["coup-opened", "wagers-placed"]
    assert live.step("cancel-wagers", 1, wagers=["w1"]).applied
    assert live.step("cancel-wagers", 1, wagers=["w1"]).code == "wager-unknown"
    (event,) = (event for event in live.coup_events(1) if isinstance(event, events.WagersCancelled))
    assert (event.wagers, event.stakes, event.paragraph) == (("w1",), 100, "2(2)")


def test_a_refused_wager_cannot_be_cancelled(live: Live) -> None:
    live.step("open-coup", 1)
    live.step("place-wagers", 1, wagers=wagers("hand-1 50"))
    assert live.step("cancel-wagers", 1, wagers=["w1"]).code == "wager-unknown"


def test_a_thousand_wagers_settle_in_portions_and_in_order(live: Live) -> None:
    """Every event is bounded; the lines keep the order of acceptance."""
    live.coup(1, NINE_TO_SEVEN, ", ".join(["player 10"] * 1001))
    settled = [event for event in live.coup_events(1) if event.TOPIC == "wagers-settled.v1"]
    lines = [line for event in settled for line in event.lines]  # type: ignore[attr-defined]
    assert [len(event.lines) for event in settled] == [500, 500, 1]  # type: ignore[attr-defined]
    assert [line.wager for line in lines] == [f"w{number}" for number in range(1, 1002)]


@pytest.mark.parametrize(
    ("staked", "dealt"),
    [(["player"] * 1001, NINE_TO_SEVEN), (["tie"] * 200, "P K 6 / B J 6")],
    ids=["stakes", "winnings"],
)
@pytest.mark.parametrize("at_once", [True, False], ids=["record-coup", "steps"])
def test_sums_beyond_what_an_amount_may_hold_are_answered(
    live: Live, staked: list[str], dealt: str, at_once: bool
) -> None:
    """Each stake is as large as a stake may be: some are refused, but no coup is stuck or half recorded."""
    offered = wagers(", ".join(f"{kind} {10**12}" for kind in staked))
    if at_once:
        answer = live.step("record-coup", 1, wagers=offered, hands=hands(dealt))
        assert answer.outcome in {"applied", "refused", "rejected"}
    else:
        live.step("open-coup", 1)
        for start in range(0, len(offered), 500):
            live.step("place-wagers", 1, wagers=offered[start : start + 500])
        assert live.step("close-wagers", 1).applied
        assert live.step("deal-hands", 1, hands=hands(dealt)).applied
        assert live.step("settle-coup", 1).applied
    assert live.coup(2, NINE_TO_SEVEN, "player 100").applied


# --- Conditions ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stated", "agrees"),
    [
        ({"format": "punto-banco"}, True),
        ({"format": "chemin-de-fer"}, False),
        ({"profile": "si-1994-2899"}, True),
        ({"profile": "si-2000-597-7a"}, False),
        ({"terms": {"rounding": "exact-only"}}, True),
        ({"terms": {"rounding": "nearest"}}, False),
        ({"bank": 1000}, False),
    ],
)
def test_what_a_line_states_must_be_what_the_table_plays_under(
    live: Live, stated: dict[str, Any], agrees: bool
) -> None:
    answer = live.coup(1, NINE_TO_SEVEN, "player 100", **stated)
    assert answer.applied is agrees
    if not agrees:
        assert (answer.outcome, answer.code) == ("refused", "conditions-differ")
        assert live.coup_events(1) == []


@pytest.mark.parametrize(("bank", "agrees"), [(1000, True), (999, False)])
def test_a_stated_bank_must_be_the_sum_that_stands(ledger: Ledger, bank: int, agrees: bool) -> None:
    live = Live(ledger, "chemin-de-fer")
    live.say("take-bank", holder="p-1", capacity="player", sum=1000)
    assert live.coup(1, NINE_TO_SEVEN, "player 100", bank=bank).applied is agrees


def test_a_coup_pins_the_conditions_it_opened_under(ledger: Ledger) -> None:
    """A replay in ten years settles under the rules of that night."""
    terms = {"rounding": "up-to-unit", "unit": 50, "banker_on_draw": "lost"}
    live = Live(ledger, decks=6, terms=terms, profile="si-2000-597-7a", shift="day", currency="EUR")
    live.step("open-coup", 1)
    (opened,) = live.coup_events(1)
    assert isinstance(opened, events.CoupOpened)
    assert opened.conditions.model_dump(mode="json", exclude_none=True) == {
        "gaming_day": GAMING_DAY,
        "shift": "day",
        "format": "punto-banco",
        "profile": "si-2000-597-7a",
        "terms": terms,
        "currency": "EUR",
        "decks": 6,
        "banked_by": "house",
    }


# --- Hands that do not fit -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("format", "dealt", "code"),
    [
        ("punto-banco", "P 9 K", "hand-missing"),
        ("punto-banco", "B 9 K", "hand-missing"),
        ("punto-banco", "1 9 K / B 7 Q", "hand-unknown"),
        ("chemin-de-fer", "P 9 K / 2 9 K / B 7 Q", "hand-unknown"),
        ("baccarat-banque", "P 9 K / B 7 Q", "hand-unknown"),
        ("baccarat-banque", "P 9 K / 1 9 K / 2 9 K / B 7 Q", "not-baccarat"),
    ],
)
@pytest.mark.parametrize("at_once", [True, False], ids=["record-coup", "steps"])
def test_hands_that_are_not_those_of_the_format_are_no_coup(
    ledger: Ledger, format: str, dealt: str, code: str, at_once: bool
) -> None:
    """6(1): one opposing hand, or two, and no more. Nothing is recorded, not even the command."""
    live = Live(ledger, format)
    if format == "chemin-de-fer":
        live.say("take-bank", holder="p-1", capacity="player", sum=1000)
    if not at_once:
        live.step("open-coup", 1)
        live.step("close-wagers", 1)
    before = ledger.record.last_sequence()
    answer = live.coup(1, dealt) if at_once else live.step("deal-hands", 1, hands=hands(dealt))
    assert (answer.outcome, answer.code) == ("rejected", code)
    assert ledger.record.last_sequence() == before


@pytest.mark.parametrize(
    ("in_play", "dealt", "code"),
    [
        (["hand-1"], "1 9 K / 2 9 K / B 7 Q", "hand-unknown"),
        (["hand-1"], "2 9 K / B 7 Q", "hand-missing"),
        (["hand-1", "hand-2"], "1 9 K / B 7 Q", "hand-missing"),
    ],
)
def test_the_hands_dealt_are_those_fixed_at_the_close(
    ledger: Ledger, in_play: list[str], dealt: str, code: str
) -> None:
    """Domain §3.4 A5: hands in play are fixed when wagers close, before anybody sees a card."""
    live = Live(ledger, "baccarat-banque")
    live.step("open-coup", 1)
    live.step("close-wagers", 1, hands_in_play=in_play)
    answer = live.step("deal-hands", 1, hands=hands(dealt))
    assert (answer.outcome, answer.code) == ("rejected", code)


@pytest.mark.parametrize(
    ("format", "dealt", "claimed"),
    [
        ("baccarat-banque", "1 9 K / 2 9 K / B 7 Q", "player"),
        ("baccarat-banque", "1 9 K / 2 9 K / B 7 Q", {"hand-1": "W"}),
        ("punto-banco", NINE_TO_SEVEN, {"hand-1": "W"}),
    ],
)
def test_a_claim_that_does_not_fit_the_hands_cannot_be_read(
    ledger: Ledger, format: str, dealt: str, claimed: Any
) -> None:
    live = Live(ledger, format)
    before = ledger.record.last_sequence()
    answer = live.coup(1, dealt, claimed=claimed)
    assert (answer.outcome, answer.code) == ("rejected", "claim-unreadable")
    assert ledger.record.last_sequence() == before
