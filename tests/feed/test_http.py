"""`GET /v1/events`: everything in order, nothing left out in silence, a false resume point told."""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
from collections import Counter
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import timedelta
from functools import partial
from itertools import islice
from operator import add
from pathlib import Path
from typing import Any

import pytest

from ledger.errors import FeedFull
from ledger.store.port import Row
from ops.feed import page, streams
from ops.feed.streams import Places
from ops.wiring import House, open_house
from tests.feed.serving import AUDITOR, Served, covered, events, serving, told, wait_until
from tests.projections.houses import house_at, take
from tests.tabletalk import NOON, Night

CAGE = "carl cage"
FORMATS = ["application/json", "application/x-ndjson", "text/event-stream"]


def stored(house: House) -> list[Row]:
    return house.ledger.record.select_rows(0, 1_000_000)


def coup(house: House, prefix: str, premises: str = "main") -> int:
    """One more table opens; returns the sequence of its last event."""
    night = Night(table=f"T-{prefix}", prefix=prefix).opens(premises=premises)
    take(house, night.lines[:1])
    return house.ledger.record.last_sequence()


# --- The whole record, in each format -----------------------------------------------------------------


def test_ndjson_tells_every_event_once_in_order_with_its_stored_bytes(shown: Served) -> None:
    answer = shown.get(accept="application/x-ndjson")
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    *lines, last = answer.content.splitlines()
    rows = stored(shown.house)
    assert len(lines) == len(rows) > page.PAGE_EVENTS, "it takes several pages"
    for line, row in zip(lines, rows, strict=True):
        assert line.endswith(b'"data":' + row.state + b"}")
        assert int(json.loads(line)["id"]) == row.sequence
    assert json.loads(last)["type"] == "baccarat-ledger.feed.position"
    assert int(json.loads(last)["sequence"]) == len(rows)


def test_arrays_follow_each_other_to_the_end(shown: Served) -> None:
    after, sequences = "0", []
    while True:
        answer = shown.get(after=after, limit=97, accept="application/json")
        *messages, last = answer.json()
        after = answer.headers["ledger-position"]
        assert after == f"{int(last['sequence'])}@{last['time']}"
        sequences += events(messages)
        if not messages:
            break
    assert sequences == [row.sequence for row in stored(shown.house)]


def test_the_source_names_the_ledger_and_stays(served: Served, db: Path, house: House) -> None:
    source = served.get(limit=1).json()[0]["source"]
    with serving(house, str(db)) as again:
        assert again.get(limit=1).json()[0]["source"] == source


def test_sse_tells_every_event_and_then_what_comes(served: Served, house: House) -> None:
    end = house.ledger.record.last_sequence()
    with served.stream() as lines:
        told_so_far = list(islice(told(lines), end))
        assert [one.id for one in told_so_far] == list(range(1, end + 1))
        assert {one.name for one in told_so_far} == {"message"}
        new_end = coup(house, "later-")
        assert [one.id for one in islice(told(lines), new_end - end)] == list(range(end + 1, new_end + 1))


def test_sse_resumes_after_the_last_event_id_whatever_the_address_said(shown: Served) -> None:
    with shown.stream(last="40", after="3") as lines:
        assert next(told(lines)).id == 41


# --- Resume points -------------------------------------------------------------------------------------


@pytest.mark.parametrize("accept", FORMATS)
@pytest.mark.parametrize(
    "given",
    [
        "-1",
        "1.0",
        "abc",
        "0x1",
        "1e3",
        " 1",
        "²",
        "99999999999999999999",
        "\u0661",
        "1@",
        "@",
        "1@" + "2" * 41,
    ],
)
def test_what_is_no_resume_point_is_told(shown: Served, accept: str, given: str) -> None:
    answer = shown.get(after=given, accept=accept)
    assert (answer.status_code, answer.json()["code"]) == (400, "resume-point-malformed")
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("accept", FORMATS)
def test_a_resume_point_beyond_the_end_is_told(shown: Served, accept: str) -> None:
    end = shown.house.ledger.record.last_sequence()
    answer = shown.get(after=end + 1, accept=accept)
    assert (answer.status_code, answer.json()["code"]) == (409, "resume-point-beyond-end")
    assert (answer.json()["given"], answer.json()["end"]) == (end + 1, end)
    assert shown.get(after=end).status_code == 200


