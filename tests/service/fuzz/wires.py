"""Clients that are slow, that vanish in the middle, and that speak no HTTP."""

from __future__ import annotations

import json
import socket
from contextlib import closing
from random import Random
from time import monotonic, sleep

from ledger.terms.access import Role
from tests.service.at_work import PATIENCE_SECONDS, PREMISES, AtWork
from tests.service.fuzz.holding import Held
from tests.service.fuzz.nasty import CORRUPTIONS, pick
from tests.tabletalk import Night

_NOT_HTTP = (b"\x16\x03\x01\x02\x00", b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x00" * 500,
             b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n", b"GET /livez HTTP/1.1\r\nA: " + b"b" * 70_000,
             b"GET /livez HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
             b"POST /v1/tapes HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
             b"POST /v1/tapes HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
             b"GET /livez HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
             b"GET /livez HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
             b"GET /%00%ff%2e%2e HTTP/1.1\r\nHost: x\r\n\r\n",
             b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n")  # fmt: skip


class Wires:
    """Opens connections to a service and treats them badly."""

    def __init__(self, working: AtWork, rng: Random, held: Held) -> None:
        self._working, self._rng, self._held = working, rng, held
        host, _, port = working.url.removeprefix("http://").partition(":")
        self._at = (host, int(port))
        self._key = working.key("everybody", *Role)
        self._nights = 0

    def run(self, until: float) -> None:
        """One after the other, until then."""
        ways = (
            self.vanish_in_a_body,
            self.vanish_in_a_tape,
            self.vanish_in_an_answer,
            self.no_http,
            self.slowly,
        )
        while monotonic() < until:
            for way in ways:
                way()
                self._held.count(way.__name__.replace("_", " "))

    def _open(self) -> socket.socket:
        return socket.create_connection(self._at, PATIENCE_SECONDS)

    def _head(self, line: str, *more: str) -> bytes:
        given = ("Host: x", f"Authorization: Bearer {self._key}", *more)
        return "\r\n".join((f"{line} HTTP/1.1", *given, "", "")).encode()

    def _tape(self) -> tuple[str, list[bytes]]:
        self._nights += 1
        table = f"V{self._nights}-{self._rng.randrange(10**6)}"
        night = Night(table=table, prefix=f"{table}-").opens()
        for number in range(1, 5):
            night.coup(number, "P 9 K / B 7 Q", "player 100 p-1, banker 200 p-2")
        lines = [{name: said for name, said in line.items() if name != "actor"} for line in night.lines]
        return table, [json.dumps(line).encode() + b"\n" for line in lines]

    def vanish_in_a_body(self) -> None:
        """Half a command is none."""
        table, (opens, *_) = self._tape()
        with closing(self._open()) as wire:
            head = self._head(f"POST {PREMISES}/tables/{table}/open-table", f"Content-Length: {len(opens)}")
            whole = head + opens
            wire.sendall(whole[: self._rng.randrange(len(whole) - 1)])
            self._perhaps_reset(wire)
        assert not self._events(f"table/main/{table}/2026-11-27")

    def vanish_in_a_tape(self) -> None:
        """Whole lines may be applied, each wholly; half a line is none."""
        table, lines = self._tape()
        content = b"".join(lines)
        cut = self._rng.randrange(len(content))
        with closing(self._open()) as wire:
            wire.sendall(self._head("POST /v1/tapes", "Transfer-Encoding: chunked"))
            sent = content[:cut]
            if self._rng.random() < 0.3:
                sent = pick(self._rng, CORRUPTIONS)(self._rng, sent)
            wire.sendall(b"%x\r\n%s\r\n" % (len(sent), sent) if sent else b"5\r\nab")
            self._perhaps_reset(wire)
        for number in range(1, 5):
            topics = self._events(f"coup/main/{table}/S1/{number}")
            assert not topics or topics[-1].startswith("coup-settled."), topics

    def vanish_in_an_answer(self) -> None:
        """Of whatever is being sent."""
        path = pick(self._rng, ("/v1/events", "/v1/events?wait=2", f"{PREMISES}/compliance?limit=1000"))
        accept = pick(self._rng, ("text/event-stream", "application/x-ndjson", "application/json"))
        with closing(self._open()) as wire:
            wire.sendall(self._head(f"GET {path}", f"Accept: {accept}"))
            wire.recv(self._rng.randrange(1, 5_000))
            self._perhaps_reset(wire)

    def no_http(self) -> None:
        """It is told, or nothing is said; and never what went on inside."""
        with closing(self._open()) as wire:
            try:
                wire.sendall(pick(self._rng, _NOT_HTTP))
                wire.shutdown(socket.SHUT_WR)
                answer = wire.makefile("rb").read(20_000)
            except ConnectionError:
                return
        assert b"Traceback" not in answer
        assert not answer.startswith(b"HTTP/1.1 5"), answer

    def slowly(self) -> None:
        """Sent in little pieces: it is served all the same, as long as it takes no longer than it may."""
        table, (opens, *_) = self._tape()
        head = self._head(
            f"POST {PREMISES}/tables/{table}/open-table", f"Content-Length: {len(opens)}", "Connection: close"
        )
        whole = head + opens
        with closing(self._open()) as wire:
            for at in range(0, len(whole), 200):
                wire.sendall(whole[at : at + 200])
                sleep(0.01)
            assert wire.makefile("rb").read().startswith(b"HTTP/1.1 200"), table

    def _perhaps_reset(self, wire: socket.socket) -> None:
        if self._rng.random() < 0.5:  # no farewell, but a broken connection
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")

    def _events(self, stream: str) -> list[str]:
        return [row.topic for row in self._working.house.ledger.record.select_stream(stream)]
