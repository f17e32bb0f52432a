"""Is a SQLite file sound, and is there in it what the ledger made, and nothing else?

The record is read in its order, so whatever only another way in would show (an index that has other entries
than its table, a trigger that is gone, a table that nobody made) has to be asked of SQLite itself.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from ledger.errors import LedgerError, StorageDamaged

_RECORD = "stored_events"
_Schema = dict[tuple[str, str], str]


def storage_faults(path: str, like: str, beside: str) -> Iterator[LedgerError]:
    """What is wrong with the file itself.

    Args:
        path: the ledger.
        like: an empty ledger that has every table that a ledger may have, to compare with.
        beside: what the name of a table ends in that is being built to take the place of another.
    """
    try:
        made = _schema(path)
    except sqlite3.DatabaseError as error:
        yield StorageDamaged("the list of tables", str(error))
        return
    expected = _schema(like)
    for kind, name in sorted(made.keys() - expected.keys()):
        if name.endswith(beside) and (kind, name.removesuffix(beside)) in expected:
            continue
        yield StorageDamaged(name, f"the ledger has no such {kind}")
    for kind, name in sorted(expected.keys() - made.keys()):
        if name.startswith(_RECORD):
            yield StorageDamaged(name, f"this {kind} is not there")
    for kind, name in sorted(made.keys() & expected.keys()):
        if made[kind, name] != expected[kind, name]:
            yield StorageDamaged(name, f"this {kind} is not as the ledger makes it")


def damaged_pages(path: str) -> Iterator[LedgerError]:
    """What SQLite finds when it reads the whole file: the first finding."""
    try:
        with closing(_open(path)) as connection:
            ((said,),) = connection.execute("PRAGMA integrity_check(1)")
    except sqlite3.DatabaseError as error:
        said = str(error)
    if said != "ok":
        yield StorageDamaged("the database file", said.replace("\n", " "))


def _open(path: str) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(Path(path).absolute()))}?mode=ro", uri=True)


def _schema(path: str) -> _Schema:
    """Everything with a definition, by kind and name; what SQLite makes for itself has none, or its name."""
    with closing(_open(path)) as connection:
        rows = connection.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        return {
            (kind, name): " ".join(sql.split()) for kind, name, sql in rows if not name.startswith("sqlite_")
        }