@pytest.mark.parametrize("accept", FORMATS)
def test_a_resume_point_of_a_history_that_is_lost_is_told(db: Path, accept: str) -> None:
    """A restored record takes the same numbers again; whoever read on before would miss what has them now."""
    restored = Path(shutil.copy(db, db.with_name("backup.db")))
    with house_at(db) as house, serving(house, str(db)) as served:
        lost = coup(house, "lost-")
        *_, last = served.lines()
        point = f"{lost}@{last['time']}"
        assert served.get(after=point, accept="application/json").status_code == 200
    hour_later = partial(add, NOON, timedelta(hours=1))
    with open_house(str(restored), clock=hour_later) as house, serving(house, str(restored)) as served:
        assert coup(house, "anew-") == lost
        answer = served.get(after=point, accept=accept)
        assert (answer.status_code, answer.json()["code"]) == (409, "resume-point-differs")
        now = stored(house)[-1]
        facts = (lost, last["time"], json.loads(now.state)["recorded_at"])
        assert tuple(answer.json()[name] for name in ("given", "read", "recorded_at")) == facts
        assert served.get(after=f"{lost}@{facts[-1]}", accept="application/json").status_code == 200


@pytest.mark.parametrize("who", [AUDITOR, CAGE])
def test_every_format_tells_points_by_which_the_history_is_known(shown: Served, who: str) -> None:
    """Also where the last thing that was told is that something is withheld."""
    row = stored(shown.house)[-1]
    point = f"{row.sequence}@{json.loads(row.state)['recorded_at']}"
    answer = shown.get(who=who, after=row.sequence - 3, accept="application/json")
    assert answer.headers["ledger-position"] == point
    *_, last = shown.get(who=who, after=row.sequence - 3, accept="application/x-ndjson").text.splitlines()
    assert f"{int(json.loads(last)['sequence'])}@{json.loads(last)['time']}" == point
    with shown.stream(who=who, after=str(row.sequence - 3)) as lines:
        assert next(one for one in told(lines) if one.id == row.sequence).resume == point
    with shown.stream(who=who, last=point, after="3") as _:
        pass  # it is taken as it was given


# --- Types and roles -----------------------------------------------------------------------------------


def test_only_the_types_asked_for_are_told_and_the_position_goes_to_the_end(shown: Served) -> None:
    *messages, last = shown.lines(types="coup-settled.v1,day-sealed.v1")
    wanted = [
        row.sequence for row in stored(shown.house) if row.topic in {"coup-settled.v1", "day-sealed.v1"}
    ]
    assert events(messages) == wanted != []
    assert len(messages) == len(wanted)
    assert int(last["sequence"]) == shown.house.ledger.record.last_sequence()


def test_what_a_role_may_not_read_is_told_as_withheld_and_leaves_no_gap(shown: Served) -> None:
    answer = shown.get(accept="application/x-ndjson", who=CAGE)
    *messages, _ = [json.loads(line) for line in answer.text.splitlines()]
    end = shown.house.ledger.record.last_sequence()
    assert covered(messages) == list(range(1, end + 1))
    topics = {one["type"] for one in messages if "data" in one}
    assert "baccarat-ledger.coup-settled.v1" in topics
    assert "baccarat-ledger.wagers-placed.v1" not in topics
    assert '"patron"' not in answer.text


