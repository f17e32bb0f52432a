"""Requests to every resource that is published, most of them wrong in some way."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import timedelta
from random import Random
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx

from ledger.terms.access import Role
from ops.rehearsal.deal import load
from tests.service.at_work import PATIENCE_SECONDS, AtWork, as_request
from tests.service.fuzz.holding import Held
from tests.service.fuzz.nasty import CORRUPTIONS, TEXTS, body, pick
from tests.tabletalk import Night, hands, wagers

NAMES: Mapping[str, tuple[str, ...]] = {
    "premises": ("main",) * 30 + ("annexe", "nowhere"),
    "table": ("F1", "F2", "F3", "F4"),
    "shoe": ("S1", "S2"),
    "number": ("1", "2", "3", "4", "9999"),
    "gaming_day": ("2026-11-27", "2026-11-26"),
    "month": ("2026-11", "2026-13"),
    "proposal": ("c1", "c2", "c3"),
    "command_id": ("c1", "c2", "c3"),
    "key": ("fuzz-1", "fuzz-2"),
    "name": ("books", "cage"),
}
"""What stands in a path where it could be right."""
QUERIES: Mapping[str, tuple[str, ...]] = {
    "by": ("shift", "day", "month"),
    "from": ("2026-11-01", "2026-11-30"),
    "to": ("2026-11-30",),
    "limit": ("1", "2", "1000", "1001", "0"),
    "after": ("0", "1", "5", "100000000"),
    "types": ("coup-settled.v1", "command-recorded.v1,key-issued.v1", "x"),
    "wait": ("0", "0", "1"),
    "consumer": ("books",),
    "cursor": ("AAAA", "e30", "W10", "A" * 999, "A" * 1_001, "eyJhIjoxfQ=="),
    "severity": ("breach", "doubt"),
}
ACCEPTS = (
    "*/*",
    "application/json",
    "application/x-ndjson",
    "text/event-stream;q=0.1, application/json",
    "x/y",
    "application/x-ndjson;q=abc",
    ";;;,,,",
    "application/json;q=1e999",
)


class Resource(NamedTuple):
    """A published resource."""

    method: str
    path: str
    operation: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The command that it takes, or whatever its path ends with."""
        return self.path.rpartition("/")[2]


def corpus(seed: int) -> dict[str, list[dict[str, Any]]]:
    """Good lines by command: of an evening that is played, and of what else there is."""
    night = Night(table="F1", prefix="c").opens()
    night.coup(1, "P 9 K / B 7 Q", "player 100 p-1, banker 200 p-2")
    night.step("open-coup", 2)
    night.step("place-wagers", 2, wagers=wagers("player 100 p-1"))
    night.step("cancel-wagers", 2, wagers=["w1"], reason="A mistake")
    night.step("close-wagers", 2, hands_in_play=["player"])
    night.step("deal-hands", 2, hands=hands("P 9 K / B 7 Q"))
    night.step("settle-coup", 2)
    ruling: dict[str, Any] = {"reason": "A card too many", "approvers": ["a-1", "a-2"]}
    night.step("void-coup", 1, **ruling)
    night.step("correct-hands", 1, hands=hands("P 9 K / B 7 Q"), **ruling)
    night.step("correct-coup", 1, hands=hands("P 9 K / B 7 Q"), evidence="clip 17", **ruling)
    night.step("raise-dispute", 1, dispute="d-1", patron="p-1", claim="It was a tie")
    night.step("resolve-dispute", 1, dispute="d-1", resolution="It was not")
    night.say("change-offer", kinds=["player", "banker"])
    night.say("seat-player", patron="p-1", seat=1)
    night.say("unseat-player", patron="p-1")
    night.say("take-bank", holder="p-1", seat=1, sum=50_000)
    night.say("fill-chips", slip="1", chips={"2500": 4}, signatories=["a-1", "a-2"])
    night.say("count-drop", amount=100)
    night.say("count-float", chips={"2500": 4})
    night.say("end-shoe", shoe="S1")
    night.say("close-table", closer={"chips": {"2500": 400}})
    lines = [*night.lines, *load(10, 4, seed)]
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in lines:
        found[line["command"]].append({name: value for name, value in line.items() if name != "actor"})
    found["consents"] = [{"digest": "0" * 64}]
    found["withdraw"] = [{"reason": "x"}]
    found["revoke"] = [{"reason": "x"}]
    found["keys"] = [{"key": "fuzz-1", "person": "p", "roles": ["pit"]}]
    found["{name}"] = [{"expected": 0, "position": 1}]
    return found


def credentials(working: AtWork, rng: Random) -> Callable[[], str | None]:
    """Gives the `Authorization` of the next request: mostly of somebody who may do everything here."""
    everybody = working.key("everybody", *Role)
    ended = working.key("ended", *Role, expires_at=working.clock.now + timedelta(hours=1))
    revoked = working.key("revoked", *Role)
    working.clock.moves(timedelta(hours=2))
    working.shared.keys.revoke("main", revoked.split("_")[2], "x", "admin-0")
    abroad = working.key("abroad", *Role, premises="annexe")
    alone = [working.key(role.value, role) for role in Role]
    others = [ended, revoked, abroad, *alone, everybody[:-1], everybody + "0", "blk_", "x" * 9_000,
              "eyJhbGciOiJub25lIn0.e30.", "é", "\x00"]  # fmt: skip

    def one() -> str | None:
        if rng.random() < 0.9:
            return f"Bearer {everybody}"
        wrong: str | None = pick(rng, (None, "", "Basic x", "Bearer", *(f"Bearer {text}" for text in others)))
        return wrong

    return one


