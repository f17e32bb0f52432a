"""What the record itself says of a gaming day: what was counted, and whether it is closed.

Read from the day's own stream, which is bounded, and not from a projection, which may be behind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from ledger.events import day as events
from ledger.events.catalogue import decode
from ledger.store.port import RecordReader
from ledger.terms.books import CountedShift, ReconciledTable
from ledger.terms.identifiers import day_stream


@dataclass(slots=True)
class DayRecord:
    """A gaming day of the premises.

    Attributes:
        counts: the latest count, by table and shift.
        reconciled: what each table came to, once the day is closed, by its name.
        position: up to where the record had been read for that.
        signed_by: who closed the day; empty while it is open.
        sealed_at: the sequence of the event that closed it.
    """

    counts: dict[str, dict[str, CountedShift]] = field(default_factory=dict)
    reconciled: Mapping[str, ReconciledTable] = field(default_factory=dict)
    position: int = 0
    signed_by: tuple[str, ...] = ()
    sealed_at: int = 0

    @property
    def closed(self) -> bool:
        """Whether the day is closed."""
        return bool(self.sealed_at)


def day_record(record: RecordReader, premises: str, day: date) -> DayRecord:
    """The day as the record has it now."""
    found = DayRecord()
    for row in record.select_stream(day_stream(premises, day)):
        event = decode(row.topic, row.state, row.stream, row.version)
        if isinstance(event, events.CountRecorded):
            found.counts.setdefault(event.table, {})[event.counted.shift] = event.counted
        elif isinstance(event, events.DayReconciled):
            found.reconciled = {table.table: table for table in event.tables}
            found.position = event.position
        elif isinstance(event, events.DaySealed):
            found.signed_by = event.signed_by
            found.sealed_at = row.sequence
    return found
