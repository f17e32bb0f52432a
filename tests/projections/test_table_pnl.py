"""Profit and loss: the oracle's figures to the last field, by shift, day and month."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from ops.wiring import House
from projections.pnl.views import PnlFilter, PnlRow, Span, totals
from tests.oracle.night import pnl as oracle
from tests.projections.houses import (
    CONTRACT,
    COUNTED,
    Line,
    Row,
    evening,
    house_at,
    house_in_memory,
    in_contract,
    read,
    take,
)
from tests.projections.nights import nights
from tests.tabletalk import GAMING_DAY, Live, Night, command

DAY_BEFORE = "2026-10-31"


def exact(text: str | None) -> Fraction | None:
    return None if text is None else Fraction(text)


def known_sum(parts: Iterable[Any]) -> Any:
    """The sum, where every part of it is known."""
    summed: Any = 0
    for part in parts:
        if part is None:
            return None
        summed += part
    return summed


def added_up(rows: Iterable[Row], span: Span) -> list[Row]:
    """The oracle's shifts added up by day or month, worked out here once more."""
    apart: defaultdict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in rows:
        day = row["gaming_day"] if span is Span.DAY else row["gaming_day"][:7]
        apart[row["premises"], row["table"], day, row["banked_by"]].append(row)
    answer = []
    for (premises, table, day, banked_by), parts in sorted(apart.items()):
        row = {"premises": premises, "table": table, "gaming_day": day, "shift": None, "banked_by": banked_by}
        row |= {name: sum(part[name] for part in parts) for name in COUNTED}
        row |= {"remainder": str(sum(Fraction(part["remainder"]) for part in parts))}
        theoretical = known_sum(exact(part["theoretical_win"]) for part in parts)
        row["theoretical_win"] = None if theoretical is None else str(theoretical)
        row["drop"] = known_sum(part["drop"] for part in parts)
        row["hold"] = str(Fraction(row["win"], row["drop"])) if row["drop"] else None
        answer.append(row)
    return answer


# --- Against the oracle ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """The evening, and a punto banco table the month before and another premises' table."""
    with house_at(tmp_path_factory.mktemp("pnl") / "ledger.db") as opened:
        take(opened, tape())
        opened.pnl_runner().catch_up()
        yield opened


def tape() -> list[Line]:
    before = Night(table="PB1", prefix="before-", shoe="before")
    before.opens(gaming_day=DAY_BEFORE, occurred_at=f"{DAY_BEFORE}T21:00:00Z")
    before.coup(1, "P 9 K / B 7 Q", "player 100, banker 200")
    before.say("close-table", closer={"chips": {}})
    annex = Night(table="PB1", prefix="annex-").opens()
    annex.coup(1, "P 9 K / B 7 Q", "player 700")
    annex.say("count-drop", amount=1000)
    return [*before.lines, *({**line, "premises": "annex"} for line in annex.lines), *evening()]


def test_the_contracts_fields_are_the_oracles() -> None:
    assert [set(row) for row in oracle(evening())] == 6 * [set(CONTRACT)]


def test_every_shift_of_the_evening_is_the_oracles_to_the_last_field(house: House) -> None:
    assert in_contract(read(house)) == oracle(tape())


@pytest.mark.parametrize("span", [Span.DAY, Span.MONTH])
def test_days_and_months_are_the_sums_of_their_shifts(house: House, span: Span) -> None:
    assert in_contract(read(house, span=span)) == added_up(oracle(tape()), span)


@settings(max_examples=25, deadline=None)
@given(night=nights())
def test_any_night_is_the_oracles_to_the_last_field(night: list[Line]) -> None:
    """Rulings, banks, shifts, drops, refusals and lines sent twice; by shift, day and month."""
    with house_in_memory() as house:
        take(house, night)
        house.pnl_runner().catch_up()
        expected = oracle(night)
        assert in_contract(read(house)) == expected
        for span in (Span.DAY, Span.MONTH):
            assert in_contract(read(house, span=span)) == added_up(expected, span)