def test_in_arrays_and_sse_too(shown: Served) -> None:
    end = shown.house.ledger.record.last_sequence()
    messages: list[dict[str, Any]] = []
    after = 0
    while after < end:
        *found, last = shown.get(after=after, limit=20, who=CAGE).json()
        messages, after = messages + found, int(last["sequence"])
    assert covered(messages) == list(range(1, end + 1))
    streamed: list[dict[str, Any]] = []
    with shown.stream(who=CAGE) as lines:
        for one in told(lines):
            streamed.append(one.data)
            assert one.id == int(one.data["sequence"])
            assert one.name == ("message" if "data" in one.data else "withheld")
            if one.id == end:
                break
    assert covered(streamed) == list(range(1, end + 1))


def test_another_premises_is_withheld(tmp_path: Path) -> None:
    with house_at(tmp_path / "two.db") as house:
        ends = [coup(house, "n-", "north"), coup(house, "s-", "south"), coup(house, "m-", "north")]
        with serving(house, str(tmp_path / "two.db")) as served:
            messages = served.lines(who="ada auditor north")[:-1]
            assert covered(messages) == list(range(1, ends[2] + 1))
            assert events(messages) == [*range(1, ends[0] + 1), *range(ends[1] + 1, ends[2] + 1)]
            filtered = served.lines(who="ada auditor north", types="table-opened.v1")[:-1]
            assert [one["data"]["premises"] for one in filtered if "data" in one] == ["north", "north"]
            assert len([one for one in filtered if "data" not in one]) == 1, "that something was is told"


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ({"types": "coup-settled.v9"}, 400, "topic-not-in-catalogue"),
        ({"types": "wagers-placed.v1"}, 403, "topic-not-readable"),
        ({"limit": "501"}, 400, "feed-query-malformed"),
        ({"accept": "image/png"}, 406, "format-not-served"),
        ({"accept": "application/json;q=0"}, 406, "format-not-served"),
        ({"consumer": "nobody"}, 404, "consumer-unknown"),
    ],
)
def test_what_cannot_be_served_is_told(shown: Served, query: dict[str, str], status: int, code: str) -> None:
    answer = shown.get(who=CAGE, **query)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.mark.parametrize(
    ("accept", "served_as"),
    [
        ("*/*", "application/json"),
        ("text/html, application/x-ndjson;q=0.5, */*;q=0.1", "application/x-ndjson"),
        ("application/json;q=0.2, application/cloudevents-batch+json", "application/cloudevents-batch+json"),
    ],
)
def test_the_format_is_negotiated(shown: Served, accept: str, served_as: str) -> None:
    assert shown.get(accept=accept, limit=1).headers["content-type"] == served_as


# --- Waiting, and going away ---------------------------------------------------------------------------


def test_a_long_poll_answers_when_something_comes(served: Served, house: House) -> None:
    end = house.ledger.record.last_sequence()
    with ThreadPoolExecutor(1) as threads:
        answer = threads.submit(served.get, after=end, wait=60, types="table-opened.v1")
        wait_until(lambda: served.feed.tail.waiting)
        new_end = coup(house, "later-")
        (opened, _) = answer.result().json()
    assert opened["data"]["table"] == "T-later-"
    assert end < int(opened["sequence"]) <= new_end
    assert not served.feed.tail.waiting


def test_a_long_poll_without_anything_says_where_it_stands(shown: Served) -> None:
    end = shown.house.ledger.record.last_sequence()
    (last,) = shown.get(after=end, wait=1).json()
    assert int(last["sequence"]) == end


def test_another_process_wakes_it_too(served: Served, house: House, db: Path) -> None:
    """Nobody hints: the timer is the promise."""
    end = house.ledger.record.last_sequence()
    with served.stream(after=end) as lines, house_at(db) as elsewhere:
        coup(elsewhere, "elsewhere-")
        assert next(told(lines)).id == end + 1


def test_a_client_that_vanishes_mid_stream_leaves_nothing_behind(shown: Served) -> None:
    with ExitStack() as clients:
        reading = [told(clients.enter_context(shown.stream())) for _ in range(10)]
        for one in reading:
            next(one)
        assert shown.places.open == 10
    wait_until(lambda: not shown.places.open and not shown.feed.tail.waiting)


