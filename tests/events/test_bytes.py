"""Events and their stored bytes: the same event comes back, and altered bytes are found out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.errors import EventUnreadable, UnknownTopic
from ledger.events import catalogue
from ledger.events.base import LedgerEvent
from ledger.events.catalogue import BY_TOPIC, EVENT_TYPES, decode, encode
from ledger.events.coup import CoupOpened, WagersSettled
from ledger.events.table import ShiftChanged
from tests.golden.files import EVENTS, TOPICS

from .strategies import values

MAPS = ("hands", "results", "claimed", "chips", "opener", "closer", "limits")
"""Objects of the stored JSON whose keys are data and no fields."""

Path = tuple[str | int, ...]


def places(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every value in a JSON document, with where it stands."""
    yield path, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from places(item, (*path, key))
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from places(item, (*path, index))


def with_value(document: Any, path: Path, value: Any) -> bytes:
    """The document with another value at one place, as bytes."""
    changed = deepcopy(document)
    inside = changed
    for step in path[:-1]:
        inside = inside[step]
    inside[path[-1]] = value
    return json.dumps(changed).encode()


def unreadable(topic: str, state: bytes) -> EventUnreadable:
    with pytest.raises(EventUnreadable) as caught:
        decode(topic, state, "coup/main/PB1/S-20/1", 7)
    return caught.value


# --- There and back ----------------------------------------------------------------------------------


@pytest.mark.parametrize("event_type", EVENT_TYPES)
def test_an_event_comes_back_as_it_went_in(event_type: type[LedgerEvent]) -> None:
    """Of every type, its nullable fields with and without a value, and in the same bytes again."""

    @settings(max_examples=20, deadline=None)
    @given(values(event_type))
    def comes_back(event: LedgerEvent) -> None:
        stored = encode(event)
        assert decode(event.TOPIC, stored) == event
        assert encode(decode(event.TOPIC, stored)) == stored

    comes_back()


@settings(max_examples=20, deadline=None)
@given(values(CoupOpened))
def test_a_fact_that_is_not_there_takes_no_room(event: CoupOpened) -> None:
    """Fields that are None are left out: a nullable field may be added, and old bytes stay as they are."""
    assert b"null" not in encode(event)


# --- Bytes that are no such event --------------------------------------------------------------------


@pytest.mark.parametrize("topic", ["coup-settled.v2", "coup-settled", "ledger.events.coup:CoupSettled", ""])
def test_a_topic_that_is_not_in_the_catalogue_is_refused_by_name(topic: str) -> None:
    with pytest.raises(UnknownTopic) as caught:
        decode(topic, EVENTS["coup-settled.v1"])
    assert caught.value.topic == topic


def test_an_unreadable_event_says_where_it_stands_and_what_is_wrong_with_it() -> None:
    error = unreadable("shift-changed.v1", b"{}")
    assert (error.stream, error.version, error.topic) == ("coup/main/PB1/S-20/1", 7, "shift-changed.v1")
    assert "occurred_at" in error.reason
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    "state", [b"", b"null", b"[]", b"7", b'"event"', b"{", b"\xff\xfe{}", b"[" * 100_000]
)
def test_bytes_that_are_no_object_are_unreadable(state: bytes) -> None:
    unreadable("coup-settled.v1", state)


@pytest.mark.parametrize("topic", TOPICS)
def test_an_event_cut_short_is_unreadable_wherever_it_is_cut(topic: str) -> None:
    for end in range(len(EVENTS[topic])):
        unreadable(topic, EVENTS[topic][:end])
    unreadable(topic, EVENTS[topic] + EVENTS[topic])


@pytest.mark.parametrize("topic", TOPICS)
def test_a_flipped_bit_never_breaks_the_reader(topic: str) -> None:
    """It makes another event, or EventUnreadable and no other error. That it was flipped, the seal proves."""
    for index, byte in enumerate(EVENTS[topic]):
        for bit in (1, 128):
            altered = EVENTS[topic][:index] + bytes([byte ^ bit]) + EVENTS[topic][index + 1 :]
            try:
                assert encode(decode(topic, altered)) != EVENTS[topic]
            except EventUnreadable:
                continue


@pytest.mark.parametrize("topic", TOPICS)
def test_a_field_unknown_to_its_type_makes_an_event_unreadable_however_deep(topic: str) -> None:
    document = json.loads(EVENTS[topic])
    for path, value in places(document):
        if isinstance(value, dict) and (not path or path[-1] not in MAPS):
            unreadable(topic, with_value(document, (*path, "mood"), "cheerful"))


