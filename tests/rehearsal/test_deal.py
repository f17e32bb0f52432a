"""The tapes that are dealt from a seed: what the evening contains, and that load streams."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import pytest

from ops.rehearsal.deal import evening, load, write
from tests.oracle.night import pnl
from tests.rehearsal.cases import Told, found, table, tell
from tests.tabletalk import command, open_ledger, play

ROOM = Path(__file__).parents[2] / "ops" / "rehearsal"
Line = dict[str, Any]


@pytest.fixture(scope="module")
def lines() -> list[Line]:
    return list(evening())


@pytest.fixture(scope="module")
def told(lines: list[Line], tmp_path_factory: pytest.TempPathFactory) -> list[Told]:
    ledger = open_ledger(tmp_path_factory.mktemp("evening") / "ledger.sqlite")
    try:
        return tell(ledger, lines)
    finally:
        ledger.close()


def value(chips: dict[str, int]) -> int:
    return sum(int(denomination) * count for denomination, count in chips.items())


def wins_by_count(lines: Iterable[Line]) -> dict[tuple[str, str], int]:
    """Drop + closer + credits - opener - fills, by table and gaming day."""
    wins: defaultdict[tuple[str, str], int] = defaultdict(int)
    day: dict[str, str] = {}
    for line in lines:
        name = line["table"]
        day[name] = line.get("gaming_day") or day[name]
        wins[name, day[name]] += {
            "open-table": lambda line: -value(line["opener"]["chips"]),
            "fill-chips": lambda line: -value(line["chips"]),
            "credit-chips": lambda line: value(line["chips"]),
            "count-drop": lambda line: int(line["amount"]),
            "close-table": lambda line: value(line["closer"]["chips"]),
        }.get(line["command"], lambda _: 0)(line)
    return dict(wins)


def wins_by_wagers(lines: Iterable[Line]) -> dict[tuple[str, str], int]:
    """The house's win of every table and gaming day, by the oracle."""
    wins: defaultdict[tuple[str, str], int] = defaultdict(int)
    for row in pnl(lines):
        wins[row["table"], row["gaming_day"]] += row["win"]
    return dict(wins)


# --- The evening -------------------------------------------------------------------------------------


def test_the_file_is_what_the_evening_deals(lines: list[Line]) -> None:
    stream = io.BytesIO()
    assert write(lines, stream) == len(lines)
    dealt = stream.getvalue()
    assert dealt == (ROOM / "evening.ndjson").read_bytes()
    assert len(dealt) < 250_000
    assert [json.loads(line) for line in dealt.splitlines()] == lines


def test_every_line_is_a_command_with_an_id_of_its_own_in_order_of_time(lines: list[Line]) -> None:
    read = [command(line) for line in lines]
    assert len({one.id for one in read}) == len(read)
    moments = [one.occurred_at for one in read]
    assert moments == sorted(moments)
    assert lines[0]["occurred_at"] >= "2026-11-27T19:00:00Z"
    assert lines[-1]["occurred_at"] < "2026-11-28T04:00:00Z"
    for name in ("PB1", "BB1", "CF1"):
        ids = [line["id"] for line in lines if line["table"] == name]
        assert ids == [f"2026-11-27-{name}-{number:04d}" for number in range(1, len(ids) + 1)]


def test_the_coups_of_the_three_tables(told: list[Told]) -> None:
    ends = Counter(
        (end["table"], event)
        for one in told
        for event, end in one.events
        if event in ("CoupSettled", "CoupVoided")
    )
    assert ends == {
        ("PB1", "CoupSettled"): 118,
        ("PB1", "CoupVoided"): 1,
        ("BB1", "CoupSettled"): 60,
        ("CF1", "CoupSettled"): 60,
    }


def test_every_case_is_there_and_stands_where_the_readme_says(told: list[Told]) -> None:
    cases = found(told)
    assert [case for case, numbers in cases.items() if not numbers] == []
    assert table(cases) in (ROOM / "README.md").read_text()


def test_only_what_shall_be_refused_is_refused(told: list[Told]) -> None:
    assert Counter(one.answer.outcome for one in told)["rejected"] == 0
    assert sorted(one.answer.code or "" for one in told if not one.answer.applied) == [
        "bank-may-not-stand",
        "bank-must-pass",
        "coup-number-used",
    ]


def test_of_three_irregular_coups_one_is_corrected_one_void_and_one_left_held(told: list[Told]) -> None:
    cases = found(told)
    held = [told[number - 1].answer.subject for number in cases["an irregular coup"]]
    ruled = [
        told[number - 1].answer.subject
        for case in ("a ruling, hands corrected", "a ruling, coup void")
        for number in cases[case]
    ]
    assert (len(held), len(ruled), len(set(held) - set(ruled))) == (3, 2, 1)
    assert set(ruled) < set(held)
    assert [row["held"] for row in pnl(one.line for one in told) if row["held"]] == [1]


