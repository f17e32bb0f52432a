"""Runs the checks of `ledger.verify` and `projections.check` over a whole ledger, in one pass.

A large record is checked in stretches by several processes at once; the tree, the rebuild of the read tables
and the order of the findings stay with this one. Memory does not grow with the record.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from ledger.errors import NoCheckpoint
from ledger.seal.checkpoint import Checkpoint, check_origin
from ledger.seal.identity import LEDGER
from ledger.seal.keys import VerifierKey
from ledger.seal.tables import create_tables
from ledger.store.port import LedgerRecorder
from ledger.store.sqlite_check import damaged_pages, storage_faults
from ledger.verify.reading import check_beginning
from ledger.verify.sealed import (
    KeptCheckpoint,
    TileCheck,
    check_checkpoints,
    exists,
    guarded,
    origin,
    seal_tables,
)
from ledger.verify.walk import Stretch, Walker, Watched
from ops.findings import Verified
from ops.memory import few_collections
from ops.wiring import House, open_house
from projections.check import ReadTablesCheck, Writes, check_positions, writes_of
from projections.runner import Projection
from projections.table_pnl import TablePnl

PROJECTIONS: tuple[Projection, ...] = (TablePnl(),)
STRETCH_EVENTS = 8_192
"""Long enough that reading again what its streams had before costs little, short enough to share out."""
WORKERS_MAX = 16

Progress = Callable[[int, int], None]


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
    writes: list[Writes]


class Reader:
    """Checks stretches, each later than the one before."""

    def __init__(self, record: LedgerRecorder) -> None:
        topics = {topic for projection in PROJECTIONS for topic in projection.topics}
        self._walker = Walker(record, topics, self._note)
        self._upto: tuple[int, ...] = ()
        self._writes: list[Writes] = []

    def check(self, task: Task) -> Done:
        """One stretch."""
        self._upto, self._writes = task.upto, [[] for _ in PROJECTIONS]
        stretch = self._walker.walk(task.after, task.stop, to_the_end=task.to_the_end, sealed=task.sealed)
        return Done(stretch, self._writes)

    def _note(self, events: Watched) -> None:
        for projection, upto, writes in zip(PROJECTIONS, self._upto, self._writes, strict=True):
            writes.extend(writes_of(projection, events, upto))


# --- Several processes ---------------------------------------------------------------------------------

Check = Callable[[Iterable[Task]], Iterator[Done]]

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


def _processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _nothing() -> None:
    """Wakes the workers."""


@contextmanager
def _workers(db: str) -> Iterator[Check | None]:
    """Processes that check stretches; None where one does as well.

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

        def check(tasks: Iterable[Task]) -> Iterator[Done]:
            waiting: deque[Future[Done]] = deque()
            for task in tasks:
                waiting.append(pool.submit(_check_here, db, task))
                if len(waiting) > 2 * count:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()

        try:
            yield check
        finally:
            pool.shutdown(cancel_futures=True)


def _tasks(events: int, upto: tuple[int, ...], sealed: int) -> Iterator[Task]:
    for after in range(0, events, STRETCH_EVENTS):
        stop = min(after + STRETCH_EVENTS, events)
        yield Task(after, stop, stop == events, upto, sealed)


# --- The whole ledger ----------------------------------------------------------------------------------


def verify(
    db: str,
    keys: Sequence[VerifierKey] = (),
    kept: Checkpoint | None = None,
    progress: Callable[[], Progress] | None = None,
) -> Verified:
    """Check everything.

    Args:
        db: the ledger.
        keys: that may sign its checkpoints; without any, signatures are not checked.
        kept: a checkpoint from elsewhere, its signature checked already.
        progress: called once the processes run; gives what is told (events done, events).

    Raises:
        NotALedger: there is nothing to check.
        OriginDiffers: the kept checkpoint is of another ledger.
    """
    with _workers(db) as check, TemporaryDirectory() as folder, open_house(db) as house, few_collections():
        empty = str(Path(folder) / "empty.db")
        with open_house(empty, create=True) as scratch:
            create_everything(scratch)
            verification = _Verification(house, scratch, keys, kept)
            stretches = check or (lambda tasks: map(Reader(house.ledger.record).check, tasks))
            verification.follow(stretches, progress() if progress else None)
            verification.finish(db, empty)
    return verification.verified


