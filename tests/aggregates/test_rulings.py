"""Irregular coups, and the rulings that end them: two persons, a reason, and nothing rewritten."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.application import Ledger
from ledger.events.coup import CoupVoided, HandsCorrected, IrregularityFound
from tests.properties.against import oracle_lines, recorded_lines, settled
from tests.tabletalk import Live, hands, topics_of, wagers

COUP = "coup/main/T1/S1/1"
SHOULD_HAVE_STOOD = "P K 2 8 / B A 2 5"
"""The banker's three draws against any third card but an eight (domain §2.1): this one was an eight."""
STOOD = hands("P K 2 8 / B A 2")
STILL_BROKEN = hands("P K 2 / B A 2")
"""Nought to five draws: the player's two did not."""
STAKED = "player 100, banker 200, tie 50"
RULING: dict[str, Any] = {"reason": "camera 4", "approvers": ["pit-1", "pit-2"], "evidence": "clip 17"}


@pytest.fixture
def live(ledger: Ledger) -> Live:
    """Punto banco, with one coup held."""
    live = Live(ledger)
    answer = live.coup(1, SHOULD_HAVE_STOOD, STAKED)
    assert (answer.outcome, answer.stage) == ("applied", "held")
    return live


def test_third_cards_that_break_the_tableau_hold_the_coup(live: Live) -> None:
    """Domain §2.1: the banker's three stands against an eight. Nothing is settled yet."""
    assert topics_of(live.ledger, COUP) == [
        "coup-opened",
        "wagers-placed",
        "wagers-closed",
        "hands-dealt",
        "irregularity-found",
    ]
    found = live.coup_events(1)[-1]
    assert isinstance(found, IrregularityFound)
    assert (found.rule, found.conditions.format) == ("banker-stands", "punto-banco")


@pytest.mark.parametrize(
    "dealt",
    [
        "P 9 K 2 / B 7 Q",  # a natural: no more cards
        "P 2 3 / B 7 Q",  # the player's five draws
        "P 2 4 K / B 7 Q",  # six stands
        "P 2 4 / B 2 3",  # against a standing player five draws
        "P 2 4 / B 2 4 K",  # and six stands
        "P 2 3 6 / B 2 4",  # six draws against a six
        "P 2 3 9 / B 2 2 K",  # four stands against a nine
    ],
)
def test_every_line_of_the_tableau_can_hold_a_coup(ledger: Ledger, dealt: str) -> None:
    assert Live(ledger).coup(1, dealt, STAKED).stage == "held"


@pytest.mark.parametrize("format", ["chemin-de-fer", "single-hand-with-option"])
def test_the_same_cards_may_be_lawful_where_somebody_has_an_option(ledger: Ledger, format: str) -> None:
    live = Live(ledger, format)
    if format == "chemin-de-fer":
        live.say("take-bank", holder="p-1", capacity="player", sum=1000)
    assert live.coup(1, SHOULD_HAVE_STOOD, "player 100").stage == "settled"


@pytest.mark.parametrize(
    ("step", "facts"),
    [
        ("settle-coup", {}),
        ("cancel-wagers", {"wagers": ["w1"]}),
        ("close-wagers", {}),
        ("deal-hands", {"hands": STOOD}),
    ],
)
def test_only_a_ruling_ends_a_held_coup(live: Live, step: str, facts: dict[str, Any]) -> None:
    before = live.coup_events(1)
    refused = live.step(step, 1, **facts)
    assert (refused.outcome, refused.code) == ("refused", "coup-held")
    assert live.coup_events(1) == before


def test_other_coups_go_on_while_one_is_held(live: Live) -> None:
    assert live.coup(2, "P 9 K / B 7 Q", STAKED).stage == "settled"


