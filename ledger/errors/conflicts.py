"""What is asked contradicts what is recorded. No event."""

from __future__ import annotations

from dataclasses import dataclass

from ledger.errors.root import LedgerError


class Conflict(LedgerError):
    """What is asked contradicts what is recorded. Nothing is recorded of it."""

    code = "conflict"


@dataclass(eq=False)
class CommandIdUsed(Conflict):
    """The same command id with other content: never run, never overwritten."""

    command: str
    code = "command-id-used"
    template = "command id {command!r} was used before for something else"


@dataclass(eq=False)
class RecordMoved(Conflict):
    """Something came that would have been in what was read, had it come before."""

    stream: str
    position: int
    code = "record-moved"
    template = "{stream} has moved since the record was read up to event {position}; read it again"


@dataclass(eq=False)
class LedgerBusy(Conflict):
    attempts: int
    code = "ledger-busy"
    template = "other writers were first {attempts} times running; send the command again"
