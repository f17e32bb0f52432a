"""Whoever waits is woken: by the timer without a hint, by a hint without the timer, and at the end."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Timer

from ops.feed.tail import POLL_SECONDS, Tail
from ops.wiring import House
from tests.feed.serving import wait_until
from tests.feed.test_http import coup
from tests.projections.houses import house_at

LATE_SECONDS = 0.2
PATIENCE_SECONDS = 10
NEVER = 3_600.0


def woken(tail: Tail, position: int) -> bool:
    return asyncio.run(tail.beyond(position, PATIENCE_SECONDS))


@contextmanager
def tail_at(path: Path, poll_seconds: float = POLL_SECONDS) -> Iterator[tuple[House, Tail]]:
    """The tail of an empty ledger, which is not asked any more when that is closed."""
    with house_at(path / "ledger.db") as house:
        tail = Tail(house.ledger.record, poll_seconds)
        try:
            yield house, tail
        finally:
            tail.close()
            tail.join()


def test_the_timer_wakes_without_a_hint(tmp_path: Path) -> None:
    with tail_at(tmp_path) as (house, tail):
        late = Timer(LATE_SECONDS, lambda: coup(house, "late-"))
        late.start()
        assert woken(tail, 0)
        late.join()


def test_a_hint_wakes_without_the_timer(tmp_path: Path) -> None:
    with tail_at(tmp_path, NEVER) as (house, tail):

        def save_and_hint() -> None:
            coup(house, "late-")
            tail.hint()

        late = Timer(LATE_SECONDS, save_and_hint)
        late.start()
        assert woken(tail, 0)
        late.join()


def test_what_is_there_already_wakes_at_once(tmp_path: Path) -> None:
    with tail_at(tmp_path, NEVER) as (house, tail):
        end = coup(house, "first-")
        assert woken(tail, end - 1)


def test_nobody_asks_while_nobody_waits(tmp_path: Path) -> None:
    with tail_at(tmp_path) as (_, tail):
        assert not asyncio.run(tail.beyond(0, 0.05))
        wait_until(lambda: tail._watching is None)
        assert not tail.waiting


def test_a_closed_tail_lets_everybody_go(tmp_path: Path) -> None:
    with tail_at(tmp_path, NEVER) as (_, tail):
        Timer(LATE_SECONDS, tail.close).start()
        assert woken(tail, 0)
        assert woken(tail, 0), "and nobody comes to wait"


class Asked:
    """A record that answers when it is let."""

    def __init__(self, *faults: Exception) -> None:
        self.let, self.faults, self.ended = Event(), [*faults], False

    def last_sequence(self) -> int:
        if self.faults:
            raise self.faults.pop()
        self.let.wait(PATIENCE_SECONDS)
        self.ended = True
        return 1


def test_whoever_joins_a_closed_tail_finds_the_record_asked_no_more() -> None:
    """A file that is closed while it is read ends the whole process."""
    record = Asked()
    tail = Tail(record)
    assert not asyncio.run(tail.beyond(1, 0.01))
    tail.close()
    Timer(LATE_SECONDS, record.let.set).start()
    tail.join()
    assert record.ended


def test_a_fault_while_the_end_is_asked_for_is_no_end_of_the_asking() -> None:
    record = Asked(RuntimeError("whatever it was"))
    record.let.set()
    tail = Tail(record)
    assert woken(tail, 0)
    tail.close()
    tail.join()
