"""The audit: an honest record has no differences, and what is altered behind its back is found."""

from __future__ import annotations

import tracemalloc
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings

import projections.audit.audit
import projections.audit.due
from ledger.events.catalogue import EVENT_TYPES
from ledger.events.coup import CoupOpened
from ledger.terms.hands import Result
from ledger.terms.wagers import Kind
from projections.audit.audit import TOPICS, Audit, Wanted
from projections.audit.causes import MEANING, Cause
from projections.audit.due import Rules
from tests.oracle.night import pnl as oracle
from tests.projections.houses import Line, evening, house_in_memory, take
from tests.projections.nights import nights
from tests.projections.tampered import RULING, alter, audited, stream, tell
from tests.tabletalk import Live, Night, all_events, command, hands, open_ledger, play


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """The ledger worked by hand."""
    path = tmp_path / "ledger.db"
    tell(path)
    return path


# --- Honest records --------------------------------------------------------------------------------------


def test_a_record_with_every_ruling_has_no_differences(db: Path) -> None:
    found, summary = audited(db)
    assert found == []
    assert (summary.coups, summary.settled, summary.corrected, summary.voided, summary.held) == (
        8,
        5,
        1,
        1,
        1,
    )
    assert summary.wagers == 3 + 2 + 3 + 2 + 1
    assert summary.net() == {"GBP": 0}


def test_a_coup_held_ruled_settled_and_then_void_is_held_no_longer(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with closing(open_ledger(path)) as ledger:
        live = Live(ledger)
        live.coup(1, "P 2 3 / B 7 Q", "player 100")
        live.step("correct-hands", 1, hands=hands("P 2 3 4 / B 7 Q"), **RULING)
        assert live.step("void-coup", 1, **RULING).applied
    found, summary = audited(path)
    assert found == []
    assert (summary.settled, summary.voided, summary.held, summary.wagers) == (0, 1, 0, 0)


def test_paid_is_what_stands_after_every_ruling(db: Path) -> None:
    """200, 4875, 100 and 200 and 450, 390 as corrected, nothing of the void coup, 200."""
    (table,) = audited(db)[1].tables.values()
    assert table.paid == 200 + 4875 + 750 + 390 + 200


def test_the_evening_has_no_differences_and_its_coups_are_the_oracles(tmp_path: Path) -> None:
    with closing(open_ledger(tmp_path / "ledger.db")) as ledger:
        ledger.run_many([command(line) for line in evening()])
    found, summary = audited(tmp_path / "ledger.db")
    assert found == []
    for table in ("PB1", "CF1", "BB1"):
        rows = [row for row in oracle(evening()) if row["table"] == table]
        sums = summary.tables["main", table, "GBP"]
        assert sums.coups == sum(row["coups"] for row in rows)
        assert sums.wagers == sum(row["wagers"] for row in rows)
        handed_back = sum(row["handle"] - row["lost_stakes"] + row["winnings"] for row in rows)
        assert sums.paid == handed_back


@settings(max_examples=20, deadline=None)
@given(nights())
def test_no_honest_night_has_a_difference(tape: list[Line]) -> None:
    with house_in_memory() as house:
        take(house, tape)
        work = Audit(house.ledger.record, page_events=7)
        assert list(work.differences()) == []
    rows = oracle(tape)
    assert work.summary.settled == sum(row["coups"] for row in rows)
    assert work.summary.held == sum(row["held"] for row in rows)


# --- Which coups -----------------------------------------------------------------------------------------


@pytest.fixture
def two_days(tmp_path: Path) -> Path:
    """A coup a day at T1 and at T2, each paid 10p too much; the first day's at T2 corrected on the second."""
    path = tmp_path / "days.db"
    days = ("2026-11-26", "2026-11-27")
    with closing(open_ledger(path)) as ledger:
        for table in ("T1", "T2"):
            night = Night(table=table, prefix=f"{table}-")
            for day in days:
                night.shoe = day
                night.opens(gaming_day=day, occurred_at=f"{day}T20:00:00Z")
                night.coup(1, "P 9 K / B 7 Q", "player 100")
                night.say("close-table", closer={"chips": {"2500": 400}, "signed_by": ["dealer-1", "a-2"]})
            assert all(answer.applied for answer in play(ledger, night))
        late = Night(table="T2", prefix="late-", shoe=days[0])
        late.step("correct-coup", 1, hands=hands("P 6 K / B 7 Q"), **RULING)
        assert play(ledger, late)[0].applied
    for table in ("T1", "T2"):
        for day in days:
            alter(
                path,
                stream(1, table, day),
                "wagers-settled",
                lambda event: event["lines"][0].update(returned=110),
            )
    return path


@pytest.mark.parametrize(
    ("wanted", "coups", "corrected"),
    [
        (Wanted(), 4, 1),
        (Wanted(first_day=date(2026, 11, 27)), 2, 0),
        (Wanted(last_day=date(2026, 11, 26)), 2, 1),
        (Wanted(first_day=date(2026, 11, 26), last_day=date(2026, 11, 27)), 4, 1),
        (Wanted(first_day=date(2026, 11, 28)), 0, 0),
        (Wanted(table="T2"), 2, 1),
        (Wanted(table="T3"), 0, 0),
        (Wanted(premises="main", table="T1", last_day=date(2026, 11, 26)), 1, 0),
        (Wanted(premises="annex"), 0, 0),
    ],
)
def test_a_coup_belongs_to_its_gaming_day_whenever_it_is_ruled_upon(
    two_days: Path, wanted: Wanted, coups: int, corrected: int
) -> None:
    """The correction took back 200 of the 210 that was paid: those 10p, too, stayed with the patron."""
    found, summary = audited(two_days, wanted)
    assert (summary.coups, summary.corrected) == (coups, corrected)
    ruled = [("reversal", "w1", 10), ("stake-handed-back", "w1", -10)]
    assert sorted(found) == sorted([("stake-handed-back", "w1", 10)] * coups + ruled * corrected)
    assert sum(summary.net().values()) == 10 * coups


# --- How it works ----------------------------------------------------------------------------------------


def test_memory_does_not_grow_with_the_record(tmp_path: Path) -> None:
    """Four times the coups, the same peak: only the page and the coups in hand are kept."""
    peaks = []
    for shoes in (2, 8):
        with closing(open_ledger(tmp_path / f"{shoes}.db")) as ledger:
            night = Night().opens()
            for shoe in range(shoes):
                night.shoe = f"X{shoe}"
                night.say("start-shoe", shoe=night.shoe, decks=8)
                for number in range(1, 41):
                    night.coup(number, "P 9 K / B 7 Q", "player 100, banker 200, tie 50")
                night.say("end-shoe", shoe=night.shoe)
            ledger.run_many([command(line) for line in night.lines])
            list(Audit(ledger.record, page_events=50).differences())  # fills every cache
            tracemalloc.start()
            list(Audit(ledger.record, page_events=50).differences())
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]


