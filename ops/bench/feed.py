"""From commit to consumer over SSE, against a bare loop that polls a SQLite file or LISTENs to PostgreSQL.

A writer commits a coup at a time, at random moments; a consumer in a process of its own notes when the last
event of each commit has come. The feed and the bare loop take turns of some commits each, so that what else
the machine does is borne by both. A latency runs from the return of the commit.
"""

from __future__ import annotations

import asyncio
import random
import sqlite3
import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event
from time import monotonic, sleep
from typing import NamedTuple
from urllib.request import Request, urlopen
from uuid import uuid4

from ledger.commands import TAPE_LINE, Command
from ledger.terms.access import Role
from ops import engines, logs
from ops.bench.figure import Figure, Sort, Turn
from ops.bench.server import own, scratch
from ops.cli.screen import progress_bar
from ops.feed.consumers import Consumers
from ops.feed.notices import CHANNEL
from ops.feed.opening import open_feed
from ops.feed.roles import EVERYWHERE, Reader
from ops.feed.routes import FeedDeps, feed_router
from ops.feed.streams import Places
from ops.feed.tail import POLL_SECONDS
from ops.rehearsal.deal import load
from ops.wiring import House, open_house, utc_now

WAGERS = 10
GOAL = 5.0
"""Of the feed's p99 to the bare loop's."""
TURN_COMMITS = 50
COMMITS = 200
"""Of the feed in one repetition, and as many of the bare loop."""
BETWEEN_SECONDS = (0.005, 0.035)
PREPARED_LINES = 6
"""Of the tape: tables open, shoes start. Then come the coups."""
_spawn = get_context("spawn")


class Latencies(NamedTuple):
    """Of the feed and of the bare loop, in milliseconds. Times are no money, so floats will do."""

    feed: list[float]
    bare: list[float]


# --- What runs in processes of its own -----------------------------------------------------------------


def serve(db: str, told: Connection, stopped: Event) -> None:
    """The feed on a bare application; sends its port."""
    import uvicorn  # noqa: PLC0415 – the extra `service`
    from fastapi import FastAPI  # noqa: PLC0415

    logs.configure()
    auditor = Reader("bench", {EVERYWHERE: frozenset({Role.AUDITOR})})
    with open_house(db) as house, open_feed(house, db) as feed:
        app = FastAPI()
        consumers = Consumers(house.tables, house.ledger.record, utc_now)
        app.include_router(feed_router(FeedDeps(feed, consumers, lambda: auditor, Places(10))))
        server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, lifespan="off"))

        async def run() -> None:
            serving = asyncio.create_task(server.serve())
            while not server.started:  # noqa: ASYNC110 – the server has no event for it
                await asyncio.sleep(0.01)
            told.send(server.servers[0].sockets[0].getsockname()[1])
            await asyncio.to_thread(stopped.wait)
            feed.tail.close()
            server.should_exit = True
            await serving

        asyncio.run(run())


def over_sse(where: str, after: int, told: Connection) -> None:
    """A consumer of the feed: `where` is its address."""
    headers = {"Accept": "text/event-stream"}
    with urlopen(Request(f"{where}/v1/events?after={after}", headers=headers)) as answer:  # noqa: S310 – ours
        seen = Seen(told)
        for line in answer:
            if line.startswith(b"retry:"):
                seen.begin()
            elif line.startswith(b"id: ") and seen.at(int(line[4:].partition(b"@")[0])):
                return


def by_polling(where: str, after: int, told: Connection) -> None:
    """A bare loop over a SQLite file."""
    with closing(sqlite3.connect(where)) as connection:
        seen = Seen(told)
        seen.begin()
        position = after
        while True:
            rows = connection.execute(
                "SELECT sequence, state FROM stored_events WHERE sequence > ? ORDER BY sequence", (position,)
            ).fetchall()
            for sequence, _ in rows:
                position = sequence
                if seen.at(sequence):
                    return
            sleep(POLL_SECONDS)


def by_listening(where: str, after: int, told: Connection) -> None:
    """A bare loop that LISTENs to PostgreSQL."""
    import psycopg  # noqa: PLC0415 – the extra `postgres`

    with psycopg.connect(where, autocommit=True) as connection:
        connection.execute(f"LISTEN {CHANNEL}".encode())
        seen = Seen(told)
        seen.begin()
        sql = b"SELECT sequence, state FROM stored_events WHERE sequence > %s ORDER BY sequence"
        position = after
        while True:
            for sequence, _ in connection.execute(sql, (position,)).fetchall():
                position = sequence
                if seen.at(sequence):
                    return
            for _ in connection.notifies(timeout=1, stop_after=1):
                pass


