"""A night whose every process is killed again and again, and whose server and stream are, too."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from time import sleep
from typing import NamedTuple

from ledger.store.postgres_schema import upgrade
from tests.faults import layer, promises
from tests.faults.nights import Line, lay_out
from tests.faults.servers import Postgres, kill_at_once
from tests.faults.work import FOLLOWING, WRITING
from tests.projections.houses import house_at
from tests.relay import servers as nats

ROOT = Path(__file__).parents[2]
SERVERS = "servers"
"""Under which their crashes are counted."""
WORK_SECONDS_MAX = 300
BETWEEN_CRASHES_SECONDS = (0.5, 3.0)


class Plan(NamedTuple):
    """How much is played and how much dies in one night."""

    deaths_each: int = 30
    coups: int = 120
    live: Sequence[Line] | None = None
    server_crashes: int = 2


@dataclass
class Night:
    """What came of one night."""

    deaths: dict[str, int] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)
    events: int = 0


class Dying:
    """A work that dies, running beside the others."""

    def __init__(
        self, kind: str, db: str, folder: Path, seed: int, *, deaths: int = 0,
        died: Callable[[], None] = lambda: None, environment: Mapping[str, str] | None = None,
    ):  # fmt: skip
        """Begin.

        Args:
            died: told of each death.
            environment: how it runs on the layer; None: only to die by it.
        """
        self.kind, self.deaths, self.away = kind, 0, 0
        self._said: list[str] = []
        self._died = died
        arguments = ["-m", "tests.faults.life", kind, db, str(folder), str(seed), str(deaths)]
        self.process = subprocess.Popen(
            [sys.executable, *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, env={**os.environ, **(environment or layer.under())},
        )  # fmt: skip
        self._reader = Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith('{"died"'):
                self.deaths += 1
                self._died()
            elif line.startswith('{"away"'):
                self.away += 1
                self._said.append(line)
            else:
                self._said.append(line)

    def end(self) -> Iterator[str]:
        """Wait for it; what went wrong."""
        try:
            code = self.process.wait(WORK_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = -1
        self._reader.join()
        if self.process.stdout is not None:
            self.process.stdout.close()
        if code:
            yield f"{self.kind} ended with {code}: {''.join(self._said[-30:])}"


@contextmanager
def crashing(
    rng: random.Random, times: int, crashes: Sequence[Callable[[], None]], told: dict[str, int]
) -> Iterator[None]:
    """In the block, servers crash so many times, one of these ways each."""
    over = Event()

    def work() -> None:
        for _ in range(times):
            if over.wait(rng.uniform(*BETWEEN_CRASHES_SECONDS)):
                return
            rng.choice(crashes)()
            told[SERVERS] = told.get(SERVERS, 0) + 1

    thread = Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def ways(rng: random.Random, stream: nats.Server, server: Postgres | None) -> list[Callable[[], None]]:
    """How servers crash."""

    def stream_dies() -> None:
        stream.stop(signal.SIGKILL)
        stream.start()

    found = [stream_dies]
    if server is not None:
        alive = server

        def immediate() -> None:
            alive.stop(signal.SIGQUIT)
            alive.start()

        def machine() -> None:
            alive.kill()
            sleep(rng.uniform(0, 0.5))
            alive.start()

        def connection() -> None:
            kill_at_once(rng.choice(alive.children()))
            alive.wait()

        found = [immediate, machine, connection, stream_dies]
    return found


def night(
    folder: Path, db: str, seed: int, plan: Plan, *, died: Callable[[], None] = lambda: None,
    server: Postgres | None = None,
) -> Night:  # fmt: skip
    """Play one night in an empty folder, on an empty ledger."""
    came, rng = Night(), random.Random(seed)
    tapes = lay_out(folder, seed, plan.coups, plan.live)
    with house_at(db):  # made before anybody dies
        pass

    def start(kinds: Sequence[str], deaths: int) -> list[Dying]:
        return [Dying(kind, db, folder, seed, deaths=deaths, died=died) for kind in kinds]

    def end(dying: Sequence[Dying]) -> None:
        for one in dying:
            came.broken += one.end()
            came.deaths[one.kind] = came.deaths.get(one.kind, 0) + one.deaths

    with nats.server(folder / "stream") as stream:
        (folder / "nats").write_text(stream.url)
        with crashing(rng, plan.server_crashes, ways(rng, stream, server), came.deaths):
            following, writing = start(FOLLOWING, plan.deaths_each), start(WRITING, plan.deaths_each)
            end(writing)
        end(start(["close"], plan.deaths_each))
        (folder / "finish").touch()
        end(following)
        with house_at(db) as house:
            came.broken += promises.in_order(house, nats.in_stream(stream))
            came.events = house.ledger.record.last_sequence()
            came.broken += promises.closed(house, f"load-{seed}", "2008-01-01")
    came.broken += promises.after_a_fault(db, promises.acks_in(folder), promises.Expected.of(tapes))
    return came


def store_in(folder: Path, server: Postgres | None) -> str:
    """A place for a ledger: a file in the folder, or a schema of the server's with an empty one."""
    if server is None:
        return str(folder / "ledger.db")
    name = folder.name.replace("-", "_")
    server.change(f"CREATE SCHEMA {name}")
    url = f"{server.url}?options=-csearch_path%3D{name}"
    upgrade(url)
    return url