def test_a_corrected_coup_settles_by_the_corrected_hands(live: Live) -> None:
    """The first hands stay in the record; the ruling says who approved it, why, and on what evidence."""
    answer = live.step("correct-hands", 1, hands=STOOD, **RULING)
    assert (answer.outcome, answer.stage) == ("applied", "settled")
    assert topics_of(live.ledger, COUP)[4:] == [
        "irregularity-found",
        "hands-corrected",
        "wagers-settled",
        "coup-settled",
    ]
    (event,) = (event for event in live.coup_events(1) if isinstance(event, HandsCorrected))
    assert (event.approvers, event.reason, event.evidence) == (("pit-1", "pit-2"), "camera 4", "clip 17")
    assert settled(live.ledger, COUP).ruled is True
    assert recorded_lines(live.ledger, COUP) == oracle_lines(live.night.lines, 1)
    # Nought and two and eight is nought; ace and two is three: the banker's hand wins.
    assert [line[3] for line in recorded_lines(live.ledger, COUP)] == ["lost", "won", "lost"]


def test_corrected_hands_that_break_the_tableau_too_are_refused(live: Live) -> None:
    refused = live.step("correct-hands", 1, hands=STILL_BROKEN, **RULING)
    assert (refused.outcome, refused.code) == ("refused", "still-irregular")
    assert topics_of(live.ledger, COUP)[-1] == "irregularity-found"


@pytest.mark.parametrize(
    "approvers",
    [
        pytest.param(["pit-1"], id="one"),
        pytest.param(["pit-1", "pit-1"], id="twice-the-same"),
        pytest.param(["pit-1", "pit-2", "pit-1"], id="two-and-one-again"),
        pytest.param(["pit-1", "PIT-1"], id="twice-the-same-in-capitals"),
        pytest.param(["pit-1", "dealer-1"], id="the-recorder"),
        pytest.param(["pit-1", "Dealer-1"], id="the-recorder-with-a-capital"),
        pytest.param(["dealer-1", "pit-1"], id="the-recorder-first"),
    ],
)
@pytest.mark.parametrize("ruling", ["correct-hands", "void-coup"])
def test_a_ruling_takes_two_persons_who_did_not_record_the_coup(
    live: Live, ruling: str, approvers: list[str]
) -> None:
    facts = {**RULING, "approvers": approvers, **({"hands": STOOD} if ruling == "correct-hands" else {})}
    refused = live.step(ruling, 1, **facts)
    assert (refused.outcome, refused.code) == ("refused", "approvers-not-independent")
    assert topics_of(live.ledger, COUP)[-1] == "irregularity-found"
    assert live.step("void-coup", 1, **RULING).applied


@pytest.mark.parametrize(
    "recorder",
    [
        "open-coup",
        "place-wagers",
        "refused-wager",
        "cancel-wagers",
        "close-wagers",
        "deal-hands",
        "settle-coup",
        "late-wager",
    ],
)
@pytest.mark.parametrize("dealt", [SHOULD_HAVE_STOOD, "P 9 K / B 7 Q"], ids=["held", "settled"])
def test_whoever_reported_any_step_of_a_coup_does_not_rule_on_it(
    ledger: Ledger, recorder: str, dealt: str
) -> None:
    live = Live(ledger)
    live.step("open-coup", 1, actor="open-coup")
    live.step("place-wagers", 1, wagers=wagers("player 100, tie 50"), actor="place-wagers")
    refused = [{"id": "w9", "kind": "hand-1", "stake": 50}]
    live.step("place-wagers", 1, wagers=refused, actor="refused-wager")
    live.step("cancel-wagers", 1, wagers=["w2"], actor="cancel-wagers")
    live.step("close-wagers", 1, actor="close-wagers")
    live.step("deal-hands", 1, hands=hands(dealt), actor="deal-hands")
    live.step("place-wagers", 1, wagers=wagers("tie 5"), actor="late-wager")
    settled = live.step("settle-coup", 1, actor="settle-coup")
    answer = live.step("void-coup", 1, reason="camera 4", approvers=["pit-1", recorder])
    settled_nothing = recorder == "settle-coup" and not settled.applied  # a held coup, which nobody settles
    assert answer.code == (None if settled_nothing else "approvers-not-independent")


def test_three_persons_may_rule_as_well(live: Live) -> None:
    assert live.step("void-coup", 1, reason="camera 4", approvers=["pit-1", "pit-2", "pit-3"]).applied