# --- By hand ---------------------------------------------------------------------------------------------


@pytest.fixture
def here(tmp_path: Path) -> Iterator[House]:
    with house_at(tmp_path / "ledger.db") as opened:
        yield opened


def only_row(house: House, span: Span = Span.SHIFT) -> PnlRow:
    house.pnl_runner().catch_up()
    (row,) = read(house, span=span)
    return row


def test_a_shift_worked_by_hand(here: House) -> None:
    """9 to 7: player 100 won 100 (6(3)), banker 200 lost, tie 50 lost. 6 all: banker 200 stood off."""
    table = Live(here.ledger)
    table.coup(1, "P 9 K / B 7 Q", "player 100, banker 200, tie 50")
    table.coup(2, "P K 6 / B J 6", "player 30, banker 200, tie 10")
    table.say("count-drop", amount=400)
    row = only_row(here)
    assert (row.premises, row.table, row.gaming_day, row.shift) == ("main", "T1", "2026-11-27", "1")
    assert (row.format, row.currency, row.banked_by) == ("punto-banco", "GBP", "house")
    assert (row.coups, row.wagers, row.handle) == (2, 6, 590)
    assert (row.lost_stakes, row.winnings, row.win) == (250, 100 + 80, 70)
    assert (row.void_stakes, row.stand_off_stakes) == (30, 200)
    assert (row.drop, row.hold) == (400, Fraction(70, 400))


def test_theoretical_win_is_the_handle_at_the_published_edges(here: House) -> None:
    """Domain §6, eight decks: player 1.2350813289 %, banker 1.0579057842 %, tie 14.3596287787 %."""
    table = Live(here.ledger)
    table.coup(1, "P 9 K / B 7 Q", "player 1000000, banker 2000000, tie 500000, hand-1 900")
    theoretical = only_row(here).theoretical_win
    assert theoretical is not None
    published = {1_000_000: "1.2350813289", 2_000_000: "1.0579057842", 500_000: "14.3596287787"}
    by_hand = sum(stake * Fraction(per_cent) / 100 for stake, per_cent in published.items())
    assert abs(theoretical - by_hand) < Fraction(1, 1000)


def test_the_remainder_is_what_rounding_paid_beyond_the_odds(here: House) -> None:
    """Domain §3.5: 105 at 19 to 20 is 99.75 and pays 100; 25 is 23.75 and pays 24."""
    table = Live(here.ledger, terms={"rounding": "up-to-unit"})
    table.coup(1, "P 2 4 / B 7 Q", "banker 105, banker 25")
    row = only_row(here)
    assert (row.winnings, row.remainder) == (124, Fraction(1, 2))


def test_a_players_bank_is_in_nobodys_win_but_the_bankers(here: House) -> None:
    """6(6): the house has no stake in that bank, and no edge is known where somebody may choose."""
    table = Live(here.ledger, "chemin-de-fer")
    table.say("take-bank", holder="p-1", sum=1000)
    table.coup(1, "P 2 4 / B 7 Q", "player 600, player 600")
    row = only_row(here)
    assert (row.banked_by, row.handle, row.lost_stakes) == ("player", 1000, 1000)
    assert (row.win, row.banker_win, row.theoretical_win) == (0, 1000, None)


def test_promotional_stakes_are_counted_apart_as_well(here: House) -> None:
    """Domain §4.1: they settle alike; accepted stakes only."""
    table = Live(here.ledger)
    staked = [
        {"id": "w1", "kind": "player", "stake": 100, "tender": "promotional"},
        {"id": "w2", "kind": "banker", "stake": 40, "tender": "promotional"},
        {"id": "w3", "kind": "banker", "stake": 21, "tender": "promotional"},
        {"id": "w4", "kind": "player", "stake": 500},
    ]
    table.step("record-coup", 1, hands={"player": "9 K", "banker": "7 Q"}, wagers=staked)
    row = only_row(here)
    assert (row.promotional_stakes, row.handle) == (140, 640)


