"""The bare driver: the same rows into the same table, and no other work. It is the limit, not a rival.

Its table is made like the record's, with the same keys; so where the record's changes, this does as well.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import psycopg

from ledger.store.port import Row
from ledger.store.postgres_connections import settings_of
from ops.bench.contest import Rival, each

TABLE = "stored_events"


@contextmanager
def sqlite_bare(path: Path, like: Path) -> Iterator[Rival]:
    """One prepared executemany and a durable commit a save, in a file of its own.

    Args:
        like: a ledger, whose table it takes.
    """
    with closing(sqlite_connection(path, like)) as connection:
        yield lambda saves: each(partial(write_sqlite, connection), saves)


def sqlite_connection(path: Path, like: Path) -> sqlite3.Connection:
    """A file with a table like the ledger's, as durable as the ledger is."""
    with closing(sqlite3.connect(like)) as ledger:
        ((made,),) = ledger.execute("SELECT sql FROM sqlite_master WHERE name = ?", (TABLE,))
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute(made)
    return connection


def write_sqlite(connection: sqlite3.Connection, rows: Sequence[Row]) -> None:
    """One save."""
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany(f"INSERT INTO {TABLE} VALUES (?,?,?,?,?)", rows)
    connection.execute("COMMIT")


@contextmanager
def postgres_bare(address: str) -> Iterator[tuple[Rival, Rival]]:
    """By one prepared executemany and a commit a save, and by COPY, into tables of their own."""
    with (
        closing(postgres_connection(address, "bare")) as one,
        closing(postgres_connection(address, "bare_copied")) as other,
    ):
        yield (
            lambda saves: each(partial(insert_postgres, one), saves),
            lambda saves: each(partial(copy_postgres, other), saves),
        )


def postgres_connection(address: str, table: str) -> psycopg.Connection:
    """A connection beside the ledger at an address, where it makes a table like the record's."""
    connection = connected(address)
    connection.execute(f"CREATE TABLE {table} (LIKE {TABLE} INCLUDING ALL)".encode())
    connection.commit()
    return connection


def connected(address: str) -> psycopg.Connection:
    """A connection that prepares what it runs the first time."""
    connection = psycopg.connect(**settings_of(address))
    connection.prepare_threshold = 0
    return connection


def insert_postgres(connection: psycopg.Connection, rows: Sequence[Row]) -> None:
    """One save, by one prepared statement for all its rows."""
    connection.cursor().executemany("INSERT INTO bare VALUES (%s, %s, %s, %s, %s)", rows)
    connection.commit()


def copy_postgres(connection: psycopg.Connection, rows: Sequence[Row]) -> None:
    """One save, by binary COPY."""
    with connection.cursor().copy("COPY bare_copied FROM STDIN (FORMAT BINARY)") as copy:
        copy.set_types(("int8", "text", "int8", "text", "bytea"))
        for row in rows:
            copy.write_row(row)
    connection.commit()
