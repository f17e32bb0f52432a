"""Double entry over whole nights: balanced, nothing left open, the oracle's figures, whatever the batches.

The oracle reads the tape and knows of no event and no account.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ops.wiring import House
from projections.postings.chart import COLUMNS, PARTS
from projections.postings.views import Balance, BookedEntry
from tests.oracle.night import pnl as oracle
from tests.oracle.play import Night as OracleNight
from tests.projections.books import balanced, booked, everything, fold_books, moves
from tests.projections.houses import Line, evening, house_at, house_in_memory, take
from tests.projections.nights import nights
from tests.properties.rulings import ruled_nights

many = settings(max_examples=12, deadline=None)
TAPES = st.one_of(nights(), ruled_nights())
SOME_BATCHES = st.lists(st.integers(1, 40), min_size=1, max_size=6)
Key = tuple[str, ...]


def oracle_night(lines: Iterable[Line]) -> OracleNight:
    night = OracleNight()
    for line in lines:
        night.obey(line)
    return night


def moved_by(entries: Iterable[BookedEntry], account: str) -> dict[tuple[str, str], int]:
    """What an account moved in all entries about each coup."""
    found: defaultdict[tuple[str, str], int] = defaultdict(int)
    for entry in entries:
        found[entry.premises, entry.about or ""] += moves(entry).get(account, 0)
    return found


def coups(night: OracleNight) -> Iterator[tuple[tuple[str, str], Any]]:
    """The oracle's coups, by premises and name."""
    for (premises, table, shoe, number), coup in night.coups.items():
        yield (premises, f"{table}/{shoe}/{number}"), coup


def house_figures(house: House) -> dict[Key, tuple[int, Fraction]]:
    """The house's win and the remainder of every shift in which there is either."""
    found: defaultdict[Key, tuple[int, Fraction]] = defaultdict(lambda: (0, Fraction(0)))
    for one in balanced(house):
        key = (one.premises, one.table, one.gaming_day, one.shift)
        win, remainder = found[key]
        found[key] = (win + one.win, remainder + one.remainder)
    return {key: figures for key, figures in found.items() if any(figures)}


def oracle_figures(lines: list[Line]) -> dict[Key, tuple[int, Fraction]]:
    """The same from the oracle: what a player's bank won is none of it."""
    rows = (row for row in oracle(lines) if row["banked_by"] == "house")
    return {
        (row["premises"], row["table"], row["gaming_day"], row["shift"]): (
            row["win"],
            Fraction(row["remainder"]),
        )
        for row in rows
        if row["win"] or row["remainder"] != "0"
    }


@many
@given(tape=TAPES)
def test_every_entry_sums_to_nothing(tape: list[Line]) -> None:
    """In whole minor units, row by row, and exactly, with what rounding paid in it."""
    with house_in_memory() as house:
        take(house, tape)
        fold_books(house)
        found: list[BookedEntry | Balance] = [*booked(house), *balanced(house)]
        for one in found:
            assert sum(one.moved[:-1]) == 0
            assert sum(post.amount + Fraction(post.parts, PARTS) for post in one.postings) == 0


@many
@given(tape=TAPES)
def test_a_finished_coup_leaves_nothing_open_and_another_its_stakes(tape: list[Line]) -> None:
    """Those that the oracle accepted and did not cancel; and no coup is booked that it does not know."""
    with house_in_memory() as house:
        take(house, tape)
        fold_books(house)
        still_open = moved_by(booked(house), "wagers-open")
        expected = {
            name: -sum(item.covered for item in coup.accepted)
            for name, coup in coups(oracle_night(tape))
            if coup.state not in {"settled", "void"}
        }
        assert {name: amount for name, amount in still_open.items() if amount} == {
            name: amount for name, amount in expected.items() if amount
        }


@many
@given(tape=TAPES)
def test_a_tables_win_is_the_sum_over_its_wagers(tape: list[Line]) -> None:
    """By shift, and the remainder with it, from the oracle that reads the tape."""
    with house_in_memory() as house:
        take(house, tape)
        fold_books(house)
        assert house_figures(house) == oracle_figures(tape)


@many
@given(tape=TAPES)
def test_what_a_players_bank_wins_or_loses_is_on_the_bank_alone(tape: list[Line]) -> None:
    """6(6): coup by coup what the wagers lost, as it stands after every ruling; the house wins none of it."""
    with house_in_memory() as house:
        take(house, tape)
        fold_books(house)
        found = booked(house)
        bank, winnings = moved_by(found, "bank"), moved_by(found, "winnings")
        for name, coup in coups(oracle_night(tape)):
            lost = sum(line["covered"] for line in coup.lines if line["outcome"] == "lost")
            won = lost - sum(line["winnings"] for line in coup.lines)
            by_player = coup.cover is not None
            assert (bank[name], winnings[name]) == ((-won, 0) if by_player else (0, -won))


@many
@given(tape=TAPES, sizes=SOME_BATCHES)
def test_any_batches_give_the_same_tables(tape: list[Line], sizes: list[int]) -> None:
    """All at once, a command at a time, and while the night goes on in pieces of any size."""
    with house_in_memory() as at_once, house_in_memory() as one_by_one, house_in_memory() as meanwhile:
        take(at_once, tape)
        fold_books(at_once)
        take(one_by_one, tape)
        fold_books(one_by_one, 1)
        start = 0
        for size in [*sizes, len(tape)]:
            take(meanwhile, tape[start : start + size])
            fold_books(meanwhile, size)
            start += size
        assert everything(one_by_one) == everything(at_once)
        assert everything(meanwhile) == everything(at_once)


# --- The evening -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house_at(Path(tmp_path_factory.mktemp("books")) / "ledger.db") as opened:
        take(opened, evening())
        fold_books(opened)
        yield opened


def test_the_evening_has_the_oracles_win_and_remainder(house: House) -> None:
    """It plays step by step, with banks, rulings, cancelled wagers, promotional chips and a coup in hand."""
    assert house_figures(house) == oracle_figures(evening())
    assert any(remainder for _, remainder in house_figures(house).values())


def test_the_balances_are_the_entries_added_up(house: House) -> None:
    added: defaultdict[Key, list[int]] = defaultdict(lambda: [0] * len(COLUMNS))
    for one in booked(house):
        key = (one.premises, one.gaming_day, one.table, one.shift, one.currency, one.tender)
        added[key] = [there + more for there, more in zip(added[key], one.moved, strict=True)]
    assert {one[:-1]: list(one.moved) for one in balanced(house)} == added


def test_the_float_is_what_was_moved_and_counted(house: House) -> None:
    """Opener and fills, less credits, drop and closer, from the tape: its win by inventory turned round."""
    sign = {"open-table": 1, "fill-chips": 1, "credit-chips": -1, "close-table": -1}
    expected: defaultdict[str, int] = defaultdict(int)
    for line in evening():
        counted = line.get("opener") or line.get("closer") or line
        chips = sum(int(value) * count for value, count in counted.get("chips", {}).items())
        expected[line["table"]] += sign.get(line["command"], 0) * chips
        expected[line["table"]] -= line["amount"] if line["command"] == "count-drop" else 0
    on_the_float: defaultdict[str, int] = defaultdict(int)
    for one in balanced(house):
        on_the_float[one.table] += moves(one).get("float", 0)
    assert on_the_float == expected
