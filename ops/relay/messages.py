"""What is put into the stream: subjects, headers, and the message that says how far a ledger has come.

Pure. Events go under `ledger.PREMISES.TABLE.TYPE`, in batches that the stream takes whole or not at all. The
last message of a batch is the ledger's position, under `ledger-relay.LEDGER`: so what was stored and what
is known to be stored cannot part.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from ledger.seal.leaf import leaf_hash
from ledger.store.port import Row
from ops.feed.cloudevents import cloud_event
from ops.feed.place import place_of

EVENTS_ROOT = "ledger"
POSITIONS_ROOT = "ledger-relay"
SUBJECTS = (f"{EVENTS_ROOT}.>", f"{POSITIONS_ROOT}.*")
"""What the stream takes."""
NO_PLACE = "_"
"""In place of a premises or a table where there is none; no name begins so."""
SOURCE = "Ledger-Source"
SEQUENCE = "Ledger-Sequence"
CONTENT_TYPE = "Content-Type"
CLOUD_EVENT = "application/cloudevents+json; charset=UTF-8"
_ID = "Nats-Msg-Id"


class Outgoing(NamedTuple):
    """A message to be published."""

    subject: str
    headers: dict[str, str]
    payload: bytes


class Position(msgspec.Struct, frozen=True):
    """How far a ledger has come in the stream.

    Attributes:
        sequence: its last event that is there.
        leaf: that event's leaf hash (`ledger.seal.leaf`), in hexadecimal digits.
    """

    source: str
    sequence: int
    leaf: str


read_position = msgspec.json.Decoder(Position).decode
"""A position from the bytes of its message. Raises: msgspec.DecodeError."""


def event_message(source: str, row: Row) -> Outgoing:
    """An event. Raises: EventUnreadable."""
    headers = {**_headers(source, row.sequence), CONTENT_TYPE: CLOUD_EVENT, _ID: f"{source}:{row.sequence}"}
    return Outgoing(subject_of(row), headers, cloud_event(source, row))


def position_message(source: str, row: Row) -> Outgoing:
    """That everything up to this event is there."""
    position = Position(source, row.sequence, leaf_hash(row).hex())
    headers = {**_headers(source, row.sequence), _ID: f"{source}:position:{row.sequence}"}
    return Outgoing(position_subject(source), headers, json.dumps(msgspec.structs.asdict(position)).encode())


def subject_of(row: Row) -> str:
    """The subject of an event; its type has two tokens, the name and the version."""
    place = place_of(row)
    return ".".join((EVENTS_ROOT, token(place.premises), token(place.table), row.topic))


def position_subject(source: str) -> str:
    """The subject of a ledger's position."""
    return f"{POSITIONS_ROOT}.{token(source.rpartition('/')[2])}"


def token(name: str | None) -> str:
    """A name as one token of a subject: a dot in it would be two."""
    return NO_PLACE if name is None else name.replace("%", "%25").replace(".", "%2E")


def _headers(source: str, sequence: int) -> Mapping[str, str]:
    return {SOURCE: source, SEQUENCE: str(sequence)}
