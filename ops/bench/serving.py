"""Two servers of one make, each in a process of its own: the ledger's service, and one that only inserts.

Both are uvicorn with FastAPI, one process, the same HTTP parser, and commit as durably to the same engine.
The bare one has one resource: it reads the body, writes the rows that the ledger stored for that command (it
was given them before) in a commit of their own, and answers. It asks nobody who he is, checks, decides and
logs nothing.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

from ledger.store.port import Row
from ledger.terms.access import Role
from ops import engines, logs
from ops.bench.bare import connected, insert_postgres, postgres_connection, sqlite_connection, write_sqlite
from ops.bench.contest import EVENTS_MAX, cause_of
from ops.wiring import open_house, utc_now

spawn = get_context("spawn")
ROLES = (Role.PIT, Role.CAGE)
"""What a tape needs: the cage counts the drop."""
RECORD_COUP = "/v1/premises/{premises}/tables/{table}/shoes/{shoe}/coups/{number}/record-coup"
_ANY_RATE = 1e9
CONNECTIONS = 8
"""Of the bare server to PostgreSQL: commits that meet share a flush there."""


class Served(NamedTuple):
    """A server at work.

    Attributes:
        port: of this machine.
        control: what it is told, and answers.
        keys: of the ledger's service, by premises.
    """

    port: int
    control: Connection
    keys: dict[str, str]


@contextmanager
def server(of: Callable[..., None], *arguments: object) -> Iterator[Served]:
    """A process of its own, until the block ends. `of` is one of the two below."""
    ours, theirs = spawn.Pipe()
    process = spawn.Process(target=of, args=(*arguments, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        port, keys = ours.recv()
        yield Served(port, ours, keys)
        ours.send(None)
    finally:
        ours.close()
        process.join()


def serve_ledger(db: str, premises: Sequence[str], log: Path, told: Connection) -> None:
    """The service as `serve` runs it, its log in a file; makes a key at each premises."""
    from ops.feed.opening import open_feed  # noqa: PLC0415 – the extra `service`
    from ops.service.app import service  # noqa: PLC0415
    from ops.service.keeper import Keeper  # noqa: PLC0415
    from ops.service.keys import NewKey  # noqa: PLC0415
    from ops.service.server import Server  # noqa: PLC0415
    from ops.service.settings import ServiceSettings  # noqa: PLC0415

    settings = ServiceSettings(requests_per_second=_ANY_RATE, burst=10**9)
    logs.configure()
    with (
        ExitStack() as open_,
        log.open("w") as sys.stderr,
        open_house(db) as house,
        open_feed(house, db) as feed,
    ):
        logs.configure("info")
        keeper = open_.enter_context(closing(Keeper(db)))
        app = service(house, settings, utc_now, feed=feed, keeper=keeper)
        keys = app.state.service.keys
        known = {name: keys.issue(NewKey(name, "bench", "bench", ROLES), "admin") for name in premises}
        running = Server(app, "127.0.0.1", 0)
        try:
            asyncio.run(_run(running, told, known, lambda _: None))
        finally:
            running.end()


def serve_bare(db: str, beside: Path, told: Connection) -> None:
    """A resource that inserts. Told `(after, upto)`, it reads those rows of the record at `db`."""
    import uvicorn  # noqa: PLC0415 – the extra `service`
    from fastapi import FastAPI, Request  # noqa: PLC0415

    logs.configure()
    by_command: dict[str, list[Row]] = {}
    with open_house(db) as house, _bare_store(db, beside) as write:
        app = FastAPI(openapi_url=None)

        async def insert(request: Request) -> dict[str, int]:
            await request.body()
            rows = by_command.pop(request.headers["idempotency-key"])
            await asyncio.to_thread(write, rows)  # as FastAPI has it for a driver that waits
            return {"stored": len(rows)}

        insert.__annotations__["request"] = Request
        app.post(RECORD_COUP)(insert)

        def make_ready(said: tuple[int, int]) -> None:
            after, upto = said
            for row in house.ledger.record.select_rows(after, EVENTS_MAX):
                if row.sequence <= upto:
                    by_command.setdefault(cause_of(row), []).append(row)

        config = uvicorn.Config(
            app, port=0, http="h11", ws="none", lifespan="off", log_config=None, access_log=False
        )
        asyncio.run(_run(uvicorn.Server(config), told, {}, make_ready))


@contextmanager
def _bare_store(db: str, beside: Path) -> Iterator[Callable[[Sequence[Row]], None]]:
    """Writes rows from any thread: by one connection to a file, or one of several to a server."""
    idle: SimpleQueue[Any] = SimpleQueue()
    write: Callable[[Any, Sequence[Row]], None]
    with ExitStack() as open_:
        if engines.is_server(db):
            write = insert_postgres
            idle.put(open_.enter_context(closing(postgres_connection(db, "bare"))))
            for _ in range(CONNECTIONS - 1):
                idle.put(open_.enter_context(closing(connected(db))))
        else:
            write = write_sqlite
            idle.put(open_.enter_context(closing(sqlite_connection(beside, Path(db)))))

        def by_any(rows: Sequence[Row]) -> None:
            connection = idle.get()
            try:
                write(connection, rows)
            finally:
                idle.put(connection)

        yield by_any


async def _run(running: Any, told: Connection, keys: dict[str, str], asked: Callable[[Any], None]) -> None:
    """Serve, and do what is asked by the pipe; until that is nothing."""
    serving = asyncio.create_task(running.serve())
    while not running.started:  # noqa: ASYNC110 – the server has no event for it
        await asyncio.sleep(0.01)
    told.send((running.servers[0].sockets[0].getsockname()[1], keys))
    while (said := await asyncio.to_thread(_heard, told)) is not None:
        asked(said)
        told.send(os.getpid())
    running.should_exit = True
    await serving


def _heard(told: Connection) -> Any:
    try:
        return told.recv()
    except EOFError:  # whoever had started it is no more
        return None
