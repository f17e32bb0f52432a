"""How every stream folds, by the first part of its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ledger.aggregates import access as accesses
from ledger.aggregates import coup as coups
from ledger.aggregates import day as days
from ledger.aggregates import shoe as shoes
from ledger.aggregates import table as tables
from ledger.aggregates.draft import Fold, Steps, StreamState
from ledger.events.command import CommandRecorded


class Ran(StreamState, frozen=True):
    """That a command was run: what its one record says."""

    record: CommandRecorded | None = None


NOT_RUN = Ran()
_COMMAND_FOLD: Fold = {CommandRecorded: lambda _, event: Ran(event)}
_FOLDS: Mapping[str, tuple[Fold, Any]] = {
    "table": (tables.FOLD, tables.NEW_TABLE),
    "day": (days.FOLD, days.NEW_DAY),
    "shoe": (shoes.FOLD, shoes.NEW_SHOE),
    "coup": (coups.FOLD, coups.NEW_COUP),
    "access": (accesses.FOLD, accesses.NEW_ACCESS),
    "command": (_COMMAND_FOLD, NOT_RUN),
}
FOLDS: Mapping[str, tuple[Steps, Any]] = {
    kind: ({event.TOPIC: step for event, step in fold.items()}, empty)
    for kind, (fold, empty) in _FOLDS.items()
}
"""The first part of a stream's name, to how it folds and what it is before its first event."""


def fold_of(stream: str) -> tuple[Steps, Any]:
    """How this stream folds, and its state before its first event."""
    return FOLDS[stream.partition("/")[0]]
