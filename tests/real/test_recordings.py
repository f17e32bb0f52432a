"""What the notes on the recordings state, held against the recordings and against the ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from ledger.application import Ledger
from ledger.events.coup import HandsDealt, IrregularityFound
from tests.oracle.enumeration import counts
from tests.oracle.night import pnl as oracle
from tests.oracle.regulation6 import punto_banco_tableau_breach
from tests.projections.houses import house_at, in_contract, read, take
from tests.real import recordings
from tests.real.recordings import WINNERS, lobby_coups, shoe, table
from tests.tabletalk import Night, command, events_of, open_ledger, wagers

pytestmark = pytest.mark.skipif(bool(recordings.MISSING), reason=recordings.MISSING)

BREAK_THE_TABLEAU = [23, 29, 46, 51, 52, 73]


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    opened = open_ledger(tmp_path / "ledger.db")
    yield opened
    opened.close()


def letters(roads: list[str]) -> dict[str, int]:
    return dict(Counter("".join(roads)))


# --- The shoe of 75 coups --------------------------------------------------------------------------------


def shoe_tape() -> list[dict[str, Any]]:
    """The shoe as a night's tape: eight decks, a wager of each kind on every coup."""
    night = Night().opens(decks=8)
    for coup in shoe():
        staked = wagers("player 100, banker 200, tie 50")
        night.step("record-coup", coup.number, hands=coup.hands, wagers=staked)
    return night.lines


def test_exactly_six_coups_of_the_shoe_are_held_and_the_other_69_settle(ledger: Ledger) -> None:
    """Eight decks hold all its cards; what breaks the tableau waits for a ruling."""
    answers = [ledger.run(command(line)) for line in shoe_tape()]
    assert all(answer.applied for answer in answers)
    stages = {number: answer.stage for number, answer in enumerate(answers[2:], start=1)}
    assert len(stages) == 75
    assert [number for number, stage in stages.items() if stage == "held"] == BREAK_THE_TABLEAU
    assert Counter(stages.values()) == {"settled": 69, "held": 6}
    for number in stages:
        events = events_of(ledger, f"coup/main/T1/S1/{number}")
        found = [event for event in events if isinstance(event, IrregularityFound)]
        assert len(found) == (number in BREAK_THE_TABLEAU)


def test_the_tableau_written_a_second_time_finds_the_same_six() -> None:
    breaches = {
        coup.number: punto_banco_tableau_breach(coup.hands["player"].split(), coup.hands["banker"].split())
        for coup in shoe()
    }
    assert [number for number, breach in breaches.items() if breach] == BREAK_THE_TABLEAU


def test_by_its_cards_the_shoe_is_46_to_25_with_4_ties(ledger: Ledger) -> None:
    """Held coups among them: their cards are recorded as they were dealt."""
    ledger.run_many([command(line) for line in shoe_tape()])
    results = Counter(
        event.results["player"].value
        for coup in shoe()
        for event in events_of(ledger, f"coup/main/T1/S1/{coup.number}")
        if isinstance(event, HandsDealt)
    )
    assert results == {"W": 46, "L": 25, "D": 4}


def test_the_shoe_has_366_cards_and_no_rank_above_32() -> None:
    ranks = Counter(card for coup in shoe() for hand in coup.hands.values() for card in hand.split())
    assert ranks.total() == 366
    assert max(ranks.values()) <= 32


def test_the_profit_and_loss_of_the_shoe_is_the_oracles(tmp_path: Path) -> None:
    with house_at(tmp_path / "ledger.db") as house:
        take(house, shoe_tape())
        house.pnl_runner().catch_up()
        rows = in_contract(read(house))
    assert rows == oracle(shoe_tape())
    assert [(row["coups"], row["held"], row["wagers"]) for row in rows] == [(69, 6, 3 * 69)]


# --- The live lobby --------------------------------------------------------------------------------------


def test_the_four_coups_of_the_live_lobby_are_lawful_and_three_agree_with_their_roads(ledger: Ledger) -> None:
    """C06 is a tie, one all, that is not yet on its road: a claim that contradicts the cards, recorded."""
    agrees, totals = {}, {}
    for name, (coup, road_last) in lobby_coups().items():
        night = Night(table=name, prefix=f"{name}-").opens(decks=8)
        night.step("record-coup", 1, hands=coup.hands, claimed=WINNERS[road_last])
        answers = [ledger.run(command(line)) for line in night.lines]
        assert answers[-1].stage == "settled"
        (dealt,) = (
            event for event in events_of(ledger, f"coup/main/{name}/S1/1") if isinstance(event, HandsDealt)
        )
        agrees[name] = dealt.claim_agrees
        totals[name] = (dealt.hands["player"].total, dealt.hands["banker"].total)
    assert agrees == {"C02": True, "C06": False, "E05": True, "P08": True}
    assert totals["C06"] == (1, 1)


def test_the_last_letters_are_those_of_the_roads() -> None:
    roads = {row["table"]: row["road"] for row in table("live-lobby_2020-09-02.csv")}
    assert {name: roads[name][-1] for name in lobby_coups()} == {
        name: last for name, (_, last) in lobby_coups().items()
    }


def test_the_roads_of_the_live_lobby() -> None:
    roads = [row["road"] for row in table("live-lobby_2020-09-02.csv")]
    assert len(roads) == 19
    assert letters(roads) == {"P": 287, "B": 272, "T": 57}
    assert sum(map(len, roads)) == 616
    assert max(map(len, roads)) == 62
    assert roads.count("") == 1


# --- Roads without cards, and the reference --------------------------------------------------------------


def test_the_fifty_coups_of_a_live_table() -> None:
    coups = table("openbaccarat_50-rounds.csv")
    assert [int(row["round"]) for row in coups] == list(range(1, 51))
    assert {row["result"] for row in coups} <= set("PBT")


def test_the_recorded_roads() -> None:
    roads = [row["road"] for row in table("recorded-roads_2026-04-30.csv")]
    assert len(roads) == 24
    assert letters(roads) == {"P": 490, "B": 478, "T": 91}
    assert sum(map(len, roads)) == 1059
    assert (min(map(len, roads)), max(map(len, roads))) == (9, 70)


def test_the_reference_agrees_with_the_exact_count_of_eight_decks() -> None:
    """Domain §6, to the last printed place."""
    rows = table("reference_8-deck.csv")
    assert len(rows) == 14
    printed = {row["measure"]: row["value"] for row in rows}
    exact = counts(8)
    for measure, outcome in (("player_win", "player"), ("banker_win", "banker"), ("tie", "tie")):
        share = Fraction(exact[outcome], exact["total"]) * 100
        assert abs(share - Fraction(printed[measure])) <= Fraction(1, 2 * 10**6)
