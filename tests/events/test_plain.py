"""Plain events say what the models say: of what a model wrote everything, of anything else no more."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from ledger.errors import EventUnreadable, LedgerError, UnknownTopic
from ledger.events import catalogue, command, coup, shoe
from ledger.events.base import LedgerEvent
from ledger.events.catalogue import BY_TOPIC, EVENT_TYPES, decode, encode
from ledger.events.plain import decode_plain
from ledger.terms.plain import reader
from ledger.terms.value import Value
from tests.events.strategies import values
from tests.events.test_bytes import places, upcast_rota, with_value
from tests.golden.files import EVENTS, TOPICS

PLAIN = [topic for topic in TOPICS if reader(BY_TOPIC[topic])]


def differences(plain: Any, model: Any, place: str = "") -> Iterator[str]:
    """Where a plain value is not what the model is, down to the last field and its type."""
    if isinstance(model, Value):
        names = tuple(type(model).model_fields)
    elif type(plain) is not type(model):
        yield place
        return
    else:
        names = getattr(model, "__struct_fields__", ())
    for name in names:
        yield from differences(getattr(plain, name), getattr(model, name), f"{place}.{name}")
    if isinstance(model, Mapping | tuple):
        plain_items, items = dict(_items(plain)), dict(_items(model))
        if plain_items.keys() != items.keys():
            yield place
        for key in plain_items.keys() & items.keys():
            yield from differences(plain_items[key], items[key], f"{place}[{key}]")
    elif not names and plain != model:
        yield place


def _items(held: Mapping[Any, Any] | tuple[Any, ...]) -> Iterable[tuple[Any, Any]]:
    return held.items() if isinstance(held, Mapping) else enumerate(held)


def read_both(
    topic: str, state: bytes
) -> tuple[LedgerEvent | EventUnreadable, LedgerEvent | EventUnreadable]:
    """What comes of these bytes, plain and by the model: an event, or why there is none."""
    found: list[LedgerEvent | EventUnreadable] = []
    for read in (decode_plain, decode):
        try:
            found.append(read(topic, state, "coup/main/PB1/S-20/1", 7))
        except EventUnreadable as error:
            found.append(error)
    plain, model = found
    return plain, model


def only_patterns(refusal: EventUnreadable) -> bool:
    """Does the model refuse for the pattern of a name alone, which plain types do not look at?"""
    why = refusal.__cause__
    return isinstance(why, ValidationError) and {error["type"] for error in why.errors()} == {
        "string_pattern_mismatch"
    }


def check_alike(topic: str, state: bytes) -> None:
    plain, model = read_both(topic, state)
    if isinstance(plain, LedgerError):
        assert isinstance(model, LedgerError), state
        assert str(plain) == str(model)
    elif isinstance(model, LedgerError):
        assert only_patterns(model), (state, str(model))
    else:
        assert list(differences(plain, model, topic)) == [], state


# --- What a model wrote --------------------------------------------------------------------------------


@pytest.mark.parametrize("topic", TOPICS)
def test_a_stored_event_reads_plain_to_the_last_field(topic: str) -> None:
    plain, model = read_both(topic, EVENTS[topic])
    assert isinstance(model, LedgerEvent)
    assert not isinstance(plain, LedgerError)
    assert list(differences(plain, model, topic)) == []
    assert topic == plain.TOPIC
    assert (plain.originator_id, plain.originator_version) == (model.stream, model.version)


@pytest.mark.parametrize("event_type", EVENT_TYPES)
def test_whatever_a_model_writes_reads_plain(event_type: type[LedgerEvent]) -> None:
    @settings(max_examples=10, deadline=None)
    @given(values(event_type))
    def reads(event: LedgerEvent) -> None:
        plain = decode_plain(event.TOPIC, encode(event))
        assert list(differences(plain, event, event.TOPIC)) == []

    reads()


def test_the_bulk_of_a_record_is_plain() -> None:
    """Coups, the cards seen and the commands' records; where chips are counted the model has a say."""
    bulk = {
        event for event in EVENT_TYPES if event.__module__ in {coup.__name__, shoe.__name__, command.__name__}
    }
    assert {BY_TOPIC[topic] for topic in PLAIN} >= bulk
    assert "table-closed.v1" not in PLAIN


@pytest.mark.parametrize("topic", PLAIN)
def test_a_plain_event_is_frozen(topic: str) -> None:
    event = decode_plain(topic, EVENTS[topic])
    for field in BY_TOPIC[topic].model_fields:
        with pytest.raises(AttributeError):
            setattr(event, field, getattr(event, field))


