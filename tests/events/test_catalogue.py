"""The catalogue of events: one stable name a type, and every type in it (design §5)."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator

import pytest
from pydantic import ValidationError

import ledger.events
from ledger.events.base import LedgerEvent
from ledger.events.catalogue import BY_TOPIC, EVENT_TYPES, UPCASTERS, decode
from tests.golden.files import EVENTS, TOPICS


def subclasses(base: type[LedgerEvent]) -> Iterator[type[LedgerEvent]]:
    for subclass in base.__subclasses__():
        yield subclass
        yield from subclasses(subclass)


def test_every_event_type_is_in_the_catalogue() -> None:
    """A type that is not would be stored and never read again."""
    for module in pkgutil.iter_modules(ledger.events.__path__, "ledger.events."):
        importlib.import_module(module.name)
    concrete = {
        event_type
        for event_type in subclasses(LedgerEvent)
        if event_type.__module__.startswith("ledger.events.") and not event_type.__subclasses__()
    }
    assert concrete == set(EVENT_TYPES)
    assert len(EVENT_TYPES) == len(concrete)


@pytest.mark.parametrize("event_type", EVENT_TYPES)
def test_a_topic_is_a_versioned_name_of_its_own_and_never_a_python_path(
    event_type: type[LedgerEvent],
) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*\.v[0-9]+", event_type.TOPIC)
    assert "TOPIC" in vars(event_type)
    assert BY_TOPIC[event_type.TOPIC] is event_type


def test_no_two_types_share_a_topic_and_no_topic_is_both_written_and_upcast() -> None:
    assert len({event_type.TOPIC for event_type in EVENT_TYPES}) == len(EVENT_TYPES)
    assert not set(BY_TOPIC) & set(UPCASTERS)


@pytest.mark.parametrize("topic", TOPICS)
def test_an_event_says_the_same_to_the_eventsourcing_library(topic: str) -> None:
    event = decode(topic, EVENTS[topic])
    assert (event.originator_id, event.originator_version) == (event.stream, event.version)


@pytest.mark.parametrize("topic", TOPICS)
def test_an_event_is_frozen(topic: str) -> None:
    event = decode(topic, EVENTS[topic])
    for field in type(event).model_fields:
        with pytest.raises(ValidationError, match="frozen"):
            setattr(event, field, getattr(event, field))


@pytest.mark.parametrize("topic", TOPICS)
def test_an_event_takes_no_field_it_does_not_know(topic: str) -> None:
    event = decode(topic, EVENTS[topic])
    facts = {name: getattr(event, name) for name in type(event).model_fields}
    assert type(event)(**facts) == event
    with pytest.raises(ValidationError, match="extra_forbidden"):
        type(event)(**facts | {"mood": "cheerful"})


@pytest.mark.parametrize("topic", TOPICS)
def test_every_event_says_when_by_whom_and_by_which_command(topic: str) -> None:
    """Design §5: `occurred_at`, `recorded_at`, `actor` and `cause`, none of which may be left out."""
    fields = BY_TOPIC[topic].model_fields
    always = ("stream", "version", "occurred_at", "recorded_at", "actor", "cause")
    assert tuple(fields)[: len(always)] == always
    assert all(fields[name].is_required() for name in always)
