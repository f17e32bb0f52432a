"""A coup's cards with their rules, a claim against them, a ruling before and after, and who is left out."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ops.console.coup_parts import cards_dealt, claim_compared, side_by_side
from ops.service.veil import without_tokens
from projections.story.coups import CoupStory, tell_coup
from projections.story.replay import as_json, replay
from tests.tabletalk import Night, hands, open_ledger, play

RULING = {"reason": "misread", "approvers": ["pit-1", "pit-2"], "evidence": "camera 2"}


def told(path: Path, night: Night, number: int = 1) -> CoupStory:
    ledger = open_ledger(path / "ledger.db")
    assert all(answer.applied for answer in play(ledger, night))
    story = tell_coup(ledger.record, f"coup/main/T1/S1/{number}")
    ledger.close()
    return story


def test_each_card_in_the_order_of_the_deal_with_the_rule_that_drew_it(tmp_path: Path) -> None:
    """Five draws a 4; on 3 the banker's hand draws against a 4."""
    night = Night().opens()
    night.coup(1, "P 2c 3d 4h / B 3s Kd 6c", "player 1000")
    dealt = cards_dealt(told(tmp_path, night))
    assert [(card.text, card.to, card.points) for card in dealt] == [
        ("2c", "the player's hand", 2),
        ("3s", "the banker's hand", 3),
        ("3d", "the player's hand", 3),
        ("Kd", "the banker's hand", 0),
        ("4h", "the player's hand", 4),
        ("6c", "the banker's hand", 6),
    ]
    assert [card.rule for card in dealt[4:]] == [
        "player draws on 5",
        "banker draws on 3 against a third card of 4",
    ]
    assert all(card.kept for card in dealt)


def test_a_card_that_no_rule_drew_is_marked(tmp_path: Path) -> None:
    """The banker's hand stands on 7."""
    night = Night().opens()
    night.coup(1, "P 6 K / B 7 Q 2", "player 1000")
    dealt = cards_dealt(told(tmp_path, night))
    assert [card.kept for card in dealt] == [True] * 4 + [False]


def test_where_there_is_an_option_the_card_was_a_choice(tmp_path: Path) -> None:
    night = Night("baccarat-banque").opens(decks=6)
    chosen = [{"hand": "hand-1", "drew": True, "by": "p-1"}]
    night.coup(1, "1 2 3 K / 2 9 K / B 4 A 2", "hand-1 1000 p-1", decisions=chosen)
    assert [card.rule for card in cards_dealt(told(tmp_path, night))[6:]] == [
        "drew on 5, by choice of p-1",
        "drew on 5",
    ]


@pytest.mark.parametrize(("claimed", "agrees"), [("player", True), ("banker", False)])
def test_a_claim_against_the_cards(tmp_path: Path, claimed: str, agrees: bool) -> None:
    night = Night().opens()
    night.coup(1, "P 9 K / B 7 Q", "player 1000", claimed=claimed)
    (compared,) = claim_compared(told(tmp_path, night))
    assert (compared.agrees, compared.by_cards) == (agrees, "beats the banker's hand")


def test_a_correction_side_by_side(tmp_path: Path) -> None:
    """Nine to seven paid the player's 1000; six to seven takes it, and pays 950 on the banker's 1000."""
    night = Night().opens()
    night.coup(1, "P 9 K / B 7 Q", "player 1000 p-1, banker 1000 p-2")
    night.step("correct-coup", 1, hands=hands("P 6 K / B 7 Q"), **RULING)
    (change,) = side_by_side(told(tmp_path, night))
    assert list(change.hands_before.values()) == ["9 K", "7 Q"]
    assert list((change.hands_after or {}).values()) == ["6 K", "7 Q"]
    assert [(line.wager, line.before, line.after, line.difference) for line in change.lines] == [
        ("w1", "won", "lost", -2000),
        ("w2", "lost", "won", 1950),
    ]


def test_two_rulings_each_between_what_was_and_what_came(tmp_path: Path) -> None:
    night = Night().opens()
    night.coup(1, "P 9 K / B 7 Q", "player 1000")
    night.step("correct-coup", 1, hands=hands("P 6 K / B 7 Q"), **RULING)
    night.step("void-coup", 1, **RULING)
    first, second = side_by_side(told(tmp_path, night))
    assert [(line.before, line.after, line.difference) for line in first.lines] == [("won", "lost", -2000)]
    assert [(line.before, line.after, line.difference) for line in second.lines] == [("lost", "void", 1000)]
    assert second.hands_after is None


def test_a_held_coup_that_a_ruling_released_had_nothing_before(tmp_path: Path) -> None:
    night = Night().opens()
    night.coup(1, "P 6 K / B 5 Q", "player 1000")
    night.step("correct-hands", 1, hands=hands("P 6 K / B 5 Q 3"), **RULING)
    (change,) = side_by_side(told(tmp_path, night))
    assert [(line.before, line.after, line.difference) for line in change.lines] == [("held", "lost", None)]


def test_nobody_is_in_a_story_for_those_who_may_not_see_who_staked(tmp_path: Path) -> None:
    night = Night("chemin-de-fer").opens(decks=6)
    night.say("take-bank", holder="p-bank", capacity="player", sum=5000, seat=9)
    night.coup(
        1,
        "P 2 3 K / B 9 K",
        "player 3000 p-staker, player 4000 p-excess",
        decisions=[{"hand": "player", "drew": True, "by": "p-staker"}],
    )
    night.step("raise-dispute", 1, dispute="D-1", patron="p-staker", wager="w1", statement="I, p-staker")
    story = told(tmp_path, night)
    as_of = datetime(2026, 11, 28, tzinfo=UTC)
    everything = json.dumps(as_json(story, replay(story, as_of, None), None))
    veiled = without_tokens(story)
    told_to_others = json.dumps(as_json(veiled, replay(veiled, as_of, None), None))
    for token in ("p-bank", "p-staker", "p-excess"):
        assert token in everything
        assert token not in told_to_others
        assert token not in repr(cards_dealt(veiled)) + repr(side_by_side(veiled))
    assert "30.00" in told_to_others
