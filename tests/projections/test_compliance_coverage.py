"""Rule coverage: the branches are those of the law's tables, and they are counted as the oracle counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings

from ledger.regulation.settle import BANKERS_HAND, EQUAL_HANDS
from ledger.regulation.settle import BOTH_HANDS as BOTH_HANDS_OF_LAW
from ledger.regulation.settle import ONE_HAND as ONE_HAND_OF_LAW
from ops.wiring import House
from projections.compliance.branches import BRANCHES, Branch, Refused, Settled
from projections.compliance.compliance import Compliance
from projections.compliance.coverage import Covered, coverage
from tests.oracle.cards import results_of
from tests.oracle.play import Night as OracleNight
from tests.oracle.truth_tables import (
    AVAILABILITY,
    ONE_OPPOSING_HAND,
    ONE_OPPOSING_HAND_7A,
    TWO_OPPOSING_HANDS,
)
from tests.projections.houses import Line, evening, house_in_memory, take
from tests.projections.nights import nights
from tests.tabletalk import Live

Cell = tuple[str, str, str, str, str]
"""Format, kind, results, outcome, paragraph."""


def cells(*, profile: str) -> set[Cell]:
    """The branches that are cells of the truth tables, under this text."""
    return {
        (seen.format, seen.what, seen.results, seen.outcome, branch.paragraph)
        for branch in BRANCHES
        if isinstance(seen := branch.seen_by, Settled)
        and seen.format is not None
        and seen.results is not None
        and seen.profile in {None, profile}
    }


def typed_in(*tables: list[Any]) -> set[Cell]:
    """The oracle's cells, which were typed in by hand."""
    return {
        (format, kind, "".join(results), outcome, paragraph)
        for table in tables
        for format, kind, results, _, outcome, paragraph, _ in table
    }


def test_every_cell_of_the_truth_tables_is_a_branch_under_its_paragraph() -> None:
    """Domain §3.2 and §3.3, all of them."""
    assert typed_in(ONE_OPPOSING_HAND, TWO_OPPOSING_HANDS) <= cells(profile="si-1994-2899")
    assert typed_in(ONE_OPPOSING_HAND_7A) <= cells(profile="si-2000-597-7a")


def test_no_branch_is_a_cell_that_the_law_does_not_have() -> None:
    """Beside the oracle's three games there are the versions whose one hand is settled as chemin de fer's."""
    known = typed_in(ONE_OPPOSING_HAND, TWO_OPPOSING_HANDS)
    chemin = {cell[1:] for cell in known if cell[0] == "chemin-de-fer"}
    second = {("hand-2", *cell[2:]) for cell in known if cell[1] == "hand-1" and len(cell[2]) == 1}
    for format, *rest in cells(profile="si-1994-2899"):
        if format in {"chemin-de-fer-kept-bank", "single-hand-with-option"}:
            assert tuple(rest) in chemin
        else:
            assert (format, *rest) in known or (format == "baccarat-banque" and tuple(rest) in second)


def test_the_cells_are_the_regulations_own() -> None:
    seen = cells(profile="si-1994-2899")
    for result, (outcome, paragraph) in ONE_HAND_OF_LAW.items():
        assert ("punto-banco", "player", result, outcome, paragraph) in seen
    for (first, second), (outcome, paragraph) in BOTH_HANDS_OF_LAW.items():
        assert ("baccarat-banque", "both-hands", first + second, outcome, paragraph) in seen
    for result, outcome in BANKERS_HAND.items():
        assert ("punto-banco", "banker", result, outcome, "6(7)(i)") in seen
    for result, outcome in EQUAL_HANDS.items():
        assert ("punto-banco", "tie", result, outcome, "6(7)(ii)") in seen


def test_every_paragraph_that_bars_a_kind_is_a_branch() -> None:
    barred = {paragraph for _, _, _, allowed, paragraph, _ in AVAILABILITY if not allowed}
    refusals = {
        seen.paragraph
        for branch in BRANCHES
        if isinstance(seen := branch.seen_by, Refused)
        and (seen.code, seen.reason) == ("wager-refused", "kind-not-available")
    }
    assert refusals == barred


def test_no_branch_stands_twice() -> None:
    assert len({branch.id for branch in BRANCHES}) == len(BRANCHES)
    assert len({branch.seen_by for branch in BRANCHES}) == len(BRANCHES)


# --- Counting ----------------------------------------------------------------------------------------------


@pytest.fixture
def house() -> Iterator[House]:
    with house_in_memory() as opened:
        yield opened


def covered(house: House, month: str = "2026-11", premises: str | None = None) -> dict[Branch, Covered]:
    house.runner((Compliance(),)).catch_up()
    with house.tables.snapshot() as statements:
        return {one.branch: one for one in coverage(statements, month, premises)}


