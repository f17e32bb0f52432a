"""Whoever waits is woken: by the timer without a hint, by a hint without the timer, and at the end."""

from __future__ import annotations

import asyncio
from pathlib import Path
from threading import Timer

from ops.feed.tail import Tail
from tests.feed.serving import wait_until
from tests.feed.test_http import coup
from tests.projections.houses import house_at

LATE_SECONDS = 0.2
PATIENCE_SECONDS = 10
NEVER = 3_600.0


def woken(tail: Tail, position: int) -> bool:
    return asyncio.run(tail.beyond(position, PATIENCE_SECONDS))


def test_the_timer_wakes_without_a_hint(tmp_path: Path) -> None:
    with house_at(tmp_path / "ledger.db") as house:
        tail = Tail(house.ledger.record)
        late = Timer(LATE_SECONDS, lambda: coup(house, "late-"))
        late.start()
        assert woken(tail, 0)
        late.join()


def test_a_hint_wakes_without_the_timer(tmp_path: Path) -> None:
    with house_at(tmp_path / "ledger.db") as house:
        tail = Tail(house.ledger.record, NEVER)

        def save_and_hint() -> None:
            coup(house, "late-")
            tail.hint()

        late = Timer(LATE_SECONDS, save_and_hint)
        late.start()
        assert woken(tail, 0)
        late.join()
        tail.close()


def test_what_is_there_already_wakes_at_once(tmp_path: Path) -> None:
    with house_at(tmp_path / "ledger.db") as house:
        end = coup(house, "first-")
        tail = Tail(house.ledger.record, NEVER)
        assert woken(tail, end - 1)
        tail.close()


def test_nobody_asks_while_nobody_waits(tmp_path: Path) -> None:
    with house_at(tmp_path / "ledger.db") as house:
        tail = Tail(house.ledger.record)
        assert not asyncio.run(tail.beyond(0, 0.05))
        wait_until(lambda: tail._watching is None)
        assert not tail.waiting


def test_a_closed_tail_lets_everybody_go(tmp_path: Path) -> None:
    with house_at(tmp_path / "ledger.db") as house:
        tail = Tail(house.ledger.record, NEVER)
        Timer(LATE_SECONDS, tail.close).start()
        assert woken(tail, 0)
        assert woken(tail, 0), "and nobody comes to wait"
