"""The feed on a bare application and a real server, and clients that speak to it.

Who asks is a header, `x-reader: NAME ROLE [PREMISES]`: whom to believe is not the feed's business.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from time import monotonic, sleep
from typing import Any, NamedTuple

import httpx
import uvicorn
from fastapi import FastAPI, Request

from ledger.terms.access import Role
from ops.feed.consumers import Consumers
from ops.feed.opening import open_feed
from ops.feed.roles import EVERYWHERE, Reader
from ops.feed.routes import FeedDeps, feed_router
from ops.feed.streams import Feed, Places
from ops.wiring import House, utc_now

PATIENCE_SECONDS = 20
AUDITOR = "eve auditor"
_PLAIN: dict[str, Any] = {"timeout": PATIENCE_SECONDS, "verify": False, "trust_env": False}
"""No certificates to load: that takes longer than a test."""
_CLIENT = httpx.Client(**_PLAIN, headers={"connection": "close"})


def reader(request: Request) -> Reader:
    name, role, *premises = request.headers.get("x-reader", AUDITOR).split()
    return Reader(name, dict.fromkeys(premises or [EVERYWHERE], frozenset({Role(role)})))


class Served(NamedTuple):
    """A feed being served at `url`."""

    url: str
    feed: Feed
    places: Places
    house: House

    def get(
        self, path: str = "/v1/events", who: str = AUDITOR, accept: str = "*/*", **query: Any
    ) -> httpx.Response:
        headers = {"x-reader": who, "accept": accept}
        return _CLIENT.get(self.url + path, params=query, headers=headers)

    def put(self, path: str, body: Any, who: str = AUDITOR) -> httpx.Response:
        return _CLIENT.put(self.url + path, json=body, headers={"x-reader": who})

    def lines(self, **query: Any) -> list[dict[str, Any]]:
        """What is told as NDJSON."""
        answer = self.get(accept="application/x-ndjson", **query)
        assert answer.status_code == 200, answer.text
        return [json.loads(line) for line in answer.text.splitlines()]

    @contextmanager
    def stream(
        self, accept: str = "text/event-stream", who: str = AUDITOR, last: str | None = None, **query: Any
    ) -> Iterator[Iterator[str]]:
        """The lines of a stream, as they come."""
        headers = {"x-reader": who, "accept": accept} | ({"last-event-id": last} if last else {})
        with (
            httpx.Client(**_PLAIN) as client,
            client.stream("GET", f"{self.url}/v1/events", params=query, headers=headers) as answer,
        ):
            assert answer.status_code == 200
            yield answer.iter_lines()


class Told(NamedTuple):
    """One server-sent event: `id` is the number of its resume point, `resume` all of that."""

    id: int
    resume: str
    name: str
    data: dict[str, Any]


def told(lines: Iterator[str]) -> Iterator[Told]:
    """Server-sent events, read as the standard has it; comments and `retry` are passed over."""
    fields: dict[str, str] = {}
    for line in lines:
        if not line:
            if "data" in fields:
                resume = fields["id"]
                number = int(resume.partition("@")[0])
                yield Told(number, resume, fields.get("event", "message"), json.loads(fields["data"]))
            fields = {}
            continue
        name, _, value = line.partition(":")
        fields[name] = value.removeprefix(" ")


@contextmanager
def serving(house: House, db: str, streams_max: int = 50) -> Iterator[Served]:
    """The feed of this ledger, until the block ends."""
    with open_feed(house, db) as feed:
        places = Places(streams_max)
        app = FastAPI()
        consumers = Consumers(house.tables, house.ledger.record, utc_now)
        app.include_router(feed_router(FeedDeps(feed, consumers, reader, places)))
        server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, lifespan="off"))
        thread = Thread(target=server.run, daemon=True)
        thread.start()
        wait_until(lambda: server.started)
        (port,) = {socket.getsockname()[1] for one in server.servers for socket in one.sockets}
        try:
            yield Served(f"http://127.0.0.1:{port}", feed, places, house)
        finally:
            feed.tail.close()
            server.should_exit = True
            thread.join(PATIENCE_SECONDS)
            assert not thread.is_alive()


def wait_until(so: Any) -> None:
    """Until this is so."""
    until = monotonic() + PATIENCE_SECONDS
    while not so():
        assert monotonic() < until, "it never came to be"
        sleep(0.005)


def events(messages: list[dict[str, Any]]) -> list[int]:
    """The sequences of those messages that are events."""
    return [int(one["sequence"]) for one in messages if "data" in one]


def covered(messages: list[dict[str, Any]]) -> list[int]:
    """Every sequence that messages speak for: an event's own, and all of a withheld marker."""
    found: list[int] = []
    for one in messages:
        if one["type"].endswith("feed.withheld"):
            found += range(int(one["firstsequence"]), int(one["sequence"]) + 1)
        elif "data" in one:
            found.append(int(one["sequence"]))
    return found
