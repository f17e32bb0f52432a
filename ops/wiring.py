"""The composition root: the one place that picks implementations, and the one that reads the clock."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import sleep
from uuid import uuid4

import structlog
from eventsourcing.persistence import PersistenceError

from ledger.application import Ledger
from ledger.errors import NotALedger
from ledger.store.sqlite import SQLiteReadTables
from projections.runner import Runner
from projections.table_pnl import TablePnl

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


def _file_of(db: str) -> Path:
    """The file that a setting names. Raises: NotALedger: it names none."""
    if not db.strip() or db.startswith((":", "file:")):
        raise NotALedger(db or "(nothing)", "give the path of a file")
    if "://" in db:
        raise NotALedger(db, "this release keeps its ledger in a file; give a path")
    return Path(db)


@dataclass(frozen=True, slots=True)
class House:
    """An open ledger and its read tables."""

    ledger: Ledger
    tables: SQLiteReadTables

    def pnl_runner(self, tables: SQLiteReadTables | None = None) -> Runner:
        """Keeps the profit and loss up with the record: in the house's own tables, or in these."""
        return Runner(self.ledger.record, tables or self.tables, TablePnl())


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
        create: make it if there is none.

    Raises:
        NotALedger: there is none, or the file is something else.
    """
    path = _file_of(db)
    if not create and (not path.is_file() or not path.stat().st_size):
        raise NotALedger(db, "there is no such file; `baccarat-ledger init` makes a ledger")
    if not path.absolute().parent.is_dir():
        raise NotALedger(db, "there is no such folder")
    env = {"PERSISTENCE_MODULE": "ledger.store.sqlite:LedgerFactory", "SQLITE_DBNAME": str(path)}
    try:
        ledger = Ledger(env, clock, pause)
    except PersistenceError as error:
        raise NotALedger(db, str(error)) from error
    log.debug("ledger opened", db=db)
    tables = SQLiteReadTables(str(path))
    try:
        yield House(ledger, tables)
    finally:
        tables.close()
        ledger.close()
