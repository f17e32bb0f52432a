"""The oracle against published figures, the typed truth table and coups worked by hand."""

from __future__ import annotations

import ast
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from . import enumeration, published, truth_tables
from .cards import card_value
from .regulation6 import punto_banco_tableau_breach, settle, total
from .telling import coup, rounds_to

DECKS = [1, 6, 8]
CARD_OF_VALUE = ["K", "A", "2", "3", "4", "5", "6", "7", "8", "9"]
# Two cards that make each total from nought to nine.
TWO_CARDS = ["K Q", "K A", "K 2", "K 3", "K 4", "K 5", "K 6", "K 7", "K 8", "K 9"]


# Small parsers, so that a test reads as the table would tell it


def punto(player: str, banker: str, staked: str, **terms: Any) -> dict[str, Any]:
    """Settle a coup of punto banco."""
    return settle(coup("punto-banco", {"player": player, "banker": banker}, staked, terms=terms))


def told(answer: dict[str, Any]) -> list[tuple[str, int, int, str]]:
    """Return outcome, winnings, returned and paragraph of each line."""
    return [(x["outcome"], x["winnings"], x["returned"], x["paragraph"]) for x in answer["lines"]]


# Independence


def test_the_oracle_imports_nothing_of_the_product_and_holds_no_float() -> None:
    """Only the standard library, pytest and its own modules are imported; no literal is a float."""
    allowed = {"__future__", "ast", "collections", "dataclasses", "fractions", "functools", "itertools"}
    allowed |= {"math", "pathlib", "pytest", "re", "typing"}
    for path in Path(__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                assert {name.name.split(".")[0] for name in node.names} <= allowed, path
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                assert str(node.module).split(".")[0] in allowed, path
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), path


# The enumeration against the published figures


@pytest.mark.parametrize("decks", DECKS)
def test_counts_are_the_published_counts(decks: int) -> None:
    """Total, banker, player, tie, naturals and banker's sixes agree to the last draw."""
    tally = enumeration.tally(decks)
    counted = {**enumeration.counts(decks), "natural": tally.natural, "banker-six": tally.banker_six}
    assert counted == published.COUNTS[decks]


@pytest.mark.parametrize("decks", range(1, 9))
def test_the_counts_cover_every_ordered_draw_of_six(decks: int) -> None:
    """Nothing is counted twice and nothing is left out."""
    n = 52 * decks
    assert enumeration.counts(decks)["total"] == n * (n - 1) * (n - 2) * (n - 3) * (n - 4) * (n - 5)


@pytest.mark.parametrize("decks", [6, 8])
def test_counts_by_cards_dealt_and_their_mean(decks: int) -> None:
    """Four, five and six cards agree for each winner, and so does the mean number of cards."""
    ends = enumeration.tally(decks).ends
    for winner, printed in published.BY_CARDS_DEALT[decks].items():
        assert tuple(ends[winner, n] for n in (4, 5, 6)) == printed
    mean = Fraction(sum(n * ways for (_, n), ways in ends.items()), enumeration.counts(decks)["total"])
    assert rounds_to(mean, published.MEAN_CARDS[decks])


@pytest.mark.parametrize("decks", DECKS)
def test_probabilities(decks: int) -> None:
    """Each result's share rounds to the printed probability."""
    n = enumeration.counts(decks)
    for result, printed in published.PROBABILITY[decks].items():
        assert rounds_to(Fraction(n[result], n["total"]), printed)


def gains(decks: int) -> dict[str, Fraction]:
    """Return the bettor's expected gain of every published wager, from the counts."""
    n = enumeration.counts(decks)
    banker, player, tie, everything = n["banker"], n["player"], n["tie"], n["total"]
    six = enumeration.tally(decks).banker_six
    commission = Fraction(19, 20) * banker
    return {
        "player 1:1": Fraction(player - banker, everything),
        "banker 19:20, draw returned": (commission - player) / everything,
        "banker 1:1, draw returned": Fraction(banker - player, everything),
        "tie 8:1": Fraction(8 * tie - banker - player, everything),
        "tie 9:1": Fraction(9 * tie - banker - player, everything),
        "banker 19:20, draw lost": (commission - player - tie) / everything,
        "banker 1:1, 1:2 on six": (banker - Fraction(six, 2) - player) / everything,
        "player, ties excluded": Fraction(player - banker, banker + player),
        "banker 19:20, ties excluded": (commission - player) / (banker + player),
    }