def test_slips_are_numbered_without_a_gap(lines: list[Line]) -> None:
    slips: defaultdict[str, list[int]] = defaultdict(list)
    for line in lines:
        if "slip" in line:
            series, number = line["slip"].split("-")
            slips[series].append(int(number))
    assert slips.keys() == {"PB1", "BB1"}
    for numbers in slips.values():
        assert len(numbers) > 2
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_somebody_changes_tables_with_the_shift(lines: list[Line]) -> None:
    seen: defaultdict[str, set[str]] = defaultdict(set)
    for line in lines:
        for wager in line.get("wagers", ()):
            if isinstance(wager, dict):
                seen[wager["patron"]].add(line["table"])
    assert [tables for tables in seen.values() if len(tables) > 1] == [{"PB1", "BB1"}]


@pytest.mark.parametrize("seed", [None, 1, 2, 3])
def test_the_count_comes_out_to_the_penny(seed: int | None) -> None:
    lines = list(evening() if seed is None else evening(seed))
    counted = wins_by_count(lines)
    assert counted == wins_by_wagers(lines)
    assert counted["CF1", "2026-11-27"] == 0
    floats = {line["table"]: line for line in lines if line["command"] == "open-table"}
    closed = {line["table"]: line for line in lines if line["command"] == "close-table"}
    assert floats["CF1"]["opener"]["chips"] == closed["CF1"]["closer"]["chips"]
    assert all(count >= 0 for line in closed.values() for count in line["closer"]["chips"].values())


@pytest.mark.parametrize("tape", [evening(), load(400, wagers=1)])
def test_no_card_comes_more_often_than_the_decks_hold(tape: Iterable[Line]) -> None:
    decks: dict[tuple[str, str], int] = {}
    seen: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    coups = set()
    for line in tape:
        shoe = line["table"], line.get("shoe", "")
        if line["command"] == "start-shoe":
            decks[shoe] = line["decks"]
            seen[shoe][line["burned"]] += 1
        if line["command"] in ("record-coup", "deal-hands") and (*shoe, line["number"]) not in coups:
            coups.add((*shoe, line["number"]))
            for hand in line["hands"].values():
                seen[shoe].update(hand.split())
    assert len(coups) >= 200
    for shoe, cards in seen.items():
        assert max(cards.values()) <= decks[shoe]
        assert all(card[-1] in "cdhs" for card in cards)


# --- Load ----------------------------------------------------------------------------------------------


def test_load_deals_so_many_coups_the_same_every_time() -> None:
    once, again = list(load(1_000, wagers=3, tables=2)), list(load(1_000, wagers=3, tables=2))
    assert once == again
    assert once != list(load(1_000, wagers=3, tables=2, seed=2))
    coups = [line for line in once if line["command"] == "record-coup"]
    assert len(coups) == 1_000
    assert {len(line["wagers"]) for line in coups} == {3}
    assert len({line["id"] for line in once}) == len(once)
    assert [line["occurred_at"] for line in once] == sorted(line["occurred_at"] for line in once)


def test_a_ledger_takes_all_of_load_and_the_count_comes_out(tmp_path: Path) -> None:
    lines = list(load(330, wagers=4, tables=1))
    assert sum(line["command"] == "open-table" for line in lines) == 2
    assert sum(line["command"] == "start-shoe" for line in lines) >= 5
    ledger = open_ledger(tmp_path / "ledger.sqlite")
    assert all(answer.outcome == "applied" for answer in play(ledger, lines))
    ledger.close()
    assert wins_by_count(lines) == wins_by_wagers(lines)


@pytest.mark.parametrize("wagers", [0, 10_000])
def test_however_many_wagers_the_table_closes_with_the_float_it_opened_with(wagers: int) -> None:
    """So that every night's closer is the next one's opener, and slip numbers run on."""
    lines = list(load(3, wagers=wagers, tables=2))
    *_, end, drop, slip, close = lines
    assert [end["command"], drop["command"], close["command"]] == ["end-shoe", "count-drop", "close-table"]
    assert slip["slip"] == "L2-00001"
    (opener,) = (
        line["opener"] for line in lines if line["command"] == "open-table" and line["table"] == "L2"
    )
    assert close["closer"]["chips"] == opener["chips"]
    for line in lines:
        command(line)


def test_who_sits_stays_for_some_forty_coups() -> None:
    """So a patron's coups lie together, and what is kept by patron and shoe is little."""
    coups = [line for line in load(300, wagers=10, tables=1) if line["command"] == "record-coup"]
    sat = [[wager["patron"] for wager in coup["wagers"]] for coup in coups]
    changes = sum(
        one != other for before, after in pairwise(sat) for one, other in zip(before, after, strict=True)
    )
    assert len(coups) * 10 / 60 < changes < len(coups) * 10 / 27


def test_load_streams() -> None:
    tape = load(10**12)
    tracemalloc.start()
    for _ in islice(tape, 500):
        pass
    early = tracemalloc.get_traced_memory()[0]
    for _ in islice(tape, 1_500):
        pass
    late = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert late < early + 200_000


@pytest.mark.parametrize(("coups", "wagers", "tables"), [(-1, 1, 1), (1, -1, 1), (1, 1, 0)])
def test_load_of_less_than_nothing_is_refused(coups: int, wagers: int, tables: int) -> None:
    with pytest.raises(ValueError, match="no tape of"):
        load(coups, wagers, tables=tables)
