"""Tapes over HTTP: a result for every line, while the tape is still coming."""

from __future__ import annotations

import gzip
import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from ledger.terms.access import Role
from ops.service.settings import ServiceSettings
from ops.service.splitter import Splitter
from ops.service.tapes import MEDIA_TYPE
from tests.service.at_work import PATIENCE_SECONDS, AtWork, at_work, code_of, ndjson
from tests.tabletalk import Night, events_of

HEADERS = {"content-type": MEDIA_TYPE}


def tape_of(night: Night, **facts: Any) -> list[bytes]:
    """The lines of a night, as somebody sends them whose credential says who they are."""
    sent = []
    for line in night.lines:
        body = {name: value for name, value in line.items() if name != "actor"}
        sent.append(json.dumps(body | facts).encode() + b"\n")
    return sent


def posted(working: AtWork, content: bytes, *roles: Role) -> list[dict[str, Any]]:
    answer = working.asks("POST", "/v1/tapes", *(roles or (Role.PIT,)), content=content, headers=HEADERS)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith(MEDIA_TYPE)
    return ndjson(answer.text)


def evening(table: str, coups: int = 3) -> Night:
    night = Night(table=table, prefix=f"{table}-").opens()
    for number in range(1, coups + 1):
        night.coup(number, "P 9 K / B 7 Q", "player 100, banker 200")
    return night


class Wire:
    """A tape sent piece by piece over a socket of its own."""

    def __init__(self, working: AtWork, *roles: Role) -> None:
        host, _, port = working.url.removeprefix("http://").partition(":")
        self.socket = socket.create_connection((host, int(port)), PATIENCE_SECONDS)
        key = working.key("-".join(roles), *roles)
        self.socket.sendall(
            f"POST /v1/tapes HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\n"
            f"Content-Type: {MEDIA_TYPE}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
        )
        self.received = self.socket.makefile("rb")

    def sends(self, content: bytes) -> None:
        self.socket.sendall(b"%x\r\n%s\r\n" % (len(content), content))

    def ends(self) -> None:
        self.socket.sendall(b"0\r\n\r\n")

    def results(self) -> Iterator[dict[str, Any]]:
        """The lines of the answer as they come."""
        assert self.received.readline().startswith(b"HTTP/1.1 200")
        while self.received.readline().strip():
            pass
        kept = b""
        while size := int(self.received.readline(), 16):
            kept += self.received.read(size)
            self.received.readline()
            *whole, kept = kept.split(b"\n")
            yield from map(json.loads, whole)

    def close(self) -> None:
        self.received.close()
        self.socket.close()


def test_every_line_has_its_result_and_the_good_ones_are_applied(working: AtWork) -> None:
    opens, shoe, first, second, third = tape_of(evening("B1"))
    refused = json.loads(second) | {"id": "again", "number": 1}
    content = (
        b"\xef\xbb\xbf" + opens + b"\n" + shoe + first + b"no line\n" + json.dumps(refused).encode() + b"\r\n"
        b'{"command":"open-coup","id":"x","id":"y"}\n' + second + b"\xff\xfe\n" + third.strip()
    )
    results = posted(working, content)
    assert [(one["line"], one["outcome"], one.get("code")) for one in results[:-1]] == [
        (1, "applied", None),
        (3, "applied", None),
        (4, "applied", None),
        (5, "unreadable", "not-json"),
        (6, "refused", "coup-number-used"),
        (7, "unreadable", "not-json"),
        (8, "applied", None),
        (9, "unreadable", "not-json"),
        (10, "applied", None),
    ]
    assert results[-1] == {"end": "whole", "lines": {"applied": 5, "unreadable": 3, "refused": 1}}


def test_the_same_tape_again_changes_nothing(working: AtWork) -> None:
    content = b"".join(tape_of(evening("B2")))
    first = posted(working, content)
    before = working.house.ledger.record.last_sequence()
    second = posted(working, content)
    assert working.house.ledger.record.last_sequence() == before
    assert second[-1] == {"end": "whole", "lines": {"repeated": 5}}
    assert [one | {"repeat": True} for one in first[:-1]] == second[:-1]


