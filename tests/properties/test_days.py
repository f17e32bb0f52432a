"""Gaming days: every fact has one, whatever the clock does; and a sealed one keeps its figures.

The nights are those around both changes of the clock in London (24/25 October 2026 has 25 hours, 27/28 March
2027 has 23). What a tape declares is read off the tape.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.store.sqlite_read_tables import SQLiteReadTables
from ops.wiring import House
from projections.cage.cage import Cage
from projections.cage.views import cage
from projections.pnl.table_pnl import TablePnl
from projections.pnl.views import PnlFilter, Span
from projections.runner import Runner
from tests.oracle.night import pnl as oracle
from tests.projections.houses import COUNTED, in_contract, read, take
from tests.properties.rulings import corrected_nights, correction, void
from tests.properties.strategies import CoupNight
from tests.tabletalk import Night, command, hands, open_ledger, step_by_step, wagers

Line = dict[str, Any]
LONDON = ZoneInfo("Europe/London")
CHANGES = (date(2026, 10, 24), date(2027, 3, 27))
"""Gaming days, midday to midday, in whose night the clock changes."""
LATER = datetime(2027, 4, 30, tzinfo=UTC)
FLOAT = {"chips": {"2500": 4}, "signed_by": ["dealer-1"]}
DEALT = ("P 9 K / B 7 Q", "P 6 K / B 7 Q", "P 6 K / B 6 Q", "P K 2 8 / B A 2 5")


@contextmanager
def house() -> Iterator[House]:
    """An empty ledger in memory, on a day after all of it."""
    ledger, tables = open_ledger(":memory:", lambda: LATER), SQLiteReadTables(":memory:")
    try:
        yield House(ledger, tables)
    finally:
        tables.close()
        ledger.close()


def caught_up(opened: House) -> None:
    Runner(opened.ledger.record, opened.tables, (TablePnl(), Cage())).catch_up()


# --- The hours of a night ----------------------------------------------------------------------------------


def midday(day: date) -> datetime:
    """The cut-off on which a gaming day begins, by London's clock."""
    return datetime(day.year, day.month, day.day, 12, tzinfo=LONDON).astimezone(UTC)


def test_the_nights_of_the_clock_changes_are_as_long_as_they_are() -> None:
    """25 and 23 hours from one midday to the next: the tapes below cross the change."""
    lengths = [midday(day + timedelta(days=1)) - midday(day) for day in CHANGES]
    assert lengths == [timedelta(hours=25), timedelta(hours=23)]


@st.composite
def _moments(draw: st.DrawFn, day: date, count: int) -> list[str]:
    """Moments of one gaming day in order, some of them past its cut-off; by London's clock or another's.

    In October an hour comes twice, and London's own clock then tells the second from the first by its offset.
    """
    minutes = draw(st.lists(st.integers(0, 27 * 60), min_size=count, max_size=count))
    zones = [LONDON, UTC, ZoneInfo("America/New_York")]
    return [
        (midday(day) + timedelta(minutes=each)).astimezone(draw(st.sampled_from(zones))).isoformat()
        for each in sorted(minutes)
    ]


@st.composite
def _day_at_a_table(draw: st.DrawFn, night: Night, day: date, number: int) -> tuple[list[Line], list[Line]]:
    """A table's lines of one gaming day, and those that come to light the next noon, or later."""
    start = len(night.lines)
    night.say("open-table", gaming_day=day.isoformat(), format="punto-banco", opener=FLOAT)
    night.shoe = f"S-{day}"
    night.say("start-shoe", shoe=night.shoe, decks=8)
    for coup in range(1, draw(st.integers(0, 5)) + 1):
        line = night.coup(coup, draw(st.sampled_from(DEALT)), f"player {10 * number + coup}, banker 20")
        if draw(st.booleans()):
            night.lines[-1:] = step_by_step(line)
        if draw(st.integers(0, 3)) == 0:
            night.say("change-shift", shift=str(coup + 1))
    night.say("close-table", closer=FLOAT)
    lines = night.lines[start:]
    for line, at in zip(lines, draw(_moments(day, len(lines))), strict=True):
        line["occurred_at"] = at
    # A table opens on its own calendar day or next to it; a feed's offset does not make it another's.
    lines[0]["occurred_at"] = midday(day).isoformat()
    late = []
    for _ in range(draw(st.integers(0, 2))):
        noon = midday(day + timedelta(days=1)) + timedelta(minutes=draw(st.integers(0, 600)))
        counted = {"amount": draw(st.integers(0, 900)), "gaming_day": day.isoformat(), "shift": "1"}
        late.append(night.say("count-drop", occurred_at=noon.isoformat(), **counted))
        night.lines.pop()
        late[-1]["id"] += f"-late-{day}-{len(late)}"
    return lines, late


