"""One page of the feed: read from the record, nothing left out in silence.

The record has no gaps, so a jump of the sequence between two rows that were selected is what the selection
left out. Events that were asked for and are not given are told as withheld, from the first to the last of
them.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from ledger.errors import ResumePointBeyondEnd, ResumePointMalformed
from ledger.store.port import RecordReader
from ops.feed.cloudevents import cloud_event, position, withheld
from ops.feed.selection import Selection

PAGE_EVENTS = 500
PAGE_BYTES = 4_000_000
"""A page ends early where its events are large."""
SEQUENCE_MAX = 2**63 - 1


class Kind(StrEnum):
    """What a message of the feed is."""

    EVENT = "event"
    WITHHELD = "withheld"
    POSITION = "position"


class Message(NamedTuple):
    """A message: `sequence` is the resume point after it, `body` its CloudEvent."""

    kind: Kind
    sequence: int
    body: bytes


class Page(NamedTuple):
    """Some messages.

    Attributes:
        reached: everything up to here has been told.
        end: where the record ended when it was read.
        events: how many of the messages are events.
    """

    messages: list[Message]
    reached: int
    end: int
    events: int

    @property
    def is_last(self) -> bool:
        """Whether there was nothing more."""
        return self.reached >= self.end


def resume_point(given: str) -> int:
    """The position that a text names. Raises: ResumePointMalformed."""
    if not (given.isascii() and given.isdecimal()) or len(given) > 19 or int(given) > SEQUENCE_MAX:
        raise ResumePointMalformed(given[:40])
    return int(given)


def check_exists(record: RecordReader, after: int) -> None:
    """That there is such a resume point. Raises: ResumePointBeyondEnd."""
    if after and after > (end := record.last_sequence()):
        raise ResumePointBeyondEnd(after, end)


def read_page(record: RecordReader, source: str, selection: Selection, after: int, limit: int) -> Page:
    """The messages after `after`, of up to `limit` events.

    Raises:
        EventUnreadable: an event that would be given cannot be.
    """
    end = record.last_sequence()  # before the rows: what comes in between is not taken for read
    size = min(limit, PAGE_EVENTS)
    nothing = after >= end or not selection.topics
    rows = [] if nothing else record.select_rows(after, size, selection.to_select())
    writing = _Writing(source, selection, after)
    for row in rows:
        if selection.gives(row):
            writing.give(row.sequence, cloud_event(source, row))
        else:
            writing.withhold(row.sequence)
        if writing.size_bytes > PAGE_BYTES:
            return writing.page(row.sequence, end)
    reached = rows[-1].sequence if len(rows) == size else max(end, rows[-1].sequence if rows else after)
    return writing.page(reached, end)


def position_message(source: str, reached: int) -> Message:
    """The marker that ends an answer."""
    return Message(Kind.POSITION, reached, position(source, reached))


class _Writing:
    """A page being written, told up to `told`; `first` is the first one withheld that is not told yet."""

    def __init__(self, source: str, selection: Selection, after: int) -> None:
        self.messages: list[Message] = []
        self.events = self.size_bytes = 0
        self._source, self._gaps = source, not selection.filtered
        self._told, self._first, self._last = after, 0, 0

    def give(self, sequence: int, body: bytes) -> None:
        self._skip_to(sequence)
        self._tell_withheld()
        self.messages.append(Message(Kind.EVENT, sequence, body))
        self.events += 1
        self.size_bytes += len(body)
        self._told = sequence

    def withhold(self, sequence: int) -> None:
        self._skip_to(sequence)
        self._first, self._last, self._told = self._first or sequence, sequence, sequence

    def page(self, reached: int, end: int) -> Page:
        self._skip_to(reached + 1)
        self._tell_withheld()
        return Page(self.messages, reached, max(end, reached), self.events)

    def _skip_to(self, sequence: int) -> None:
        """What was not selected before this one is withheld, unless only some types were asked for."""
        if self._gaps and sequence > self._told + 1:
            self._first, self._last = self._first or self._told + 1, sequence - 1
            self._told = sequence - 1

    def _tell_withheld(self) -> None:
        if self._first:
            body = withheld(self._source, self._first, self._last)
            self.messages.append(Message(Kind.WITHHELD, self._last, body))
            self._first = 0
