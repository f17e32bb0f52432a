"""The stored record cannot be read as it should."""

from __future__ import annotations

from dataclasses import dataclass

from ledger.errors.root import LedgerError


class RecordError(LedgerError):
    """The stored record cannot be read as it should."""

    code = "record-error"


@dataclass(eq=False)
class UnknownTopic(RecordError):
    topic: str
    code = "unknown-topic"
    template = "stored topic {topic!r} is not in the catalogue of this version"


@dataclass(eq=False)
class EventUnreadable(RecordError):
    stream: str
    version: int
    topic: str
    reason: str
    code = "event-unreadable"
    template = "event {version} of {stream} ({topic}) cannot be read: {reason}"


@dataclass(eq=False)
class PositionMoved(RecordError):
    """Another runner moved this projection: nothing of the batch was written."""

    projection: str
    expected_position: int
    code = "position-moved"
    template = "projection {projection} is no longer at position {expected_position}"


@dataclass(eq=False)
class NotALedger(RecordError):
    path: str
    reason: str
    code = "not-a-ledger"
    template = "{path} cannot be used as a ledger: {reason}"