@st.composite
def clock_changes(draw: st.DrawFn) -> list[Line]:
    """Two or three gaming days around a change of the clock, at up to two tables; late counts in between."""
    change = draw(st.sampled_from(CHANGES))
    first = draw(st.integers(-1, 0))
    tape: list[Line] = []
    for number, name in enumerate(["T1", "T2"][: draw(st.integers(1, 2))], start=1):
        night = Night(table=name, prefix=f"{name}-")
        owed: list[Line] = []
        for offset in range(first, 2):
            lines, late = draw(_day_at_a_table(night, change + timedelta(days=offset), number))
            # what was owed of the day before comes anywhere in this one
            for line in owed:
                lines.insert(draw(st.integers(0, len(lines))), line)
            tape, owed = [*tape, *lines], late
        tape += owed
    return tape


def declared(tape: Sequence[Line]) -> dict[tuple[str, str, int], str]:
    """Each coup's gaming day: that for which its table last opened before the coup did, on the tape."""
    opened: dict[str, str] = {}
    days: dict[tuple[str, str, int], str] = {}
    for line in tape:
        if line["command"] == "open-table":
            opened[line["table"]] = line["gaming_day"]
        elif line["command"] in ("record-coup", "open-coup"):
            days[line["table"], line["shoe"], line["number"]] = opened[line["table"]]
    return days


@settings(max_examples=20, deadline=None)
@given(tape=clock_changes())
def test_every_coup_and_every_drop_counts_on_its_declared_day_and_on_no_other(tape: list[Line]) -> None:
    """Whatever the clock said when it opened, settled or was counted: none is lost and none counts twice."""
    per_day = Counter(declared(tape).values())
    drops: defaultdict[str, list[int]] = defaultdict(list)
    for line in tape:
        if line["command"] == "count-drop":
            drops[line["gaming_day"]].append(line["amount"])
    with house() as opened:
        for line in tape:
            assert opened.ledger.run(command(line)).outcome == "applied" or line["command"] == "settle-coup"
        caught_up(opened)
        rows = read(opened)
        assert in_contract(rows) == oracle(tape)
        counted: Counter[str] = Counter()
        for row in rows:
            counted[row.gaming_day] += row.coups + row.held + row.voided + row.in_hand
        assert +counted == per_day
        days = [date.fromisoformat(day) for day in sorted({*per_day, *drops})]
        one_by_one = [row for day in days for row in read(opened, PnlFilter(day, day))]
        assert in_contract(one_by_one) == in_contract(rows)
        with opened.tables.snapshot() as statements:
            boxes = cage(statements, PnlFilter(), Span.SHIFT)
        for day, amounts in drops.items():
            told = [row.drop or 0 for row in boxes if row.gaming_day == day]
            assert sum(told) == sum(amounts)


