"""The cage: floats by shift and day, slips and their numbers, boxes, and the chain from day to day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ops.wiring import House
from projections.cage.cage import NO_NUMBER, Cage, numbered
from projections.cage.views import (
    CageRow,
    ChainBroken,
    SlipFinding,
    SlipsMissing,
    SlipTwice,
    cage,
    chain,
    slip_gaps,
)
from projections.check import check_read_tables
from projections.pnl.views import PnlFilter, Span
from projections.runner import Runner, rebuild
from tests.oracle import cage as oracle
from tests.oracle.night import pnl as oracle_pnl
from tests.projections.houses import Line, evening, house_at, house_in_memory, take
from tests.tabletalk import Live, Night, command, hands

NEXT_DAY = "2026-11-28"
EVERYTHING = PnlFilter()


def catch_up(house: House) -> None:
    Runner(house.ledger.record, house.tables, (Cage(),)).catch_up()


def rows_of(house: House, wanted: PnlFilter = EVERYTHING, span: Span = Span.SHIFT) -> list[CageRow]:
    catch_up(house)
    with house.tables.snapshot() as statements:
        return cage(statements, wanted, span)


def gaps_of(house: House, wanted: PnlFilter = EVERYTHING) -> list[SlipFinding]:
    catch_up(house)
    with house.tables.snapshot() as statements:
        return slip_gaps(statements, wanted)


def chain_of(house: House, wanted: PnlFilter = EVERYTHING) -> list[ChainBroken]:
    catch_up(house)
    with house.tables.snapshot() as statements:
        return chain(statements, wanted)


def in_lists(row: CageRow) -> Line:
    """As programs get it."""
    return {name: list(told) if isinstance(told, tuple) else told for name, told in row.as_json().items()}


@pytest.fixture
def here(tmp_path: Path) -> Iterator[House]:
    with house_at(tmp_path / "ledger.db") as opened:
        yield opened


def chips(pence: int) -> Line:
    return {"chips": {"1": pence} if pence else {}, "signed_by": ["dealer-1"]}


def floats(rows: list[CageRow]) -> list[tuple[Any, ...]]:
    return [(row.shift, row.opener, row.closer) for row in rows]


# --- Against the oracle -------------------------------------------------------------------------------

FORMATS = {"PB1": "punto-banco", "PB2": "punto-banco", "BB1": "baccarat-banque"}


@st.composite
def _happening(draw: st.DrawFn, night: Night, number: int) -> None:
    """Something at the table that the cage hears of, or a coup, or nothing to do with it."""
    pence = draw(st.integers(0, 300))
    slip = f"{draw(st.sampled_from(['', 'A-', 'A-00']))}{draw(st.integers(1, 30))}"
    happenings: list[tuple[str, Line]] = [
        *[("change-shift", {"shift": draw(st.sampled_from(["1", "2", "late"]))})] * 3,
        *[("count-float", {"count": chips(pence)})] * 3,
        ("fill-chips", {"slip": slip, **chips(pence)}),
        ("credit-chips", {"slip": slip, **chips(pence)}),
        ("void-slip", {"slip": slip, "reason": "torn"}),
        ("count-drop", {"amount": pence}),
        ("count-drop", {"amount": pence, "shift": draw(st.sampled_from(["2", "never"]))}),
        ("take-charge", {"amount": pence + 1}),
        ("seat-player", {"patron": "p-1", "seat": 1}),
    ]
    coup = draw(st.integers(0, 4)) == 0
    if coup and night.format == "punto-banco":
        dealt = draw(st.sampled_from(["P 9 K / B 7 Q", "P K 2 8 / B A 2 5"]))
        night.step("record-coup", number, hands=hands(dealt), wagers=[])
        if draw(st.booleans()):
            ruling = {"reason": "camera", "approvers": ["pit-1", "pit-2"]}
            night.step("void-coup", draw(st.integers(1, number)), **ruling)
        return
    name, facts = draw(st.sampled_from(happenings))
    night.say(name, **facts)


@st.composite
def cage_tapes(draw: st.DrawFn) -> list[Line]:
    """Nights of several tables, days and premises, of which the cage hears all sorts of things."""
    tape: list[Line] = []
    for table in draw(st.lists(st.sampled_from(sorted(FORMATS)), min_size=1, max_size=2, unique=True)):
        night = Night(FORMATS[table], table=table, prefix=f"{table}-")
        for day in ("2026-11-27", NEXT_DAY)[: draw(st.integers(1, 2))]:
            night.shoe = f"S-{day}"
            night.opens(gaming_day=day, opener=chips(draw(st.integers(0, 300))))
            for number in range(1, draw(st.integers(0, 12)) + 1):
                draw(_happening(night, number))
            if day != NEXT_DAY or draw(st.booleans()):
                night.say("close-table", closer=chips(draw(st.integers(0, 300))))
            if draw(st.booleans()):
                night.say("count-drop", amount=draw(st.integers(0, 300)))
            night.say("void-slip", slip=f"A-{draw(st.integers(1, 30))}", reason="torn")
        premises = draw(st.sampled_from(["main", "annex"]))
        tape += [{**line, "premises": premises} for line in night.lines]
    return tape


@settings(max_examples=20, deadline=None)
@given(tape=cage_tapes())
def test_any_night_is_the_oracles_by_shift_and_by_day(tape: list[Line]) -> None:
    with house_in_memory() as house:
        take(house, tape)
        assert [in_lists(row) for row in rows_of(house)] == oracle.rows(tape)
        assert [in_lists(row) for row in rows_of(house, span=Span.DAY)] == oracle.rows(tape, by_day=True)


@settings(max_examples=12, deadline=None)
@given(tape=cage_tapes())
def test_each_missing_number_is_found_once_and_nothing_else_is(tape: list[Line]) -> None:
    """Over all days at once; and day by day, on each that used the number after it."""
    with house_in_memory() as house:
        take(house, tape)
        assert _numbers(gaps_of(house)) == sorted(oracle.missing_numbers(tape))
        by_day = [gaps_of(house, PnlFilter(day, day)) for day in (date(2026, 11, 27), date(2026, 11, 28))]
        assert {number for found in by_day for number in _numbers(found)} == oracle.missing_numbers(tape)


def _numbers(findings: list[SlipFinding]) -> list[tuple[str, str, int]]:
    return sorted(
        (gap.premises, gap.series, number)
        for gap in findings
        if isinstance(gap, SlipsMissing)
        for number in range(numbered(gap.first).number, numbered(gap.last).number + 1)
    )


@settings(max_examples=8, deadline=None)
@given(tape=cage_tapes(), cuts=st.sets(st.integers(1, 60), max_size=5))
def test_the_tables_are_the_same_whatever_the_batches(tape: list[Line], cuts: set[int]) -> None:
    with house_in_memory() as house, house_in_memory() as scratch:
        for at, line in enumerate(tape):
            house.ledger.run(command(line))
            if at in cuts:
                catch_up(house)
        catch_up(house)
        checked = check_read_tables(house.ledger.record, house.tables, scratch.tables, (Cage(),))
        assert [list(findings) for _, _, findings in checked] == [[]]
        before = rows_of(house)
        rebuild(house.ledger.record, house.tables, (Cage(),))
        assert rows_of(house) == before


def test_win_by_inventory_of_the_evening_is_its_win_by_wagers(here: House) -> None:
    """Domain §4.1, the identity: nothing is uncollected on that tape, and nobody miscounted."""
    take(here, evening())
    won: dict[str, int] = {}
    for row in oracle_pnl(evening()):
        won[row["table"]] = won.get(row["table"], 0) + row["win"]
    told = {row.table: row.win_by_inventory for row in rows_of(here, span=Span.DAY)}
    assert told == won
    assert (gaps_of(here), chain_of(here)) == ([], [])


# --- Shifts, by hand ----------------------------------------------------------------------------------


def a_shift_change(house: House, *happenings: tuple[str, Line]) -> Live:
    """A table that opens with 100.00 and closes with 90.00, and what happens in between."""
    table = Live(house.ledger, opener=chips(10_000))
    for name, facts in happenings:
        if name == "coup":
            assert table.coup(**facts).applied
        else:
            assert table.say(name, **facts).applied
    assert table.say("close-table", closer=chips(9_000)).applied
    return table


CHANGE = ("change-shift", {"shift": "2"})
COUNT = ("count-float", {"count": chips(9_500)})
RECOUNT = ("count-float", {"count": chips(9_400)})
FILL = ("fill-chips", {"slip": "1", **chips(500)})
COUP = ("coup", {"number": 1, "dealt": "P 9 K / B 7 Q", "staked": "banker 100"})
SEAT = ("seat-player", {"patron": "p-1", "seat": 1})


@pytest.mark.parametrize(
    ("happenings", "closer", "opener"),
    [
        ([COUNT, CHANGE], 9_500, 9_500),
        ([CHANGE, COUNT], 9_500, 9_500),
        ([COUNT, SEAT, CHANGE], 9_500, 9_500),
        ([COUNT, CHANGE, RECOUNT], 9_500, 9_400),
        ([COUNT, RECOUNT, CHANGE], 9_400, 9_400),
        ([CHANGE, COUNT, RECOUNT], 9_500, 9_500),
        ([CHANGE], None, None),
        ([COUNT, FILL, CHANGE], None, None),
        ([COUNT, COUP, CHANGE], None, None),
        ([CHANGE, COUP, COUNT], None, None),
        ([CHANGE, ("take-charge", {"amount": 5}), COUNT], None, None),
        ([COUNT, FILL, CHANGE, RECOUNT], 9_400, 9_400),
    ],
)
def test_a_count_at_the_change_closes_one_shift_and_opens_the_next(
    here: House, happenings: list[tuple[str, Line]], closer: int | None, opener: int | None
) -> None:
    """Only if no chips moved in between. The day's own opener and closer are known in any case."""
    a_shift_change(here, *happenings)
    assert floats(rows_of(here)) == [("1", 10_000, closer), ("2", opener, 9_000)]
    assert floats(rows_of(here, span=Span.DAY)) == [(None, 10_000, 9_000)]


