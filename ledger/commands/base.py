"""What every command carries."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ledger.terms.identifiers import DEFAULT_PREMISES, CommandId, Name
from ledger.terms.value import Moment, Value

Reason = Annotated[str, Field(min_length=1, max_length=500)]
Signatures = tuple[Name, ...]
CardsText = Annotated[str, Field(max_length=200, examples=["9s K 4h"])]


class LedgerCommand(Value):
    """What every command carries: its id, when it happened by the sender's clock, and who says so."""

    id: CommandId
    occurred_at: Moment
    actor: Name
    premises: Name = DEFAULT_PREMISES


class TableCommand(LedgerCommand):
    """A command about one table."""

    table: Name
