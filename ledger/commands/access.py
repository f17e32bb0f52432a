"""Commands about access: what administrators do is in the record like everything else."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ledger.commands.base import LedgerCommand, Reason
from ledger.terms.access import Role
from ledger.terms.identifiers import Name
from ledger.terms.value import Moment


class IssueKey(LedgerCommand):
    """Give a person or a system a key. The secret is kept elsewhere; the record has the key's name alone."""

    command: Literal["issue-key"] = "issue-key"
    key: Name
    person: Name
    roles: Annotated[tuple[Role, ...], Field(min_length=1, max_length=len(Role))]
    expires_at: Moment | None = None


class RevokeKey(LedgerCommand):
    command: Literal["revoke-key"] = "revoke-key"
    key: Name
    reason: Reason
