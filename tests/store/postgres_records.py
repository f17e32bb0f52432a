"""Records on PostgreSQL, for tests and for the other processes they start."""

from __future__ import annotations

from collections.abc import Sequence
from multiprocessing.connection import Connection

from ledger.store.port import NewRow
from ledger.store.postgres import LedgerFactory, PostgresLedgerRecorder
from ledger.store.postgres_append import next_sequence


def open_record(url: str) -> PostgresLedgerRecorder:
    """The record at this address, as the product opens it."""
    return LedgerFactory({"LEDGER_POSTGRES": url}).application_recorder()


def write_slowly(line: Connection, rows: Sequence[NewRow], *, url: str) -> None:
    """Write rows in an open transaction, say so, and commit when told to."""
    recorder = open_record(url)
    with recorder._connections.connection() as connection, connection.transaction():
        first = next_sequence(connection)
        connection.cursor().executemany(
            "INSERT INTO stored_events VALUES ($1, $2, $3, $4, $5)",
            [(sequence, *new) for sequence, new in enumerate(rows, first)],
        )
        line.send("written")
        line.recv()
    line.send("committed")
    recorder.close()
