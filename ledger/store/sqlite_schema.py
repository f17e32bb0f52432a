"""The schema on SQLite: made, brought up to date, and known again."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from eventsourcing.persistence import OperationalError

from ledger.errors import NotALedger

APPLICATION_ID = 0x42414343
"""Marks the file as ours ("BACC"): a mistyped path is not to be written into somebody's other database."""
LOCK_TIMEOUT_SECONDS = 30
"""How long a writer waits for another process before it gives up."""

_RECORD = (
    "CREATE TABLE stored_events ("
    "sequence INTEGER PRIMARY KEY, "
    "originator_id TEXT NOT NULL, "
    "originator_version INTEGER NOT NULL, "
    "topic TEXT NOT NULL, "
    "state BLOB NOT NULL, "
    "UNIQUE (originator_id, originator_version))"
)
_FOR_EVER = "BEGIN SELECT RAISE(ABORT, 'events are for ever'); END"
_NO_UPDATE = f"CREATE TRIGGER stored_events_no_update BEFORE update ON stored_events {_FOR_EVER}"
_NO_DELETE = f"CREATE TRIGGER stored_events_no_delete BEFORE delete ON stored_events {_FOR_EVER}"

STEPS: tuple[tuple[str, ...], ...] = ((_RECORD, _NO_UPDATE, _NO_DELETE),)
"""The statements of each step, from the first. A new step goes to the end; an old one stays to the letter."""
SCHEMA_VERSION = len(STEPS)


def version_of(cursor: sqlite3.Cursor, path: str) -> int:
    """The last step that was done; 0 in an empty file.

    Raises:
        NotALedger: it is a database of something else, or a ledger of a newer release.
    """
    ((application_id,),) = cursor.execute("PRAGMA application_id")
    ((version,),) = cursor.execute("PRAGMA user_version")
    if application_id == APPLICATION_ID:
        if version > SCHEMA_VERSION:
            reason = (
                f"its schema is version {version}; this release knows version {SCHEMA_VERSION}: it is too old"
            )
            raise NotALedger(path, reason)
        return int(version)
    ((tables,),) = cursor.execute("SELECT COUNT(*) FROM sqlite_master")
    if application_id or tables:
        raise NotALedger(path, "it is a database of something else")
    return 0


def check_upgraded(version: int, path: str) -> None:
    """That a ledger of this version can be used as it is. Raises: NotALedger: it is an older one."""
    if version != SCHEMA_VERSION:
        reason = (
            f"its schema is version {version}; `baccarat-ledger db upgrade` makes it version {SCHEMA_VERSION}"
        )
        raise NotALedger(path, reason)


def take_steps(cursor: sqlite3.Cursor, before: int, steps: Sequence[Sequence[str]] = STEPS) -> None:
    """Do the steps after `before`, in the transaction that is open."""
    for step in steps[before:]:
        for statement in step:
            cursor.execute(statement)
    cursor.execute(f"PRAGMA application_id={APPLICATION_ID}")
    cursor.execute(f"PRAGMA user_version={len(steps)}")


def upgrade(path: str, steps: Sequence[Sequence[str]] = STEPS) -> tuple[int, int]:
    """Do the steps that were not done yet, all or none; makes the ledger where there is none.

    Returns:
        The version before and after.

    Raises:
        NotALedger: the file is something else, or of a newer release.
        OperationalError: it cannot be written to.
    """
    check_not_somebody_elses(path)
    try:
        with closing(sqlite3.connect(path, timeout=LOCK_TIMEOUT_SECONDS, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous=FULL")
            cursor = connection.cursor()
            cursor.execute("BEGIN IMMEDIATE")
            before = version_of(cursor, path)
            if before < len(steps):
                take_steps(cursor, before, steps)
            cursor.execute("COMMIT")
    except sqlite3.Error as error:
        raise OperationalError(error) from error
    return before, max(before, len(steps))


def check_not_somebody_elses(path: str) -> None:
    """That a file is not plainly somebody else's, before SQLite is let near it: opening one changes it.

    Looks without touching. Where a write-ahead log lies beside the file its pages may be out of date; then
    `version_of` asks SQLite itself.

    Raises:
        NotALedger: it is no database, or one of something else.
    """
    file = Path(path)
    if not file.is_file() or not file.stat().st_size or file.with_name(file.name + "-wal").exists():
        return
    try:
        connection = sqlite3.connect(f"file:{quote(str(file))}?mode=ro&immutable=1", uri=True)
        with closing(connection):
            ((application_id,),) = connection.execute("PRAGMA application_id")
            ((tables,),) = connection.execute("SELECT COUNT(*) FROM sqlite_master")
    except sqlite3.Error as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
            raise NotALedger(path, str(error)) from error
        return  # it is damaged or cannot be read: whoever reads it will say how
    if application_id not in {0, APPLICATION_ID} or (tables and not application_id):
        raise NotALedger(path, "it is a database of something else")