def test_an_empty_tape_is_a_whole_one(working: AtWork) -> None:
    assert posted(working, b"") == [{"end": "whole", "lines": {}}]


def test_a_result_comes_before_the_next_line_is_sent(working: AtWork) -> None:
    wire = Wire(working, Role.PIT)
    results = wire.results()
    for number, line in enumerate(tape_of(evening("B3")), start=1):
        wire.sends(line[:20])
        wire.sends(line[20:])
        assert (result := next(results))["outcome"] == "applied"
        assert result["line"] == number
    wire.ends()
    assert next(results)["end"] == "whole"
    wire.close()


def test_a_client_that_reads_nothing_before_it_has_sent_everything_is_served(working: AtWork) -> None:
    """More results than all buffers between hold: some six megabytes."""
    wire = Wire(working, Role.PIT)
    lines = 50_000
    for _ in range(100):
        wire.sends(b"no line of a tape\n" * (lines // 100))
    wire.ends()
    results = list(wire.results())
    wire.close()
    assert len(results) == lines + 1
    assert results[-1] == {"end": "whole", "lines": {"unreadable": lines}}


def test_of_a_client_that_vanishes_the_whole_lines_are_applied_and_half_a_line_is_not(
    working: AtWork,
) -> None:
    opens, shoe, first, second, _ = tape_of(evening("B4"))
    wire = Wire(working, Role.PIT)
    wire.sends(opens + shoe + first + second.strip())  # whole, but for the end that says so
    results = wire.results()
    assert [next(results)["outcome"] for _ in range(3)] == ["applied"] * 3
    wire.close()
    before = working.house.ledger.record.last_sequence()
    sleep(0.3)
    assert working.house.ledger.record.last_sequence() == before
    assert not events_of(working.house.ledger, "coup/main/B4/S1/2")


def test_every_line_needs_its_role_at_its_premises(working: AtWork) -> None:
    opens, shoe, *_ = tape_of(evening("B5"))
    drop = {"command": "count-drop", "id": "B5-d", "occurred_at": "2026-11-27T21:00:00Z", "table": "B5"}
    elsewhere = json.loads(shoe) | {"id": "B5-e", "premises": "annexe"}
    another = json.loads(shoe) | {"id": "B5-a", "actor": "somebody-else"}
    lines = [json.loads(opens), drop | {"amount": 100}, elsewhere, another]
    results = posted(working, b"\n".join(json.dumps(line).encode() for line in lines))
    assert [one.get("code") for one in results[:-1]] == [
        None,
        "not-allowed",
        "not-allowed",
        "actor-is-another",
    ]


@pytest.mark.parametrize("name", ["void-coup", "close-day", "book-adjustment", "issue-key"])
def test_what_needs_consents_or_has_a_secret_is_not_taken_from_a_tape(working: AtWork, name: str) -> None:
    night = Night(table="B6", prefix=f"B6-{name}-")
    lines: dict[str, Callable[[], object]] = {
        "void-coup": lambda: night.step("void-coup", 1, reason="x", approvers=["pit-1", "pit-2"]),
        "close-day": night.closes_day,
        "book-adjustment": lambda: night.say(
            "book-adjustment",
            adjusts="2026-11-27",
            account="drop",
            amount=1,
            reason="x",
            approvers=["a-1", "a-2"],
        ),
        "issue-key": lambda: night.say("issue-key", key="k", person="p", roles=["pit"]),
    }
    lines[name]()
    (line,) = tape_of(night)
    content = json.dumps({k: v for k, v in json.loads(line).items() if (name, k) != ("issue-key", "table")})
    (result, _) = posted(working, content.encode(), *Role)
    assert (result["outcome"], result["code"]) == ("rejected", "not-on-a-tape")


def test_a_compressed_tape_is_told_and_none_of_it_is_taken_for_lines(working: AtWork) -> None:
    headers = HEADERS | {"content-encoding": "gzip"}
    content = gzip.compress(b"".join(tape_of(evening("B10"))))
    answer = working.asks("POST", "/v1/tapes", Role.PIT, content=content, headers=headers)
    assert (answer.status_code, code_of(answer)) == (415, "content-coding-unknown")


def test_another_media_type_is_not_a_tape(working: AtWork) -> None:
    answer = working.asks("POST", "/v1/tapes", Role.PIT, json={})
    assert (answer.status_code, code_of(answer)) == (415, "media-type-unknown")


def test_a_line_too_long_is_told_and_a_silent_client_is_cut_off(tmp_path: Path) -> None:
    limits = ServiceSettings(body_bytes_max=2_000, body_seconds=1.0)
    with at_work(tmp_path / "ledger.db", limits) as working:
        opens, shoe, *_ = tape_of(evening("B7"))
        results = posted(working, opens + b"x" * 50_000 + b"\n" + shoe + b"y" * 2_001)
        assert [(one["line"], one.get("code")) for one in results[:-1]] == [
            (1, None),
            (2, "line-too-long"),
            (3, None),
            (4, "line-too-long"),
        ]
        wire = Wire(working, Role.PIT)
        wire.sends(b"no line\n")
        assert [one.get("code") for one in wire.results()] == ["not-json", "body-too-slow"]
        wire.close()


def test_a_tape_is_broken_off_at_a_line_when_the_service_stops(tmp_path: Path) -> None:
    """What was told is applied, and the answer says that the tape was not whole."""
    with at_work(tmp_path / "ledger.db") as working:
        wire = Wire(working, Role.PIT)
        results = wire.results()
        *sent, _ = tape_of(evening("B8"))
        for line in sent:
            wire.sends(line)
            assert next(results)["outcome"] == "applied"
        wire.sends(b'{"command":"rec')
        working.shared.stop()
        end = next(results)
        assert (end["end"], end["code"], end["lines"]) == ("broken-off", "stopping", {"applied": len(sent)})
        wire.close()
        other = working.asks("POST", "/v1/tapes", Role.PIT, content=b"", headers=HEADERS)
        assert (other.status_code, code_of(other)) == (503, "stopping")


def test_a_command_that_cannot_be_run_is_told_and_does_not_end_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with at_work(tmp_path / "ledger.db") as working:
        run_many = working.house.ledger.run_many
        lines = tape_of(evening("B9"))
        bad = json.loads(lines[3])["id"]

        def breaks(batch: list[Any], *more: Any) -> Any:
            if any(command.id == bad for command in batch):
                raise RuntimeError("whatever it is")
            return run_many(batch, *more)

        working.key("pit", Role.PIT)
        monkeypatch.setattr(working.house.ledger, "run_many", breaks)
        results = posted(working, b"".join(lines))
    assert [one["outcome"] for one in results[:-1]] == ["applied"] * 3 + ["failed", "applied"]
    assert results[3]["code"] == "fault"
    assert "whatever" not in json.dumps(results)
    assert results[-1] == {"end": "whole", "lines": {"applied": 4, "failed": 1}}


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_lines_are_the_same_however_they_are_cut(size: int) -> None:
    text = b"\xef\xbb\xbfone\r\n\n  \ntwo\nthree and more\nfour"
    splitter = Splitter(limit_bytes=14)
    found = [line for at in range(0, len(text), size) for line in splitter.feed(text[at : at + size])]
    found += splitter.finish()
    assert [(line.number, line.content) for line in found] == [
        (1, b"one"),
        (4, b"two"),
        (5, b"three and more"),
        (6, b"four"),
    ]
    assert not any(line.error for line in found)


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_a_line_over_the_limit_holds_no_more_memory(size: int) -> None:
    splitter = Splitter(limit_bytes=5)
    text = b"123456\n12345\n" + b"9" * 1000 + b"\nok"
    found = [line for at in range(0, len(text), size) for line in splitter.feed(text[at : at + size])]
    found += splitter.finish()
    assert [(line.number, line.content, line.error is None) for line in found] == [
        (1, b"", False),
        (2, b"12345", True),
        (3, b"", False),
        (4, b"ok", True),
    ]
