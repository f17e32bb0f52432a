"""One page of the feed: read from the record, nothing left out in silence.

The record has no gaps, so a jump of the sequence between two rows that were selected is what the selection
left out. Events that were asked for and are not given are told as withheld, from the first to the last of
them.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from ledger.store.port import RecordReader, Row
from ops.feed.cloudevents import cloud_event, position, recorded_at_of, withheld
from ops.feed.resume import ResumePoint, point_at
from ops.feed.selection import Selection

PAGE_EVENTS = 500
PAGE_BYTES = 4_000_000
"""A page ends early where its events are large."""


class Kind(StrEnum):
    """What a message of the feed is."""

    EVENT = "event"
    WITHHELD = "withheld"
    POSITION = "position"


class Message(NamedTuple):
    """A message: its CloudEvent, and the resume point after it."""

    kind: Kind
    resume: ResumePoint
    body: bytes


class Page(NamedTuple):
    """Some messages.

    Attributes:
        reached: everything up to here has been told.
        end: where the record ended when it was read.
        events: how many of the messages are events.
    """

    messages: list[Message]
    reached: ResumePoint
    end: int
    events: int

    @property
    def is_last(self) -> bool:
        """Whether there was nothing more."""
        return self.reached.sequence >= self.end


def read_page(
    record: RecordReader, source: str, selection: Selection, after: ResumePoint, limit: int
) -> Page:
    """The messages after `after`, of up to `limit` events.

    Raises:
        EventUnreadable: an event that would be given cannot be.
    """
    end = record.last_sequence()  # before the rows: what comes in between is not taken for read
    size = min(limit, PAGE_EVENTS)
    nothing = after.sequence >= end or not selection.topics
    rows = [] if nothing else record.select_rows(after.sequence, size, selection.to_select())
    writing = _Writing(source, selection, after.sequence)
    for row in rows:
        if selection.gives(row):
            writing.give(row)
        else:
            writing.withhold(row.sequence)
        if writing.size_bytes > PAGE_BYTES:
            return writing.page(record, row.sequence, end)
    last = rows[-1].sequence if rows else after.sequence
    reached = last if len(rows) == size else max(end, last)
    if reached == after.sequence:
        return Page([], after, end, 0)
    return writing.page(record, reached, end)


def position_message(source: str, reached: ResumePoint) -> Message:
    """The marker that ends an answer."""
    return Message(Kind.POSITION, reached, position(source, *reached))


class _Writing:
    """A page being written, told up to `told`; `first` is the first one withheld that is not told yet."""

    def __init__(self, source: str, selection: Selection, after: int) -> None:
        self.messages: list[Message] = []
        self.events = self.size_bytes = 0
        self._source, self._gaps = source, not selection.filtered
        self._told, self._first, self._last = after, 0, 0

    def give(self, row: Row) -> None:
        self._skip_to(row.sequence)
        self._tell_withheld()
        resume = ResumePoint(row.sequence, recorded_at_of(row))
        body = cloud_event(self._source, row, resume.recorded_at)
        self.messages.append(Message(Kind.EVENT, resume, body))
        self.events += 1
        self.size_bytes += len(body)
        self._told = row.sequence

    def withhold(self, sequence: int) -> None:
        self._skip_to(sequence)
        self._first, self._last, self._told = self._first or sequence, sequence, sequence

    def page(self, record: RecordReader, last: int, end: int) -> Page:
        """The page, told up to `last`."""
        self._skip_to(last + 1)
        self._tell_withheld()
        reached = self._resume_of_last(last) or point_at(record, last)
        if self.messages and self.messages[-1].resume.sequence == last:
            self.messages[-1] = self.messages[-1]._replace(resume=reached)
        return Page(self.messages, reached, max(end, last), self.events)

    def _resume_of_last(self, last: int) -> ResumePoint | None:
        """The last message's resume point, if that is where the page ends and it says when."""
        resume = self.messages[-1].resume if self.messages else None
        return resume if resume and resume.sequence == last and resume.recorded_at else None

    def _skip_to(self, sequence: int) -> None:
        """What was not selected before this one is withheld, unless only some types were asked for."""
        if self._gaps and sequence > self._told + 1:
            self._first, self._last = self._first or self._told + 1, sequence - 1
            self._told = sequence - 1

    def _tell_withheld(self) -> None:
        if self._first:
            body = withheld(self._source, self._first, self._last)
            self.messages.append(Message(Kind.WITHHELD, ResumePoint(self._last), body))
            self._first = 0
