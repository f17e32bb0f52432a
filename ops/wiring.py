"""The composition root: the one place that picks implementations, and the one that reads the clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

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


@dataclass(frozen=True, slots=True)
class House:
    """An open ledger and its read tables."""

    ledger: Ledger
    tables: SQLiteReadTables

    def pnl_runner(self) -> Runner:
        """Keeps the profit and loss up with the record."""
        return Runner(self.ledger.record, self.tables, TablePnl())


@contextmanager
def open_house(db: str, *, create: bool = False, clock: Callable[[], datetime] = utc_now) -> Iterator[House]:
    """Open the ledger at `db`, and close it again.

    Args:
        create: make it if there is none.

    Raises:
        NotALedger: there is none, or the file is something else.
    """
    if "://" in db:
        raise NotALedger(db, "this release keeps its ledger in a file; give a path")
    path = Path(db)
    if not create and not path.is_file():
        raise NotALedger(db, "there is no such file; `baccarat-ledger init` makes a ledger")
    if not path.absolute().parent.is_dir():
        raise NotALedger(db, "there is no such folder")
    env = {"PERSISTENCE_MODULE": "ledger.store.sqlite:LedgerFactory", "SQLITE_DBNAME": str(path)}
    try:
        ledger = Ledger(env, clock)
    except PersistenceError as error:
        raise NotALedger(db, str(error)) from error
    log.debug("ledger opened", db=db)
    tables = SQLiteReadTables(str(path))
    try:
        yield House(ledger, tables)
    finally:
        tables.close()
        ledger.close()
