"""What a walk over a whole ledger finds."""

from __future__ import annotations

from dataclasses import dataclass

from ledger.errors.malformed import MalformedInput
from ledger.errors.record import RecordError
from ledger.errors.seal import SealError

# What `verify` finds. Positional arguments only: a finding may come from another process.


@dataclass(eq=False)
class EventDamaged(RecordError):
    sequence: int
    reason: str
    code = "event-damaged"
    template = "event {sequence} cannot be read: {reason}"


@dataclass(eq=False)
class ColumnDiffers(RecordError):
    """A column says other than the event's own bytes."""

    sequence: int
    column: str
    stored: str
    in_state: str
    code = "column-differs"
    template = "event {sequence} stands under {column} {stored!r} and says {in_state!r} itself"


@dataclass(eq=False)
class VersionBroken(RecordError):
    sequence: int
    stream: str
    version: int
    expected: int
    code = "version-broken"
    template = "event {sequence} is version {version} of {stream}, where version {expected} comes next"


@dataclass(eq=False)
class DoesNotFold(RecordError):
    """No decision of the ledger could have led to this event after those before it."""

    sequence: int
    stream: str
    reason: str
    code = "does-not-fold"
    template = "event {sequence} does not follow from the events of {stream} before it: {reason}"


@dataclass(eq=False)
class CauseBroken(RecordError):
    """Events come with the record of the command that brought them about, in one piece."""

    sequence: int
    cause: str
    reason: str
    code = "cause-broken"
    template = "event {sequence}, brought about by command {cause!r}: {reason}"


@dataclass(eq=False)
class StorageDamaged(RecordError):
    """The database holds something that the ledger did not put there, or lacks something."""

    place: str
    reason: str
    code = "storage-damaged"
    template = "{place}: {reason}"


@dataclass(eq=False)
class PositionImpossible(RecordError):
    projection: str
    position: str
    reason: str
    code = "position-impossible"
    template = "projection {projection} cannot be at position {position}: {reason}"


@dataclass(eq=False)
class ReadTableDiffers(RecordError):
    """A read table is not what the record adds up to. `None` stands for a row that is not there."""

    table: str
    kept: str | None
    rebuilt: str | None
    code = "read-table-differs"
    template = "{table} is not what the record adds up to: it has {kept}, the record gives {rebuilt}"


@dataclass(eq=False)
class CheckpointBad(SealError):
    """A checkpoint that is kept does not hold. `why` is the code of what is wrong with it."""

    size: str
    why: str
    reason: str
    code = "checkpoint-bad"
    template = "the checkpoint of {size} events does not hold: {reason}"


@dataclass(eq=False)
class NotSigned(SealError):
    """Sealed events that no checkpoint kept here has in it: a seal was cut short, or one was taken away."""

    sequence: int
    sealed: int
    code = "not-signed"
    template = "events {sequence} to {sealed} are sealed, and no checkpoint signs for them; seal again"


@dataclass(eq=False)
class NoCheckpoint(SealError):
    code = "no-checkpoint"
    template = "no checkpoint has been signed here; `baccarat-ledger seal` signs one"


@dataclass(eq=False)
class KeyFileUnusable(MalformedInput):
    """A file of a key or a checkpoint cannot be read or made."""

    path: str
    reason: str
    code = "key-file-unusable"
    template = "{path}: {reason}"
