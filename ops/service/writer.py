"""One thread writes: commands that wait together are saved in one commit.

A commit waits for the disk, whoever is alone or in company, so company costs next to nothing.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, Full, Queue
from threading import Lock, Thread
from typing import Any

import structlog
from eventsourcing.persistence import PersistenceError

from ledger.answer import Answer
from ledger.application import Ledger
from ledger.commands import CloseDay, Command
from ledger.errors import Conflict
from ops.reconcile.closing import close_day
from ops.service import faults
from ops.service.refusals import Overloaded, Stopping

log = structlog.get_logger()

COMMIT_COMMANDS_MAX = 200
_Reply = Future[Answer] | asyncio.Future[Answer]
_Waiting = tuple[Command, _Reply, Mapping[str, Any]]
"""With what the log says of the request that it came by."""
_Came = Answer | Exception


class Writer:
    """Takes commands from any thread and answers each."""

    def __init__(self, ledger: Ledger, waiting_max: int, committed: Callable[[], None]) -> None:
        """Begin.

        Args:
            waiting_max: how many commands may wait.
            committed: called after every commit.
        """
        self._ledger = ledger
        self._committed = committed
        self._queue: Queue[_Waiting | None] = Queue(waiting_max)
        self._gate = Lock()
        self._closed = False
        self._thread = Thread(target=self._work, name="writer", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How many commands wait."""
        return self._queue.qsize()

    def submit(self, command: Command) -> Future[Answer]:
        """Accept a command: it will be run, whether or not anybody waits for the answer.

        Raises:
            Overloaded, Stopping: it was not accepted.
        """
        reply: Future[Answer] = Future()
        self._accept(command, reply)
        return reply

    async def run(self, command: Command) -> Answer:
        """As `submit`, in an event loop.

        Raises:
            Overloaded, Stopping: it was not accepted; PersistenceError, LedgerError: it was not run.
        """
        reply: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._accept(command, reply)
        return await reply

    def _accept(self, command: Command, reply: _Reply) -> None:
        waiting: _Waiting = command, reply, structlog.contextvars.get_contextvars()
        with self._gate:
            if self._closed:
                raise Stopping
            try:
                self._queue.put_nowait(waiting)
            except Full:
                raise Overloaded(self._queue.qsize()) from None

    def close(self) -> None:
        """Run what was accepted, and end."""
        with self._gate:
            if self._closed:
                return
            self._closed = True
        self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (first := self._queue.get()) is not None:
            together = [first]
            last = False
            while len(together) < COMMIT_COMMANDS_MAX and not last:
                try:
                    following = self._queue.get_nowait()
                except Empty:
                    break
                if following is None:
                    last = True
                else:
                    together.append(following)
            self._run(together)
            if last:
                return

    def _run(self, together: list[_Waiting]) -> None:
        if len(together) > 1 and any(isinstance(command, CloseDay) for command, _, _ in together):
            for one in together:
                self._run([one])
            return
        try:
            answers = self._answers([command for command, _, _ in together])
        except (PersistenceError, Conflict) as error:
            _reply([(reply, error) for _, reply, _ in together])
        except Exception as error:  # noqa: BLE001 – one that cannot be run must not end the others
            if len(together) == 1:
                ((command, reply, asked_by),) = together
                log.error(  # noqa: TRY400 – a traceback has values in it
                    "a command cannot be run", **asked_by, command_id=command.id, **faults.told(error)
                )
                _reply([(reply, error)])
                return
            for one in together:
                self._run([one])
        else:
            _reply([(reply, answer) for (_, reply, _), answer in zip(together, answers, strict=True)])
            self._committed()

    def _answers(self, commands: list[Command]) -> list[Answer]:
        """A close says how the day stands, so it is alone, and it is asked whether the day still does."""
        if isinstance(commands[0], CloseDay):
            return [close_day(self._ledger, commands[0])]
        return self._ledger.run_many(commands)


def _reply(replies: Iterable[tuple[_Reply, _Came]]) -> None:
    """Tell everybody what came. An event loop is woken once, with all that is for it."""
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[_Reply, _Came]]] = defaultdict(list)
    for reply, came in replies:
        if isinstance(reply, Future):
            _set(reply, came)
        else:
            by_loop[reply.get_loop()].append((reply, came))
    for loop, theirs in by_loop.items():
        with suppress(RuntimeError):  # the loop is closed: nobody waits there any more
            loop.call_soon_threadsafe(_set_all, theirs)


def _set_all(replies: Iterable[tuple[_Reply, _Came]]) -> None:
    for reply, came in replies:
        if not reply.done():  # whoever waited has gone
            _set(reply, came)


def _set(reply: _Reply, came: _Came) -> None:
    if isinstance(came, Exception):
        reply.set_exception(came)
    else:
        reply.set_result(came)
