"""The runs: each makes up its input from a seed for so many seconds, and then says what held."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Event, Thread
from time import monotonic, sleep

import httpx

from ops.service.settings import ServiceSettings
from tests.service.at_work import AtWork, at_work
from tests.service.fuzz.holding import Held, heard, record_holds
from tests.service.fuzz.outages import locked, play_through
from tests.service.fuzz.pg import own_server
from tests.service.fuzz.published import ask_all
from tests.service.fuzz.requests import Sender, client
from tests.service.fuzz.wires import Wires

SETTINGS = ServiceSettings(
    requests_per_second=1_000_000,
    burst=1_000_000,
    body_bytes_max=200_000,
    body_seconds=2.0,
    head_seconds=2.0,
    send_seconds=2.0,
)
"""Limits that are met now and then, and no rate."""
AWAY_SECONDS = 2.0
BACK_SECONDS = 1.0


def requests(working: AtWork, rng: Random, seconds: float, held: Held) -> None:
    """Requests to every resource, while badly behaved connections come and go."""
    until = monotonic() + seconds
    broken: list[BaseException] = []

    def misbehave() -> None:
        try:
            Wires(working, Random(rng.random()), held).run(until)
        except BaseException as error:  # noqa: BLE001 – raised again, in the thread that waits for it
            broken.append(error)

    with client() as http:
        sender = Sender(working, rng, held)
        sender.every(http)
        beside = Thread(target=misbehave)
        beside.start()
        try:
            sender.run(until, http)
        finally:
            beside.join()
    if broken:
        raise broken[0]


def locks(working: AtWork, rng: Random, seconds: float, held: Held, db: Path) -> None:
    """Another process takes the file of the ledger for itself, again and again."""
    until = monotonic() + seconds

    def outages() -> None:
        while monotonic() < until:
            with locked(db):
                sleep(AWAY_SECONDS * rng.random())
            sleep(BACK_SECONDS * rng.random())
            held.count("times the file was locked")

    held.count("coups through it", play_through(working, held, outages, f"L{rng.randrange(10**6)}"))


def run_requests(db: str, seed: int, seconds: float) -> Held:
    """`requests`, on the ledger at `db`, which then verifies."""
    held = Held()
    with heard(), at_work(db, SETTINGS) as working:
        requests(working, Random(seed), seconds, held)
        held.count("events, which verify", record_holds(working.house, db))
    return held


def run_published(db: str, seed: int, seconds: float) -> Held:
    """What the published document makes of itself, on the ledger at `db`, which then verifies."""
    held = Held()
    with heard(), at_work(db, SETTINGS) as working:
        held.count("requests as published, or just not", ask_all(working, seed, seconds))
        held.count("events, which verify", record_holds(working.house, db))
    return held


def run_locks(db: Path, seed: int, seconds: float) -> Held:
    """`locks`, on the ledger at `db`, which then verifies."""
    held = Held()
    with heard(), at_work(db, SETTINGS) as working:
        locks(working, Random(seed), seconds, held, db)
        held.count("events, which verify", record_holds(working.house, str(db)))
    return held


def run_outages(seed: int, seconds: float) -> Held:
    """A server is stopped and started while tables play and anything is sent; its ledger then verifies."""
    held, rng, down = Held(), Random(seed), Event()
    with own_server() as server, heard(), at_work(server.url, SETTINGS) as working, client() as http:
        sender = Sender(working, rng, held)
        sender.every(http)

        def outages() -> None:
            until = monotonic() + seconds
            while True:
                down.set()
                server.stop()
                try:
                    sender.run(monotonic() + AWAY_SECONDS, http, away=down.is_set)
                finally:
                    server.start()
                sender.run(monotonic() + BACK_SECONDS, http, away=down.is_set)
                held.count("times the server was stopped")
                if monotonic() >= until:
                    return

        held.count("coups through it", play_through(working, held, outages, f"P{rng.randrange(10**6)}"))
        down.clear()
        _settle(sender, http)
        held.count("events, which verify", record_holds(working.house, server.url))
    return held


def _settle(sender: Sender, http: httpx.Client) -> None:
    """With the server back for good, nothing is away any more."""
    sender.run(monotonic() + BACK_SECONDS, http)


@contextmanager
def scratch() -> Iterator[Path]:
    """The path of a ledger that is not there yet."""
    with tempfile.TemporaryDirectory(prefix="baccarat-ledger-fuzz-") as folder:
        yield Path(folder) / "ledger.db"