def test_a_shift_that_comes_again_has_the_floats_of_each_time_added_up(here: House) -> None:
    """So its win by inventory is right, and the shifts add up to the day."""
    back = ("change-shift", {"shift": "1"})
    a_shift_change(here, COUNT, CHANGE, FILL, RECOUNT, back)
    assert floats(rows_of(here)) == [("1", 10_000 + 9_400, 9_500 + 9_000), ("2", 9_500, 9_400)]


def test_win_by_inventory_worked_by_hand(here: House) -> None:
    """Domain §4.1: drop + closer + credits - opener - fills, by shift and day; without void slips."""
    table = a_shift_change(
        here,
        FILL,
        ("count-drop", {"amount": 700}),
        COUNT,
        CHANGE,
        ("credit-chips", {"slip": "2", **chips(300)}),
        ("fill-chips", {"slip": "3", **chips(250)}),
        ("void-slip", {"slip": "1", "reason": "not delivered"}),
        ("void-slip", {"slip": "4", "reason": "torn"}),
        ("take-charge", {"amount": 40}),
    )
    first, second = rows_of(here)
    assert (first.fills, first.fill_slips, first.void_slips, first.drop) == (0, (), ("1",), 700)
    assert first.win_by_inventory == 700 + 9_500 + 0 - 10_000 - 0
    assert (second.credits, second.fills, second.charges) == (300, 250, 40)
    assert (second.credit_slips, second.fill_slips, second.void_slips) == (("2",), ("3",), ("4",))
    assert second.win_by_inventory is None
    assert rows_of(here, span=Span.DAY)[0].win_by_inventory is None
    table.say("count-drop", amount=20)
    assert rows_of(here)[1].win_by_inventory == 20 + 9_000 + 300 - 9_500 - 250
    (day,) = rows_of(here, span=Span.DAY)
    assert day.win_by_inventory == 720 + 9_000 + 300 - 10_000 - 250
    assert (day.opened, day.closed, day.currency, day.format) == (True, True, "GBP", "punto-banco")


