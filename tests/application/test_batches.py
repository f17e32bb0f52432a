"""Batch after batch, the next decided while one is being saved: as if each had waited for the one before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from eventsourcing.persistence import OperationalError

from ledger.application import Ledger
from ledger.commands import Command
from ledger.events.coup import CoupOpened
from tests.application.story import NINE_TO_SEVEN, again, every_command
from tests.application.test_transactions import is_gapless
from tests.tabletalk import Night, all_events, command, events_of, open_ledger

Line = dict[str, Any]


def by(size: int, lines: Sequence[Line]) -> list[list[Command]]:
    """In batches of this size."""
    return [[command(line) for line in lines[start : start + size]] for start in range(0, len(lines), size)]


def coups(count: int) -> tuple[Night, list[Line]]:
    """A table that is open, and coups at it."""
    night = Night().opens()
    return night, [night.coup(number, NINE_TO_SEVEN, "player 100") for number in range(1, count + 1)]


@pytest.mark.parametrize("size", [1, 2, 7, 1_000])
def test_the_whole_story_in_batches_is_the_story(tmp_path: Path, ledger: Ledger, size: int) -> None:
    """Applied, refused and rejected commands; repeats too, with what they hang on in the batch before."""
    one = open_ledger(tmp_path / "one.sqlite")
    lines = [line for each in every_command() for line in (each, each)]
    expected = [one.run(command(line)) for line in lines]
    answers = [answer for answers in ledger.run_batches(by(size, lines)) for answer in answers]
    assert answers == expected
    assert all_events(ledger) == all_events(one)
    one.close()


def test_on_a_server_too(tmp_path: Path, postgres_url: str) -> None:
    one = open_ledger(tmp_path / "one.sqlite")
    expected = [one.run(command(line)) for line in every_command()]
    ledger = open_ledger(postgres_url)
    answers = [answer for answers in ledger.run_batches(by(5, every_command())) for answer in answers]
    assert answers == expected
    assert all_events(ledger) == all_events(one)
    ledger.close()
    one.close()


def appends(monkeypatch: pytest.MonkeyPatch, ledger: Ledger, before: Callable[[int], None]) -> None:
    """Every save of this ledger is told of first, by its number."""
    append, counted = type(ledger.record).append, iter(range(1, 1_000))

    def told(self: Any, *arguments: Any) -> range:
        if self is ledger.record:
            before(next(counted))
        return append(self, *arguments)

    monkeypatch.setattr(type(ledger.record), "append", told)


def test_the_next_batch_is_read_while_one_is_being_saved(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Event()
    met: list[bool] = []
    night, lines = coups(1)

    def batches() -> Iterator[list[Command]]:
        yield [command(line) for line in night.lines[:-1]]
        asked.set()
        yield [command(lines[0])]

    appends(monkeypatch, ledger, lambda number: met.append(asked.wait(10)) if number == 1 else None)
    answers = [answer for answers in ledger.run_batches(batches()) for answer in answers]
    assert met == [True]
    assert all(answer.applied for answer in answers)
    assert is_gapless(ledger)


@pytest.mark.parametrize("when", [1, 2, 3])
def test_another_writer_may_be_first_at_any_batch(path: Path, ledger: Ledger, when: int) -> None:
    """What was decided on the table as it was is decided anew; each coup is recorded once."""
    night, lines = coups(3)
    other = open_ledger(path)
    ledger.run_many([command(line) for line in night.lines if line not in lines])
    shift = night.say("change-shift", shift="late")

    def batches() -> Iterator[list[Command]]:
        for number, line in enumerate(lines, 1):
            if number == when:
                assert other.run(command(shift)).applied
            yield [command(line)]

    for answers in ledger.run_batches(batches()):
        assert all(answer.applied and not answer.repeat for answer in answers)
    opened = [events_of(ledger, f"coup/main/T1/S1/{number}")[0] for number in (1, 2, 3)]
    assert all(isinstance(event, CoupOpened) for event in opened)
    shifts = [event.conditions.shift for event in opened if isinstance(event, CoupOpened)]
    assert shifts[when - 1 :] == ["late"] * (4 - when)
    assert is_gapless(ledger)
    other.close()


def test_a_store_that_fails_ends_it_after_what_it_has_saved(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The batch after the one that failed was decided on it, and is not saved."""
    night, lines = coups(3)

    def fails(number: int) -> None:
        if number == 3:
            raise OperationalError("the disk is gone")

    appends(monkeypatch, ledger, fails)
    running = ledger.run_batches([[command(line) for line in night.lines[:-3]], *by(1, lines)])
    assert all(answer.applied for _ in range(2) for answer in next(running))
    with pytest.raises(OperationalError, match="the disk is gone"):
        next(running)
    assert [events_of(ledger, f"coup/main/T1/S1/{number}") != [] for number in (1, 2, 3)] == [
        True,
        False,
        False,
    ]
    assert all(answer.applied for answer in ledger.run_many([command(line) for line in lines[1:]]))
    assert is_gapless(ledger)


def test_whoever_stops_asking_loses_nothing(ledger: Ledger) -> None:
    """Sent again, what was saved gives its first answer, and the rest is run."""
    lines = every_command()
    running = ledger.run_batches(by(3, lines))
    first = [next(running) for _ in range(4)]
    running.close()
    assert is_gapless(ledger)
    answers = [answer for answers in ledger.run_batches(by(3, lines)) for answer in answers]
    assert answers[:12] == [again(answer) for answers in first for answer in answers]
    assert sum(answer.repeat for answer in answers) <= 15
    assert is_gapless(ledger)
