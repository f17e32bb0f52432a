"""Every stored event is a CloudEvent 1.0 whose data are the stored bytes."""

from __future__ import annotations

import json
import re
from datetime import datetime
from urllib.parse import urlsplit

import pytest
from jsonschema import Draft202012Validator

from ledger.errors import EventUnreadable
from ledger.store.port import Row
from ops.feed.cloudevents import cloud_event, position, source_of, withheld
from tests.golden.files import EVENTS, TOPICS

SOURCE = source_of("3f0c")
# CloudEvents 1.0.2 §3 (attributes) and its JSON format §2, §3: what must be there, and of what type.
TEXT = {"type": "string", "minLength": 1}
ENVELOPE = {
    "type": "object",
    "required": ["specversion", "id", "source", "type"],
    "properties": {
        "specversion": {"const": "1.0"},
        "id": TEXT,
        "source": TEXT,
        "type": TEXT,
        "subject": TEXT,
        "time": TEXT,
        "datacontenttype": {"const": "application/json"},
        "dataschema": TEXT,
        "sequence": TEXT,
        "data": {},
        "data_base64": False,
    },
    # §3.1: names are lower-case letters or digits, and should not be longer than twenty.
    "patternProperties": {"^[a-z0-9]{1,20}$": {}, "^data_base64$": {}},
    "additionalProperties": False,
}
RFC_3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")


def row(topic: str, state: bytes, sequence: int = 7, stream: str = "coup/main/T1/S1/1") -> Row:
    return Row(sequence, stream, 1, topic, state)


@pytest.mark.parametrize("topic", TOPICS)
def test_every_stored_event_is_one(topic: str) -> None:
    told = json.loads(cloud_event(SOURCE, row(topic, EVENTS[topic])))
    Draft202012Validator(ENVELOPE).validate(told)
    assert (told["source"], told["type"], told["id"]) == ("/ledger/3f0c", f"baccarat-ledger.{topic}", "7")
    assert told["subject"] == "coup/main/T1/S1/1"
    assert urlsplit(told["dataschema"]).scheme, "§3.2 dataschema is a URI, not a reference"
    assert RFC_3339.fullmatch(told["time"])
    stored = json.loads(EVENTS[topic])
    assert datetime.fromisoformat(told["time"]) == datetime.fromisoformat(stored["recorded_at"])


@pytest.mark.parametrize("topic", TOPICS)
def test_its_data_are_the_stored_bytes_to_the_byte(topic: str) -> None:
    assert cloud_event(SOURCE, row(topic, EVENTS[topic])).endswith(b'"data":' + EVENTS[topic] + b"}")


def test_bytes_are_not_written_anew() -> None:
    """Spaces, key order and escapes of what was stored stay as they are."""
    state = b'{ "version":1 , "recorded_at" : "2026-11-27T21:00:00Z","detail":"caf\\u00e9" }'
    assert b'"data":' + state + b"}" in cloud_event(SOURCE, row("shoe-ended.v1", state))


def test_sequences_sort_as_texts() -> None:
    """The sequence extension: a string, ordered by comparing strings."""
    state = EVENTS["shoe-ended.v1"]
    texts = [
        json.loads(cloud_event(SOURCE, row("shoe-ended.v1", state, sequence)))["sequence"]
        for sequence in (1, 2, 9, 10, 99, 100, 2**31, 2**63 - 1)
    ]
    assert texts == sorted(texts)
    assert [int(text) for text in texts] == [1, 2, 9, 10, 99, 100, 2**31, 2**63 - 1]


@pytest.mark.parametrize(
    "marker", [withheld(SOURCE, 3, 9), position(SOURCE, 9, None), position(SOURCE, 9, "2026-11-27T21:00:00Z")]
)
def test_markers_are_cloudevents_without_data_that_end_where_a_reader_resumes(marker: bytes) -> None:
    told = json.loads(marker)
    Draft202012Validator(ENVELOPE).validate(told)
    assert int(told["sequence"]) == 9
    assert "data" not in told


@pytest.mark.parametrize(
    "state",
    [b"", b"[]", b"{", b"\xff", b'{"stream":"x"}', b'{"recorded_at":1}', b'{"recorded_at":"2026"',
     b'{"recorded_at":"2026-11-27T21:00:00Z",\n"version":1}', b'{"recorded_at":"2026-11-27T21:00:00Z"}x'],
)  # fmt: skip
def test_bytes_that_would_break_the_message_are_told_and_not_sent(state: bytes) -> None:
    with pytest.raises(EventUnreadable):
        cloud_event(SOURCE, row("shoe-ended.v1", state))


def test_names_are_written_as_json() -> None:
    told = json.loads(cloud_event(SOURCE, row("shoe-ended.v1", EVENTS["shoe-ended.v1"], stream='a"\\é')))
    assert told["subject"] == 'a"\\é'
