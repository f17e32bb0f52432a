"""What came of a command: the first answer, which is every later one too."""

from __future__ import annotations

import msgspec

from ledger import errors
from ledger.events.command import CommandOutcome, CommandRecorded

REJECTED = "rejected"
"""An outcome that the record does not know, because nothing of it is there."""


class Answer(msgspec.Struct, frozen=True, gc=False):
    """What came of a command.

    Attributes:
        command_id: which command.
        outcome: "applied"; "refused", which is recorded; or "rejected": it cannot be read against the
            record, and nothing of it is recorded.
        subject: the stream it was about.
        stage: where the coup stands after it, if it was about a coup.
        repeat: it was run before, and this is the first answer again.
        code, detail, paragraph: why not, unless it was applied.
    """

    command_id: str
    outcome: str
    subject: str = ""
    stage: str | None = None
    repeat: bool = False
    code: str | None = None
    detail: str | None = None
    paragraph: str | None = None

    @property
    def applied(self) -> bool:
        """Whether the command did what it asked for, now or before."""
        return self.outcome == CommandOutcome.APPLIED


def answer_of(record: CommandRecorded, *, repeat: bool) -> Answer:
    """What a command's record says came of it."""
    return Answer(
        command_id=record.cause,
        outcome=record.outcome.value,
        subject=record.subject,
        stage=record.stage,
        repeat=repeat,
        code=record.code,
        detail=record.detail,
        paragraph=record.paragraph,
    )


def first_answer(record: CommandRecorded, digest: str) -> Answer:
    """The answer again, to a command that was run before; a rejection, where it was another by that id."""
    if record.digest != digest:
        return rejected(record.cause, errors.CommandIdUsed(record.cause))
    return answer_of(record, repeat=True)


def rejected(command_id: str, error: errors.LedgerError) -> Answer:
    """The answer to what cannot be read against the record: nothing of it is recorded."""
    return Answer(
        command_id=command_id,
        outcome=REJECTED,
        code=error.code,
        detail=str(error),
        paragraph=error.paragraph,
    )