@pytest.mark.parametrize("decks", [6, 8])
def test_expected_gains_and_edges(decks: int) -> None:
    """Exact gains are equal; printed edges are what the exact ones round to."""
    worked_out = gains(decks)
    for name, exact in published.EXPECTED_GAIN[decks].items():
        assert worked_out[name] == exact, name
    for name, printed in published.EDGE_PER_CENT[decks].items():
        assert rounds_to(-100 * worked_out[name], printed), name


@pytest.mark.parametrize("decks", [6, 8])
def test_edges_used_for_theoretical_win(decks: int) -> None:
    """The edge of each kind is minus the published gain; the option on draws is told apart."""
    worked_out = gains(decks)
    assert enumeration.edge(decks, "player") == -worked_out["player 1:1"]
    assert enumeration.edge(decks, "player", "lost") == -worked_out["player 1:1"]
    assert enumeration.edge(decks, "banker") == -worked_out["banker 19:20, draw returned"]
    assert enumeration.edge(decks, "banker", "lost") == -worked_out["banker 19:20, draw lost"]
    assert enumeration.edge(decks, "tie") == -worked_out["tie 8:1"]


# The tableau


def test_the_two_writings_of_the_tableau_agree() -> None:
    """For all totals and third cards, exactly one way of drawing is regular, and the grid names it."""
    for player_two, banker_two, third, banker_third in product(range(10), repeat=4):
        player, banker = TWO_CARDS[player_two].split(), TWO_CARDS[banker_two].split()
        natural = player_two >= 8 or banker_two >= 8
        player_must = not natural and enumeration.player_draws(player_two)
        for player_draws, banker_draws in product((False, True), repeat=2):
            v = third if player_draws else None
            banker_must = not natural and enumeration.banker_draws(banker_two, v)
            regular = player_draws == player_must and banker_draws == banker_must
            breach = punto_banco_tableau_breach(
                player + [CARD_OF_VALUE[third]] * player_draws,
                banker + [CARD_OF_VALUE[banker_third]] * banker_draws,
            )
            assert (breach is None) == regular


@pytest.mark.parametrize(
    ("player", "banker", "breach"),
    [
        ("9 K", "2 3", None),
        ("2 3", "9 K", None),
        ("2 3 4", "9 K", "natural"),
        ("8 K", "2 3 K", "natural"),
        ("2 3", "3 4", "player-must-draw"),
        ("K 6 A", "3 4", "player-must-stand"),
        ("K 6", "2 3", "banker-must-draw"),
        ("K 6", "3 3 A", "banker-must-stand"),
        ("K 2 8", "A 2", None),
        ("K 2 8", "A 2 5", "banker-must-stand"),
        ("K 2 9", "A 2", "banker-must-draw"),
        ("K 2 A", "K 4 9", "banker-must-stand"),
        ("K 2 2", "K 4 9", None),
        ("K 2 4", "K 5", "banker-must-draw"),
        ("K 2 5", "K 6 A", "banker-must-stand"),
        ("K 2 6", "K 6", "banker-must-draw"),
        ("K 2 7", "K 7 A", "banker-must-stand"),
        ("K 2 8", "A A", "banker-must-draw"),
    ],
)
def test_tableau_by_hand(player: str, banker: str, breach: str | None) -> None:
    """Coups told at the table, regular or with the rule that they break."""
    assert punto_banco_tableau_breach(player.split(), banker.split()) == breach


