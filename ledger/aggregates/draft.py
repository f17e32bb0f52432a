"""A stream while a command is being decided: its folded state, and the events not yet saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, Self, TypeVar

import msgspec

from ledger.events.base import LedgerEvent
from ledger.events.plain import PLAIN

State = TypeVar("State")
NOTHING: Mapping[str, Any] = MappingProxyType({})
"""What a state's mapping holds before its first event."""
Fold = Mapping[type[LedgerEvent], Callable[[Any, Any], Any]]
"""An event type to the function that takes a state and such an event, and gives the next state."""
Steps = Mapping[str, Callable[[Any, Any], Any]]
"""A `Fold` by topic, which plain events and models have in common."""


class StreamState(msgspec.Struct, frozen=True, gc=False):
    """The base of a stream's state: a frozen value whose changed copy costs a fraction of a tuple's."""

    def but(self, **changes: Any) -> Self:
        """The same state but for these fields."""
        return msgspec.structs.replace(self, **changes)


class Stamp(NamedTuple):
    """What all events of one command share."""

    occurred_at: datetime
    recorded_at: datetime
    actor: str
    cause: str


class Folded(msgspec.Struct, Generic[State], frozen=True, gc=False):
    """A state and the version of the stream it was folded from. Immutable, so it may be cached."""

    stream: str
    version: int
    state: State

    def then(self, event: LedgerEvent, steps: Steps) -> Folded[State]:
        """The state after one more event."""
        return Folded(self.stream, event.version, steps[event.TOPIC](self.state, event))


class Draft(Generic[State]):
    """What one command adds to one stream.

    Events are folded as they are recorded, so that a decision made of several steps sees each step's
    effect. Dropping the draft drops everything.

    Attributes:
        stream: its name.
        state, version: with all that this command has recorded so far.
    """

    __slots__ = ("_recorded", "_stamp", "_steps", "state", "stream", "version")

    def __init__(
        self, folded: Folded[State], steps: Steps, stamp: Stamp, recorded: list[LedgerEvent]
    ) -> None:
        self.stream, self.version, self.state = folded.stream, folded.version, folded.state
        self._steps = steps
        self._stamp = stamp
        self._recorded = recorded

    @property
    def folded(self) -> Folded[State]:
        """The stream as it stands."""
        return Folded(self.stream, self.version, self.state)

    def record(self, event_type: type[LedgerEvent], /, **facts: Any) -> None:
        """Add the next event of the stream. Order of calls is order of events.

        The facts are right: a command's model has checked them, or they follow from such.
        """
        version = self.version + 1
        occurred_at, recorded_at, actor, cause = self._stamp
        event = PLAIN[event_type](
            stream=self.stream,
            version=version,
            occurred_at=occurred_at,
            recorded_at=recorded_at,
            actor=actor,
            cause=cause,
            **facts,
        )
        self.state = self._steps[event_type.TOPIC](self.state, event)
        self.version = version
        self._recorded.append(event)
