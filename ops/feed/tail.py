"""The end of the record, and whoever waits for it to move.

A timer is the promise: while anybody waits, the record is asked again and again. Hints (a save in this
process, a notice of the server) only make it be asked sooner. One thread asks for all who wait, and there is
none while nobody does.
"""

from __future__ import annotations

import asyncio
from threading import Event, Lock, Thread
from typing import Protocol

import structlog
from eventsourcing.persistence import PersistenceError

log = structlog.get_logger()

POLL_SECONDS = 0.02
"""Between two questions. One costs some ten microseconds on SQLite; see `Tail`."""
RETRY_SECONDS = 1.0
"""The same, while the record cannot be read."""


class HasEnd(Protocol):
    """What is asked of a record here."""

    def last_sequence(self) -> int:
        """The sequence of the last event."""


class _Waiter:
    """Somebody who waits, in an event loop of his own."""

    def __init__(self, position: int) -> None:
        self.position = position
        self._loop = asyncio.get_running_loop()
        self._moved: asyncio.Future[None] = self._loop.create_future()

    def wake(self) -> None:
        """From any thread."""
        try:
            self._loop.call_soon_threadsafe(self._set)
        except RuntimeError:
            return  # his loop has ended, and he with it

    async def wait(self, seconds: float) -> bool:
        await asyncio.wait((self._moved,), timeout=seconds)
        return self._moved.done()

    def _set(self) -> None:
        if not self._moved.done():
            self._moved.set_result(None)


class Tail:
    """Wakes those who wait for an event after the one they have read."""

    def __init__(self, record: HasEnd, poll_seconds: float = POLL_SECONDS) -> None:
        """Nobody waits yet.

        Args:
            poll_seconds: how often the record is asked without a hint.
        """
        self._record = record
        self._poll_seconds = poll_seconds
        self._waiters: set[_Waiter] = set()
        self._lock = Lock()
        self._hint = Event()
        self._watching: Thread | None = None
        self.closed = False

    def hint(self) -> None:
        """Something may have been saved: ask now. From any thread."""
        self._hint.set()

    def close(self) -> None:
        """Nobody needs to wait any more: the process stops. From any thread."""
        self.closed = True
        self._wake(None)
        self._hint.set()

    def join(self) -> None:
        """After `close`: wait until the record is asked no more, so that it can be closed."""
        with self._lock:
            watching = self._watching
        if watching is not None:
            watching.join()

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._waiters)

    async def beyond(self, position: int, seconds: float) -> bool:
        """Wait until the record has an event after `position`, or this is closed, for so many seconds.

        Returns whether it came to that.
        """
        waiter = _Waiter(position)
        with self._lock:
            if self.closed:
                return True
            self._waiters.add(waiter)
            if self._watching is None:
                self._watching = Thread(target=self._watch, name="feed-tail", daemon=True)
                self._watching.start()
        self._hint.set()  # what was saved since he last read is there already
        try:
            return await waiter.wait(seconds)
        finally:
            with self._lock:
                self._waiters.discard(waiter)

    def _watch(self) -> None:
        while True:
            with self._lock:
                if self.closed or not self._waiters:
                    self._watching = None
                    return
            pause = self._poll_seconds
            try:
                self._wake(self._record.last_sequence())
            except PersistenceError as error:
                log.warning("the record cannot be asked for its end", reason=str(error))
                pause = RETRY_SECONDS
            except Exception as error:  # noqa: BLE001 – those who wait would wait for ever
                log.error("the record cannot be asked for its end", fault=type(error).__name__)  # noqa: TRY400
                pause = RETRY_SECONDS
            self._hint.wait(pause)
            self._hint.clear()

    def _wake(self, end: int | None) -> None:
        with self._lock:
            waiters = [waiter for waiter in self._waiters if end is None or waiter.position < end]
        for waiter in waiters:
            waiter.wake()