# --- What no model wrote -------------------------------------------------------------------------------

WRONG: tuple[Any, ...] = (
    *(None, True, -1, 0, 1.0, 10**19, 10**30, "", "1", "a name", "won", "2026-13-01", "2026-11-27T21:00:00"),
    *(
        "2026-11-27T21:00:00+01:00",
        "2026-11-27T21:00:60Z",
        "9 K",
        "9 K 4 4",
        "x\ud800",
        [],
        [1],
        {},
        {"mood": 1},
    ),
)


@pytest.mark.parametrize("topic", TOPICS)
def test_a_wrong_value_anywhere_is_refused_as_the_model_refuses_it(topic: str) -> None:
    """And where the model takes it, so is it taken, for the same. Of a list, the first stands for all."""
    document = json.loads(EVENTS[topic])
    for path, _ in places(document):
        if path and not any(type(step) is int and step for step in path):
            for wrong in WRONG:
                check_alike(topic, with_value(document, path, wrong))


@pytest.mark.parametrize("topic", TOPICS)
def test_fields_that_are_missing_unknown_or_there_twice_are_as_for_the_model(topic: str) -> None:
    document = json.loads(EVENTS[topic])
    for path, value in places(document):
        if isinstance(value, dict):
            for name in value:
                rest = {key: item for key, item in value.items() if key != name}
                check_alike(topic, with_value(document, path, rest) if path else json.dumps(rest).encode())
            check_alike(topic, with_value(document, (*path, "mood"), "cheerful"))
    check_alike(topic, EVENTS[topic].replace(b'"version":', b'"version":0,"version":'))
    check_alike(topic, EVENTS[topic].replace(b'"version":', b'"actor":7,"version":'))


@pytest.mark.parametrize("topic", TOPICS)
def test_bytes_cut_short_or_with_a_bit_flipped_are_as_for_the_model(topic: str) -> None:
    state = EVENTS[topic]
    for at, byte in enumerate(state):
        if at % 5 == 0:
            check_alike(topic, state[:at])
        check_alike(topic, state[:at] + bytes([byte ^ (1 << at % 8)]) + state[at + 1 :])


@settings(max_examples=100, deadline=None)
@given(topic=st.sampled_from(TOPICS), state=st.binary(max_size=60))
def test_noise_is_refused_as_by_the_model(topic: str, state: bytes) -> None:
    check_alike(topic, state)
    check_alike(topic, b"[" * 100_000)


def test_a_limit_that_no_stake_can_meet_is_refused() -> None:
    """A rule of the model's own, which its plain type keeps."""
    document = json.loads(EVENTS["coup-opened.v1"])
    document["limits"] = {"player": {"min": 500, "max": 499}}
    plain, _ = read_both("coup-opened.v1", json.dumps(document).encode())
    assert isinstance(plain, EventUnreadable)
    assert "smallest stake" in plain.reason


# --- What plain types do not look at -------------------------------------------------------------------


def test_a_name_that_is_none_is_left_to_the_model() -> None:
    state = EVENTS["shift-changed.v1"].replace(b'"shift":"', b'"shift":"no name: ')
    plain, model = read_both("shift-changed.v1", state)
    assert isinstance(model, EventUnreadable)
    assert plain.shift.startswith("no name: ")  # type: ignore[union-attr]


def test_members_stay_in_the_order_of_the_bytes() -> None:
    document = json.loads(EVENTS["hands-dealt.v1"])
    document["hands"] = dict(reversed(document["hands"].items()))
    plain, model = read_both("hands-dealt.v1", json.dumps(document).encode())
    assert list(plain.hands) == list(reversed(model.hands))  # type: ignore[union-attr]
    assert plain.hands == model.hands  # type: ignore[union-attr]


# --- Topics --------------------------------------------------------------------------------------------


def test_an_unknown_topic_is_refused_by_name() -> None:
    with pytest.raises(UnknownTopic, match="roulette-spun"):
        decode_plain("roulette-spun.v1", EVENTS["shift-changed.v1"])


def test_an_old_topic_reads_by_its_upcaster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "UPCASTERS", {"rota-changed.v1": upcast_rota})
    old = EVENTS["shift-changed.v1"].replace(b'"shift"', b'"rota"')
    assert decode_plain("rota-changed.v1", old) == decode_plain(
        "shift-changed.v1", EVENTS["shift-changed.v1"]
    )
    with pytest.raises(EventUnreadable):
        decode_plain("rota-changed.v1", b'{"rota":7}')
