"""Every event has its command: what one brought about lies in one piece, and its record ends the piece.

That is how a save writes them, so whatever was put between, after or in place of them by somebody else shows,
unless it brings a record of a command of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, cast

from ledger.errors import CauseBroken
from ledger.events.base import LedgerEvent
from ledger.events.command import CommandOutcome, CommandRecorded
from ledger.store.port import Row
from ledger.terms.identifiers import command_stream

_RECORD = CommandRecorded.TOPIC
_stamp: Callable[[LedgerEvent], tuple[Any, ...]] = attrgetter("cause", "actor", "occurred_at", "recorded_at")
"""What all events of one command share."""


class CauseCheck:
    """Sees the events in order, from any event on; holds one piece's stamp and nothing else."""

    def __init__(self, before: LedgerEvent | None, sequence: int) -> None:
        """Begin after an event.

        Args:
            before: the event before the first to come; None at the beginning of the record, or where it
                cannot be read.
            sequence: its sequence.
        """
        self._open: tuple[Any, ...] | None = None
        self._since = sequence
        if before is not None and before.TOPIC != _RECORD:
            self._open = _stamp(before)

    def see(self, row: Row, event: LedgerEvent) -> bool:
        """The next event. Returns whether its command ends with it. Raises: CauseBroken."""
        stamp = _stamp(event)
        if self._open is None:
            self._open, self._since = stamp, row.sequence
        elif stamp != self._open:
            raise CauseBroken(
                row.sequence,
                event.cause,
                f"it does not go on from event {row.sequence - 1}, and no record of command "
                f"{self._open[0]!r} has ended what that began at event {self._since}",
            )
        if event.TOPIC != _RECORD:
            return False
        self._close(row, cast("CommandRecorded", event))  # by its topic, whether plain or not
        return True

    def _close(self, row: Row, record: CommandRecorded) -> None:
        if row.stream != command_stream(record.cause) or row.version != 1:
            raise CauseBroken(row.sequence, record.cause, f"{row.stream} is not that command's record")
        if record.outcome is CommandOutcome.REFUSED and row.sequence != self._since:
            raise CauseBroken(self._since, record.cause, "the command was refused and brings nothing about")
        self._open = None

    def end(self) -> None:
        """The record ends here. Raises: CauseBroken."""
        if self._open is not None:
            reason = "the record ends without a record of that command"
            raise CauseBroken(self._since, str(self._open[0]), reason)
