"""`eventsourcing` on UmaDB by its extension, whose wheel brings the server. The view is in SQLite."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from eventsourcing.persistence import Tracking
from eventsourcing.sqlite import SQLiteTrackingRecorder

from ops.bench.others.eventsourcing_parts import ADD, ROWS, TABLE, LibraryApplication
from ops.bench.others.protocol import serve

_PATIENCE_SECONDS = 20


class PnlView(SQLiteTrackingRecorder):
    """See `ops.bench.others.eventsourcing_parts.View`."""

    def construct_create_table_statements(self) -> list[str]:
        return [*super().construct_create_table_statements(), TABLE]

    def add(self, place: str, win: int, tracking: Tracking) -> None:
        with self.datastore.transaction(commit=True) as cursor:
            self._insert_tracking(cursor, tracking)
            cursor.execute(ADD.format(marks="?, 1, ?"), (place, win))

    def rows(self) -> list[tuple[str, int, int]]:
        with self.datastore.transaction(commit=False) as cursor:
            cursor.execute(ROWS)
            return [tuple(row) for row in cursor.fetchall()]


class OnUmaDB(LibraryApplication):
    """With the server, which ends when it does."""

    def __init__(self, given: dict[str, Any]) -> None:
        folder = Path(given["folder"])
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        where = f"127.0.0.1:{port}"
        binary = str(Path(sys.executable).with_name("umadb"))
        arguments = [binary, "--listen", where, "--db-path", str(folder / "uma.db")]
        self._server = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
        _wait_for(port)
        env = {
            "PERSISTENCE_MODULE": "eventsourcing_umadb",
            "UMADB_URI": f"http://{where}",
            "PNL_PERSISTENCE_MODULE": "eventsourcing.sqlite",
            "PNL_SQLITE_DBNAME": str(folder / "view.db"),
        }
        super().__init__(env, PnlView, lambda: _drop(folder))

    def stop(self) -> None:
        """Its subscription waits for the next event in the server, so the runner cannot be ended."""

    def close(self) -> None:
        self._server.terminate()
        self._server.wait()
        os._exit(0)  # its threads would go on


def _wait_for(port: int) -> None:
    until = monotonic() + _PATIENCE_SECONDS
    while monotonic() < until:
        with socket.socket() as tried:
            if not tried.connect_ex(("127.0.0.1", port)):
                return
        sleep(0.02)
    msg = "the UmaDB server does not listen"
    raise TimeoutError(msg)


def _drop(folder: Path) -> None:
    for path in folder.glob("view.db*"):
        path.unlink()


if __name__ == "__main__":
    serve(OnUmaDB)