def test_a_void_coup_returns_every_accepted_stake(live: Live) -> None:
    """Three stakes, 350; what was never accepted has nothing to come back."""
    answer = live.step("void-coup", 1, **RULING)
    assert (answer.outcome, answer.stage) == ("applied", "void")
    end = live.coup_events(1)[-1]
    assert isinstance(end, CoupVoided)
    assert (end.wagers, end.stakes, end.was_held) == (3, 350, True)
    assert (end.approvers, end.reason, end.evidence) == (("pit-1", "pit-2"), "camera 4", "clip 17")
    assert "wagers-settled" not in topics_of(live.ledger, COUP)


@pytest.mark.parametrize("last", ["place-wagers", "cancel-wagers", "close-wagers", "deal-hands"])
def test_a_coup_not_yet_settled_may_be_void_by_ruling(ledger: Ledger, last: str) -> None:
    live = Live(ledger)
    steps: dict[str, dict[str, Any]] = {
        "open-coup": {},
        "place-wagers": {"wagers": wagers("player 100, tie 50, hand-1 7")},
        "cancel-wagers": {"wagers": ["w2"]},
        "close-wagers": {},
        "deal-hands": {"hands": hands("P 9 K / B 7 Q")},
    }
    todo = list(steps)
    for step in todo[: todo.index(last) + 1]:
        assert live.step(step, 1, **steps[step]).applied
    assert live.step("void-coup", 1, **RULING).applied
    end = live.coup_events(1)[-1]
    assert isinstance(end, CoupVoided)
    assert (end.stakes, end.was_held) == (150 if last == "place-wagers" else 100, False)


@pytest.mark.parametrize(
    ("end", "ruling"),
    [
        ("settled", "correct-hands"),
        ("given-its-hands", "correct-hands"),
        ("void", "correct-hands"),
        ("void", "correct-coup"),
        ("void", "void-coup"),
        ("void-once-settled", "correct-hands"),
        ("void-once-settled", "correct-coup"),
        ("void-once-settled", "void-coup"),
    ],
)
def test_a_ruling_that_does_not_follow_leaves_the_coup_as_it_ended(
    ledger: Ledger, end: str, ruling: str
) -> None:
    """`correct-hands` ends a held coup; a settled one is corrected otherwise; what is void stays void."""
    live = Live(ledger)
    once_settled = end in {"settled", "void-once-settled"}
    live.coup(1, "P 9 K / B 7 Q" if once_settled else SHOULD_HAVE_STOOD, STAKED)
    if end == "given-its-hands":
        assert live.step("correct-hands", 1, hands=STOOD, **RULING).applied
    if end.startswith("void"):
        assert live.step("void-coup", 1, **RULING).applied
    before = live.coup_events(1)
    facts = {**RULING, **({"hands": hands("P 8 K / B 7 Q")} if ruling != "void-coup" else {})}
    refused = live.step(ruling, 1, **facts)
    assert (refused.outcome, refused.code) == ("refused", "coup-not-ready")
    assert live.coup_events(1) == before


@pytest.mark.parametrize(
    ("last", "code"),
    [
        ("open-coup", "coup-not-ready"),
        ("place-wagers", "coup-not-ready"),
        ("close-wagers", "coup-not-ready"),
        ("deal-hands", "coup-not-ready"),
        ("held", "coup-held"),
    ],
)
def test_a_coup_that_has_not_settled_is_not_corrected(ledger: Ledger, last: str, code: str) -> None:
    """There is nothing to supersede yet."""
    live = Live(ledger)
    steps: dict[str, dict[str, Any]] = {
        "open-coup": {},
        "place-wagers": {"wagers": wagers(STAKED)},
        "close-wagers": {},
        "deal-hands": {"hands": hands("P 9 K / B 7 Q")},
    }
    if last == "held":
        live.coup(1, SHOULD_HAVE_STOOD, STAKED)
    else:
        todo = list(steps)
        for step in todo[: todo.index(last) + 1]:
            assert live.step(step, 1, **steps[step]).applied
    before = live.coup_events(1)
    refused = live.step("correct-coup", 1, hands=hands("P 8 K / B 7 Q"), **RULING)
    assert (refused.outcome, refused.code) == ("refused", code)
    assert live.coup_events(1) == before


def test_a_coup_that_is_void_keeps_its_number(live: Live) -> None:
    live.step("void-coup", 1, **RULING)
    assert live.coup(1, "P 9 K / B 7 Q").code == "coup-number-used"
