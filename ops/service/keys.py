"""Keys: how a person or a system shows who it is, without a password and without another's service.

What a key may do is a fact of the record (`KeyIssued`, `KeyRevoked`). Beside the read tables lie only the
digest of its secret, whether it is cut off, and when it was last used. The secret itself is shown once and
kept nowhere: 256 random bits, so its SHA-256 gives nothing away and needs no salt.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import uuid4

from eventsourcing.persistence import PersistenceError

from ledger.answer import Answer
from ledger.commands import Command, IssueKey, RevokeKey
from ledger.errors import LedgerError
from ledger.events.access import KeyIssued, KeyRevoked
from ledger.events.catalogue import decode
from ledger.terms.access import Role
from ledger.terms.identifiers import access_stream
from ops.service.principal import Principal
from ops.service.refusals import NotAuthenticated
from ops.service.tables import SECRET_BYTES, create_tables
from ops.wiring import House

MARK = "blk"
"""What a key's text begins with, so that a leaked one is found for what it is."""
_TEXT = re.compile(rf"{MARK}_([A-Za-z0-9._:\-]{{3,129}})_([0-9a-f]{{{2 * SECRET_BYTES}}})", re.ASCII)
USE_NOTED_EVERY = timedelta(minutes=1)
"""When a key was last used is known to the minute: a write for every request would cost as much as a coup."""


@dataclass(eq=False)
class KeyRefused(LedgerError):
    """The ledger refused the command, and recorded that."""

    answer: Answer
    code = "key-refused"

    def __str__(self) -> str:
        return self.answer.detail or self.answer.outcome


class NewKey(NamedTuple):
    """A key to be issued; see `ledger.commands.IssueKey`."""

    premises: str
    key: str
    person: str
    roles: tuple[Role, ...]
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class KnownKey:
    """A key as an administrator sees it."""

    premises: str
    key: str
    person: str
    roles: tuple[Role, ...]
    issued_at: datetime
    issued_by: str
    expires_at: datetime | None
    revoked_at: datetime | None
    revoked_by: str | None
    last_used: str | None

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        told = {name: getattr(self, name) for name in self.__slots__}
        for name in ("issued_at", "expires_at", "revoked_at"):
            told[name] = told[name] and told[name].isoformat()
        return told | {"roles": [role.value for role in self.roles]}


