"""Settlement: every cell of the truth table of domain §3, with its paragraph and its money."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from ledger.regulation.profiles import Profile
from ledger.regulation.settle import outcome_of, settle, totals_of
from ledger.terms.hands import results_of
from ledger.terms.house import Terms
from ledger.terms.wagers import WAGERS_MAX, Kind, SettlementLine, Wager
from tests.oracle import published, truth_tables
from tests.regulation.coups import SI_1994, SI_2000, hands, results, wagers

CELLS = [(SI_1994, cell) for cell in truth_tables.ONE_OPPOSING_HAND + truth_tables.TWO_OPPOSING_HANDS]
CELLS += [(SI_2000, cell) for cell in truth_tables.ONE_OPPOSING_HAND_7A + truth_tables.TWO_OPPOSING_HANDS]
CELL_IDS = [f"{profile.id}-{' '.join(map(str, cell[:4]))}" for profile, cell in CELLS]
ON_200 = {"1/1": 200, "19/20": 190, "8/1": 1600}
LETTER = {"hand-1": "1", "hand-2": "2", "player": "P"}


def line_of(
    staked: str, format: str, letters: str, profile: Profile = SI_1994, **terms: Any
) -> SettlementLine:
    """The line of one wager."""
    against_banker = results(format, tuple(letters))
    (line,) = settle(wagers(staked), against_banker, profile, Terms.model_validate(terms))
    return SettlementLine.model_validate(line, from_attributes=True)


@pytest.mark.parametrize(("profile", "cell"), CELLS, ids=CELL_IDS)
def test_every_cell_of_the_truth_table(profile: Profile, cell: truth_tables.SettlementCell) -> None:
    """Outcome, paragraph, odds, winnings and what is handed back, on a stake of 200."""
    format, kind, letters, banker_on_draw, outcome, paragraph, odds = cell
    line = line_of(f"{kind} 200", format, "".join(letters), profile, banker_on_draw=banker_on_draw)
    assert line == SettlementLine(
        wager="w1",
        kind=Kind(kind),
        stake=200,
        outcome=outcome,  # type: ignore[arg-type]  # the cell's own word
        odds=odds,
        winnings=ON_200[odds] if outcome == "won" else 0,
        returned=0 if outcome == "lost" else 200,
        remainder="0",
        paragraph=paragraph,
    )


@pytest.mark.parametrize(("profile", "cell"), CELLS, ids=CELL_IDS)
def test_every_cell_from_the_cards(profile: Profile, cell: truth_tables.SettlementCell) -> None:
    """The same with real hands: the banker's seven against a nine, a six or a seven."""
    format, kind, letters, banker_on_draw, outcome, paragraph, _ = cell
    against_banker = results(format, letters)
    told = " / ".join(f"{LETTER[name]} {truth_tables.OPPOSING_HAND[r]}" for name, r in against_banker.items())
    dealt = results_of(hands(f"{told} / B {truth_tables.BANKER_HAND}"))
    assert dealt == against_banker
    terms = Terms.model_validate({"banker_on_draw": banker_on_draw})
    assert outcome_of(Kind(kind), dealt, profile, terms) == (outcome, paragraph)


@pytest.mark.parametrize("letters", ["WW", "WL", "WD", "LW", "LL", "LD", "DW", "DL", "DD"])
@pytest.mark.parametrize("stake", [1, 3, 101])
def test_a_cheval_is_whole_or_nothing(letters: str, stake: int) -> None:
    """6(4)(b), domain §3.4 A2: won whole, lost whole or handed back whole, odd stakes too."""
    line = line_of(f"both-hands {stake}", "baccarat-banque", letters)
    expected = {"WW": (stake, stake), "LL": (0, 0)}.get(letters, (0, stake))
    assert (line.winnings, line.returned) == expected


@pytest.mark.parametrize("profile", [SI_1994, SI_2000], ids=["1994", "2000"])
@pytest.mark.parametrize("rounding", ["exact-only", "up-to-unit", "nearest"])
def test_equal_hands_stand_the_banker_wager_off_by_house_rule_or_lose_it_by_option(
    profile: Profile, rounding: str
) -> None:
    """Domain §3.4 A1: the stake back under reg 2(2), not under 6(4); or lost, as 6(7) reads by itself."""
    stood_off = line_of("banker 100", "punto-banco", "D", profile, rounding=rounding)
    assert (stood_off.outcome, stood_off.returned) == ("stand-off", 100)
    assert "2(2)" in stood_off.paragraph
    assert "6(4)" not in stood_off.paragraph
    lost = line_of("banker 100", "punto-banco", "D", profile, rounding=rounding, banker_on_draw="lost")
    assert (lost.outcome, lost.returned) == ("lost", 0)
    assert lost.paragraph == ("6(7)(i)" if profile is SI_1994 else "6(7A)(a)")


@pytest.mark.parametrize(("stake", "exact", "ceiling"), published.NINETEEN_TO_TWENTY)
def test_a_winning_banker_wager_is_paid_up_and_shows_the_remainder(
    stake: int, exact: Fraction, ceiling: int
) -> None:
    """Domain §3.5: the published vectors; the stake comes back whole and the rounding is on the line."""
    line = line_of(f"banker {stake}", "punto-banco", "L", rounding="up-to-unit")
    assert (line.winnings, line.returned, line.odds) == (ceiling, stake, "19/20")
    assert Fraction(line.remainder) == ceiling - exact


