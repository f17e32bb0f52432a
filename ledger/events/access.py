"""Credentials: who was given access, by whom, and when it ended. The secret is nowhere in the record."""

from __future__ import annotations

from typing import ClassVar

from ledger.events.base import LedgerEvent
from ledger.terms.access import Role
from ledger.terms.identifiers import Name
from ledger.terms.value import StoredMoment


class KeyIssued(LedgerEvent):
    """A key was given to a person or a system, with roles at one premises.

    Attributes:
        key: its public name.
        person: whose acts are done with it; the actor of every command that comes under it.
        expires_at: from then on it opens nothing; None: it has to be revoked.
    """

    TOPIC: ClassVar[str] = "key-issued.v1"

    premises: Name
    key: Name
    person: Name
    roles: tuple[Role, ...]
    expires_at: StoredMoment | None = None


class KeyRevoked(LedgerEvent):
    """A key opens nothing any more."""

    TOPIC: ClassVar[str] = "key-revoked.v1"

    premises: Name
    key: Name
    reason: str
