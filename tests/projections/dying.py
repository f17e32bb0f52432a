"""A projection whose process is killed again and again: run as a program, `dying LEDGER SEED [EVENTS]`.

Each life is a process of its own that dies by SIGKILL at a random statement of its transactions, before or
after it has run. The last life comes to the end.
"""

from __future__ import annotations

import os
import random
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ledger.store.port import Statements
from ops import logs
from ops.wiring import House
from projections import runner
from tests.projections.houses import house_at

EVENTS_A_BATCH = 7
LIVES_MAX = 500


class _Countdown:
    """Kills this process when so many steps are done."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def step(self) -> None:
        """One more step."""
        self.left -= 1
        if not self.left:
            os.kill(os.getpid(), signal.SIGKILL)


class _Mortal:
    """Statements, with a step before and after each."""

    def __init__(self, statements: Statements, countdown: _Countdown) -> None:
        self._statements, self._countdown = statements, countdown

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        self._countdown.step()
        rows = self._statements.execute(sql, parameters)
        self._countdown.step()
        return rows

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        self._countdown.step()
        self._statements.executemany(sql, rows)
        self._countdown.step()


class MortalTables:
    """Read tables that may die in a transaction, and right after its commit."""

    def __init__(self, house: House, countdown: _Countdown) -> None:
        self._tables, self._countdown = house.tables, countdown
        self.snapshot = house.tables.snapshot

    @contextmanager
    def transaction(self) -> Iterator[Statements]:
        with self._tables.transaction() as statements:
            yield _Mortal(statements, self._countdown)
        self._countdown.step()


def live(path: str, steps: int, events: int) -> None:
    """Catch up, and die on the way if so many steps are not enough."""
    runner.PAGE_EVENTS = events
    with house_at(path) as house:
        kept_up = house.pnl_runner()
        kept_up._tables = MortalTables(house, _Countdown(steps))
        kept_up.catch_up()


def main(path: str, seed: int, events: int = EVENTS_A_BATCH) -> None:
    """Live until the end is reached; say how often that was cut short."""
    logs.configure()
    rng = random.Random(seed)
    for deaths in range(LIVES_MAX):
        steps = rng.randint(1, 60)
        child = os.fork()
        if not child:
            live(path, steps, events)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0:
            sys.stdout.write(f"{deaths}\n")
            return
        assert os.WIFSIGNALED(status)
    sys.exit("it never came to the end")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
