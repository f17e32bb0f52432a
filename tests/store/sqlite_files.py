"""Records on SQLite files, for tests and for the other processes they start."""

from __future__ import annotations

from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import cast

from ledger.store.port import NewRow
from ledger.store.sqlite import LedgerFactory, SQLiteLedgerRecorder


def open_record(path: Path | str) -> SQLiteLedgerRecorder:
    """The record in this file, as the product opens it."""
    factory = LedgerFactory({"SQLITE_DBNAME": str(path), "ORIGINATOR_ID_TYPE": "text"})
    return cast("SQLiteLedgerRecorder", factory.application_recorder())


def write_slowly(line: Connection, rows: Sequence[NewRow], *, path: Path) -> None:
    """Write rows in an open transaction, say so, and commit when told to."""
    recorder = open_record(path)
    first = recorder.last_sequence() + 1
    with recorder._writing() as cursor:
        cursor.execute("PRAGMA cache_size = 10")  # pages: what is written goes to the disk before the commit
        cursor.executemany(
            "INSERT INTO stored_events (sequence, originator_id, originator_version, topic, state) "
            "VALUES (?,?,?,?,?)",
            [(sequence, *new) for sequence, new in enumerate(rows, first)],
        )
        line.send("written")
        line.recv()
    line.send("committed")
    recorder.datastore.close()
