"""What comes in is bounded: how long, how fast, how often."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.terms.access import Role
from ops.service import server
from ops.service.limits import Rates
from ops.service.refusals import TooManyRequests
from ops.service.settings import ServiceSettings
from tests.service.at_work import PATIENCE_SECONDS, PREMISES, AtWork, at_work, code_of
from tests.service.test_commands import opening

SMALL = ServiceSettings(body_bytes_max=2_000, body_seconds=0.5)


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AtWork]:
    with at_work(tmp_path_factory.mktemp("limits") / "ledger.db", SMALL) as service:
        yield service


def connected(working: AtWork) -> socket.socket:
    host, _, port = working.url.removeprefix("http://").partition(":")
    return socket.create_connection((host, int(port)), PATIENCE_SECONDS)


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


def test_a_head_that_does_not_come_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "HEAD_SECONDS", 0.3)
    with at_work(tmp_path / "ledger.db") as working, connected(working) as wire:
        wire.sendall(b"GET /livez HTTP/1.1\r\nHost:")
        assert wire.recv(100) == b""


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