def test_of_many_who_come_together_no_more_are_served_than_there_are_places(house: House, db: Path) -> None:
    """And each place is given back, also those of clients that were gone before anything was sent."""
    most, many = 3, 20
    request = b"GET /v1/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n"
    with serving(house, str(db), streams_max=most) as served, ExitStack() as clients:
        host, port = served.url.removeprefix("http://").split(":")
        wires = [clients.enter_context(socket.create_connection((host, int(port)))) for _ in range(many)]
        for wire in wires:
            wire.sendall(request)
        answers = [wire.recv(12) for wire in wires]
        assert served.places.open == most
        assert Counter(answers) == {b"HTTP/1.1 200": most, b"HTTP/1.1 503": many - most}
        clients.close()
        wait_until(lambda: not served.places.open)
        assert served.get(limit=1).status_code == 200


def test_a_place_is_taken_before_a_stream_begins_and_given_back_once() -> None:
    async def never_asked() -> AsyncGenerator[bytes, None]:
        yield b"nothing of it"

    async def scenario() -> None:
        places = Places(2)
        first, second = places.keep(never_asked()), places.keep(never_asked())
        with pytest.raises(FeedFull):
            places.keep(never_asked())
        for _ in range(2):
            await first.aclose()
        assert places.open == 1
        third = places.keep(never_asked())
        assert [part async for part in third] == [b"nothing of it"]
        for one in (second, third):
            await one.aclose()
        assert places.open == 0

    asyncio.run(scenario())


def test_one_that_stops_reading_and_breaks_off_does_so_too(shown: Served) -> None:
    host, port = shown.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall(b"GET /v1/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n")
        wait_until(lambda: shown.places.open)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # break off by a reset
    wait_until(lambda: not shown.places.open and not shown.feed.tail.waiting)
    assert shown.get(limit=1).status_code == 200


def test_more_streams_than_are_served_are_refused(house: House, db: Path) -> None:
    with serving(house, str(db), streams_max=1) as served, served.stream() as lines:
        next(told(lines))
        answer = served.get(accept="text/event-stream")
        assert (answer.status_code, answer.json()["code"]) == (503, "feed-full")
        assert served.get(limit=1).status_code == 200


def test_a_stream_ends_in_time_so_that_its_reader_is_asked_again(
    shown: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "STREAM_SECONDS", 0.2)
    monkeypatch.setattr(streams, "HEARTBEAT_SECONDS", 0.05)
    with shown.stream(after=shown.house.ledger.record.last_sequence()) as lines:
        assert ": still here" in list(lines)


def test_a_closed_tail_ends_every_stream(served: Served, house: House) -> None:
    with served.stream(after=house.ledger.record.last_sequence()) as lines:
        wait_until(lambda: served.feed.tail.waiting)
        served.feed.tail.close()
        assert list(told(lines)) == []


def test_an_event_that_cannot_be_told_cuts_the_stream_short_and_is_not_skipped(
    tmp_path: Path, db: Path
) -> None:
    bad = Path(shutil.copy(db, tmp_path / "bad.db"))
    with house_at(bad) as house:
        before = house.ledger.record.last_sequence()
        house.ledger.record.append([("table/main/X/D", 1, "shoe-ended.v1", b"{")], {})  # type: ignore[list-item]
        coup(house, "after-")
        with serving(house, str(bad)) as served:
            lines = served.get(accept="application/x-ndjson").text.splitlines()
            sequences = [int(json.loads(line)["sequence"]) for line in lines]
            assert max(sequences) <= before
            assert not any("feed.position" in line for line in lines), "without it, it was cut short"
            answer = served.get(after=before)
            assert (answer.status_code, answer.json()["code"]) == (500, "event-unreadable")
            assert "shoe-ended" not in answer.text
