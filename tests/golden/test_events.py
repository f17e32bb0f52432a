"""Every event ever stored reads for ever, to the last field and the last byte (design §5)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from enum import Enum
from typing import Any

import pytest

from ledger.events.catalogue import BY_TOPIC, EVENT_TYPES, UPCASTERS, decode, encode
from ledger.terms.hands import Hand
from ledger.terms.value import Value

from .files import EVENTS, TOPICS


def plain(value: object) -> Any:
    """A value as JSON has it, spelled out here once more, so that no serialiser answers for itself."""
    if isinstance(value, Value):
        facts = {name: getattr(value, name) for name in type(value).model_fields}
        return {name: plain(fact) for name, fact in facts.items() if fact is not None}
    if isinstance(value, Hand):
        return " ".join(card.rank + (card.suit or "") for card in value.cards)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        assert value.utcoffset() == timedelta(0)
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    assert value is None or isinstance(value, str | int)
    return value


def test_every_topic_has_its_golden_file_and_every_file_its_topic() -> None:
    assert set(EVENTS) == set(BY_TOPIC) | set(UPCASTERS)


@pytest.mark.parametrize("topic", EVENTS)
def test_a_stored_event_is_one_line_of_json_and_nothing_else(topic: str) -> None:
    assert (
        json.dumps(json.loads(EVENTS[topic]), separators=(",", ":"), ensure_ascii=False).encode()
        == EVENTS[topic]
    )


@pytest.mark.parametrize("topic", EVENTS)
def test_a_stored_event_of_any_age_reads_as_an_event_of_today(topic: str) -> None:
    event, stored = decode(topic, EVENTS[topic]), json.loads(EVENTS[topic])
    assert type(event) in EVENT_TYPES
    assert (event.stream, event.version) == (stored["stream"], stored["version"])


@pytest.mark.parametrize("topic", TOPICS)
def test_a_stored_event_reads_to_the_last_field(topic: str) -> None:
    """Every field of the file is in the event, and what the file leaves out is None."""
    event = decode(topic, EVENTS[topic])
    assert type(event) is BY_TOPIC[topic]
    assert plain(event) == json.loads(EVENTS[topic])


@pytest.mark.parametrize("topic", TOPICS)
def test_a_stored_event_is_written_again_to_the_last_byte(topic: str) -> None:
    assert encode(decode(topic, EVENTS[topic])) == EVENTS[topic]