def of_kinds(house: House, month: str) -> dict[Settled, tuple[int, int]]:
    """Coups and wagers of each cell, where there are any."""
    return {
        branch.seen_by: (one.times, one.wagers)
        for branch, one in covered(house, month).items()
        if isinstance(branch.seen_by, Settled) and branch.seen_by.results and one.wagers
    }


def by_oracle(tape: list[Line], month: str) -> dict[Settled, tuple[int, int]]:
    """The same, from the tape alone. Under the text of 1994 unless a table opened under another."""
    night = OracleNight()
    for line in tape:
        night.obey(line)
    coups: Counter[Settled] = Counter()
    wagers: Counter[Settled] = Counter()
    for coup in night.coups.values():
        if coup.state != "settled" or not coup.table.gaming_day.startswith(month):
            continue
        results = results_of(coup.hands)
        told = "".join(results[hand] for hand in sorted(results))
        met = Counter(
            Settled(
                line["kind"],
                line["outcome"],
                coup.table.format,
                coup.table.profile if line["kind"] in {"banker", "tie"} else None,
                told,
            )
            for line in coup.lines
        )
        coups.update(met.keys())
        wagers += met
    return {cell: (coups[cell], wagers[cell]) for cell in coups}


def test_the_evening_exercised_what_the_oracle_says(house: House) -> None:
    take(house, evening())
    assert of_kinds(house, "2026-11") == by_oracle(evening(), "2026-11")


@settings(max_examples=15, deadline=None)
@given(tape=nights())
def test_any_nights_exercised_what_the_oracle_says_month_by_month(tape: list[Line]) -> None:
    with house_in_memory() as house:
        take(house, tape)
        for month in ("2026-10", "2026-11"):
            assert of_kinds(house, month) == by_oracle(tape, month)


def test_the_example_is_the_first_coup_that_did_it(house: House) -> None:
    table = Live(house.ledger)
    table.coup(1, "P 9 K / B 7 Q", "banker 100")
    table.coup(2, "P 7 K / B 9 Q", "banker 100, banker 200")
    table.coup(3, "P 7 K / B 9 Q", "banker 100")
    shown = {branch.seen_by: one for branch, one in covered(house).items()}
    won = shown[Settled("banker", "won", "punto-banco", "si-1994-2899", "L")]
    (settled,) = [
        row.sequence
        for row in house.ledger.record.select_stream("coup/main/T1/S1/2")
        if row.topic == "coup-settled.v1"
    ]
    assert (won.times, won.wagers, won.example, won.sequence) == (2, 3, "coup/main/T1/S1/2", settled)
    bank = shown[Settled("bank", "house")]
    assert (bank.times, bank.example) == (3, "coup/main/T1/S1/1")


def test_what_was_not_exercised_is_told_as_well(house: House) -> None:
    table = Live(house.ledger)
    table.coup(1, "P 9 K / B 7 Q", "player 100")
    exercised = {branch.id for branch, one in covered(house).items() if one.times}
    assert exercised == {"punto-banco/player/W/won", "bank/house", "offer/all"}
    assert len(covered(house)) == len(BRANCHES)
    assert not any(one.times for one in covered(house, "2026-12").values())
    assert not any(one.times for one in covered(house, premises="annex").values())


def test_banks_offers_and_refusals_are_branches_too(house: House) -> None:
    """6(5), 6(6), 6(7), 6(8): each with the first thing that shows it."""
    table = Live(house.ledger, "chemin-de-fer")
    table.say("take-bank", holder="house", capacity="employee", sum=1000)
    table.say("take-bank", holder="p-9", sum=1000)
    table.say("change-offer", kinds=["player", "tie"])
    table.say("change-offer", kinds=[])
    table.coup(1, "P 9 K / B 7 Q", "tie 100, player 10")
    table.coup(2, "P 9 K / B 7 Q")
    counted = {branch.id: (one.times, one.example) for branch, one in covered(house).items() if one.times}
    coup, at_table = "coup/main/T1/S1/1", "table/main/T1"
    assert counted == {
        "command-refused/bank-may-not-stand/6(6)": (1, at_table),
        "command-refused/kind-not-available/6(7)(a)": (1, at_table),
        "command-refused/bank-must-pass/6(6)": (1, "coup/main/T1/S1/2"),
        "wager-refused/kind-not-available/6(7)(a)": (1, coup),
        "wager-refused/kind-not-on-offer/terms.offer": (1, coup),
        "bank/player": (1, coup),
        "bank/W/player": (1, coup),
        "offer/some": (1, coup),
    }
