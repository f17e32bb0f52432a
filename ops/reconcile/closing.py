"""The close of a day: counts and sign-off in one transaction, under ids that are made of their content.

A command that was refused stays refused under its id, and a count may come again after another took its
place. So how far the record had been read is part of the content: what is sent twice is run once, and what is
sent after something was put right is another command.

The figures are of what the record held a while ago. Nothing may have come since that would be in them: until
the day is closed a ruling is booked on it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from ledger.answer import Answer
from ledger.application import Ledger
from ledger.commands import CloseDay, Command, RecordCount
from ledger.errors import RecordMoved
from ledger.events.catalogue import decode
from ledger.events.coup import CoupOpened
from ledger.events.day import CountRecorded
from ledger.store.port import LedgerRecorder, pages
from ledger.terms import identifiers
from ops.reconcile.day_record import DayRecord, day_record
from ops.reconcile.report import DayReport
from projections.reconciliation.reconciliation import Comparison
from projections.reconciliation.views import PROJECTIONS

ACTOR = "reconcile"
"""Who reports a count and a close: the daily job. Whoever signs stands in `signed_by`."""

_ATTEMPTS = 20
"""How often to look anew where tables that have opened again were played at meanwhile."""
_PAGE = 1_000
_IN_THE_FIGURES = tuple({topic for projection in PROJECTIONS for topic in projection.topics})


class CloseRefused(Exception):
    """The ledger said no, and why. What it recorded is that it did."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.detail or answer.outcome)
        self.answer = answer


def unexplained(tables: Sequence[Comparison], explained: Mapping[str, str]) -> list[Comparison]:
    """Tables whose variance is above the threshold, and that nobody has explained."""
    return [at for at in tables if at.above and at.books.table not in explained]


def close(
    ledger: Ledger, report: DayReport, before: DayRecord, counted_by: Sequence[str], signed_by: Sequence[str]
) -> DayRecord:
    """Record what was counted, and close the day. Nothing is recorded twice.

    Args:
        before: the day as the record had it.
        counted_by: who signed the count sheet.
        signed_by: who signs the day off.

    Returns:
        The day as it stands now, closed.

    Raises:
        CloseRefused: by the ledger.
        RecordMoved: the figures are no longer the record's. Nothing was recorded.
    """
    now = ledger.clock()
    sign_off = sign_off_of(report, signed_by, now)
    commands = [*_counts(report, before, counted_by, now), sign_off]
    try:
        answers = _run_if_unmoved(ledger, commands, sign_off)
    except RecordMoved:
        after = day_record(ledger.record, report.premises, report.gaming_day)
        if after.closed:
            return after
        raise
    after = day_record(ledger.record, report.premises, report.gaming_day)
    if after.closed:  # by us, or by somebody who was first
        return after
    refused = [answer for answer in answers if not answer.applied]
    raise CloseRefused(refused[0] if refused else answers[-1])


def close_day(ledger: Ledger, close: CloseDay) -> Answer:
    """Run a close that was decided a while ago: what it says is still what the record says.

    Where persons consent to a close, time passes between the figures and the last consent. One that was run
    before gives its first answer, whatever has come since.

    Raises:
        RecordMoved: a table, a coup or a count of the day has moved since. Nothing was recorded.
        LedgerBusy.
    """
    if ledger.record.select_first([identifiers.command_stream(close.id)]):
        return ledger.run(close)
    counts = identifiers.day_stream(close.premises, close.gaming_day)
    return _run_if_unmoved(ledger, [close], close, counts)[0]


def check_unmoved(record: LedgerRecorder, premises: str, day: date, position: int) -> None:
    """That nothing of the day's figures or counts has come after this position. Raises: RecordMoved."""
    stop = record.last_sequence()
    moved = _counted_anew(record, identifiers.day_stream(premises, day), position, stop)
    if moved := moved or _moved(record, premises, day, position, stop):
        raise RecordMoved(moved, position)


