"""The two engines, and which of them a setting means: a path is a SQLite file, `postgresql://…` a server.

PostgreSQL's driver comes with an extra of the installation: what needs it is imported when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, Protocol

from ledger.errors import LedgerError, NotALedger
from ledger.store import sqlite_check, sqlite_schema
from ledger.store.port import KeptTables
from ledger.store.sqlite_read_tables import SQLiteReadTables
from ops.location import Location

SCHEMES = ("postgresql://", "postgres://")


class Closing(KeptTables, Protocol):
    """Read tables that are somebody's to close."""

    def close(self) -> None:
        """Give the connections back."""


class Engine(NamedTuple):
    """Where a ledger is kept, and how.

    Attributes:
        env: the settings that the library finds the recorder by.
        open_tables: opens the read tables.
    """

    env: dict[str, str]
    open_tables: Callable[[], Closing]


def is_server(db: str) -> bool:
    """Whether the setting is the address of a server."""
    return db.startswith(SCHEMES)


def engine_of(db: str, *, create: bool) -> Engine:
    """The engine that a setting names.

    Args:
        create: the ledger may be made.

    Raises:
        NotALedger: it names none, or there is no ledger and none may be made.
    """
    if is_server(db):
        return _postgres(db, create=create)
    path = file_of(db)
    if not create and (not path.is_file() or not path.stat().st_size):
        raise NotALedger(str(db), "there is no such file; `baccarat-ledger init` makes a ledger")
    if not path.absolute().parent.is_dir():
        raise NotALedger(str(db), "there is no such folder")
    env = {"PERSISTENCE_MODULE": "ledger.store.sqlite:LedgerFactory", "SQLITE_DBNAME": str(path)}
    return Engine(env, lambda: SQLiteReadTables(str(path)))


def exists(db: str) -> bool:
    """Whether there is something where the setting says: a file, or a ledger in a server's schema."""
    if is_server(db):
        return bool(postgres("postgres_schema").version_at(db))
    return Path(db).exists()


class Upgraded(NamedTuple):
    """What an upgrade did: the version before and after it, and the server's roles that lack their rights."""

    before: int
    after: int
    roles_missing: list[str]


def upgrade(db: str) -> Upgraded:
    """Make the store, or bring it up to this release.

    Raises:
        NotALedger: what is there is something else, or of a newer release.
        PersistenceError: this user may not.
    """
    if is_server(db):
        return Upgraded(*postgres("postgres_schema").upgrade(db))
    return Upgraded(*sqlite_schema.upgrade(str(file_of(db))), [])


def file_of(db: str) -> Path:
    """The file that a setting names. Raises: NotALedger: it names none."""
    if not db.strip() or db.startswith((":", "file:")):
        raise NotALedger(db or "(nothing)", "give the path of a file")
    if "://" in db:
        reason = "a ledger is in a file or at postgresql://…; nothing else is known"
        raise NotALedger(f"{db.partition('://')[0]}://…", reason)
    return Path(db)


def postgres(module: str) -> ModuleType:
    """A module of the store that needs PostgreSQL's driver."""
    if find_spec("psycopg") is None:
        reason = "PostgreSQL's driver is not installed; it comes with `baccarat-ledger[postgres]`"
        raise NotALedger("the database", reason)
    return import_module(f"ledger.store.{module}")


def _postgres(url: str, *, create: bool) -> Engine:
    if create and not exists(url):
        postgres("postgres_schema").upgrade(url)
    read_tables = postgres("postgres_read_tables")
    env = {
        "PERSISTENCE_MODULE": "ledger.store.postgres:LedgerFactory",
        "LEDGER_POSTGRES": Location(url).for_driver(),
    }
    return Engine(env, lambda: read_tables.open_read_tables(url))


# --- What is to be checked of the engine itself --------------------------------------------------------


def storage_faults(db: str, like: str, beside: str) -> Iterable[LedgerError]:
    """What is wrong with how the ledger is kept. For the arguments see `ledger.store.sqlite_check`."""
    if is_server(db):
        faults: Iterable[LedgerError] = postgres("postgres_check").storage_faults(db)
        return faults
    return sqlite_check.storage_faults(db, like, beside)


def damaged_pages(db: str) -> Iterable[LedgerError]:
    """What the engine finds when it reads the whole of its file. A server looks after its own files."""
    return () if is_server(db) else sqlite_check.damaged_pages(db)