class Keys:
    """The keys of one ledger.

    Args:
        run: runs a command; the ledger itself, or whoever writes to it.
        revoked: told when a key opens nothing any more.
    """

    def __init__(
        self,
        house: House,
        run: Callable[[Command], Answer] | None = None,
        revoked: Callable[[], None] = lambda: None,
    ) -> None:
        self._record = house.ledger.record
        self._clock = house.ledger.clock
        self._tables = house.tables
        self._run = run or house.ledger.run
        self._revoked = revoked
        self._noted: dict[tuple[str, str], datetime] = {}
        create_tables(house.tables)

    # --- What administrators do ------------------------------------------------------------------------

    def issue(self, new: NewKey, actor: str) -> str:
        """Issue a key. Returns its text, which nobody can say again.

        The event comes first: a key that the record does not know opens nothing.

        Raises:
            KeyRefused: its name was used.
        """
        command = IssueKey(id=f"issue-key-{uuid4()}", occurred_at=self._clock(), actor=actor, **new._asdict())
        self._ran(command)
        secret = secrets.token_hex(SECRET_BYTES)
        with self._tables.transaction() as statements:
            sql = "INSERT INTO access_keys VALUES (?, ?, ?, 0, NULL)"
            statements.execute(sql, (new.premises, new.key, _digest(secret)))
        return f"{MARK}_{new.premises}_{new.key}_{secret}"

    def revoke(self, premises: str, key: str, reason: str, actor: str) -> None:
        """Revoke a key. It opens nothing from the first line on, whatever comes after.

        Raises:
            KeyRefused: there is no such key, or it is revoked already.
        """
        with self._tables.transaction() as statements:
            sql = "UPDATE access_keys SET cut_off = 1 WHERE premises = ? AND key_name = ?"
            statements.execute(sql, (premises, key))
        self._revoked()
        self._ran(
            RevokeKey(
                id=f"revoke-key-{uuid4()}",
                occurred_at=self._clock(),
                actor=actor,
                premises=premises,
                key=key,
                reason=reason,
            )
        )

    def every(self, premises: str | None = None) -> Iterator[KnownKey]:
        """The keys, by premises and name."""
        sql = "SELECT premises, key_name, last_used FROM access_keys ORDER BY premises, key_name"
        with self._tables.snapshot() as statements:
            rows = statements.execute(sql)
        for at, key, last_used in rows:
            issued, revoked = self._facts(at, key)
            if issued is not None and premises in (None, at):
                yield KnownKey(
                    at,
                    key,
                    issued.person,
                    issued.roles,
                    issued.recorded_at,
                    issued.actor,
                    issued.expires_at,
                    revoked.recorded_at if revoked else None,
                    revoked.actor if revoked else None,
                    last_used,
                )

    def _ran(self, command: Command) -> None:
        answer = self._run(command)
        if not answer.applied:
            raise KeyRefused(answer)

    # --- Who comes with a key --------------------------------------------------------------------------

    def authenticate(self, text: str) -> Principal:
        """Whose key this is.

        Raises:
            NotAuthenticated: nobody's; or it is revoked, or has expired.
        """
        found = _TEXT.fullmatch(text)
        if found is None:
            raise NotAuthenticated("this is no key")
        names, secret = found.groups()
        digest = _digest(secret)
        with self._tables.snapshot() as statements:  # together: there may be a _ in either name, too
            sql = "SELECT premises, key_name, digest, cut_off FROM access_keys"
            known = statements.execute(f"{sql} WHERE premises || '_' || key_name = ?", (names,))
        for premises, key, kept, cut_off in known:
            if hmac.compare_digest(digest, kept):
                principal = self._opens(premises, key, cut_off=bool(cut_off))
                self._note_use(premises, key, self._clock())
                return principal
        raise NotAuthenticated("this is no key of this ledger")

    def standing(self, premises: str, key: str) -> Principal:
        """Whose key this is, of which only the name is known: somebody signed in with it before.

        Raises:
            NotAuthenticated: it is revoked, or has expired; or there is none.
        """
        with self._tables.snapshot() as statements:
            sql = "SELECT cut_off FROM access_keys WHERE premises = ? AND key_name = ?"
            rows = statements.execute(sql, (premises, key))
        return self._opens(premises, key, cut_off=not rows or bool(rows[0][0]))

    def _opens(self, premises: str, key: str, *, cut_off: bool) -> Principal:
        issued, revoked = self._facts(premises, key)
        if issued is None or cut_off or revoked is not None:
            raise NotAuthenticated("this key is revoked")
        if issued.expires_at is not None and self._clock() >= issued.expires_at:
            raise NotAuthenticated("this key has expired")
        return Principal(issued.person, f"key:{premises}/{key}", {premises: frozenset(issued.roles)})

    def _facts(self, premises: str, key: str) -> tuple[KeyIssued | None, KeyRevoked | None]:
        issued = revoked = None
        for row in self._record.select_stream(access_stream(premises, key)):
            event = decode(row.topic, row.state, row.stream, row.version)
            if isinstance(event, KeyIssued):
                issued = event
            elif isinstance(event, KeyRevoked):
                revoked = event
        return issued, revoked

    def _note_use(self, premises: str, key: str, now: datetime) -> None:
        noted = self._noted.get((premises, key))
        if noted is not None and now - noted < USE_NOTED_EVERY:
            return
        self._noted[premises, key] = now
        with suppress(PersistenceError), self._tables.transaction() as statements:  # nobody waits for this
            sql = "UPDATE access_keys SET last_used = ? WHERE premises = ? AND key_name = ?"
            statements.execute(sql, (now.isoformat(), premises, key))


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
