"""Between events and stored events: pydantic-core's JSON bytes, straight.

The library's own mapper rebuilds an event around `__dict__`, which breaks a pydantic model.
"""

from __future__ import annotations

from typing import cast

from eventsourcing.domain import DomainEventProtocol
from eventsourcing.persistence import Mapper, StoredEvent, Transcoder

from ledger.events.base import LedgerEvent
from ledger.events.catalogue import decode, encode


class NoTranscoder(Transcoder):
    """The library asks for a transcoder; ours is in the catalogue, so this one is never used."""

    def encode(self, obj: object) -> bytes:
        raise NotImplementedError

    def decode(self, data: bytes) -> object:
        raise NotImplementedError


class LedgerMapper(Mapper[str]):
    """Stores an event under its own topic and reads it back through the catalogue."""

    def to_stored_event(self, domain_event: DomainEventProtocol[str]) -> StoredEvent:
        event = cast("LedgerEvent", domain_event)
        return StoredEvent(event.stream, event.version, event.TOPIC, encode(event))

    def to_domain_event(self, stored_event: StoredEvent) -> DomainEventProtocol[str]:
        event = decode(
            stored_event.topic,
            stored_event.state,
            str(stored_event.originator_id),
            stored_event.originator_version,
        )
        return cast("DomainEventProtocol[str]", event)
