"""What comes in is bounded: how long, how fast, how often."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from time import monotonic, sleep

import pytest

from ledger.commands import TAPE_LINE
from ledger.terms.access import Role
from ops.rehearsal.deal import load
from ops.service.limits import Rates
from ops.service.refusals import TooManyRequests
from ops.service.settings import ServiceSettings
from tests.service.at_work import PATIENCE_SECONDS, PREMISES, AtWork, at_work, code_of
from tests.service.test_commands import opening

SMALL = ServiceSettings(
    body_bytes_max=2_000, body_seconds=0.5, head_seconds=0.3, send_seconds=1.0, streams_max=2
)
NDJSON = {"accept": "application/x-ndjson"}
COUPS, WAGERS = 100, 250
"""More than all buffers between a server and a client hold: some eight megabytes."""


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AtWork]:
    with at_work(tmp_path_factory.mktemp("limits") / "ledger.db", SMALL) as service:
        lines = [TAPE_LINE.validate_python(line) for line in load(COUPS, WAGERS, seed=5)]
        assert all(answer.applied for answer in service.house.ledger.run_many(lines))
        yield service


def connected(working: AtWork, receives_bytes: int | None = None) -> socket.socket:
    """A connection; with so small a buffer of what it has not read yet."""
    host, _, port = working.url.removeprefix("http://").partition(":")
    wire = socket.socket()
    wire.settimeout(PATIENCE_SECONDS)
    if receives_bytes is not None:
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receives_bytes)
    wire.connect((host, int(port)))
    return wire


def test_a_body_too_large_is_told_before_it_is_read(strict: AtWork) -> None:
    path = f"{PREMISES}/tables/L1/open-table"
    for content in (b" " * 2_001, iter([b" " * 1_000] * 3)):
        headers = {"content-type": "application/json"}
        answer = strict.asks("POST", path, Role.PIT, content=content, headers=headers)
        assert (answer.status_code, code_of(answer)) == (413, "body-too-large")


@pytest.mark.parametrize("length", ["9" * 15, "9" * 5_000])
def test_a_length_beyond_all_measure_is_no_fault(strict: AtWork, length: str) -> None:
    with connected(strict) as wire:
        key = strict.key("pit", Role.PIT)
        wire.sendall(
            f"POST {PREMISES}/tables/L1/open-table HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n"
            f"Content-Length: {length}\r\n\r\n".encode()
        )
        status = wire.recv(100).split()[1]
    assert status in {b"400", b"413"}


def test_a_body_that_does_not_come_is_told(strict: AtWork) -> None:
    with connected(strict) as wire:
        key = strict.key("pit", Role.PIT)
        wire.sendall(
            f"POST {PREMISES}/tables/L1/open-table HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n"
            'Content-Length: 100\r\n\r\n{"id"'.encode()
        )
        answer = wire.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"body-too-slow" in answer
    assert b"connection: close" in answer.lower()


WHOLE = b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"
UNREAD = b"POST /v1/tapes HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"


@pytest.mark.parametrize(
    ("sent", "then"),
    [(b"", b""), (b"", b"GET /livez HTTP/1.1\r\nHost:"), (WHOLE, b"GET /livez HT"), (UNREAD, b"{")],
    ids=["nothing", "half a first head", "half a second head", "a body that was answered already"],
)
def test_a_head_that_does_not_come_is_not_waited_for(strict: AtWork, sent: bytes, then: bytes) -> None:
    with connected(strict) as wire:
        wire.sendall(sent)
        if sent:
            assert wire.recv(4_000).startswith(b"HTTP/1.1 ")
        wire.sendall(then)
        while wire.recv(4_000):
            """What is left of the answer; then the end."""


def test_a_client_that_takes_nothing_of_its_answer_is_let_go(strict: AtWork) -> None:
    """Its place is free again, and its connection; nothing else would ever end it."""
    streams = strict.shared.settings.streams_max
    with ExitStack() as stack:
        for _ in range(streams):
            wire = stack.enter_context(connected(strict, 4_096))
            key = strict.key("auditor", Role.AUDITOR)
            wire.sendall(
                f"GET /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n"
                "Accept: application/x-ndjson\r\n\r\n".encode()
            )
            assert b'"specversion"' in wire.recv(4_096) + wire.recv(4_096), "it has its place, and begins"
        until = monotonic() + PATIENCE_SECONDS
        while strict.asks("GET", "/v1/events?limit=1", Role.AUDITOR, headers=NDJSON).status_code != 200:
            assert monotonic() < until
            sleep(0.02)


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        (b" " * 2_001, 413, "body-too-large"),
        (b'{"expected":0,"expected":0,"position":0}', 400, "not-json"),
        (b'{"expected":0,"position":' + b"9" * 1_500 + b"}", 422, "too-large"),
        (b'{"expected":0,"position":"0"}', 422, "not-an-integer"),
    ],
)
def test_what_moves_a_consumer_is_bounded_and_read_as_a_tape_is(
    strict: AtWork, content: bytes, status: int, code: str
) -> None:
    headers = {"content-type": "application/json"}
    answer = strict.asks("PUT", "/v1/consumers/books", Role.AUDITOR, content=content, headers=headers)
    assert (answer.status_code, code_of(answer)) == (status, code)


def test_more_connections_or_streams_than_are_served_are_told(tmp_path: Path) -> None:
    with at_work(tmp_path / "ledger.db", ServiceSettings(connections_max=3, streams_max=1)) as working:
        key = working.key("auditor", Role.AUDITOR)
        with ExitStack() as stack:
            wire = stack.enter_context(connected(working))
            wire.sendall(
                f"GET /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n"
                "Accept: text/event-stream\r\n\r\n".encode()
            )
            assert wire.recv(20).startswith(b"HTTP/1.1 200")
            full = working.asks("GET", "/v1/events", Role.AUDITOR, headers={"accept": "text/event-stream"})
            assert (full.status_code, code_of(full)) == (503, "feed-full")
            others = [stack.enter_context(connected(working)) for _ in range(3)]
            for other in others:
                other.sendall(WHOLE)
            assert any(other.recv(20).startswith(b"HTTP/1.1 503") for other in others)


FULL = ServiceSettings(connections_max=2)


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_one_connection_too_many_is_told_as_everything_else_is_and_closed(
    tmp_path: Path, method: str
) -> None:
    """A problem by RFC 9457 with a time to come again, in the figures too; then there is room again."""
    with at_work(tmp_path / "ledger.db", FULL) as working:
        with connected(working) as wire:  # one of two, with which the next would be as many as the limit
            wire.sendall(WHOLE)
            assert wire.recv(4_000).startswith(b"HTTP/1.1 200")
            answer = working.asks(method, "/livez")
            assert (answer.status_code, answer.headers["content-type"]) == (503, "application/problem+json")
            assert (answer.headers["retry-after"], answer.headers["connection"]) == ("1", "close")
            assert answer.headers["cache-control"] == "no-store"
            if method == "HEAD":
                assert answer.content == b""
            else:
                assert code_of(answer) == "overloaded"
                assert answer.json()["detail"].startswith("2 connections are open")
                assert answer.json()["request_id"] == answer.headers["x-request-id"]
        until = monotonic() + PATIENCE_SECONDS
        while (answer := working.asks("GET", "/metrics")).status_code != 200:
            assert monotonic() < until
        counted = f'ledger_http_requests_total{{method="{method}",route="(none)",status="503"}}'
        assert counted in answer.text


def test_what_is_no_http_is_refused(strict: AtWork) -> None:
    with connected(strict) as wire:
        wire.sendall(b"\x16\x03\x01 hello\r\n\r\n")
        assert wire.recv(100).startswith(b"HTTP/1.1 400")


def test_a_client_that_vanishes_before_its_body_leaves_no_event(strict: AtWork) -> None:
    key = strict.key("pit", Role.PIT)
    before = strict.house.ledger.record.last_sequence()
    with connected(strict) as wire:
        wire.sendall(
            f"POST {PREMISES}/tables/L2/open-table HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n"
            "Content-Length: 1000\r\n\r\n{".encode()
        )
    assert strict.asks("GET", "/livez").status_code == 200
    assert strict.house.ledger.record.last_sequence() == before


def test_who_asks_too_often_is_told_and_the_others_are_served(tmp_path: Path) -> None:
    limits = ServiceSettings(requests_per_second=0.001, burst=3)
    with at_work(tmp_path / "ledger.db", limits) as working:
        path = f"{PREMISES}/pnl"
        answers = [working.asks("GET", path, Role.AUDITOR) for _ in range(5)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
        assert code_of(answers[-1]) == "too-many-requests"
        assert answers[-1].headers["retry-after"]
        assert working.asks("GET", path, Role.AUDITOR, person="another").status_code == 200
        assert working.sends(opening("L3")).status_code == 200


def test_a_bucket_fills_as_time_goes_by() -> None:
    now = [0.0]
    rates = Rates(per_second=2.0, burst=2, now=lambda: now[0])
    for passed, taken in ((0.0, 2), (0.5, 1), (1.0, 2), (100.0, 2)):
        now[0] += passed
        for _ in range(taken):
            rates.take("somebody")
        with pytest.raises(TooManyRequests):
            rates.take("somebody")
        rates.take(f"another at {passed}")