def test_a_table_that_is_open_has_no_closer_yet(here: House) -> None:
    Live(here.ledger, opener=chips(10_000)).say("count-drop", amount=5)
    (row,) = rows_of(here)
    assert (row.closer, row.closed, row.win_by_inventory) == (None, False, None)


def test_of_a_month_there_is_no_float(here: House) -> None:
    with pytest.raises(ValueError, match="month"):
        rows_of(here, span=Span.MONTH)


# --- Adjustments --------------------------------------------------------------------------------------


def test_adjustments_stand_apart_on_the_day_they_are_booked_on(here: House) -> None:
    """Of a sealed day nothing changes; what is booked on the variance is no figure of the cage."""
    table = a_shift_change(here, ("count-drop", {"amount": 700}))
    here.ledger.run(command(table.night.closes_day()))
    before = [rows_of(here), rows_of(here, span=Span.DAY)]
    booked = {"adjusts": "2026-11-27", "reason": "recount", "approvers": ["pit-1", "pit-2"]}
    for account, amount in {
        "drop": -50,
        "fills": 7,
        "opener": 100,
        "closer": 30,
        "credits": 2,
        "charges": 1,
        "variance": 9,
    }.items():
        assert table.say("book-adjustment", account=account, amount=amount, **booked).applied
    assert table.say("book-adjustment", account="drop", amount=-1, **booked).applied
    for span, was in zip((Span.SHIFT, Span.DAY), before, strict=True):
        *same, adjusted = rows_of(here, span=span)
        assert same == was
        assert (adjusted.gaming_day, adjusted.table, adjusted.shift) == (NEXT_DAY, "T1", "adjustment")
        assert (adjusted.currency, adjusted.format, adjusted.opened) == ("GBP", "punto-banco", False)
        assert (adjusted.drop, adjusted.fills, adjusted.credits, adjusted.charges) == (-51, 7, 2, 1)
        assert (adjusted.opener, adjusted.closer) == (100, 30)
        assert adjusted.win_by_inventory == -51 + 30 + 2 - 100 - 7


