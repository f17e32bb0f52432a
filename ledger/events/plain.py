"""Plain events: what the ledger makes and writes, and what whoever reads many reads.

See `ledger.terms.plain` for what they are. Bytes that a plain type refuses are given to the model, which has
the last word. So what reads here reads there, but for what that module says that plain types do not look at.
What a model or the ledger has written is right in all of that. Whoever cannot be sure who wrote it uses
`decode`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeGuard, TypeVar

from ledger.events.base import LedgerEvent
from ledger.events.catalogue import BY_TOPIC, EVENT_TYPES, decode, encode
from ledger.terms.plain import REFUSALS, plain, reader

_Event = TypeVar("_Event", bound=LedgerEvent)

PLAIN: Mapping[type[LedgerEvent], type[LedgerEvent]] = {event: plain(event) for event in EVENT_TYPES}
"""An event type to its plain one: what `Draft.record` makes."""

READERS: Mapping[str, Callable[[bytes], LedgerEvent]] = {
    topic: reader(model) or model.__pydantic_validator__.validate_json for topic, model in BY_TOPIC.items()
}
"""A topic written today, to what reads its bytes. Each raises what is in `ledger.terms.plain.REFUSALS`."""


def decode_plain(topic: str, state: bytes, stream: str = "", version: int = 0) -> LedgerEvent:
    """The event behind stored bytes, as plain as can be. Arguments and errors are those of `decode`.

    All events of a type that can be plain are: models and plain values are never equal to each other.
    """
    try:
        return READERS[topic](state)
    except REFUSALS:  # an older topic, or bytes of which the model will say what is wrong with them
        event = decode(topic, state, stream, version)
        return READERS[event.TOPIC](encode(event))


def is_a(event: LedgerEvent, kind: type[_Event]) -> TypeGuard[_Event]:
    """Whether an event, a model or plain, is of this type."""
    return event.TOPIC == kind.TOPIC
