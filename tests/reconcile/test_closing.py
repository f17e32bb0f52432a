"""A day is closed with the figures of its record: not with what they were before something came between."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import Any

import pytest

from ledger.answer import Answer
from ledger.commands import Command
from ledger.errors import RecordMoved
from ledger.terms.books import CountedShift
from ops.reconcile.closing import close
from ops.reconcile.day_record import day_record
from ops.reconcile.job import report_of
from ops.reconcile.report import DayReport
from ops.wiring import House
from projections.reconciliation.views import PROJECTIONS, day_books
from projections.runner import Runner
from tests.projections.houses import house_in_memory
from tests.tabletalk import GAMING_DAY, Night, command, hands

DAY = date.fromisoformat(GAMING_DAY)
COUNTED = {"T1": {"1": CountedShift(shift="1", opener=1_000_000, closer=1_000_100, drop=0)}}
CHIPS = {"chips": {"2500": 400, "100": 1}, "signed_by": ["dealer-1", "inspector-1"]}
RULING = {"reason": "camera 4", "evidence": "clip 17", "approvers": ["pit-1", "pit-2"]}
PLAYER_WINS = hands("P 9 K / B 7 Q")


def played() -> Night:
    """A night at T1 in which the house wins £1.00: banker 7, player 6."""
    night = Night().opens()
    night.coup(1, "P 6 K / B 7 Q", "player 100")
    night.say("close-table", closer=CHIPS)
    return night


def the_next(night: Night) -> None:
    """T1 opens for its next day and a coup is played; nothing of that is this day's."""
    tomorrow = "2026-11-28"
    night.shoe = "S2"
    night.opens(gaming_day=tomorrow, occurred_at=f"{tomorrow}T11:30:00Z")
    night.coup(1, "P 6 K / B 7 Q", "player 300")


@pytest.fixture
def house() -> Iterator[House]:
    with house_in_memory() as opened:
        yield opened


def take(house: House, night: Night, start: int = 0) -> None:
    """Run what the night has said from there on; all of it is applied."""
    for line in night.lines[start:]:
        answer = house.ledger.run(command(line))
        assert answer.applied, answer


def read(house: House) -> DayReport:
    """The day's report, as it stands now."""
    Runner(house.ledger.record, house.tables, PROJECTIONS).catch_up()
    with house.tables.snapshot() as statements:
        books = day_books(statements, "main", DAY)
    record = day_record(house.ledger.record, "main", DAY)
    return report_of("main", DAY, books, record, COUNTED, explained={}, own_thresholds={})


def sign_off(house: House, report: DayReport) -> int:
    before = day_record(house.ledger.record, "main", DAY)
    return close(house.ledger, report, before, ("cashier-9",), ("accounts-1",)).sealed_at


BETWEEN: dict[str, Callable[[Night], Any]] = {
    "corrected": lambda night: night.step("correct-coup", 1, hands=PLAYER_WINS, **RULING),
    "void": lambda night: night.step("void-coup", 1, **RULING),
    "drop": lambda night: night.say("count-drop", amount=500),
    "slip": lambda night: night.say("void-slip", slip="PB1-7", reason="torn"),
}


@pytest.mark.parametrize("came", BETWEEN)
def test_what_came_after_the_figures_were_read_keeps_the_day_open(house: House, came: str) -> None:
    night = played()
    take(house, night)
    report = read(house)
    said = len(night.lines)
    BETWEEN[came](night)
    take(house, night, said)
    recorded = house.ledger.record.last_sequence()
    with pytest.raises(RecordMoved):
        sign_off(house, report)
    assert house.ledger.record.last_sequence() == recorded
    assert sign_off(house, read(house)) > recorded


def test_what_comes_while_the_close_is_decided_keeps_the_day_open_too(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the job has looked, and before its save takes the writers' lock."""
    night = played()
    take(house, night)
    report = read(house)
    said = len(night.lines)
    night.step("correct-coup", 1, hands=PLAYER_WINS, **RULING)
    run_many = house.ledger.run_many

    def beaten(batch: Sequence[Command], unmoved: Any = None) -> list[Answer]:
        monkeypatch.undo()
        take(house, night, said)
        return run_many(batch, unmoved)

    monkeypatch.setattr(house.ledger, "run_many", beaten)
    with pytest.raises(RecordMoved):
        sign_off(house, report)
    assert read(house).tables[0].at.win_by_wagers == -100
    assert not day_record(house.ledger.record, "main", DAY).closed


def test_the_next_day_at_the_same_table_does_not_hold_the_close_up(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither what came before the job looked nor what comes after."""
    night = played()
    take(house, night)
    report = read(house)
    said = len(night.lines)
    the_next(night)
    take(house, night, said)
    run_many = house.ledger.run_many

    def beaten(batch: Sequence[Command], unmoved: Any = None) -> list[Answer]:
        monkeypatch.undo()
        night.coup(2, "P 6 K / B 7 Q", "player 300")
        take(house, night, len(night.lines) - 1)
        return run_many(batch, unmoved)

    monkeypatch.setattr(house.ledger, "run_many", beaten)
    assert sign_off(house, report) > report.position