def test_a_coup_opened_before_the_cut_off_and_settled_after_it_has_one_day() -> None:
    """Also where the table has closed for its day and opened for the next in the meantime."""
    night = Night().opens(gaming_day="2026-10-24", occurred_at="2026-10-24T21:00:00+01:00")
    steps = step_by_step(night.step("record-coup", 1, hands=hands(DEALT[0]), wagers=wagers("player 100")))
    night.lines[-1:] = [{**step, "occurred_at": "2026-10-25T11:59:00+00:00"} for step in steps[:-1]]
    night.say("close-table", closer=FLOAT, occurred_at="2026-10-25T12:00:00+00:00")
    opens = {"gaming_day": "2026-10-25", "format": "punto-banco", "opener": FLOAT}
    night.say("open-table", occurred_at="2026-10-25T12:30:00+00:00", **opens)
    night.lines.append({**steps[-1], "occurred_at": "2026-10-25T12:31:00+00:00"})
    with house() as opened:
        take(opened, night.lines)
        caught_up(opened)
        assert [(row.gaming_day, row.coups, row.win, row.in_hand) for row in read(opened)] == [
            ("2026-10-24", 1, -100, 0)
        ]


def test_a_drop_counted_the_next_noon_is_of_its_day_unless_that_is_sealed() -> None:
    """25 October 2026, noon: 25 hours after the day began."""
    night = Night().opens(gaming_day="2026-10-24", occurred_at="2026-10-24T21:00:00+01:00")
    night.coup(1, DEALT[0], "player 100", occurred_at="2026-10-25T01:30:00+01:00")
    night.coup(2, DEALT[0], "player 100", occurred_at="2026-10-25T01:30:00+00:00")
    night.say("close-table", closer=FLOAT, occurred_at="2026-10-25T04:00:00Z")
    noon = {"occurred_at": "2026-10-25T12:00:00+00:00", "gaming_day": "2026-10-24"}
    night.say("count-drop", amount=700, **noon)
    with house() as opened:
        take(opened, night.lines)
        opened.ledger.run(command(night.closes_day(gaming_day="2026-10-24")))
        late = opened.ledger.run(command(night.say("count-drop", amount=1, **noon)))
        caught_up(opened)
        assert late.code == "day-sealed"
        assert [(row.gaming_day, row.coups, row.drop) for row in read(opened)] == [("2026-10-24", 2, 700)]


# --- Sealed days -------------------------------------------------------------------------------------------


def _and_sealed(night: CoupNight) -> list[Line]:
    """The coup's night, and the day's close."""
    common = {name: night.coup[name] for name in ("occurred_at", "actor", "table")}
    nought = {"table": night.coup["table"], "win_by_wagers": 0, "win_by_inventory": 0, "variance": 0}
    close = {"gaming_day": night.opening[0]["gaming_day"], "position": 1, "tables": [nought]}
    signed = {"actor": "accounts-1", "signed_by": ["accounts-2"]}
    return [
        *night.lines,
        {**common, "command": "close-table", "id": "shut", "closer": FLOAT},
        {"command": "close-day", "id": "seal", "occurred_at": common["occurred_at"], **close, **signed},
    ]


@settings(max_examples=20, deadline=None)
@given(drawn=corrected_nights(times=2), ends_void=st.booleans())
def test_a_ruling_on_a_sealed_day_moves_no_penny_of_it_and_the_range_comes_out_right(
    drawn: tuple[CoupNight, list[Line]], ends_void: bool
) -> None:
    """The days add up to a settlement that was right at first; or to a coup void before it settled."""
    night, others = drawn
    rulings = [correction(night, f"fix-{at}", other) for at, other in enumerate(others)]
    then = [*rulings, *([void(night)] if ends_void else [])]
    with house() as opened:
        answers = opened.ledger.run_many([command(line) for line in _and_sealed(night)])
        assert answers[-1].applied
        caught_up(opened)
        sealed = PnlFilter(last_day=date.fromisoformat(night.opening[0]["gaming_day"]))
        before = in_contract(read(opened, sealed))
        assert before == oracle(night.lines)
        take(opened, then)
        caught_up(opened)
        assert in_contract(read(opened, sealed)) == before
        expected = _added(oracle([*night.lines, *then]))
        assert _added(in_contract(read(opened))) == expected
        assert _added(in_contract(read(opened, span=Span.DAY))) == expected
        apart = [row for row in read(opened) if row.gaming_day > str(sealed.last_day)]
        assert all(row.shift == "adjustment" for row in apart)


def _added(rows: list[Line]) -> dict[str, int]:
    return {name: sum(row[name] for row in rows) for name in COUNTED}