def test_card_values_and_totals() -> None:
    """Ace one, numbers their value, ten and pictures nothing; suits in either case; tens dropped."""
    assert [card_value(c) for c in ("A", "2", "9", "10", "T", "J", "Q", "K")] == [1, 2, 9, 0, 0, 0, 0, 0]
    assert [card_value(c) for c in ("Ac", "2D", "9h", "10s", "TS", "Jd", "KH")] == [1, 2, 9, 0, 0, 0, 0]
    assert total(["7", "8"]) == 5
    assert total(["9h", "10C", "K"]) == 9


# The truth table


CELLS = truth_tables.ONE_OPPOSING_HAND + truth_tables.TWO_OPPOSING_HANDS
PROFILED = [("si-1994-2899", cell) for cell in CELLS]
PROFILED += [("si-2000-597-7a", cell) for cell in truth_tables.ONE_OPPOSING_HAND_7A]


@pytest.mark.parametrize(("profile", "cell"), PROFILED)
def test_every_cell_of_the_truth_table(profile: str, cell: truth_tables.SettlementCell) -> None:
    """Outcome, paragraph, odds and money of each cell, on a stake of 200."""
    table_format, kind, results, banker_on_draw, outcome, paragraph, odds = cell
    names = ["hand-1", "hand-2"] if table_format == "baccarat-banque" else ["player"]
    hands = {"banker": truth_tables.BANKER_HAND}
    for name, result in zip(names, results, strict=False):
        hands[name] = truth_tables.OPPOSING_HAND[result]
    terms = {"banker_on_draw": banker_on_draw}
    line = settle(coup(table_format, hands, f"{kind} 200", terms=terms, profile=profile))["lines"][0]
    winnings = {"1/1": 200, "19/20": 190, "8/1": 1600}[odds] if outcome == "won" else 0
    assert line == {
        "wager": "w1",
        "outcome": outcome,
        "odds": odds,
        "winnings": winnings,
        "returned": 0 if outcome == "lost" else 200,
        "remainder": "0",
        "paragraph": paragraph,
    }


def test_the_truth_table_has_every_cell_once() -> None:
    """Punto banco three kinds by three results by two options; banque nine pairs by three kinds."""
    one = [cell[:4] for cell in truth_tables.ONE_OPPOSING_HAND]
    punto_banco = product(["punto-banco"], ["player", "banker", "tie"], "WLD", ["stand-off", "lost"])
    assert {("punto-banco", k, (r,), d) for _, k, r, d in punto_banco} <= set(one)
    assert len(one) == len(set(one)) == 18 + 3 + 3
    two = {(cell[1], cell[2]) for cell in truth_tables.TWO_OPPOSING_HANDS}
    assert two == set(product(["hand-1", "hand-2", "both-hands"], product("WLD", repeat=2)))
    assert len(truth_tables.TWO_OPPOSING_HANDS) == 27


@pytest.mark.parametrize("cell", truth_tables.AVAILABILITY)
def test_every_cell_of_availability(cell: truth_tables.AvailabilityCell) -> None:
    """A kind that cannot be had is refused under its paragraph; one that can be had is not."""
    table_format, hands_in_play, kind, available, paragraph, odds = cell
    names = ["hand-1", "hand-2"][:hands_in_play] if table_format == "baccarat-banque" else ["player"]
    hands = {"banker": truth_tables.BANKER_HAND} | dict.fromkeys(names, truth_tables.OPPOSING_HAND["L"])
    line = settle(coup(table_format, hands, f"{kind} 200"))["lines"][0]
    assert line["odds"] == odds
    assert (line["outcome"] != "refused") == available
    if not available:
        assert (line["reason"], line["paragraph"]) == ("kind-not-available", paragraph)
        assert (line["winnings"], line["returned"], line["remainder"]) == (0, 200, "0")


# 19 to 20 and whole pennies


