"""The writer: what it accepted it runs, together what waits together; one bad command harms no other."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from eventsourcing.persistence import OperationalError

from ledger.answer import Answer
from ledger.application import Ledger
from ledger.commands import Command
from ops.service.refusals import Overloaded, Stopping
from ops.service.writer import Writer
from tests.tabletalk import Night, command, events_of, open_ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    opened = open_ledger(tmp_path / "ledger.db")
    yield opened
    opened.close()


class Held:
    """The ledger, which is slow to take the first batch: until it is let go, the others wait together."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.taken, self.let_go = Event(), Event()
        self.batches: list[int] = []

    def run_many(self, batch: Sequence[Command]) -> list[Answer]:
        self.batches.append(len(batch))
        self.taken.set()
        self.let_go.wait()
        return self._ledger.run_many(batch)


def openings(count: int) -> list[Command]:
    """Commands that open a table each."""
    return [
        command(Night(table=f"T{number}", prefix=f"t{number}-").opens().lines[0]) for number in range(count)
    ]


def test_what_was_accepted_is_run_before_it_ends_though_nobody_waits(ledger: Ledger) -> None:
    held = Held(ledger)
    commits: list[None] = []
    writer = Writer(held, 100, lambda: commits.append(None))  # type: ignore[arg-type]
    asked = openings(30)
    futures = [writer.submit(asked[0])]
    held.taken.wait()
    futures += [writer.submit(one) for one in asked[1:]]
    held.let_go.set()
    writer.close()
    assert [future.result(0).command_id for future in futures] == [one.id for one in asked]
    for one in asked:
        assert len(events_of(ledger, f"command/{one.id}")) == 1
    assert held.batches == [1, 29]
    assert len(commits) == 2
    with pytest.raises(Stopping):
        writer.submit(asked[0])


def test_more_than_may_wait_are_sent_away(ledger: Ledger) -> None:
    held = Held(ledger)
    writer = Writer(held, 2, lambda: None)  # type: ignore[arg-type]
    first, second, third, fourth = openings(4)
    writer.submit(first)
    held.taken.wait()
    writer.submit(second)
    last = writer.submit(third)
    with pytest.raises(Overloaded):
        writer.submit(fourth)
    held.let_go.set()
    writer.close()
    assert last.result(0).applied
    assert not events_of(ledger, f"command/{fourth.id}")


class Broken:
    """A ledger that fails on one command, and on batches that it is in."""

    def __init__(self, ledger: Ledger, bad: str, error: Exception) -> None:
        self._ledger, self._bad, self._error = ledger, bad, error
        self.taken, self.let_go = Event(), Event()

    def run_many(self, batch: Sequence[Command]) -> list[Answer]:
        self.taken.set()
        self.let_go.wait()
        if any(one.id == self._bad for one in batch):
            raise self._error
        return self._ledger.run_many(batch)


@pytest.mark.parametrize(
    ("error", "good"), [(RuntimeError("a fault"), True), (OperationalError("the disk is gone"), False)]
)
def test_a_command_that_cannot_be_run_harms_no_other_but_a_store_that_fails_fails_all(
    ledger: Ledger, error: Exception, good: bool
) -> None:
    asked = openings(3)
    broken: Any = Broken(ledger, asked[1].id, error)
    writer = Writer(broken, 10, lambda: None)
    warm_up = writer.submit(command(Night(table="T9", prefix="t9-").opens().lines[0]))
    broken.taken.wait()
    futures = [writer.submit(one) for one in asked]
    broken.let_go.set()
    writer.close()
    assert warm_up.result(0).applied
    assert futures[1].exception(0) is error
    assert [future.exception(0) is None for future in futures] == [good, False, good]


def test_in_an_event_loop_everybody_is_told_what_came_of_theirs(ledger: Ledger) -> None:
    """All that shared a commit. One who has gone is not told, and his command is run all the same."""
    held = Held(ledger)
    writer = Writer(held, 100, lambda: None)  # type: ignore[arg-type]
    asked = openings(5)

    async def ask() -> list[Answer | BaseException]:
        waiting = [asyncio.create_task(writer.run(asked[0]))]
        await asyncio.to_thread(held.taken.wait)
        waiting += [asyncio.create_task(writer.run(one)) for one in asked[1:]]
        await asyncio.sleep(0)
        waiting[2].cancel()
        held.let_go.set()
        return await asyncio.gather(*waiting, return_exceptions=True)

    came = asyncio.run(ask())
    writer.close()
    assert held.batches == [1, 4]
    assert isinstance(came.pop(2), asyncio.CancelledError)
    assert [answer.command_id for answer in came if isinstance(answer, Answer) and answer.applied] == [
        one.id for one in [*asked[:2], *asked[3:]]
    ]
    assert ledger.run(asked[2]).repeat


def test_in_an_event_loop_a_store_that_fails_is_told_to_whoever_asked(ledger: Ledger) -> None:
    error = OperationalError("the disk is gone")
    asked = openings(1)
    broken: Any = Broken(ledger, asked[0].id, error)
    broken.let_go.set()
    writer = Writer(broken, 10, lambda: None)
    with pytest.raises(OperationalError, match="the disk is gone"):
        asyncio.run(writer.run(asked[0]))
    writer.close()


def test_a_loop_that_is_closed_keeps_nobody_from_being_answered(ledger: Ledger) -> None:
    held = Held(ledger)
    writer = Writer(held, 10, lambda: None)  # type: ignore[arg-type]
    first, second = openings(2)

    async def ask_and_go() -> None:
        asyncio.create_task(writer.run(first)).add_done_callback(lambda _: None)
        await asyncio.to_thread(held.taken.wait)

    asyncio.run(ask_and_go())
    waiting = writer.submit(second)
    held.let_go.set()
    assert waiting.result(10).applied
    writer.close()