class Sender:
    """Sends requests, one after the other, and holds each answer to the promises."""

    def __init__(self, working: AtWork, rng: Random, held: Held) -> None:
        self._working, self._rng, self._held, self._url = working, rng, held, working.url
        document = working.asks("GET", "/v1/openapi.json").json()
        self._resources = [
            Resource(method.upper(), path, operation)
            for path, operations in document["paths"].items()
            for method, operation in operations.items()
        ]
        self._corpus = corpus(rng.randrange(1_000))
        self._credential = credentials(working, rng)
        self._cursors: list[str] = []

    def run(self, until: float, http: httpx.Client, *, away: Callable[[], bool] = lambda: False) -> None:
        """Send until then, by the monotonic clock."""
        while monotonic() < until:
            self.send(pick(self._rng, self._resources), http, away)

    def every(self, http: httpx.Client) -> None:
        """One request to each resource, when the tables are open and have their shoes."""
        for command in ("open-table", "start-shoe"):
            for line in self._corpus[command]:
                self._held.answered(self._working.sends(line, Role.PIT), line)
        for resource in self._resources:
            self.send(resource, http)

    def send(self, resource: Resource, http: httpx.Client, away: Callable[[], bool] = lambda: False) -> None:
        """One request."""
        rng = self._rng
        content, line = self._content(resource)
        path = self._path(resource, line)
        headers = self._headers()
        was_away = away()
        try:
            request = http.build_request(
                resource.method, path, params=self._query(resource), headers=headers, content=content
            )
            answer = http.send(request)
        except (httpx.LocalProtocolError, httpx.InvalidURL, UnicodeEncodeError):
            return  # the client itself would not send such a thing
        self._held.answered(answer, content, away=was_away or away())
        published = resource.operation["responses"]
        status = str(answer.status_code)
        assert status in published or status in {"404", "405", "503"}, f"{status} to {resource.path}"
        if answer.status_code == 200 and b'"next":"' in answer.content and len(self._cursors) < 50:
            self._cursors.append(answer.json()["next"])
        if resource.name == "tapes" and answer.status_code == 200:
            end = json.loads(answer.text.splitlines()[-1])
            assert end["end"] == "whole" or was_away or away(), end
            self._held.count("lines of tapes", sum(end["lines"].values()))
        elif rng.random() < 0.002:
            self._held.count("repeats")
            self._held.answered(http.send(request), content, away=was_away or away())

    def _content(self, resource: Resource) -> tuple[bytes | None, dict[str, Any]]:
        rng = self._rng
        if "requestBody" not in resource.operation:
            return (b"{}" if rng.random() < 0.02 else None), {}
        if resource.name == "tapes":
            lines = [pick(rng, found) for found in self._corpus.values()]
            content = b"\n".join(body(rng, pick(rng, lines)) for _ in range(rng.randrange(12)))
            return (pick(rng, CORRUPTIONS)(rng, content) if rng.random() < 0.1 else content), {}
        line = pick(rng, self._corpus.get(resource.name) or [{}])
        said = as_request(line)[1] if "command" in line else line
        if "command" in line:
            said["id"] = f"fuzz-{rng.randrange(10**9)}"
        return body(rng, said), line

    def _path(self, resource: Resource, line: Mapping[str, Any]) -> str:
        path = resource.path
        while "{" in path:
            name = path[path.index("{") + 1 : path.index("}")]
            right = [str(line[name])] if name in line else list(NAMES.get(name, ("x",)))
            if name == "number":
                right = [*right, *NAMES[name], str(self._rng.randrange(1, 10_000))]
            text = pick(self._rng, right) if self._rng.random() < 0.93 else pick(self._rng, TEXTS)
            path = path.replace(f"{{{name}}}", quote(text.encode("utf-8", "replace"), safe=""))
        return self._url + path

    def _query(self, resource: Resource) -> dict[str, str]:
        asked = {}
        for parameter in resource.operation.get("parameters", ()):
            name = parameter["name"]
            if parameter["in"] == "query" and self._rng.random() < 0.25:
                known = (*QUERIES.get(name, ("x",)), *(self._cursors if name == "cursor" else ()))
                asked[name] = pick(self._rng, known if self._rng.random() < 0.6 else TEXTS)
        return {name: text.encode("utf-8", "replace").decode() for name, text in asked.items()}

    def _headers(self) -> list[tuple[bytes, bytes]]:
        rng = self._rng
        given: dict[str, str | None] = {
            "authorization": self._credential(),
            "content-type": "application/json" if rng.random() < 0.5 else None,
            "idempotency-key": pick(rng, (f"fuzz-{rng.randrange(50)}", *TEXTS))
            if rng.random() < 0.2
            else None,
            "accept": pick(rng, ACCEPTS),
            "last-event-id": pick(rng, ("0", "5", *TEXTS)) if rng.random() < 0.05 else None,
            "x-request-id": pick(rng, TEXTS) if rng.random() < 0.1 else None,
        }
        return [
            (name.encode(), text.encode("utf-8", "replace"))
            for name, text in given.items()
            if text is not None
        ]


def client() -> httpx.Client:
    """A client of its own."""
    return httpx.Client(timeout=PATIENCE_SECONDS, verify=False, trust_env=False)