# --- The numbers of slips -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("slip", "series", "number"),
    [
        ("PB1-0007", "PB1-", 7),
        ("7", "", 7),
        ("2026-11-0", "2026-11-", 0),
        ("fill", "fill", NO_NUMBER),
        ("7a", "7a", NO_NUMBER),
        ("12345678901234567890", "12", 345678901234567890),
    ],
)
def test_a_slips_series_is_the_text_before_its_digits(slip: str, series: str, number: int) -> None:
    assert numbered(slip) == (series, number)


def with_slips(
    house: House, *slips: str, table: str = "T1", day: str = "2026-11-27", close: bool = True
) -> None:
    night = Night(table=table, prefix=f"{table}{day}-", shoe=f"S{day}").opens(gaming_day=day)
    for slip in slips:
        night.say("fill-chips", slip=slip, **chips(5))
    if close:
        night.say("close-table", closer={"chips": {"2500": 400}})
    take(house, night.lines)


def gap(finding: SlipFinding) -> tuple[str, str, int]:
    assert isinstance(finding, SlipsMissing)
    return finding.first, finding.last, finding.count


@pytest.mark.parametrize(
    ("slips", "missing"),
    [
        (("1", "2", "3"), []),
        (("3", "1"), [("2", "2", 1)]),
        (("A-98", "A-101"), [("A-99", "A-100", 2)]),
        (("A-0098", "A-0101"), [("A-0099", "A-0100", 2)]),
        (("A-1", "B-5", "A-3", "B-6", "no-number"), [("A-2", "A-2", 1)]),
        (("1", "900000000000000000"), [("2", "899999999999999999", 899_999_999_999_999_998)]),
        (("A", "A5"), []),
    ],
)
def test_numbers_missing_from_a_series(here: House, slips: tuple[str, ...], missing: list[Any]) -> None:
    """Between the lowest and the highest used; each series by itself."""
    with_slips(here, *slips)
    assert [gap(finding) for finding in gaps_of(here)] == missing


