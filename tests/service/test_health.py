"""What watchers see: whether it lives, how far others lag; and a store that goes away and comes back."""

from __future__ import annotations

from pathlib import Path

import pytest
from eventsourcing.persistence import OperationalError
from prometheus_client.parser import text_string_to_metric_families

from ledger.terms.access import Role
from ops.relay.position import Positions, Relayed
from tests.service.at_work import AtWork, at_work, code_of
from tests.service.test_commands import opening
from tests.tabletalk import Night


def figures(working: AtWork) -> dict[tuple[str, ...], float]:
    """What Prometheus reads: by name and labels."""
    answer = working.asks("GET", "/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def test_it_lives_and_is_ready(working: AtWork) -> None:
    assert working.asks("GET", "/livez").json() == {"alive": True}
    ready = working.asks("GET", "/readyz").json()
    assert ready["ready"] is True
    assert ready["sequence"] == working.house.ledger.record.last_sequence()
    assert set(ready["lag"]) == {"projections", "seal", "consumers", "relay"}
    assert ready["lag"]["seal"] == ready["sequence"]


@pytest.mark.parametrize("path", ["/livez", "/readyz"])
def test_a_balancer_that_asks_by_head_is_answered_as_by_get_without_a_body(
    working: AtWork, path: str
) -> None:
    by_get, by_head = working.asks("GET", path), working.asks("HEAD", path)
    assert (by_get.status_code, by_head.status_code) == (200, 200)
    for name in ("content-type", "content-length"):
        assert by_head.headers[name] == by_get.headers[name]
    assert by_head.content == b""


def test_by_head_too_it_is_not_ready_while_it_stops(tmp_path: Path) -> None:
    with at_work(tmp_path / "ledger.db") as working:
        working.shared.stopping.set()
        answer = working.asks("HEAD", "/readyz")
        assert (answer.status_code, answer.content) == (503, b"")
        assert answer.headers["retry-after"] == "1"
        assert working.asks("HEAD", "/livez").status_code == 200


def test_what_is_published_of_head_has_no_body(working: AtWork) -> None:
    paths = working.asks("GET", "/v1/openapi.json").json()["paths"]
    responses = {path: paths[path]["head"]["responses"] for path in ("/livez", "/readyz")}
    assert set(responses["/livez"]) == {"200"}
    assert set(responses["/readyz"]) == {"200", "503"}
    assert not any("content" in one for said in responses.values() for one in said.values())


def test_the_lag_of_the_slowest_consumer_and_of_the_relay_is_shown(working: AtWork) -> None:
    """Of two consumers the one at 1 is the slowest."""
    for person, position in (("cage-1", 2), ("books-1", 1)):
        body = {"expected": 0, "position": position}
        moved = working.asks("PUT", f"/v1/consumers/{person}", Role.AUDITOR, person=person, json=body)
        assert moved.status_code == 200, moved.text
    assert working.sends(opening("H0")).status_code == 200
    end = working.house.ledger.record.last_sequence()
    Positions(working.house.tables).put(Relayed("LEDGER", "2026-11-28", end - 3))
    lag = working.asks("GET", "/readyz").json()["lag"]
    assert (lag["consumers"], lag["relay"]) == (end - 1, 3)
    assert figures(working)["ledger_lag_events", "relay"] == 3


def test_commands_and_requests_are_counted(working: AtWork) -> None:
    before = figures(working)
    line = opening("H1")
    for _ in range(3):
        working.sends(line)
    working.sends({**line, "shift": "late"})
    night = Night(table="H1", prefix="h1-")
    working.sends(night.say("end-shoe", shoe="S9"))
    after = figures(working)

    def more(*key: str) -> float:
        return after.get(key, 0) - before.get(key, 0)

    assert more("ledger_commands_total", "open-table", "applied") == 1
    assert more("ledger_commands_total", "open-table", "repeated") == 2
    assert more("ledger_commands_total", "open-table", "rejected") == 1
    assert more("ledger_commands_total", "end-shoe", "refused") == 1
    route = "/v1/premises/{premises}/tables/{table}/open-table"
    assert more("ledger_http_requests_total", "POST", route, "200") == 3
    assert more("ledger_http_requests_total", "POST", route, "409") == 1
    assert after["ledger_record_sequence",] == working.house.ledger.record.last_sequence()


def test_a_store_that_fails_is_told_and_the_same_command_runs_once_it_is_back(
    working: AtWork, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = opening("H2")
    working.key("pit", Role.PIT)
    with monkeypatch.context() as away:

        def fails(*_: object, **__: object) -> None:
            raise OperationalError("the disk is gone, and its path is nobody's business")

        away.setattr(working.house.ledger.record, "append", fails)
        answer = working.sends(line)
        assert (answer.status_code, code_of(answer)) == (503, "store-unavailable")
        assert answer.headers["retry-after"]
        assert "disk" not in answer.text
    assert working.sends(line).json()["repeat"] is False


@pytest.mark.parametrize("path", ["/readyz", "/v1/premises/main/pnl", "/metrics"])
def test_while_the_record_cannot_be_read_nothing_is_ready(
    working: AtWork, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    working.key("auditor", Role.AUDITOR)
    with monkeypatch.context() as away:

        def fails() -> int:
            raise OperationalError("gone")

        away.setattr(working.house.ledger.record, "last_sequence", fails)
        answer = working.asks("GET", path, Role.AUDITOR)
        assert (answer.status_code, code_of(answer)) == (503, "store-unavailable")
        assert working.asks("GET", "/livez").status_code == 200
    assert working.asks("GET", path, Role.AUDITOR).status_code == 200
