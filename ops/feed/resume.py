"""Resume points: up to which event somebody has read, and by what it is known again."""

from __future__ import annotations

from typing import NamedTuple

from ledger.errors import EventUnreadable, ResumePointBeyondEnd, ResumePointDiffers, ResumePointMalformed
from ledger.store.port import RecordReader
from ops.feed.cloudevents import recorded_at_of

SEQUENCE_MAX = 2**63 - 1
RECORDED_AT_CHARACTERS_MAX = 40


class ResumePoint(NamedTuple):
    """The last event that somebody has read; written `1042@2026-11-27T21:05:11.804213Z`, or `1042`.

    A record that was restored to an earlier state takes the same numbers again for other events. Those were
    recorded at other times, so with the time a point of the lost history is known for what it is.

    Attributes:
        sequence: its number; 0: nothing was read.
        recorded_at: when it was recorded, to the letter as the event says it; None: nobody says.
    """

    sequence: int
    recorded_at: str | None = None

    def __str__(self) -> str:
        return str(self.sequence) if self.recorded_at is None else f"{self.sequence}@{self.recorded_at}"


BEGINNING = ResumePoint(0)


def resume_point(given: str) -> ResumePoint:
    """The point that a text names. Raises: ResumePointMalformed."""
    number, at, recorded_at = given.partition("@")
    well_formed = (
        number.isascii()
        and number.isdecimal()
        and len(number) <= len(str(SEQUENCE_MAX))
        and int(number) <= SEQUENCE_MAX
        and bool(at) == bool(recorded_at)
        and len(recorded_at) <= RECORDED_AT_CHARACTERS_MAX
    )
    if not well_formed:
        raise ResumePointMalformed(given[:40])
    return ResumePoint(int(number), recorded_at or None)


def check_exists(record: RecordReader, point: ResumePoint) -> None:
    """That there is such a point.

    Raises:
        ResumePointBeyondEnd: the record ends before it.
        ResumePointDiffers: the event of that number is another than was read.
        EventUnreadable: whether it is cannot be told.
    """
    if not point.sequence:
        return
    if point.sequence > (end := record.last_sequence()):
        raise ResumePointBeyondEnd(point.sequence, end)
    if point.recorded_at is not None:
        (row,) = record.select_rows(point.sequence - 1, 1)
        if (found := recorded_at_of(row)) != point.recorded_at:
            raise ResumePointDiffers(point.sequence, point.recorded_at, found)


def point_at(record: RecordReader, sequence: int) -> ResumePoint:
    """The point after an event that is in the record, or the beginning."""
    if not sequence:
        return BEGINNING
    (row,) = record.select_rows(sequence - 1, 1)
    try:
        return ResumePoint(sequence, recorded_at_of(row))
    except EventUnreadable:  # that is for whoever is given it
        return ResumePoint(sequence)