@pytest.mark.parametrize("topic", TOPICS)
def test_a_field_that_is_missing_makes_an_event_unreadable(topic: str) -> None:
    document = json.loads(EVENTS[topic])
    for name, field in BY_TOPIC[topic].model_fields.items():
        if field.is_required():
            unreadable(
                topic, json.dumps({key: item for key, item in document.items() if key != name}).encode()
            )


def whole_numbers() -> dict[str, tuple[str, Path]]:
    """Every field of an event, or of a value within one, that holds a whole number: a topic, and where."""
    found: dict[str, tuple[str, Path]] = {}
    for topic in TOPICS:
        for path, value in places(json.loads(EVENTS[topic])):
            if type(value) is int:
                *owners, field = [step for step in path if isinstance(step, str)]
                owner = owners[-1] if owners else "event" if field == "version" else topic
                found.setdefault(f"{owner} {field}", (topic, path))
    return found


WHOLE_NUMBERS = whole_numbers()
WRONGLY: dict[str, Callable[[int], Any]] = {
    "a float": float,
    "half more": lambda number: number + 0.5,
    "a text": str,
    "a boolean": lambda number: bool(number % 2),
}


@pytest.mark.parametrize("wrongly", WRONGLY)
@pytest.mark.parametrize("field", WHOLE_NUMBERS)
def test_a_whole_number_is_written_as_one(field: str, wrongly: str) -> None:
    """Design §4: there is no float near money, and nothing that merely looks like a number passes for one."""
    topic, path = WHOLE_NUMBERS[field]
    document = json.loads(EVENTS[topic])
    number = dict(places(document))[path]
    unreadable(topic, with_value(document, path, WRONGLY[wrongly](number)))


SIGNED = ("banker_win", "win_by_wagers", "win_by_inventory", "variance", "adjustment-booked.v1 amount")
"""What may be less than nothing: somebody's win, which may be a loss, and a difference."""


@pytest.mark.parametrize("field", [field for field in WHOLE_NUMBERS if not field.endswith(SIGNED)])
def test_a_number_below_nothing_is_unreadable(field: str) -> None:
    topic, path = WHOLE_NUMBERS[field]
    unreadable(topic, with_value(json.loads(EVENTS[topic]), path, -1))


@pytest.mark.parametrize("topic", TOPICS)
@pytest.mark.parametrize("moment", ["2026-11-27T21:00:00", "yesterday", 1795813200, None])
def test_a_moment_without_an_offset_is_unreadable(topic: str, moment: Any) -> None:
    for field in ("occurred_at", "recorded_at"):
        unreadable(topic, with_value(json.loads(EVENTS[topic]), (field,), moment))


@settings(max_examples=100, deadline=None)
@given(topic=st.sampled_from(TOPICS), state=st.binary(max_size=60))
def test_noise_is_unreadable(topic: str, state: bytes) -> None:
    unreadable(topic, state)


# --- Topics no longer written ------------------------------------------------------------------------


def upcast_rota(state: bytes) -> LedgerEvent:
    """A shift used to be called a rota."""
    facts = json.loads(state)
    facts["shift"] = facts.pop("rota")
    return ShiftChanged.model_validate_json(json.dumps(facts))


@pytest.fixture
def rota(monkeypatch: pytest.MonkeyPatch) -> bytes:
    """The catalogue knows the topic rota-changed.v1 by an upcaster; the bytes of such an event."""
    monkeypatch.setattr(catalogue, "UPCASTERS", {"rota-changed.v1": upcast_rota})
    return EVENTS["shift-changed.v1"].replace(b'"shift"', b'"rota"')


def test_an_old_topic_reads_as_an_event_of_today(rota: bytes) -> None:
    assert decode("rota-changed.v1", rota) == decode("shift-changed.v1", EVENTS["shift-changed.v1"])


@pytest.mark.parametrize("altered", [b"", b"{}", b"not json", b'{"rota":"night"}', b'{"rota":7}', b"[1]"])
def test_altered_bytes_of_an_old_topic_are_unreadable_too(rota: bytes, altered: bytes) -> None:
    error = unreadable("rota-changed.v1", altered)
    assert error.topic == "rota-changed.v1"


def test_an_event_of_the_largest_size_reads_and_writes() -> None:
    """Design §5: at most 500 lines an event."""
    facts = json.loads(EVENTS["wagers-settled.v1"])
    facts["lines"] = [{**facts["lines"][0], "wager": f"w{number}"} for number in range(500)]
    state = json.dumps(facts, separators=(",", ":")).encode()
    event = decode("wagers-settled.v1", state)
    assert isinstance(event, WagersSettled)
    assert [line.wager for line in event.lines] == [f"w{number}" for number in range(500)]
    assert encode(event) == state
