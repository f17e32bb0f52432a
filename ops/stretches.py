"""The long part of a verification: the record in stretches, by several processes where it is long."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from multiprocessing import get_context
from typing import NamedTuple

from ledger.errors import LedgerError
from ledger.store.port import LedgerRecorder
from ledger.verify.walk import Stretch, Walker, Watched
from ops.engines import damaged_pages
from ops.memory import few_collections
from ops.wiring import open_house
from projections.catalogue import EVERY
from projections.folding import Folding
from projections.read_table import TakenDown

STRETCH_EVENTS = 16_384
"""Long enough that reading again what its streams had before costs little, short enough to share out."""
WORKERS_MAX = 16


class Task(NamedTuple):
    """A stretch to check. `upto` are the positions of the projections, `sealed` is the size of the tree."""

    after: int
    stop: int
    to_the_end: bool
    upto: tuple[int, ...]
    sealed: int


class Done(NamedTuple):
    """What came of it: also what each projection writes for it."""

    stretch: Stretch
    writes: list[TakenDown]


class Reader:
    """Checks stretches, each later than the one before."""

    def __init__(self, record: LedgerRecorder) -> None:
        self._walker = Walker(record, (), self._take)
        self._folding = Folding(())

    def check(self, task: Task) -> Done:
        """One stretch."""
        behind = [at for at, upto in enumerate(task.upto) if upto > task.after]
        self._folding = Folding([EVERY[at] for at in behind], [task.upto[at] for at in behind])
        self._walker.watch(self._folding.topics)
        stretch = self._walker.walk(task.after, task.stop, to_the_end=task.to_the_end, sealed=task.sealed)
        writes = dict(zip(behind, self._folding.writes(), strict=True))
        return Done(stretch, [writes.get(at, []) for at in range(len(EVERY))])

    def _take(self, events: Watched) -> None:
        for sequence, event in events:
            self._folding.take(sequence, event)


# --- Several processes ---------------------------------------------------------------------------------


class Work(NamedTuple):
    """Does the long parts, in this process or in several.

    Attributes:
        check: checks stretches, and gives what comes of them in their order.
        damaged_pages: what the engine says of its file.
    """

    check: Callable[[Iterable[Task]], Iterator[Done]]
    damaged_pages: Callable[[], Iterable[LedgerError]]


_reader: Reader | None = None
"""In a process that checks stretches: its reader."""
_until_the_end = ExitStack()
"""What such a process has open until it ends."""


def _check_here(db: str, task: Task) -> Done:
    global _reader  # noqa: PLW0603 a worker is a process, and this is its state
    if _reader is None:
        _until_the_end.enter_context(few_collections())
        _reader = Reader(_until_the_end.enter_context(open_house(db)).ledger.record)
    return _reader.check(task)


def _damaged_here(db: str) -> list[LedgerError]:
    return list(damaged_pages(db))


def _processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _nothing() -> None:
    """Wakes the workers."""


@contextmanager
def workers(db: str) -> Iterator[Work | None]:
    """Processes that do the work; None where this one does as well.

    They are forked before this process has the ledger open or a thread running: neither SQLite's locks nor a
    thread survive a fork.
    """
    with open_house(db) as house:
        events = house.ledger.record.last_sequence()
    count = min(_processors(), WORKERS_MAX)
    if count < 2 or events <= STRETCH_EVENTS:
        yield None
        return
    with ProcessPoolExecutor(count, mp_context=get_context("fork")) as pool:
        pool.submit(_nothing).result()
        damaged = pool.submit(_damaged_here, db)  # first: the longest piece of work is not to be the last

        def check(tasks: Iterable[Task]) -> Iterator[Done]:
            waiting: deque[Future[Done]] = deque()
            for task in tasks:
                waiting.append(pool.submit(_check_here, db, task))
                if len(waiting) > 2 * count:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()

        try:
            yield Work(check, damaged.result)
        finally:
            pool.shutdown(cancel_futures=True)


def alone(db: str, record: LedgerRecorder) -> Work:
    """The work in this process, which has the ledger open."""
    return Work(lambda tasks: map(Reader(record).check, tasks), lambda: damaged_pages(db))


def tasks_of(events: int, upto: tuple[int, ...], sealed: int) -> Iterator[Task]:
    """The stretches of a record of so many events. For `upto` and `sealed` see `Task`."""
    for after in range(0, events, STRETCH_EVENTS):
        stop = min(after + STRETCH_EVENTS, events)
        yield Task(after, stop, stop == events, upto, sealed)
