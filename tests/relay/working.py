"""A ledger being relayed, in this process or in one of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from threading import Thread
from typing import Any

from ledger.commands import TAPE_LINE
from ops.feed.opening import open_feed
from ops.rehearsal.deal import load
from ops.relay.nats_client import Servers
from ops.relay.patience import Patience
from ops.relay.position import Positions
from ops.relay.relay import Relay
from ops.relay.target import Wanted
from ops.wiring import House, open_house
from tests.relay.servers import Server

WAGERS = 4


def ledger_at(path: Path, coups: int, seed: int = 1) -> int:
    """A ledger of so many coups; returns how many events it has."""
    with open_house(str(path), create=True) as house:
        play(house, coups, seed)
        return house.ledger.record.last_sequence()


def play(house: House, coups: int, seed: int = 1, a_save: int = 50) -> None:
    """Play so many coups of a load."""
    lines = iter(load(coups, WAGERS, seed))
    while some := list(islice(lines, a_save)):
        house.ledger.run_many([TAPE_LINE.validate_python(line) for line in some])


@contextmanager
def relay_of(
    path: Path, *servers: Server, give_up: float | None = None, replicas: int = 1
) -> Iterator[Relay]:
    """A relay that has not begun."""
    urls = Servers(tuple(one.url for one in servers))
    with open_house(str(path)) as house, open_feed(house, str(path)) as feed:
        patience = Patience(str(urls), give_up)
        yield Relay(feed, Positions(house.tables), urls, Wanted(replicas=replicas), patience)


def relay_once(path: Path, *servers: Server, give_up: float | None = 30, replicas: int = 1) -> int:
    """Relay up to the end; returns how many events were put there."""

    async def work() -> int:
        with relay_of(path, *servers, give_up=give_up, replicas=replicas) as relay:
            await relay.run(once=True)
            return relay.relayed

    return asyncio.run(work())


async def while_relaying(
    path: Path, servers: list[Server], scenario: Callable[[], Awaitable[Any]], replicas: int = 1
) -> None:
    """Relay until the scenario has come to its end."""
    with relay_of(path, *servers, replicas=replicas) as relay:
        running = asyncio.create_task(relay.run())
        try:
            await scenario()
        finally:
            relay.stop()
            await running


@contextmanager
def beside(work: Callable[[], Any]) -> Iterator[None]:
    """Something that goes on in a thread until the block ends or longer."""
    thread = Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        thread.join()
