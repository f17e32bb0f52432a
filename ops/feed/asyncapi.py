"""The AsyncAPI 3 document of what consumers get: generated from the catalogue, so it is never out of date.

The ledger is the application that it describes: it sends. Each event is a channel of the relay's stream,
and all of them are messages of the HTTP feed.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from pydantic.json_schema import models_json_schema

from ledger.events.base import LedgerEvent
from ledger.events.catalogue import EVENT_TYPES
from ops.feed.cloudevents import POSITION, SEQUENCE_DIGITS, WITHHELD, schema_of, type_of
from ops.feed.formats import MEDIA_TYPES

CONTENT_TYPE = "application/cloudevents+json"
_SCHEMAS = "#/components/schemas/{model}"
_SEQUENCE = {
    "type": "string",
    "pattern": f"^[0-9]{{{SEQUENCE_DIGITS}}}$",
    "description": "The resume point after it.",
}
_TEXT = {"type": "string", "minLength": 1}
_HEADERS = {
    "type": "object",
    "required": ["Ledger-Source", "Ledger-Sequence"],
    "properties": {"Ledger-Source": _TEXT, "Ledger-Sequence": {"type": "string", "pattern": "^[0-9]+$"}},
}


def asyncapi() -> dict[str, Any]:
    """The document, as a JSON value."""
    schemas, definitions = models_json_schema(
        [(event, "serialization") for event in EVENT_TYPES], ref_template=_SCHEMAS
    )
    messages = {event.TOPIC: _message(event, dict(schemas[event, "serialization"])) for event in EVENT_TYPES}
    markers = {"feed.withheld": _withheld(), "feed.position": _position()}
    return {
        "asyncapi": "3.0.0",
        "id": "urn:baccarat-ledger:events",
        "info": {
            "title": "baccarat-ledger: events",
            "version": version("baccarat-ledger"),
            "description": (
                "Every event, in the order of the record, as CloudEvents 1.0. At least once on the wire: "
                "tell doubles by source and id."
            ),
            "license": {"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"},
        },
        "defaultContentType": CONTENT_TYPE,
        "servers": {
            "service": {
                "host": "localhost:8000",
                "protocol": "http",
                "description": "`baccarat-ledger serve`",
            },
            "jetstream": {
                "host": "localhost:4222",
                "protocol": "nats",
                "description": "`baccarat-ledger relay`",
            },
        },
        "channels": {
            **{event.TOPIC: _subject(event.TOPIC) for event in EVENT_TYPES},
            "feed": _feed([*messages, *markers]),
        },
        "operations": {
            **{f"relay-{event.TOPIC}": _operation(event.TOPIC, [event.TOPIC]) for event in EVENT_TYPES},
            "serve-feed": _operation("feed", [*messages, *markers]),
        },
        "components": {"messages": {**messages, **markers}, "schemas": definitions["$defs"]},
    }


def _message(event: type[LedgerEvent], data: dict[str, Any]) -> dict[str, Any]:
    about = (event.__doc__ or "").strip().partition("\n")[0]
    attributes = {
        "type": {"const": type_of(event.TOPIC)},
        "subject": {**_TEXT, "description": "The event's stream."},
        "time": {"type": "string", "format": "date-time", "description": "When it was recorded."},
        "datacontenttype": {"const": "application/json"},
        "dataschema": {"const": schema_of(event.TOPIC)},
        "data": data,
    }
    return {**_envelope(event.TOPIC, attributes), "headers": _HEADERS, "summary": about or event.__name__}


def _withheld() -> dict[str, Any]:
    summary = "No event from `firstsequence` to `sequence`, both included, is for this reader."
    return {
        **_envelope("feed.withheld", {"type": {"const": WITHHELD}, "firstsequence": _SEQUENCE}),
        "summary": summary,
    }


def _position() -> dict[str, Any]:
    summary = "Everything up to `sequence` has been told; the end of every complete answer."
    when = {"type": "string", "format": "date-time", "description": "When that event was recorded."}
    return {**_envelope("feed.position", {"type": {"const": POSITION}}, time=when), "summary": summary}


def _envelope(name: str, attributes: dict[str, Any], **optional: Any) -> dict[str, Any]:
    """A message: a CloudEvent with these attributes besides what all have, and perhaps some more."""
    common = {"specversion": {"const": "1.0"}, "id": _TEXT, "source": _TEXT, "sequence": _SEQUENCE}
    payload = {
        "type": "object",
        "required": [*common, *attributes],
        "additionalProperties": False,
        "properties": {**common, **attributes, **optional},
    }
    return {"name": name, "contentType": CONTENT_TYPE, "payload": payload}


def _subject(topic: str) -> dict[str, Any]:
    return {
        "address": f"ledger.{{premises}}.{{table}}.{topic}",
        "servers": [{"$ref": "#/servers/jetstream"}],
        "parameters": {
            "premises": {"description": "A dot in it is written %2E; `_` where there is none."},
            "table": {"description": "A dot in it is written %2E; `_` where there is none."},
        },
        "messages": _references([topic]),
    }


def _feed(names: list[str]) -> dict[str, Any]:
    return {
        "address": "/v1/events",
        "description": f"As {', '.join(MEDIA_TYPES)}: by `Accept`.",
        "servers": [{"$ref": "#/servers/service"}],
        "messages": _references(names),
    }


def _references(names: list[str]) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/messages/{name}"} for name in names}


def _operation(channel: str, names: list[str]) -> dict[str, Any]:
    return {
        "action": "send",
        "channel": {"$ref": f"#/channels/{channel}"},
        "messages": [{"$ref": f"#/channels/{channel}/messages/{name}"} for name in names],
    }
