"""A service at work: on a ledger of its own, behind a real socket, with a credential for every role."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

import httpx
from fastapi import FastAPI
from fastapi.routing import APIRoute

from ledger.terms.access import Role
from ops.console.settings import ConsoleSettings
from ops.service.app import service
from ops.service.context import Service
from ops.service.keys import NewKey
from ops.service.server import Server
from ops.service.settings import ServiceSettings
from ops.wiring import House, open_house
from tests.tabletalk import NOON, Night

PATIENCE_SECONDS = 30.0
PREMISES = "/v1/premises/main"
GENEROUS = ServiceSettings(requests_per_second=100_000, burst=100_000)


class Clock:
    """The ledger's clock, which a test may move."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now

    def moves(self, by: timedelta) -> None:
        """Time passes."""
        self.now += by


class AtWork:
    """A running service.

    Attributes:
        url: where it is.
        http: a client that says nothing of who it is.
    """

    def __init__(self, url: str, app: FastAPI, clock: Clock) -> None:
        self.url = url
        self.routes = [route for route in app.routes if isinstance(route, APIRoute)]
        shared: Service = app.state.service
        self.shared = shared
        self.clock = clock
        self.http = httpx.Client(base_url=url, timeout=PATIENCE_SECONDS, verify=False, trust_env=False)
        self._texts: dict[tuple[str, str, tuple[Role, ...]], str] = {}

    @property
    def house(self) -> House:
        """The ledger that is served."""
        return self.shared.house

    def key(self, person: str, *roles: Role, premises: str = "main", **more: Any) -> str:
        """A key of a person; the same again for the same person, roles and premises."""
        asked = (premises, person, roles)
        if asked not in self._texts:
            new = NewKey(premises, f"key-{len(self._texts)}", person, roles, **more)
            self._texts[asked] = self.shared.keys.issue(new, "admin-0")
        return self._texts[asked]

    def asks(
        self, method: str, path: str, *roles: Role, person: str | None = None, **more: Any
    ) -> httpx.Response:
        """A request by somebody with these roles at `main`; by nobody, without any."""
        headers: dict[str, str] = dict(more.pop("headers", {}))
        if roles:
            headers["authorization"] = f"Bearer {self.key(person or '-'.join(roles), *roles)}"
        return self.http.request(method, path, headers=headers, **more)

    def gets(self, path: str, *roles: Role, **query: Any) -> httpx.Response:
        """A reading request at `main`."""
        return self.asks("GET", f"{PREMISES}/{path}", *roles, params=query)

    def sends(self, line: Mapping[str, Any], *roles: Role, person: str | None = None) -> httpx.Response:
        """A line of a tape as a request to the resource of its command, whoever its actor was."""
        path, body = as_request(line)
        return self.asks("POST", path, *(roles or (Role.PIT,)), person=person, json=body)

    def plays(self, night: Night, *roles: Role) -> list[httpx.Response]:
        """Every line of a night, which must be applied."""
        answers = [self.sends(line, *roles) for line in night.lines]
        assert [answer.status_code for answer in answers] == [200] * len(answers), [
            answer.text for answer in answers
        ]
        return answers


def as_request(line: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The path and the body that a line of a tape amounts to, without its actor."""
    body = {name: value for name, value in line.items() if name != "actor"}
    command = body.pop("command")
    where = [f"/v1/premises/{body.pop('premises', 'main')}"]
    if "number" in body:
        where.append(f"tables/{body.pop('table')}/shoes/{body.pop('shoe')}/coups/{body.pop('number')}")
    elif "table" in body:
        where.append(f"tables/{body.pop('table')}")
    else:
        where.append(f"days/{body.pop('gaming_day')}")
    return "/".join([*where, command]), body


@contextmanager
def at_work(
    db: Path | str, settings: ServiceSettings = GENEROUS, console: ConsoleSettings | None = None
) -> Iterator[AtWork]:
    """A service on the ledger at `db`, from its start to its graceful stop."""
    clock = Clock()
    with open_house(str(db), create=True, clock=clock) as house:
        app = service(house, settings, clock, console=console)
        server = Server(app, "127.0.0.1", 0)
        thread = Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive()
            sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        working = AtWork(f"http://127.0.0.1:{port}", app, clock)
        try:
            yield working
        finally:
            working.http.close()
            server.should_exit = True
            thread.join(PATIENCE_SECONDS)
            server.end()
            assert not thread.is_alive()


def code_of(answer: httpx.Response) -> str:
    """The code of a problem, which must be one by RFC 9457."""
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    problem: dict[str, Any] = answer.json()
    assert problem["status"] == answer.status_code
    assert {"type", "title", "detail", "request_id"} <= set(problem)
    assert "Traceback" not in answer.text
    code: str = problem["code"]
    return code


def ndjson(text: str) -> list[Any]:
    """The values of a text of a line each."""
    return [json.loads(line) for line in text.splitlines()]