@pytest.mark.parametrize(("stake", "exact", "ceiling"), published.NINETEEN_TO_TWENTY)
def test_nineteen_to_twenty(stake: int, exact: Fraction, ceiling: int) -> None:
    """Up to the unit pays the ceiling and keeps the remainder; exact-only refuses the stake."""
    up = punto("2 4", "10 7", f"banker {stake}", rounding="up-to-unit")["lines"][0]
    assert (up["winnings"], up["returned"], up["remainder"]) == (ceiling, stake, str(ceiling - exact))
    only = punto("2 4", "10 7", f"banker {stake}")["lines"][0]
    assert (only["outcome"], only["reason"]) == ("refused", "not-payable-exactly")
    assert (only["paragraph"], only["odds"], only["returned"]) == ("terms.rounding", "19/20", stake)


@pytest.mark.parametrize(
    ("stake", "winnings", "remainder"),
    [(10, 10, "1/2"), (25, 24, "1/4"), (99, 94, "-1/20"), (105, 100, "1/4"), (1, 1, "1/20"), (20, 19, "0")],
)
def test_nearest_rounds_halves_up(stake: int, winnings: int, remainder: str) -> None:
    """6(7)(i): 9.5 goes to 10; 94.05 to 94, a twentieth short."""
    line = punto("2 4", "10 7", f"banker {stake}", rounding="nearest")["lines"][0]
    assert (line["winnings"], line["remainder"]) == (winnings, remainder)


def test_the_unit_of_the_table_governs_every_kind() -> None:
    """With a unit of 50, a stake of 30 at 1 to 1 is refused exactly and paid 50 up to the unit."""
    exact = punto("9 K", "10 7", "player 30, player 50, tie 25, banker 1000", unit=50)
    assert [line["outcome"] for line in exact["lines"]] == ["refused", "won", "lost", "lost"]
    up = punto("9 K", "10 7", "player 30", unit=50, rounding="up-to-unit")["lines"][0]
    assert (up["winnings"], up["remainder"]) == (50, "20")


def test_exactness_is_judged_whatever_the_cards_say() -> None:
    """terms.rounding: a banker stake of 30 is refused though the player's hand wins."""
    assert told(punto("9 K", "10 7", "banker 30")) == [("refused", 0, 30, "terms.rounding")]


# Coups worked by hand


def test_punto_banco_the_coup_of_the_contract() -> None:
    """6(7)(i): banker 2 2 draws a 3 to the player's standing six; 2500 at 19 to 20 is 2375."""
    answer = punto("3 3", "2 2 3", "banker 2500, player 1000, tie 500")
    assert answer["results"] == {"player": "L"}
    assert answer["irregular"] is None
    assert told(answer) == [
        ("won", 2375, 2500, "6(7)(i)"),
        ("lost", 0, 0, "6(4)"),
        ("lost", 0, 0, "6(7)(ii)"),
    ]


def test_punto_banco_equal_hands() -> None:
    """6(4)(a), house rule, 6(7)(ii): six all; player void, banker stood off, equal hands paid eight."""
    assert told(punto("K 6", "J 6", "player 100, banker 100, tie 100")) == [
        ("void", 0, 100, "6(4)(a)"),
        ("stand-off", 0, 100, "house rule (reg 2(2))"),
        ("won", 800, 100, "6(7)(ii)"),
    ]


def test_punto_banco_irregular_coup_settles_nothing() -> None:
    """Banker three draws against an eight: no results, no lines; at chemin de fer the same cards settle."""
    answer = punto("K 2 8", "A 2 5", "player 100")
    assert (answer["results"], answer["lines"]) == ({}, [])
    assert answer["irregular"]["rule"] == "banker-must-stand"
    free = settle(coup("chemin-de-fer", {"player": "K 2 8", "banker": "A 2 5"}, "player 100", bank=100))
    assert told(free) == [("lost", 0, 0, "6(4)")]


def test_banque_a_cheval_is_never_half_settled() -> None:
    """6(4)(b): right wins, left draws; the straddling wager is void whole, the right is paid."""
    hands = {"banker": "10 7", "hand-1": "9 K", "hand-2": "3 4"}
    assert told(settle(coup("baccarat-banque", hands, "both-hands 70, hand-1 10, hand-2 10"))) == [
        ("void", 0, 70, "6(4)(b)"),
        ("won", 10, 10, "6(3),(4)"),
        ("void", 0, 10, "6(4)(a)"),
    ]