def _run_if_unmoved(
    ledger: Ledger, commands: Sequence[Command], close: CloseDay, counts: str | None = None
) -> list[Answer]:
    """Run them if nothing has come that would be in the figures. The save looks again, under its lock.

    Args:
        close: the last of the commands.
        counts: the day's stream, where no count may have come either; None where the commands bring them.

    Raises: RecordMoved.
    """
    premises, day, position = close.premises, close.gaming_day, close.position
    tables = [table.table for table in close.tables]
    streams = [identifiers.table_stream(premises, table, day) for table in tables]
    # a coup's name does not say of which day it is: those of a later day only let us look once more
    streams += [identifiers.coups_prefix(premises, table) for table in tables]
    streams += [counts] if counts else []
    attempt = 0
    while True:
        attempt += 1
        looked = ledger.record.last_sequence()
        moved = _counted_anew(ledger.record, counts, position, looked) if counts else None
        if moved := moved or _moved(ledger.record, premises, day, position, looked):
            raise RecordMoved(moved, position)
        try:
            return ledger.run_many(commands, dict.fromkeys(streams, looked))
        except RecordMoved:
            if attempt == _ATTEMPTS:
                raise


def _counted_anew(record: LedgerRecorder, day: str, after: int, stop: int) -> str | None:
    """The day's stream, if a count came in this stretch."""
    came = (row for row in record.select_stream(day) if after < row.sequence <= stop)
    return next((day for row in came if row.topic == CountRecorded.TOPIC), None)


def _moved(record: LedgerRecorder, premises: str, day: date, after: int, stop: int) -> str | None:
    """A table's night of this day, or a coup of it, that has an event in this stretch."""
    of_this_day = {}
    for page in pages(record, after, _IN_THE_FIGURES, _PAGE, stop):
        for row in page:
            kind, at, *_, last = row.stream.split("/")
            if at != premises or kind not in ("table", "coup"):
                continue
            if row.stream not in of_this_day:
                of_this_day[row.stream] = (
                    last == day.isoformat() if kind == "table" else _day_of(record, row.stream) == day
                )
            if of_this_day[row.stream]:
                return row.stream
    return None


def _day_of(record: LedgerRecorder, coup: str) -> date | None:
    row = record.select_first([coup])[coup]
    event = decode(row.topic, row.state, row.stream, row.version)
    return event.conditions.gaming_day if isinstance(event, CoupOpened) else None


def _counts(
    report: DayReport, before: DayRecord, counted_by: Sequence[str], now: datetime
) -> Iterator[Command]:
    """Each count that is not the record's already."""
    premises, day = report.premises, report.gaming_day
    for table, counted in ((each.at.books.table, each.at.counted) for each in report.tables):
        for count in counted:
            if before.counts.get(table, {}).get(count.shift) == count:
                continue
            content = {
                "table": table,
                "counted": count.model_dump(mode="json"),
                "position": report.position,
                "signed_by": list(counted_by),
            }
            yield RecordCount(
                id=_id("count", premises, day, content),
                occurred_at=now,
                actor=ACTOR,
                premises=premises,
                table=table,
                gaming_day=day,
                counted=count,
                signed_by=tuple(counted_by),
            )


def sign_off_of(
    report: DayReport, signed_by: Sequence[str], now: datetime, actor: str = ACTOR, command: str | None = None
) -> CloseDay:
    """The close of a day as this report has it.

    Args:
        now: aware UTC.
        actor: who reports it.
        command: its id; None: made of its content.
    """
    tables = tuple(table.reconciled() for table in report.tables)
    unfinished = tuple(coup for table in report.tables for coup, _ in table.at.books.unfinished)
    content = {
        "position": report.position,
        "tables": [table.model_dump(mode="json") for table in tables],
        "unfinished": unfinished,
        "signed_by": list(signed_by),
    }
    return CloseDay(
        id=command or _id("close", report.premises, report.gaming_day, content),
        occurred_at=now,
        actor=actor,
        premises=report.premises,
        gaming_day=report.gaming_day,
        position=report.position,
        tables=tables,
        unfinished=unfinished,
        signed_by=tuple(signed_by),
    )


def _id(what: str, premises: str, day: date, content: Mapping[str, Any]) -> str:
    told = json.dumps([premises, day.isoformat(), content], sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(told.encode()).hexdigest()[:32]
    return f"reconcile-{what}-{day.isoformat()}-{digest}"