def test_coups_beyond_those_kept_are_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one coup in hand at a time the evening, where three tables play at once, comes to the same."""
    summaries = []
    with house_in_memory() as house:
        take(house, evening())
        for kept in (1, 2_000):
            monkeypatch.setattr(projections.audit.audit, "COUPS_IN_HAND", kept)
            work = Audit(house.ledger.record)
            assert list(work.differences()) == []
            summaries.append(work.summary.as_json())
    assert summaries[0] == summaries[1]


def test_the_lines_kept_to_compare_with_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """19 to 20 on 100, 200, ... 900: right each time, and never more than three of them in memory."""
    monkeypatch.setattr(projections.audit.due, "DUES_KEPT", 3)
    with house_in_memory() as house:
        Live(house.ledger).coup(1, "P 2 4 / B 7 Q")
        (opened,) = [event for event in all_events(house.ledger) if isinstance(event, CoupOpened)]
    dues = Rules().dues(opened, {"player": Result.LOSES})
    for stake in (*range(100, 1000, 100), 100):
        assert dues[Kind.BANKER, stake].winnings == stake * 19 // 20
        assert len(dues) <= 3


def test_progress_reaches_the_end_of_the_record(db: Path) -> None:
    seen: list[tuple[int, int]] = []
    with closing(open_ledger(db)) as ledger:
        goal = ledger.record.last_sequence()
        list(Audit(ledger.record, page_events=5).differences(lambda *now: seen.append(now)))
    assert len(seen) > 3
    assert seen == sorted(seen)
    assert {last for _, last in seen} == {goal}


def test_every_cause_has_a_meaning() -> None:
    assert set(MEANING) == set(Cause)


def test_every_event_that_moves_a_coups_money_is_read() -> None:
    money = {"lines", "totals", "hands", "wagers"}
    carrying = {event.TOPIC for event in EVENT_TYPES if money & set(event.model_fields)}
    assert carrying - set(TOPICS) == {"wagers-closed.v1"}, "which only counts what was placed"