def test_a_series_is_of_the_premises_whatever_the_table(here: House) -> None:
    with_slips(here, "1", "3", "5")
    with_slips(here, "2", table="T2")
    with_slips(here, "7", table="T3")
    (one, other) = gaps_of(here, PnlFilter(table="T1"))
    assert (gap(one), gap(other)) == (("4", "4", 1), ("6", "6", 1))
    assert isinstance(other, SlipsMissing)
    assert other.before == ("2026-11-27", "T1", "5")
    assert other.after == ("2026-11-27", "T3", "7")


def test_a_number_missing_between_two_days_is_found_on_the_later(here: House) -> None:
    """It closes up when a slip turns up, on whatever day."""
    with_slips(here, "1", "2")
    with_slips(here, "4", day=NEXT_DAY, close=False)
    first, second = date(2026, 11, 27), date(2026, 11, 28)
    assert gaps_of(here, PnlFilter(first, first)) == []
    assert [gap(finding) for finding in gaps_of(here, PnlFilter(second, second))] == [("3", "3", 1)]
    with_slips(here, "3", table="T2")
    assert gaps_of(here) == []


def test_a_number_used_twice_is_found_wherever_it_was_used(here: House) -> None:
    """By two tables, on two days, or written otherwise."""
    with_slips(here, "A-07")
    with_slips(here, "A-7", table="T2")
    with_slips(here, "A-07", day=NEXT_DAY)
    for wanted in (EVERYTHING, PnlFilter(table="T2"), PnlFilter(first_day=date(2026, 11, 28))):
        (twice,) = gaps_of(here, wanted)
        assert isinstance(twice, SlipTwice)
        assert [tuple(use) for use in twice.uses] == [
            ("2026-11-27", "T1", "A-07"),
            ("2026-11-27", "T2", "A-7"),
            (NEXT_DAY, "T1", "A-07"),
        ]
    assert gaps_of(here, PnlFilter(table="T3")) == gaps_of(here, PnlFilter(premises="annex")) == []


# --- The chain ----------------------------------------------------------------------------------------


def opens_and_closes(house: House, day: str, opener: int, closer: int | None, **opening: Any) -> None:
    table = opening.pop("table", "T1")
    night = Night(table=table, prefix=f"{table}{day}-", shoe=f"S{day}").opens(
        gaming_day=day, opener=chips(opener), **opening
    )
    if closer is not None:
        night.say("close-table", closer=chips(closer))
    take(house, night.lines)


def test_a_table_opens_with_what_it_closed_with(here: House) -> None:
    """Domain §4.3, step 5: whatever lies between the two days, each table for itself."""
    opens_and_closes(here, "2026-11-26", 100, 90)
    opens_and_closes(here, "2026-11-27", 500, 40, table="T2")
    opens_and_closes(here, NEXT_DAY, 80, None)
    opens_and_closes(here, NEXT_DAY, 40, None, table="T2")
    for wanted in (EVERYTHING, PnlFilter(first_day=date(2026, 11, 28)), PnlFilter(table="T1")):
        (broken,) = chain_of(here, wanted)
        assert broken == ChainBroken("main", "T1", "GBP", "2026-11-26", None, 90, NEXT_DAY, None, 80)
        assert broken.difference == -10
    assert chain_of(here, PnlFilter(last_day=date(2026, 11, 27))) == []


def test_a_table_of_another_currency_begins_with_another_float(here: House) -> None:
    opens_and_closes(here, "2026-11-27", 100, 90)
    opens_and_closes(here, NEXT_DAY, 80, None, currency="EUR")
    assert chain_of(here) == []


def test_two_counts_at_a_change_that_differ_break_the_chain(here: House) -> None:
    """Outgoing and incoming both count (domain §4.2)."""
    a_shift_change(here, COUNT, CHANGE, RECOUNT)
    (broken,) = chain_of(here)
    assert (broken.closed_shift, broken.closer) == ("1", 9_500)
    assert (broken.opened_shift, broken.opener, broken.difference) == ("2", 9_400, -100)