class Seen:
    """When each event came, told at the end: nothing is sent while it is measured."""

    def __init__(self, told: Connection) -> None:
        self._told = told
        self._moments: dict[int, float] = {}
        self._until = 0

    def begin(self) -> None:
        """Ready; the other end answers with the last event there will be, when it is known."""
        self._told.send("ready")

    def at(self, sequence: int) -> bool:
        """An event has come. Whether it was the last."""
        self._moments[sequence] = monotonic()
        if not self._until and self._told.poll():
            self._until = self._told.recv()
        if self._until and sequence >= self._until:
            self._told.send(self._moments)
            return True
        return False


def turn(
    house: House, commands: Sequence[Command], consume: Callable[[str, int, Connection], None], where: str
) -> list[float]:
    """Commit these coups while somebody consumes; his latencies, in milliseconds."""
    ours, theirs = _spawn.Pipe()
    after = house.ledger.record.last_sequence()
    process = _spawn.Process(target=consume, args=(where, after, theirs))
    process.start()
    theirs.close()  # so that the end of the process is the end of the wait for it
    assert ours.recv() == "ready"
    sleep(0.2)
    chance = random.Random(1)  # noqa: S311 – when somebody commits is no secret
    committed: list[tuple[int, float]] = []
    for number, command in enumerate(commands):
        sleep(chance.uniform(*BETWEEN_SECONDS))
        if number == len(commands) - 1:
            sleep(0.2)
        house.ledger.run(command)
        moment = monotonic()
        committed.append((house.ledger.record.last_sequence(), moment))
        if number == len(commands) - 2:
            # it looks for the answer at the next event, which is of the last commit
            ours.send(committed[-1][0] + 1)
    moments = ours.recv()
    process.join()
    return [(max(moments[last] - moment, 0)) * 1_000 for last, moment in committed[:-1]]


@contextmanager
def served(db: str) -> Iterator[str]:
    """The feed's address."""
    ours, theirs = _spawn.Pipe()
    stopped = _spawn.Event()
    process = _spawn.Process(target=serve, args=(db, theirs, stopped))
    process.start()
    theirs.close()
    try:
        yield f"http://127.0.0.1:{ours.recv()}"
    finally:
        stopped.set()
        process.join()


def latencies(db: str, commits: int) -> Latencies:
    """Of the feed and of the bare loop, by turns, on a ledger that is empty."""
    tape = load(10**9, WAGERS, tables=1)
    bare = by_listening if engines.is_server(db) else by_polling
    found = Latencies([], [])
    with open_house(db, create=True) as house, served(db) as url:
        house.ledger.run_many([TAPE_LINE.validate_python(line) for line in islice(tape, PREPARED_LINES)])
        for _ in range(max(commits // TURN_COMMITS, 1)):
            for into, consume, where in ((found.feed, over_sse, url), (found.bare, bare, db)):
                commands = [TAPE_LINE.validate_python(line) for line in islice(tape, TURN_COMMITS + 1)]
                into.extend(turn(house, commands, consume, where))
    return found


def feed(url: str | None, commits: int, repeat: int) -> Iterator[Figure]:
    """The 99th percentile from commit to consumer, in each repetition.

    Args:
        url: of a database to work in; None: SQLite alone.
        commits: in one repetition, of each of the two.
    """
    for engine, loop in (("SQLite", "polls"), *((("PostgreSQL", "LISTENs"),) if url else ())):
        turns = []
        with (
            progress_bar(f"{engine}: from commit to consumer") as (bar, task),
            tempfile.TemporaryDirectory() as at,
        ):
            bar.update(task, total=repeat)
            for _ in range(repeat):
                with (
                    scratch(url, own("feed"))
                    if engine == "PostgreSQL" and url
                    else nullcontext(f"{at}/{uuid4()}.db") as db
                ):
                    found = latencies(db, commits)
                turns.append(Turn(len(found.feed), _p99(found.feed) / 1_000, _p99(found.bare) / 1_000))
                bar.advance(task)
        yield Figure(
            f"{engine}: commit to consumer over SSE, p99",
            f"a bare loop that {loop}",
            "commits",
            turns,
            Sort.TIME,
            GOAL,
        )


def _p99(milliseconds: Sequence[float]) -> float:
    return statistics.quantiles(milliseconds, n=100, method="inclusive")[98]
