"""Commands that were refused: what was asked, by whom and when, and why not.

Such a command left nothing but the record that it was run, so there is no coup of its own to tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ledger.events.catalogue import decode
from ledger.events.command import CommandOutcome, CommandRecorded
from ledger.regulation.paragraphs import PARAGRAPHS
from ledger.store.port import LedgerRecorder, RecordReader, Row, pages
from ledger.terms.identifiers import command_stream
from projections.story import words
from projections.story.aftermath import place_told
from projections.story.telling import Covering

_PAGE_EVENTS = 2_000


@dataclass(frozen=True, slots=True)
class RefusedCommand:
    """A refused command's one event, as it is stored and as it reads."""

    row: Row
    record: CommandRecorded

    def as_json(self) -> dict[str, Any]:
        """The refusal for programs."""
        record = self.record
        return {
            "id": record.cause,
            "command": record.command,
            "subject": record.subject,
            "outcome": record.outcome.value,
            "code": record.code,
            "detail": record.detail,
            "paragraph": record.paragraph,
            "occurred_at": record.occurred_at.isoformat(),
            "recorded_at": record.recorded_at.isoformat(),
            "actor": record.actor,
            "sequence": self.row.sequence,
        }

    def told(self, *, in_record: bool) -> list[str]:
        """The refusal in sentences. `in_record`: whether what it was about is there all the same."""
        record = self.record
        kind, _, name = record.subject.partition("/")
        says = PARAGRAPHS.get(record.paragraph or "")
        when = f"{words.moment(record.occurred_at)}; recorded {words.moment(record.recorded_at)}"
        texts = [
            f"asked: {record.command}, about {kind} {name}, by {record.actor}, {when}",
            f"refused, {record.code}: {record.detail}",
        ]
        if record.paragraph:
            text = "" if says is None else f": ‘{says.text}’" if says.quoted else f": {says.text}"
            texts.append(f"under {record.paragraph}{text}")
        if kind == "coup":
            texts.append(
                f"that coup is in the record, without this: coup show {name}"
                if in_record
                else "no such coup is in the record"
            )
        return [words.sentence(words.plain(text)) for text in texts]

    def place(self, covering: Covering | None) -> list[str]:
        """Where the refusal stands in the record, and in what was sealed of it."""
        return place_told(self.row.stream, [self.row.sequence], covering)


def refused_command(record: LedgerRecorder, command_id: str) -> RefusedCommand | None:
    """The command of this id, if it was refused."""
    for row in record.select_stream(command_stream(command_id)):
        if refused := _read(row):
            return refused
    return None


def refusals_about(
    record: RecordReader, stream: str, progress: Callable[[int, int], None] | None = None
) -> Iterator[RefusedCommand]:
    """Every refused command about a stream, in the order of the record.

    No index leads from a stream that is not there to those who asked for it, so the record is gone through.

    Args:
        progress: told (position, goal) after each page.
    """
    goal = record.last_sequence()
    name = stream.encode()
    for rows in pages(record, 0, (CommandRecorded.TOPIC,), _PAGE_EVENTS, goal):
        for row in rows:
            if name in row.state and (refused := _read(row)) and refused.record.subject == stream:
                yield refused
        if progress is not None:
            progress(rows[-1].sequence, goal)


def _read(row: Row) -> RefusedCommand | None:
    event = decode(row.topic, row.state, row.stream, row.version)
    if isinstance(event, CommandRecorded) and event.outcome is CommandOutcome.REFUSED:
        return RefusedCommand(row, event)
    return None
