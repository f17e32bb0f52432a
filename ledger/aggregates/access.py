"""One key: issued once, revoked once."""

from __future__ import annotations

from ledger import errors
from ledger.aggregates.draft import Draft, Fold, StreamState
from ledger.commands import IssueKey, RevokeKey
from ledger.events import access as events


class Access(StreamState, frozen=True):
    """A key, as far as the record knows it."""

    issued: events.KeyIssued | None = None
    revoked: events.KeyRevoked | None = None


NEW_ACCESS = Access()
FOLD: Fold = {
    events.KeyIssued: lambda access, event: access.but(issued=event),
    events.KeyRevoked: lambda access, event: access.but(revoked=event),
}


def issue_key(access: Draft[Access], command: IssueKey) -> None:
    """The key opens what its roles open, from here on. Raises: KeyNameUsed."""
    if access.state.issued is not None:
        raise errors.KeyNameUsed(command.key)
    access.record(
        events.KeyIssued,
        premises=command.premises,
        key=command.key,
        person=command.person,
        roles=tuple(dict.fromkeys(command.roles)),
        expires_at=command.expires_at,
    )


def revoke_key(access: Draft[Access], command: RevokeKey) -> None:
    """The key opens nothing from here on. Raises: NoSuchKey, KeyRevokedAlready."""
    if access.state.issued is None:
        raise errors.NoSuchKey(command.key)
    if access.state.revoked is not None:
        raise errors.KeyRevokedAlready(command.key)
    access.record(events.KeyRevoked, premises=command.premises, key=command.key, reason=command.reason)
