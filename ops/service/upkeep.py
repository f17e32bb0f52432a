"""Keeps the read tables up with the record: in the background, and before something is read."""

from __future__ import annotations

from threading import Event, Lock, Thread

import structlog
from eventsourcing.persistence import PersistenceError

from ledger.errors import LedgerError
from ops.service import faults
from ops.service.keeper import Keeper
from ops.service.refusals import ReadTablesBehind
from ops.wiring import House

log = structlog.get_logger()

PAUSE_SECONDS = 0.2
"""Between two turns: the writers want the disk too."""
TIMER_SECONDS = 1.0
"""A commit wakes it; another process's commit is found by the timer."""
TROUBLE_SECONDS = 2.0
IN_REQUEST_EVENTS_MAX = 20_000
"""So much is folded while somebody waits; with more to do, they are asked to come back."""


class Upkeep:
    """Has folded what is new.

    Args:
        keeper: who folds; None: the thread itself.
    """

    def __init__(self, house: House, keeper: Keeper | None = None) -> None:
        self._record = house.ledger.record
        self._runner = house.runner()
        self._turn = Lock()
        self._wake = Event()
        self._ended = Event()
        self._runner.create_tables()
        self._catch_up = keeper.catch_up if keeper else self._runner.catch_up
        self._thread = Thread(target=self._work, name="upkeep", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """There may be something new."""
        self._wake.set()

    def lag(self) -> int:
        """How many events are not folded in yet."""
        return max(0, self._record.last_sequence() - self._runner.position())

    def fresh(self) -> int:
        """Fold in what is in the record now; returns the position. What was answered before is in it.

        Raises:
            ReadTablesBehind: that would take long.
        """
        behind = self.lag()
        if not behind:
            return self._runner.position()
        if behind > IN_REQUEST_EVENTS_MAX:
            raise ReadTablesBehind(behind)
        with self._turn:  # whoever had it before may have done it all
            return self._catch_up() if self.lag() else self._runner.position()

    def close(self) -> None:
        """Leave off."""
        self._ended.set()
        self._wake.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._ended.is_set():
            self._wake.wait(TIMER_SECONDS)
            self._wake.clear()
            if self._ended.is_set():
                return
            self._ended.wait(PAUSE_SECONDS if self._turn_taken() else TROUBLE_SECONDS)

    def _turn_taken(self) -> bool:
        try:
            with self._turn:
                if self.lag():
                    self._catch_up()
        except (PersistenceError, LedgerError) as error:
            log.warning("the read tables cannot be kept up", fault=f"{type(error).__name__}: {error}")
            return False
        except Exception as error:  # noqa: BLE001 – whatever it was, the next turn may go well
            log.error("the read tables cannot be kept up", **faults.told(error))  # noqa: TRY400 – values
            return False
        return True