def create_everything(scratch: House) -> None:
    """Every table that a ledger may have, empty."""
    create_tables(scratch.tables)
    with scratch.tables.transaction() as statements:
        statements.execute(LEDGER)
    scratch.pnl_runner().create_tables()


class _Verification:
    """One run: what is being compared, and what has been found."""

    def __init__(
        self, house: House, scratch: House, keys: Sequence[VerifierKey], kept: Checkpoint | None
    ) -> None:
        self.house = house
        self.keys = keys
        self.verified = Verified(keys=[key.label for key in keys])
        self.tiles, self.origin = self._begin_seal()
        if kept is not None and self.origin is not None:
            check_origin(kept, self.origin)
        self.kept = KeptCheckpoint(kept) if kept is not None else None
        self.read_tables = self._begin_read_tables(scratch)
        self.events = house.ledger.record.last_sequence()  # after the seal, which is never ahead of it
        self.verified.events = self.events
        self._placed = 0
        """Up to here every event has a leaf hash, in its place."""

    def _begin_seal(self) -> tuple[TileCheck | None, str | None]:
        """The check of the tiles, and the origin of this ledger's checkpoints, where there are any."""
        tables = self.house.tables
        tiles = None
        with self.verified.collecting("the seal"):
            if seal_tables(tables):
                tiles = TileCheck(tables)
                self.verified.sealed = tiles.sealed
                return tiles, origin(tables)
            if self.keys:
                raise NoCheckpoint
        return tiles, None

    def _begin_read_tables(self, scratch: House) -> dict[str, ReadTablesCheck]:
        checks = {}
        for projection in PROJECTIONS:
            with self.verified.collecting(projection.name):
                checks[projection.name] = ReadTablesCheck(self.house.tables, scratch.tables, projection)
        return checks

    def follow(self, check: Check, progress: Progress | None) -> None:
        """The pass over the record."""
        with self.verified.collecting("the record"):
            check_beginning(self.house.ledger.record)
        upto = tuple(
            self.read_tables[projection.name].position if projection.name in self.read_tables else 0
            for projection in PROJECTIONS
        )
        sealed = self.tiles.sealed if self.tiles is not None else 0
        for done in check(_tasks(self.events, upto, sealed)):
            self._take(done)
            if progress is not None:
                progress(done.stretch.stop, self.events)

    def _take(self, done: Done) -> None:
        stretch = done.stretch
        if self.verified.understood == stretch.after:
            self.verified.find(stretch.finding)
            self.verified.understood = stretch.understood
            for projection, writes in zip(PROJECTIONS, done.writes, strict=True):
                if projection.name in self.read_tables:
                    self.read_tables[projection.name].write(writes)
        if self._placed == stretch.after:
            self._placed += len(stretch.leaves)
            if self.kept is not None:
                self.kept.feed_leaves(stretch.leaves)
            if self.tiles is not None and not self.tiles.failed:
                with self.verified.collecting("seal_tiles"):
                    self.tiles.feed_leaves(stretch.leaves)

    def finish(self, db: str, empty: str) -> None:
        """Compare what the pass came to, and look where it did not."""
        self._finish_seal()
        self._finish_read_tables()
        self.verified.find_all(storage_faults(db, empty))
        self.verified.find_all(damaged_pages(db))

    def _finish_seal(self) -> None:
        verified = self.verified
        if self._placed == self.events:
            if self.tiles is not None and not self.tiles.failed:
                with verified.collecting("seal_tiles"):
                    self.tiles.finish()
            if self.kept is not None:
                with verified.collecting("the kept checkpoint"):
                    self.kept.finish()
        if self.origin is not None:
            verified.signed = check_checkpoints(self.house.tables, self.origin, self.keys, verified.sealed)
            verified.find(verified.signed.finding)

    def _finish_read_tables(self) -> None:
        verified, tables = self.verified, self.house.tables
        if exists(tables, "projection_positions"):
            names = [projection.name for projection in PROJECTIONS]
            verified.find_all(guarded("projection_positions", check_positions(tables, names)))
        for name, check in self.read_tables.items():
            if verified.understood < self.events:
                verified.note(f"{name} was not compared: the record cannot be followed to its end")
            else:
                verified.find_all(guarded(name, check.finish(self.house.ledger.record)))
                verified.read_tables[name] = check.position if check.kept else None
