"""A stream while a command is being decided: its folded state, and the events not yet saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar

from ledger.events.base import LedgerEvent

State = TypeVar("State")
NOTHING: Mapping[str, Any] = MappingProxyType({})
"""What a state's mapping holds before its first event."""
Fold = Mapping[type[LedgerEvent], Callable[[Any, Any], Any]]
"""An event type to the function that takes a state and such an event, and gives the next state."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What all events of one command share."""

    occurred_at: datetime
    recorded_at: datetime
    actor: str
    cause: str


class Folded(NamedTuple, Generic[State]):
    """A state and the version of the stream it was folded from. Immutable, so it may be cached."""

    stream: str
    version: int
    state: State

    def then(self, event: LedgerEvent, fold: Fold) -> Folded[State]:
        """The state after one more event."""
        return Folded(self.stream, event.version, fold[type(event)](self.state, event))


class Draft(Generic[State]):
    """What one command adds to one stream.

    Events are folded as they are recorded, so that a decision made of several steps sees each step's
    effect. Dropping the draft drops everything.
    """

    __slots__ = ("_fold", "_recorded", "_stamp", "folded")

    def __init__(self, folded: Folded[State], fold: Fold, stamp: Stamp, recorded: list[LedgerEvent]) -> None:
        self.folded = folded
        self._fold = fold
        self._stamp = stamp
        self._recorded = recorded

    @property
    def stream(self) -> str:
        """The stream's name."""
        return self.folded.stream

    @property
    def state(self) -> State:
        """The state with all that this command has recorded so far."""
        return self.folded.state

    def record(self, event_type: type[LedgerEvent], /, **facts: Any) -> None:
        """Add the next event of the stream. The model checks the facts; order of calls is order of events."""
        stamp = self._stamp
        event = event_type(
            stream=self.folded.stream,
            version=self.folded.version + 1,
            occurred_at=stamp.occurred_at,
            recorded_at=stamp.recorded_at,
            actor=stamp.actor,
            cause=stamp.cause,
            **facts,
        )
        self.folded = self.folded.then(event, self._fold)
        self._recorded.append(event)
