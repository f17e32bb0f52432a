"""The record that a command was run: what makes it run once, for ever."""

from __future__ import annotations

from typing import ClassVar

from ledger.events.base import LedgerEvent
from ledger.terms.identifiers import Name
from ledger.terms.value import Word


class CommandOutcome(Word):
    """What came of a command that was recorded."""

    APPLIED = "applied"
    REFUSED = "refused"


class CommandRecorded(LedgerEvent):
    """Saved in the same transaction as what the command did, on a stream of its own.

    Attributes:
        command: what kind of command it was.
        digest: SHA-256 of its content, so that the same id with other content is told apart.
        subject: the stream it was about.
        stage: where that coup stood afterwards, if it was about a coup.
        code, detail, paragraph: why it was refused, if it was.
    """

    TOPIC: ClassVar[str] = "command-recorded.v1"

    command: Name
    digest: str
    outcome: CommandOutcome
    subject: str
    stage: str | None = None
    code: str | None = None
    detail: str | None = None
    paragraph: str | None = None