@pytest.mark.parametrize(
    ("staked", "rounding", "unit", "winnings", "remainder"),
    [
        ("banker 10", "nearest", 1, 10, "1/2"),
        ("banker 99", "nearest", 1, 94, "-1/20"),
        ("banker 333", "nearest", 1, 316, "-7/20"),
        ("banker 25", "up-to-unit", 1, 24, "1/4"),
        ("banker 2500", "exact-only", 1, 2375, "0"),
        ("banker 2500", "up-to-unit", 50, 2400, "25"),
        ("banker 2500", "nearest", 50, 2400, "25"),
        ("banker 2500", "nearest", 100, 2400, "25"),
        ("banker 2500", "nearest", 250, 2500, "125"),
        ("banker 2400", "nearest", 100, 2300, "20"),
        ("banker 1000", "exact-only", 50, 950, "0"),
    ],
)
def test_a_line_shows_what_rounding_gave_or_took(
    staked: str, rounding: str, unit: int, winnings: int, remainder: str
) -> None:
    """Winnings less stake times odds, exactly; under nearest it may be negative."""
    line = line_of(staked, "punto-banco", "L", rounding=rounding, unit=unit)
    assert (line.winnings, line.remainder) == (winnings, remainder)


@pytest.mark.parametrize(
    ("staked", "format", "letters"),
    [
        ("player 30", "punto-banco", "L"),
        ("player 30", "punto-banco", "D"),
        ("banker 30", "punto-banco", "W"),
        ("banker 30", "punto-banco", "D"),
        ("tie 30", "punto-banco", "L"),
        ("both-hands 30", "baccarat-banque", "WL"),
        ("hand-2 30", "baccarat-banque", "WD"),
    ],
)
def test_what_is_not_won_is_not_rounded(staked: str, format: str, letters: str) -> None:
    """A lost, void or stood-off stake is taken or handed back to the penny, whatever the unit."""
    line = line_of(staked, format, letters, rounding="up-to-unit", unit=50)
    assert (line.winnings, line.remainder) == (0, "0")
    assert line.returned in (0, 30)


def test_lines_keep_the_order_and_carry_whose_wager_it_was() -> None:
    """A promotional stake settles like any other and stays told apart (domain §4.1)."""
    offered = [
        Wager.model_validate(facts)
        for facts in (
            {"id": "z", "kind": "tie", "stake": 100, "patron": "p-9", "seat": 3},
            {"id": "a", "kind": "player", "stake": 100, "tender": "promotional"},
            {"id": "m", "kind": "player", "stake": 100},
        )
    ]
    lines = settle(offered, results("punto-banco", ("W",)), SI_1994, Terms())
    assert [line.wager for line in lines] == ["z", "a", "m"]
    assert [line.patron for line in lines] == ["p-9", None, None]
    assert [line.seat for line in lines] == [3, None, None]
    assert [line.tender for line in lines] == ["value", "promotional", "value"]
    assert [line.winnings for line in lines] == [0, 100, 100]


def test_a_coup_without_wagers_settles_to_nothing() -> None:
    assert settle((), results("punto-banco", ("W",)), SI_1994, Terms()) == ()
    assert totals_of(()) == ()


def test_totals_add_up_the_lines_by_kind_tender_and_outcome() -> None:
    """Punto banco, the player's hand wins: three player wagers, one promotional; two ties; a banker."""
    offered = [
        Wager.model_validate({"id": f"w{number}", "kind": kind, "stake": stake, "tender": tender})
        for number, (kind, stake, tender) in enumerate(
            [
                ("player", 100, "value"),
                ("tie", 5, "value"),
                ("player", 40, "promotional"),
                ("player", 300, "value"),
                ("tie", 20, "value"),
                ("banker", 60, "value"),
            ]
        )
    ]
    totals = totals_of(settle(offered, results("punto-banco", ("W",)), SI_1994, Terms()))
    told = {
        (total.kind.value, total.tender.value, total.outcome.value): (
            total.wagers,
            total.stakes,
            total.winnings,
        )
        for total in totals
    }
    assert told == {
        ("player", "value", "won"): (2, 400, 400),
        ("player", "promotional", "won"): (1, 40, 40),
        ("tie", "value", "lost"): (2, 25, 0),
        ("banker", "value", "lost"): (1, 60, 0),
    }
    assert len(totals) == len(told)


def test_totals_hold_the_largest_coup_there_can_be() -> None:
    """As many wagers as a coup may have, each of the largest stake, all paid 8 to 1."""
    largest = 10**12
    offered = [Wager(id=f"w{number}", kind=Kind.TIE, stake=largest) for number in range(WAGERS_MAX)]
    (total,) = totals_of(settle(offered, results("punto-banco", ("D",)), SI_1994, Terms()))
    assert total.stakes == WAGERS_MAX * largest
    assert total.winnings == 8 * WAGERS_MAX * largest
