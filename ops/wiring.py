"""The composition root: the one place that picks implementations, and the one that reads the clock."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from time import sleep
from uuid import uuid4

import structlog
from eventsourcing.persistence import PersistenceError

from ledger.application import Ledger
from ledger.errors import NotALedger
from ledger.store.port import KeptTables, ReadTables
from ledger.store.sqlite_read_tables import SQLiteReadTables
from ops.engines import engine_of
from ops.location import Location
from projections.catalogue import EVERY
from projections.pnl.table_pnl import TablePnl
from projections.projection import Projection
from projections.runner import Runner

log = structlog.get_logger()


def utc_now() -> datetime:
    """The clock."""
    return datetime.now(UTC)


PAUSE_SECONDS = 0.005
PAUSE_SECONDS_MAX = 0.5


def pause(attempt: int) -> None:
    """Wait a random while, longer each time, so that writers who met do not meet again."""
    longest = min(PAUSE_SECONDS * 2**attempt, PAUSE_SECONDS_MAX)
    sleep(random.uniform(0, longest))  # noqa: S311 – it keeps nobody out


@dataclass(frozen=True, slots=True)
class House:
    """An open ledger and its read tables."""

    ledger: Ledger
    tables: KeptTables

    def runner(self, projections: Sequence[Projection] = EVERY, tables: ReadTables | None = None) -> Runner:
        """Keeps projections up with the record: in the house's own tables, or in these.

        In its own they are not waited for: rows and position go together, so what a power cut takes is folded
        again.
        """
        return Runner(self.ledger.record, tables or self.tables.lazily(), projections)

    def pnl_runner(self, tables: ReadTables | None = None) -> Runner:
        """Keeps the profit and loss alone up with the record."""
        return self.runner((TablePnl(),), tables)


@contextmanager
def tables_in_memory() -> Iterator[SQLiteReadTables]:
    """Read tables that nobody keeps."""
    tables = SQLiteReadTables(f"file:{uuid4()}?mode=memory&cache=shared")
    try:
        yield tables
    finally:
        tables.close()


@contextmanager
def open_house(db: str, *, create: bool = False, clock: Callable[[], datetime] = utc_now) -> Iterator[House]:
    """Open the ledger at `db`, and close it again.

    Args:
        db: the path of a file, or `postgresql://…`; see `ops.engines`.
        create: make it if there is none.

    Raises:
        NotALedger: there is none, or what is there is something else or of another release.
    """
    db = Location(db)
    engine = engine_of(db, create=create)
    try:
        ledger = Ledger(engine.env, clock, pause)
    except PersistenceError as error:
        raise NotALedger(str(db), str(error)) from error
    log.debug("ledger opened", db=str(db))
    try:
        with closing(engine.open_tables()) as tables:
            yield House(ledger, tables)
    finally:
        ledger.close()