def test_a_held_coup_counts_when_it_is_ruled_upon_and_not_before(here: House) -> None:
    table = Live(here.ledger)
    ruling = {"reason": "camera 4", "approvers": ["pit-1", "pit-2"]}
    for number in (1, 2):
        table.coup(number, "P K 2 8 / B A 2 5", "player 100")
    row = only_row(here)
    assert (row.held, row.coups, row.voided, row.handle) == (2, 0, 0, 0)
    table.step("correct-hands", 1, hands={"player": "K 2 8", "banker": "A 2"}, **ruling)
    row = only_row(here)
    assert (row.held, row.coups, row.voided, row.lost_stakes) == (1, 1, 0, 100)
    table.step("void-coup", 2, **ruling)
    row = only_row(here)
    assert (row.held, row.coups, row.voided, row.voided_coup_stakes) == (0, 1, 1, 100)
    assert row.handle == 100


def test_a_coup_belongs_to_the_shift_in_force_when_it_opened(here: House) -> None:
    table = Live(here.ledger)
    table.step("open-coup", 1)
    table.step("place-wagers", 1, wagers=[{"id": "w1", "kind": "player", "stake": 10}])
    table.say("change-shift", shift="late")
    table.step("close-wagers", 1)
    table.step("deal-hands", 1, hands={"player": "9 K", "banker": "7 Q"})
    table.step("settle-coup", 1)
    assert only_row(here).shift == "1"


def test_the_drop_of_a_day_is_known_when_that_of_every_shift_is(here: House) -> None:
    """Two counts of one shift add up; a drop of nothing is a count, but nothing to hold a share of."""
    table = Live(here.ledger)
    table.coup(1, "P 9 K / B 7 Q", "banker 100")
    table.say("change-shift", shift="2")
    table.coup(2, "P 9 K / B 7 Q", "banker 300")
    table.say("count-drop", amount=0)
    here.pnl_runner().catch_up()
    assert [(row.shift, row.drop, row.hold) for row in read(here)] == [("1", None, None), ("2", 0, None)]
    assert [(row.drop, row.hold) for row in read(here, span=Span.DAY)] == [(None, None)]
    table.say("count-drop", amount=100)
    table.say("count-drop", amount=50)
    table.say("change-shift", shift="1")
    table.say("count-drop", amount=50)
    here.pnl_runner().catch_up()
    assert [(row.shift, row.drop) for row in read(here)] == [("1", 50), ("2", 150)]
    assert [(row.drop, row.hold) for row in read(here, span=Span.DAY)] == [(200, Fraction(2))]


# --- Which rows ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "keeps"),
    [
        (PnlFilter(), lambda row: True),
        (PnlFilter(table="CF1"), lambda row: row["table"] == "CF1"),
        (PnlFilter(premises="annex"), lambda row: row["premises"] == "annex"),
        (
            PnlFilter(premises="main", table="PB1"),
            lambda row: (row["premises"], row["table"]) == ("main", "PB1"),
        ),
        (PnlFilter(first_day=date(2026, 11, 27)), lambda row: row["gaming_day"] >= "2026-11-27"),
        (PnlFilter(last_day=date(2026, 10, 31)), lambda row: row["gaming_day"] <= DAY_BEFORE),
        (PnlFilter(date(2026, 10, 31), date(2026, 11, 27)), lambda row: True),
        (PnlFilter(date(2026, 11, 1), date(2026, 11, 26)), lambda row: False),
        (PnlFilter(table="PB2"), lambda row: False),
    ],
)
def test_a_filter_keeps_its_rows_and_no_others(house: House, wanted: PnlFilter, keeps: Any) -> None:
    """Both days included; in every span the filter works on shifts."""
    kept = [row for row in oracle(tape()) if keeps(row)]
    assert in_contract(read(house, wanted)) == kept
    assert in_contract(read(house, wanted, Span.MONTH)) == added_up(kept, Span.MONTH)


