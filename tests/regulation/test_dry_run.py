"""A coup on paper: the answer to a settle line, in the words other systems read."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from ledger.errors import (
    HandMissing,
    HandUnknown,
    MalformedInput,
    NotBaccarat,
    ProfileNotImplemented,
    UnknownFormat,
    UnknownProfile,
)
from tests.regulation.coups import coup, settled


def test_a_settle_line_and_its_whole_answer() -> None:
    """6(7)(i): the banker draws a three to the player's standing six; 2500 at 19 to 20 is 2375."""
    assert settled(coup("punto-banco", "P 3 3 / B 2 2 3", "banker 2500, player 40")) == {
        "results": {"player": "L"},
        "irregular": None,
        "lines": [
            {
                "wager": "w1",
                "outcome": "won",
                "odds": "19/20",
                "winnings": 2375,
                "returned": 2500,
                "remainder": "0",
                "paragraph": "6(7)(i)",
            },
            {
                "wager": "w2",
                "outcome": "lost",
                "odds": "1/1",
                "winnings": 0,
                "returned": 0,
                "remainder": "0",
                "paragraph": "6(4)",
            },
        ],
    }


def test_a_refused_wager_and_its_whole_answer() -> None:
    """6(7)(a): at chemin de fer no banker wager can be had, so it has no odds; the stake goes back."""
    (line,) = settled(coup("chemin-de-fer", "P 3 3 / B 2 2 3", "banker 2500"))["lines"]
    assert line == {
        "wager": "w1",
        "outcome": "refused",
        "odds": None,
        "winnings": 0,
        "returned": 2500,
        "remainder": "0",
        "paragraph": "6(7)(a)",
        "reason": "kind-not-available",
    }


def test_a_wager_covered_in_part_and_its_whole_answer() -> None:
    """6(3): 100 of 150 is covered and won; the excess of 50 is in what is handed back, and named."""
    (line,) = settled(coup("chemin-de-fer", "P 9 K / B 7 Q", "player 150", bank=100))["lines"]
    assert line == {
        "wager": "w1",
        "outcome": "won",
        "odds": "1/1",
        "winnings": 100,
        "returned": 150,
        "remainder": "0",
        "paragraph": "6(3),(4)",
        "excess": 50,
    }


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (coup("punto-banco", "P 9 K / B 7 Q", "player 2500"), ("won", 2500, 2500, "6(3),(4)")),
        (coup("punto-banco", "P K 6 / B J 6", "tie 100"), ("won", 800, 100, "6(7)(ii)")),
        (coup("punto-banco", "P K 6 / B J 6", "banker 100"), ("stand-off", 0, 100, "house rule (reg 2(2))")),
        (coup("punto-banco", "P 9 K / B 7 Q", "player 100", bank=10), ("won", 100, 100, "6(3),(4)")),
        (coup("chemin-de-fer", "P 2 4 / B 7 Q", "player 150", bank=100), ("lost", 0, 50, "6(4)")),
        (coup("chemin-de-fer", "P J 7 / B 7 Q", "player 150", bank=100), ("void", 0, 150, "6(4)(a)")),
        (coup("chemin-de-fer", "P 9 K / B 7 Q", "player 150", bank=0), ("refused", 0, 150, "6(3)")),
        (coup("chemin-de-fer", "P 9 K / B 7 Q", "player 150"), ("won", 150, 150, "6(3),(4)")),
        (coup("baccarat-banque", "1 9 K / 2 3 4 / B 7 Q", "both-hands 70"), ("void", 0, 70, "6(4)(b)")),
        (coup("baccarat-banque", "2 9 K / B 7 Q", "hand-1 70"), ("refused", 0, 70, "2(2)")),
        (coup("baccarat-banque", "2 9 K / B 7 Q", "tie 70"), ("refused", 0, 70, "6(7)(c)")),
    ],
)
def test_coups_worked_by_hand(line: dict[str, Any], told: tuple[str, int, int, str]) -> None:
    """Outcome, winnings, what is handed back and the paragraph; a house's bank limits nothing."""
    (answer,) = settled(line)["lines"]
    assert (answer["outcome"], answer["winnings"], answer["returned"], answer["paragraph"]) == told


@pytest.mark.parametrize(
    ("bank", "winnings"), [({"bank": 150}, [100, 50]), ({"bank": 150, "bankers_seat": 4}, [50, 100])]
)
def test_a_bank_on_paper_covers_by_seats_where_it_is_said_where_the_banker_sits(
    bank: dict[str, int], winnings: list[int]
) -> None:
    """Domain §2.2: seat 5 is on his right and comes before seat 6; the lines stay in the order offered."""
    line = coup("chemin-de-fer", "P 9 K / B 7 Q", "player 100, player 100", **bank)
    for wager, seat in zip(line["wagers"], (6, 5), strict=True):
        wager["seat"] = seat
    lines = settled(line)["lines"]
    assert [(one["wager"], one["winnings"]) for one in lines] == [*zip(("w1", "w2"), winnings, strict=True)]


def test_irregular_cards_settle_nothing_where_nobody_has_an_option() -> None:
    """Domain §2.1: the banker may not draw on three against an eight; at chemin de fer it may."""
    answer = settled(coup("punto-banco", "P K 2 8 / B A 2 5", "player 100"))
    assert (answer["results"], answer["lines"]) == ({}, [])
    assert set(answer["irregular"]) == {"rule", "detail"}
    free = settled(coup("chemin-de-fer", "P K 2 8 / B A 2 5", "player 100"))
    assert (free["results"], free["irregular"]) == ({"player": "L"}, None)


def test_a_coup_without_wagers_has_its_results_and_no_lines() -> None:
    answer = settled(coup("baccarat-banque", "1 9 K / 2 7 K / B 7 Q", ""))
    assert answer == {"results": {"hand-1": "W", "hand-2": "D"}, "irregular": None, "lines": []}


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (coup("super-pan-9", "P 9 K / B 7 Q", ""), UnknownFormat),
        (coup("punto-banco", "P 9 K / B 7 Q", "", profile="si-2000-597-7b"), ProfileNotImplemented),
        (coup("punto-banco", "P 9 K / B 7 Q", "", profile="si-1970"), UnknownProfile),
        (coup("punto-banco", "P 9 K", ""), HandMissing),
        (coup("punto-banco", "1 9 K / B 7 Q", ""), HandUnknown),
        (coup("punto-banco", "P 9 K / 1 9 K / 2 9 K / B 7 Q", ""), NotBaccarat),
    ],
)
def test_what_is_no_such_coup_is_refused(line: dict[str, Any], error: type[MalformedInput]) -> None:
    with pytest.raises(error):
        settled(line)


@pytest.mark.parametrize(
    "more",
    [
        {"hands": {"player": "9 K A 2", "banker": "7 Q"}},
        {"hands": {"player": "9 X", "banker": "7 Q"}},
        {"bank": 0.5},
        {"bank": -1},
        {"terms": {"unit": 0}},
        {"wagers": [{"id": "w1", "kind": "player", "stake": 20.0}]},
        {"wagers": [{"id": "w1", "kind": "player", "stake": 20}, {"id": "w1", "kind": "tie", "stake": 20}]},
        {"winner": "player"},
    ],
)
def test_what_cannot_be_read_is_refused(more: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        settled({**coup("punto-banco", "P 9 K / B 7 Q", "player 20"), **more})
