"""What every event carries."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from ledger.terms.identifiers import CommandId, Name
from ledger.terms.value import StoredMoment, Value


class LedgerEvent(Value):
    """A fact, for ever.

    Attributes:
        TOPIC: the stable name under which it is stored, with its version; never a Python path.
        stream, version: where it stands; versions of a stream count from 1 without a hole.
        occurred_at: by the table system's clock.
        recorded_at: by the ledger's clock.
        actor: who reported it.
        cause: the id of the command that brought it about.
    """

    TOPIC: ClassVar[str]

    stream: str
    version: Annotated[int, Field(strict=True, ge=1)]
    occurred_at: StoredMoment
    recorded_at: StoredMoment
    actor: Name
    cause: CommandId

    # The names by which the eventsourcing library asks for the same two facts.
    @property
    def originator_id(self) -> str:
        return self.stream

    @property
    def originator_version(self) -> int:
        return self.version
