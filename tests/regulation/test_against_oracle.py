"""Whole coups on paper against the oracle: whatever is dealt and staked, both come to the same lines."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import tabletalk
from tests.oracle import cards, enumeration, regulation6
from tests.regulation.coups import settled

RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "T", "J", "Q", "K"]
CARDS = st.builds(str.__add__, st.sampled_from(RANKS), st.sampled_from(["", *"cdhsCDHS"]))
ANY_HAND = st.lists(CARDS, min_size=2, max_size=3).map(" ".join)


def by_the_tableau(drawn: list[str]) -> dict[str, str]:
    """Six cards dealt as punto banco deals them: player, banker, player, banker, then third cards."""
    player, banker, rest = drawn[0:4:2], drawn[1:4:2], drawn[4:]
    if max(cards.total(player), cards.total(banker)) < 8:
        third = None
        if enumeration.player_draws(cards.total(player)):
            player.append(rest.pop(0))
            third = cards.card_value(player[2])
        if enumeration.banker_draws(cards.total(banker), third):
            banker.append(rest.pop(0))
    return {"player": " ".join(player), "banker": " ".join(banker)}


REGULAR = st.lists(CARDS, min_size=6, max_size=6).map(by_the_tableau)
ONE_HAND = st.fixed_dictionaries({"player": ANY_HAND, "banker": ANY_HAND})
HANDS = {
    "punto-banco": REGULAR | REGULAR | REGULAR | ONE_HAND,
    "chemin-de-fer": ONE_HAND,
    "baccarat-banque": st.fixed_dictionaries(
        {"banker": ANY_HAND}, optional={"hand-1": ANY_HAND, "hand-2": ANY_HAND}
    ).filter(lambda hands: len(hands) > 1),
}
KINDS = {
    "punto-banco": ["player", "banker", "tie"],
    "chemin-de-fer": ["player"],
    "baccarat-banque": ["hand-1", "hand-2", "both-hands"],
}
EVERY_KIND = ["player", "banker", "tie", "hand-1", "hand-2", "both-hands"]
STAKES = st.one_of(st.integers(1, 500), st.integers(1, 500).map(lambda n: 20 * n), st.integers(1, 10**12))
SEATS = st.integers(0, 5) | st.integers(94, 99)
TERMS = st.fixed_dictionaries(
    {},
    optional={
        "rounding": st.sampled_from(["exact-only", "up-to-unit", "nearest"]),
        "unit": st.sampled_from([1, 1, 5, 20, 25, 50, 100]) | st.integers(1, 5000),
        "banker_on_draw": st.sampled_from(["stand-off", "lost"]),
    },
)


@st.composite
def coups(draw: st.DrawFn, format: str) -> dict[str, Any]:
    """A settle line of a format; a third of its opposing hands draw, where the cards are free to."""
    kinds = st.sampled_from(KINDS[format]) | st.sampled_from(KINDS[format]) | st.sampled_from(EVERY_KIND)
    staked = draw(st.lists(st.tuples(kinds, STAKES), max_size=8))
    hands = draw(HANDS[format])
    for name in hands if format != "punto-banco" else ():
        if draw(st.integers(0, 3)) == 0:
            hands[name] = hands["banker"]
    coup: dict[str, Any] = {
        "format": format,
        "hands": hands,
        "wagers": tabletalk.wagers(", ".join(f"{kind} {stake}" for kind, stake in staked)),
    }
    if draw(st.booleans()):
        coup["profile"] = draw(st.sampled_from(["si-1994-2899", "si-2000-597-7a"]))
    if draw(st.booleans()):
        coup["terms"] = draw(TERMS)
    if draw(st.booleans()):
        coup["bank"] = draw(st.integers(0, 3000))
    if draw(st.booleans()):
        coup["bankers_seat"] = draw(st.integers(0, 99))
        for wager, seat in zip(coup["wagers"], draw(st.lists(SEATS, max_size=8)), strict=False):
            wager["seat"] = seat
    return coup


@pytest.mark.parametrize("format", HANDS)
@given(st.data())
@settings(max_examples=120, deadline=None)
def test_any_coup_settles_as_the_oracle_settles_it(format: str, data: st.DataObject) -> None:
    """Results, and for each wager outcome, odds, winnings, returned, remainder, paragraph and reason."""
    coup = data.draw(coups(format))
    ours, theirs = settled(coup), regulation6.settle(coup)
    assert ours["results"] == theirs["results"]
    assert (ours["irregular"] is None) == (theirs["irregular"] is None)
    assert ours["lines"] == theirs["lines"]


@pytest.mark.parametrize("format", HANDS)
@given(st.data())
@settings(max_examples=40, deadline=None)
def test_every_stake_is_lost_or_handed_back_and_nothing_else(format: str, data: st.DataObject) -> None:
    """Conservation: a line returns the whole stake, or what the bank did not cover; winnings only if won."""
    coup = data.draw(coups(format))
    offered = {wager["id"]: wager["stake"] for wager in coup["wagers"]}
    answer = settled(coup)
    assert answer["irregular"] is not None or [line["wager"] for line in answer["lines"]] == list(offered)
    for line in answer["lines"]:
        kept = line.get("excess", 0) if line["outcome"] == "lost" else offered[line["wager"]]
        assert line["returned"] == kept
        assert line["winnings"] >= 0
        assert line["winnings"] == 0 or line["outcome"] == "won"