def test_banque_one_hand_dealt() -> None:
    """2(2): only the left hand is dealt, so the right and both are refused; 6(4): the left settles."""
    hands = {"banker": "10 7", "hand-2": "9 K"}
    answer = settle(coup("baccarat-banque", hands, "hand-1 10, both-hands 10, hand-2 10, tie 10"))
    assert answer["results"] == {"hand-2": "W"}
    assert [line["outcome"] for line in answer["lines"]] == ["refused", "refused", "won", "refused"]
    assert [line["paragraph"] for line in answer["lines"]] == ["2(2)", "2(2)", "6(3),(4)", "6(7)(c)"]
    assert [line["odds"] for line in answer["lines"]] == ["1/1", "1/1", "1/1", None]


def test_chemin_de_fer_stakes_beyond_the_bank() -> None:
    """6(3): a bank of 100 covers 80, then 20 of 50, then nothing; the excess goes back."""
    hands = {"player": "9 K", "banker": "10 7"}
    answer = settle(coup("chemin-de-fer", hands, "player 80, player 50, player 10", bank=100))
    assert told(answer) == [
        ("won", 80, 80, "6(3),(4)"),
        ("won", 20, 50, "6(3),(4)"),
        ("refused", 0, 10, "6(3)"),
    ]
    assert [line.get("excess") for line in answer["lines"]] == [None, 30, None]
    assert answer["lines"][2]["reason"] == "bank-exceeded"


@pytest.mark.parametrize(
    ("bankers_seat", "bank", "covered"),
    [
        (None, 150, [100, 50, 0]),  # nobody knows who is on his right: as offered
        (4, 150, [50, 0, 100]),  # seat 5, then 6, then 3
        (4, 250, [100, 50, 100]),
        (4, 300, [100, 100, 100]),
        (6, 150, [0, 100, 50]),  # round by the end: 3, then 5, and the banker's own seat last
        (99, 150, [0, 100, 50]),
    ],
)
def test_a_short_bank_covers_by_seats_from_the_bankers_right(
    bankers_seat: int | None, bank: int, covered: list[int]
) -> None:
    """A hundred each from seats 6, 3 and 5."""
    line = coup("chemin-de-fer", {"player": "9 K", "banker": "10 7"}, "player 100, player 100, player 100")
    for wager, seat in zip(line["wagers"], (6, 3, 5), strict=True):
        wager["seat"] = seat
    lines = settle({**line, "bank": bank, "bankers_seat": bankers_seat})["lines"]
    assert [one["winnings"] for one in lines] == covered


def test_chemin_de_fer_lost_and_void_with_an_excess() -> None:
    """6(4) and 6(4)(a): lost, the excess alone returns; void, everything does."""
    lost = settle(coup("chemin-de-fer", {"player": "2 4", "banker": "10 7"}, "player 150", bank=100))
    assert told(lost) == [("lost", 0, 50, "6(4)")]
    void = settle(coup("chemin-de-fer", {"player": "J 7", "banker": "10 7"}, "player 150", bank=100))
    assert told(void) == [("void", 0, 150, "6(4)(a)")]


def test_a_refused_wager_takes_nothing_of_the_bank() -> None:
    """6(7)(a): the banker wager is refused, so the whole bank is left for the player's."""
    hands = {"player": "9 K", "banker": "10 7"}
    answer = settle(coup("chemin-de-fer", hands, "banker 100, player 100", bank=100))
    assert told(answer) == [("refused", 0, 100, "6(7)(a)"), ("won", 100, 100, "6(3),(4)")]


def test_a_bank_is_nothing_to_a_house_table() -> None:
    """The house's bank does not limit stakes at punto banco."""
    line = coup("punto-banco", {"player": "9 K", "banker": "10 7"}, "player 100", bank=10)
    assert told(settle(line)) == [("won", 100, 100, "6(3),(4)")]
