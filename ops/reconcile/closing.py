"""The close of a day: counts and sign-off in one transaction, under ids that are made of their content.

A command that was refused stays refused under its id, and a count may come again after another took its
place. So how far the record had been read is part of the content: what is sent twice is run once, and what is
sent after something was put right is another command.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from ledger.application import Ledger
from ledger.batch import Answer
from ledger.commands import CloseDay, Command, RecordCount
from ops.reconcile.day_record import DayRecord, day_record
from ops.reconcile.report import DayReport
from projections.reconciliation.reconciliation import Comparison

ACTOR = "reconcile"
"""Who reports a count and a close: the daily job. Whoever signs stands in `signed_by`."""


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
    """
    now = ledger.clock()
    commands = [*_counts(report, before, counted_by, now), _sign_off(report, signed_by, now)]
    answers = ledger.run_many(commands)
    after = day_record(ledger.record, report.premises, report.gaming_day)
    if after.closed:  # by us, or by somebody who was first
        return after
    refused = [answer for answer in answers if not answer.applied]
    raise CloseRefused(refused[0] if refused else answers[-1])


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


def _sign_off(report: DayReport, signed_by: Sequence[str], now: datetime) -> Command:
    tables = tuple(table.reconciled() for table in report.tables)
    unfinished = tuple(coup for table in report.tables for coup, _ in table.at.books.unfinished)
    content = {
        "position": report.position,
        "tables": [table.model_dump(mode="json") for table in tables],
        "unfinished": unfinished,
        "signed_by": list(signed_by),
    }
    return CloseDay(
        id=_id("close", report.premises, report.gaming_day, content),
        occurred_at=now,
        actor=ACTOR,
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
