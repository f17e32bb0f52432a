"""A stored event as a CloudEvent 1.0, and the two markers of the feed that are no events.

Pure. The data of an event are its stored bytes, as they are: whoever keeps them can prove them against the
seal. Every message carries `sequence`, the resume point after it; with its `time` it is known again.
"""

from __future__ import annotations

import json
from functools import cache
from urllib.parse import quote

import msgspec

from ledger.errors import EventUnreadable
from ledger.store.port import Row

TYPE_PREFIX = "baccarat-ledger."
"""What every type begins with; the stored topic follows: `baccarat-ledger.coup-settled.v1`."""
WITHHELD = "baccarat-ledger.feed.withheld"
POSITION = "baccarat-ledger.feed.position"
SCHEMA_PREFIX = "urn:baccarat-ledger:event:"
SEQUENCE_DIGITS = 19
"""The greatest sequence that an engine can count to has so many: the attribute sorts as text."""


class _Recorded(msgspec.Struct):
    recorded_at: str


_decode = msgspec.json.Decoder(_Recorded).decode


def source_of(ledger_id: str) -> str:
    """The `source` of a ledger's events."""
    return f"/ledger/{quote(ledger_id, safe='')}"


def type_of(topic: str) -> str:
    """The `type` of events of this topic."""
    return TYPE_PREFIX + topic


def schema_of(topic: str) -> str:
    """The name of the JSON Schema of the data of events of this topic."""
    return SCHEMA_PREFIX + topic


def recorded_at_of(row: Row) -> str:
    """When an event was recorded, to the letter. Raises: EventUnreadable: it does not say."""
    try:
        return _decode(row.state).recorded_at
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise EventUnreadable(row.stream, row.version, row.topic, str(error)) from error


def cloud_event(source: str, row: Row, recorded_at: str | None = None) -> bytes:
    """The JSON of one event, on one line.

    Args:
        recorded_at: what `recorded_at_of` says of it, where somebody has asked.

    Raises:
        EventUnreadable: the stored bytes are no JSON object of one line with a `recorded_at`.
    """
    recorded_at = recorded_at_of(row) if recorded_at is None else recorded_at
    if b"\n" in row.state or b"\r" in row.state:  # it would end the message that it stands in
        raise EventUnreadable(row.stream, row.version, row.topic, "there is a line break in it")
    return b'%b,"id":"%d","sequence":"%b","subject":%b,"time":%b,"data":%b}' % (
        _head(source, row.topic),
        row.sequence,
        _digits(row.sequence),
        _text(row.stream),
        _text(recorded_at),
        row.state,
    )


def withheld(source: str, first: int, last: int) -> bytes:
    """The marker of events not for this reader: none from `first` to `last`, both included, is told."""
    return b'%b,"id":"withheld-%d-%d","sequence":"%b","firstsequence":"%b"}' % (
        _marker_head(source, WITHHELD),
        first,
        last,
        _digits(last),
        _digits(first),
    )


def position(source: str, reached: int, recorded_at: str | None) -> bytes:
    """The marker that ends an answer: everything up to `reached` that was asked for has been told.

    Args:
        recorded_at: when that event was; None where nobody says.
    """
    return b'%b,"id":"position-%d","sequence":"%b"%b}' % (
        _marker_head(source, POSITION),
        reached,
        _digits(reached),
        b"" if recorded_at is None else b',"time":' + _text(recorded_at),
    )


@cache
def _head(source: str, topic: str) -> bytes:
    attributes = {
        "specversion": "1.0",
        "source": source,
        "type": type_of(topic),
        "datacontenttype": "application/json",
        "dataschema": schema_of(topic),
    }
    return json.dumps(attributes, separators=(",", ":")).encode()[:-1]


@cache
def _marker_head(source: str, kind: str) -> bytes:
    attributes = {"specversion": "1.0", "source": source, "type": kind}
    return json.dumps(attributes, separators=(",", ":")).encode()[:-1]


def _digits(sequence: int) -> bytes:
    return b"%019d" % sequence


def _text(value: str) -> bytes:
    return json.dumps(value).encode()
