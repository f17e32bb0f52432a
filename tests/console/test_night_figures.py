"""What a night adds up to: by hand, and each side of the bank apart."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ledger.terms.house import BankedBy
from ops.console.night_figures import by_kind, figure, result_words, running, total_of
from projections.floor.views import CoupRow
from tests.oracle.enumeration import counts, edge

Sums = list[tuple[str, str, str, int, int, int]]


def coup(number: int, win: int, sums: Sums, banked_by: str = "house") -> CoupRow:
    facts = {
        "premises": "main",
        "table": "T1",
        "gaming_day": "2026-11-27",
        "shoe": "S1",
        "number": number,
        "state": "settled",
        "results": "player=W",
        "banked_by": banked_by,
        "currency": "GBP",
        "profile": "si-1994-2899",
        "decks": 8,
        "banker_on_draw": "stand-off",
        "stakes": sum(stakes for *_, stakes, _ in sums),
        "win": win,
        "totals": ";".join(" ".join(map(str, one)) for one in sums),
    }
    return CoupRow(**{name: facts.get(name) for name in CoupRow._fields})  # type: ignore[arg-type]


NIGHT = [
    coup(1, -1000, [("player", "value", "won", 1, 1000, 1000)]),
    coup(2, 2500, [("player", "value", "lost", 1, 500, 0), ("banker", "value", "lost", 2, 2000, 0)]),
    coup(3, 0, [("player", "value", "void", 1, 1000, 0), ("banker", "promotional", "stand-off", 1, 200, 0)]),
]


def test_the_win_so_far_and_what_was_expected_by_then() -> None:
    """Each coup's mean is that of its stakes; the variance of £10 on the player is counted out."""
    sides = running(NIGHT, BankedBy.HOUSE, has_edge=True)
    assert [side.win for side in sides] == [-1000, 1500, 1500]
    player, banker = edge(8, "player"), edge(8, "banker")
    means = [1000 * player, 500 * player + 2000 * banker, 1000 * player + 200 * banker]
    assert [side.expected and side.expected.mean for side in sides] == [
        means[0],
        means[0] + means[1],
        sum(means, Fraction(0)),
    ]
    counted = counts(8)
    settles = Fraction(counted["banker"] + counted["player"], counted["total"])
    assert sides[0].expected is not None
    assert sides[0].expected.variance == 1000**2 * (settles - player**2)


def test_house_banked_and_player_banked_are_apart() -> None:
    theirs = coup(4, 700, [("player", "value", "lost", 1, 700, 0)], "player")
    both = [*NIGHT[:1], theirs]
    assert [side.win for side in running(both, BankedBy.HOUSE, has_edge=True)] == [-1000]
    (players,) = running(both, BankedBy.PLAYER, has_edge=False)
    assert (players.win, players.expected) == (700, None)


def test_handle_by_kind() -> None:
    told = [
        (row.kind, row.tender, row.wagers, row.handle, row.lost, row.paid, row.back, row.win)
        for row in by_kind(NIGHT, has_edge=True)
    ]
    assert told == [
        ("banker", "promotional", 1, 200, 0, 0, 200, 0),
        ("banker", "value", 2, 2000, 2000, 0, 0, 2000),
        ("player", "value", 3, 2500, 500, 1000, 1000, -500),
    ]
    total = total_of(by_kind(NIGHT, has_edge=True))
    assert (total.wagers, total.handle, total.win) == (6, 4700, 1500)
    assert total.expected == 2500 * edge(8, "player") + 2200 * edge(8, "banker")


def test_a_game_with_an_option_has_no_expectation() -> None:
    assert {row.expected for row in by_kind(NIGHT, has_edge=False)} == {None}
    (trace,) = figure(running(NIGHT, BankedBy.HOUSE, has_edge=False), "GBP", "win")["data"]
    assert trace["y"] == ["-10.00", "15.00", "15.00"]


def test_the_band_is_drawn_in_whole_pence_about_the_mean() -> None:
    """Of £10 on the player: mean 12.35p, variance 1000² × 0.9048 less 12.35², deviation 951p."""
    wide_low, wide, low, high, mean, won = figure(
        running(NIGHT[:1], BankedBy.HOUSE, has_edge=True), "GBP", "win, house"
    )["data"]
    assert (low["y"], high["y"]) == (["-9.39"], ["9.63"])
    assert (wide_low["y"], wide["y"]) == (["-18.90"], ["19.14"])
    assert (mean["y"], won["y"]) == (["0.12"], ["-10.00"])
    assert won["text"] == ["coup 1 of S1"]


@pytest.mark.parametrize(
    ("results", "words"),
    [
        ("player=L", "banker"),
        ("player=D", "tie"),
        ("hand-1=W hand-2=D", "first won, second equal"),
        ("hand-2=L", "second lost"),
        ("", None),
    ],
)
def test_a_result_in_words(results: str, words: str | None) -> None:
    assert result_words(results) == words