def test_rows_come_by_day_then_premises_then_table_then_shift(house: House) -> None:
    told = [(row.gaming_day, row.premises, row.table, row.shift) for row in read(house)]
    assert told == [
        (DAY_BEFORE, "main", "PB1", "1"),
        ("2026-11-27", "annex", "PB1", "1"),
        *(("2026-11-27", "main", table, shift) for table in ("BB1", "CF1", "PB1") for shift in ("1", "2")),
    ]


# --- The foot of the table ---------------------------------------------------------------------------------


def test_totals_add_up_apart_by_currency_and_bank(house: House) -> None:
    rows, told = read(house), oracle(tape())
    by_bank = {total.banked_by: total for total in totals(rows)}
    assert by_bank.keys() == {"house", "player"}
    for banked_by, total in by_bank.items():
        parts = [row for row in told if row["banked_by"] == banked_by]
        for name in COUNTED:
            assert getattr(total, name) == sum(row[name] for row in parts)
        assert total.remainder == sum(Fraction(row["remainder"]) for row in parts)


def row_of(**facts: Any) -> PnlRow:
    where = {"premises": "main", "table": "T1", "gaming_day": "2026-11-27", "shift": "1"}
    return PnlRow(**{**where, "format": "punto-banco", "currency": "GBP", "banked_by": "house", **facts})


def test_currencies_are_never_added_together() -> None:
    rows = [
        row_of(win=1),
        row_of(win=2, currency="EUR"),
        row_of(win=4),
        row_of(banker_win=8, banked_by="player"),
    ]
    assert [(total.currency, total.banked_by, total.win, total.banker_win) for total in totals(rows)] == [
        ("EUR", "house", 2, 0),
        ("GBP", "house", 5, 0),
        ("GBP", "player", 0, 8),
    ]


@pytest.mark.parametrize(
    ("drops", "total"), [((100, 300), 400), ((100, None), None), ((None, None), None), ((0, 0), 0)]
)
def test_a_total_is_given_only_where_every_part_is_known(
    drops: tuple[int | None, ...], total: int | None
) -> None:
    (summed,) = totals([row_of(drop=drop, win=40) for drop in drops])
    assert summed.drop == total
    assert summed.hold == (Fraction(80, total) if total else None)
    edges = [row_of(theoretical_win=None if drop is None else Fraction(drop, 3)) for drop in drops]
    (summed,) = totals(edges)
    assert summed.theoretical_win == (None if total is None else Fraction(total, 3))


def test_of_nothing_there_is_no_total() -> None:
    assert totals([]) == []


def test_a_drop_put_right_after_its_day_was_sealed_stands_on_the_open_day(here: House) -> None:
    """The sealed day keeps what was counted; both days together have what was in the box (domain §4.3)."""
    table = Live(here.ledger)
    table.coup(1, "P 9 K / B 7 Q", "banker 100")
    table.say("count-drop", amount=800)
    table.say("close-table", closer={"chips": {"2500": 400}})
    close = table.night.closes_day()
    assert here.ledger.run(command(close)).applied
    adjustment = {"adjusts": GAMING_DAY, "account": "drop", "reason": "a note counted twice"}
    approved = {**adjustment, "approvers": ["accounts-1", "manager-1"]}
    assert table.say("book-adjustment", amount=-300, **approved).applied
    assert table.say("book-adjustment", amount=7, **{**approved, "account": "fills"}).applied
    here.pnl_runner().catch_up()
    rows = read(here)
    assert [(row.gaming_day, row.shift, row.drop, row.win) for row in rows] == [
        (GAMING_DAY, "1", 800, 100),
        ("2026-11-28", "adjustment", -300, 0),
    ]
    assert [row.drop for row in totals(rows)] == [500]
    assert [row.drop for row in read(here, span=Span.MONTH)] == [500]
