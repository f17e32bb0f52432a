"""Hints from the database server: it tells of every save, whichever process made it.

A hint that is lost costs a moment, see `ops.feed.tail`: nothing here is retried with care, and nothing waits
for it. On SQLite there are no notices, and the timer does it alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

import structlog

from ops import engines

log = structlog.get_logger()

CHANNEL = "ledger_events"
LOOK_UP_SECONDS = 0.5
"""How long a stop may take."""
AGAIN_SECONDS = 2.0
"""Between two tries to reach the server."""


@contextmanager
def notices(db: str, hint: Callable[[], None]) -> Iterator[None]:
    """While the block runs, `hint` is called (from a thread) soon after every save."""
    if not engines.is_server(db):
        yield
        return
    settings = engines.postgres("postgres_connections").settings_of(db)
    stopped = Event()
    thread = Thread(target=_listen, args=(settings, hint, stopped), name="feed-notices", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join(AGAIN_SECONDS + LOOK_UP_SECONDS)


def _listen(settings: dict[str, object], hint: Callable[[], None], stopped: Event) -> None:
    import psycopg  # noqa: PLC0415 – an extra, there if the ledger is open

    while not stopped.is_set():
        try:
            with psycopg.connect(**settings, autocommit=True) as connection:  # type: ignore[arg-type]
                connection.execute(f"LISTEN {CHANNEL}".encode())
                hint()
                while not stopped.is_set():
                    for _ in connection.notifies(timeout=LOOK_UP_SECONDS, stop_after=1):
                        hint()
        except psycopg.Error as error:
            log.info("no notices from the database; the timer goes on", reason=str(error).strip())
            stopped.wait(AGAIN_SECONDS)
