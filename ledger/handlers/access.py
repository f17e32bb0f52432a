"""What the commands about access touch, and which decisions they take."""

from __future__ import annotations

from typing import Any

from ledger import commands
from ledger.aggregates import access
from ledger.aggregates.draft import Draft
from ledger.handlers.streams import Streams


def issue_key(streams: Streams, command: commands.IssueKey) -> Draft[Any]:
    """Somebody is given a key."""
    key = streams.access(command.premises, command.key)
    access.issue_key(key, command)
    return key


def revoke_key(streams: Streams, command: commands.RevokeKey) -> Draft[Any]:
    """A key opens nothing any more."""
    key = streams.access(command.premises, command.key)
    access.revoke_key(key, command)
    return key
