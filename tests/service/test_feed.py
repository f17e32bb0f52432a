"""The feed behind the service's door: to whom it is open, and that a stop ends it."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep

import httpx
import pytest

from ledger.terms.access import Role
from tests.service.at_work import PATIENCE_SECONDS, AtWork, at_work, code_of, ndjson
from tests.service.test_commands import opening
from tests.service.test_tapes import evening

NDJSON = {"accept": "application/x-ndjson"}


@pytest.mark.parametrize("query", ["afer=1", "type=coup-settled.v1", "after=1&position=1"])
def test_a_mistyped_resume_point_or_filter_is_told(working: AtWork, query: str) -> None:
    """Else the reader would have everything once more, from the beginning."""
    answer = working.asks("GET", f"/v1/events?{query}", Role.AUDITOR)
    assert (answer.status_code, code_of(answer)) == (422, "parameter-unknown")


def test_a_reader_has_what_the_role_may_read_at_its_premises(working: AtWork) -> None:
    working.plays(evening("E1"))
    abroad = working.key("abroad", Role.AUDITOR, premises="annexe")
    types = {}
    for name, key in (
        ("auditor", working.key("auditor", Role.AUDITOR)),
        ("cage", working.key("cage", Role.CAGE)),
        ("abroad", abroad),
    ):
        answer = working.asks("GET", "/v1/events", headers={**NDJSON, "authorization": f"Bearer {key}"})
        assert answer.status_code == 200
        types[name] = {event["type"] for event in ndjson(answer.text)}
    seen = {name: any("wagers-placed" in one for one in found) for name, found in types.items()}
    assert seen == {"auditor": True, "cage": False, "abroad": False}
    assert any("coup-settled" in one for one in types["cage"])


@pytest.mark.parametrize("path", ["/v1/events", "/v1/consumers"])
def test_nobody_has_anything(working: AtWork, path: str) -> None:
    answer = working.asks("GET", path)
    assert (answer.status_code, code_of(answer)) == (401, "not-authenticated")


def test_a_bad_resume_point_is_told_as_a_problem(working: AtWork) -> None:
    beyond = working.asks("GET", "/v1/events", Role.AUDITOR, params={"after": 10**9})
    assert (beyond.status_code, code_of(beyond)) == (409, "resume-point-beyond-end")


def test_a_stream_sees_a_commit_and_ends_when_the_service_stops(tmp_path: Path) -> None:
    def follows(url: str, key: str) -> list[str]:
        headers = {"accept": "text/event-stream", "authorization": f"Bearer {key}"}
        with httpx.stream("GET", f"{url}/v1/events", headers=headers, timeout=PATIENCE_SECONDS) as stream:
            return [line for line in stream.iter_lines() if line.startswith("data: ")]

    with ThreadPoolExecutor(1) as threads:
        with at_work(tmp_path / "ledger.db") as working:
            key = working.key("auditor", Role.AUDITOR)
            following = threads.submit(follows, working.url, key)
            sleep(0.3)
            assert working.sends(opening("E2")).status_code == 200
            sleep(0.3)
            working.shared.stop()
        told = [json.loads(line.removeprefix("data: ")) for line in following.result()]
    assert any("table-opened" in event["type"] for event in told)
