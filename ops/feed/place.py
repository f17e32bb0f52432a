"""Where a stored event happened: its premises and table, read off its stream's name.

The record of a command stands on a stream of its own; it happened where its subject is.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from ledger.errors import EventUnreadable
from ledger.events.command import CommandRecorded
from ledger.store.port import Row


class Place(NamedTuple):
    """Where; None where an event is of no premises, or of no one table."""

    premises: str | None
    table: str | None


NOWHERE = Place(None, None)
_WITH_TABLE = frozenset({"table", "shoe", "coup"})
"""Streams `KIND/PREMISES/TABLE/…`; see `ledger.terms.identifiers`."""
_WITHOUT_TABLE = frozenset({"day", "access"})
"""Streams `KIND/PREMISES/…`."""


class _Subject(msgspec.Struct):
    subject: str


_decode = msgspec.json.Decoder(_Subject).decode


def place_of(row: Row) -> Place:
    """Where this event happened. Raises: EventUnreadable: it is a command's record without a subject."""
    if row.topic != CommandRecorded.TOPIC:
        return place_of_stream(row.stream)
    try:
        return place_of_stream(_decode(row.state).subject)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise EventUnreadable(row.stream, row.version, row.topic, str(error)) from error


def place_of_stream(stream: str) -> Place:
    """Where everything on a stream happens."""
    kind, *parts = stream.split("/")
    if kind in _WITH_TABLE and len(parts) > 1:
        return Place(parts[0], parts[1])
    return Place(parts[0], None) if kind in _WITHOUT_TABLE and parts else NOWHERE
