"""The AsyncAPI document: whole, resolvable, and true of what is sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from ledger.events.catalogue import BY_TOPIC
from ledger.store.port import Row
from ops.feed.cloudevents import cloud_event, position, withheld
from ops.relay.messages import event_message, subject_of
from tests.cli.shell import run
from tests.golden.files import EVENTS, TOPICS


@cache
def document() -> dict[str, Any]:
    done = run("schema", "asyncapi")
    assert (done.code, done.err) == (0, "")
    found: dict[str, Any] = done.json()
    return found


def references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        for inner in part.values():
            yield from references(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from references(inner)


def at(reference: str) -> Any:
    """What a reference leads to (RFC 6901)."""
    found: Any = document()
    for step in reference.removeprefix("#/").split("/"):
        found = found[step.replace("~1", "/").replace("~0", "~")]
    return found


def is_valid(name: str, told: Any) -> bool:
    payload = {**at(f"#/components/messages/{name}")["payload"], "components": document()["components"]}
    return bool(Draft202012Validator(payload).is_valid(told))


def test_it_is_an_asyncapi_3_document() -> None:
    """AsyncAPI 3.0: `asyncapi` and `info` with title and version; operations have an action and a channel."""
    found = document()
    assert found["asyncapi"].startswith("3.0.")
    assert {"title", "version"} <= set(found["info"])
    assert set(found) <= {
        "asyncapi", "id", "info", "servers", "defaultContentType", "channels", "operations", "components"
    }  # fmt: skip
    assert all({"host", "protocol"} <= set(server) for server in found["servers"].values())
    for operation in found["operations"].values():
        assert operation["action"] in {"send", "receive"}
        assert operation["channel"]["$ref"].startswith("#/channels/")
        for message in operation["messages"]:
            assert message["$ref"].startswith(operation["channel"]["$ref"] + "/messages/")


def test_every_reference_leads_somewhere() -> None:
    found = set(references(document()))
    assert len(found) > len(BY_TOPIC)
    for reference in found:
        at(reference)


def test_every_event_has_a_message_and_a_channel() -> None:
    assert set(document()["components"]["messages"]) == set(BY_TOPIC) | {"feed.withheld", "feed.position"}
    assert set(document()["channels"]) == set(BY_TOPIC) | {"feed"}


@pytest.mark.parametrize("topic", TOPICS)
def test_what_is_sent_is_as_it_says(topic: str) -> None:
    row = Row(7, "coup/main/T1/S1/1", 1, topic, EVENTS[topic])
    told = json.loads(cloud_event("/ledger/x", row))
    assert is_valid(topic, told)
    assert not is_valid(topic, {**told, "type": "baccarat-ledger.another.v1"})
    assert not is_valid(topic, {**told, "data": {**told["data"], "colour": "red"}})
    headers = event_message("/ledger/x", row).headers
    assert Draft202012Validator(at(f"#/components/messages/{topic}")["headers"]).is_valid(headers)


@pytest.mark.parametrize("topic", TOPICS)
def test_a_subject_is_its_channels_address(topic: str) -> None:
    row = Row(7, "coup/main/T1/S1/1", 1, topic, EVENTS[topic])
    _, premises, table, *_ = subject_of(row).split(".")
    address = document()["channels"][topic]["address"]
    assert address.format(premises=premises, table=table) == subject_of(row)


def test_the_markers_are_as_it_says() -> None:
    assert is_valid("feed.withheld", json.loads(withheld("/ledger/x", 3, 9)))
    for recorded_at in (None, "2026-11-27T21:00:00Z"):
        assert is_valid("feed.position", json.loads(position("/ledger/x", 9, recorded_at)))
    assert not is_valid("feed.position", {**json.loads(position("/ledger/x", 9, None)), "colour": "red"})


def test_the_schema_that_an_event_names_is_published_under_that_name() -> None:
    published = run("schema").json()["events"]
    for topic in TOPICS:
        told = json.loads(cloud_event("/ledger/x", Row(7, "coup/main/T1/S1/1", 1, topic, EVENTS[topic])))
        assert published[topic]["$id"] == told["dataschema"]
        assert Draft202012Validator(published[topic]).is_valid(told["data"])
