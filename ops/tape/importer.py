"""Plays a tape into the ledger: in batches, every bad line reported, running it twice changes nothing."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ledger.answer import Answer
from ledger.application import Ledger
from ledger.commands import TAPE_LINE, Command
from ledger.errors import LedgerError
from ops.tape.lines import Line
from ops.tape.reader import read

BATCH_COMMANDS = 200
"""Commands in one transaction: the commit's cost is shared, and a crash loses no more than will be redone."""
BATCH_BYTES = 4 * 1024 * 1024
"""However long the lines are, a batch holds little more than this."""


class Report(NamedTuple):
    """A line that was not applied. `outcome` is `unreadable`, `rejected` or `refused`."""

    line: int
    outcome: str
    code: str
    detail: str
    command_id: str | None = None
    paragraph: str | None = None


@dataclass(slots=True)
class Summary:
    """What became of a tape's lines."""

    lines: int = 0
    applied: int = 0
    repeated: int = 0
    """Applied before, by an earlier run."""
    refused: int = 0
    rejected: int = 0
    unreadable: int = 0
    held: int = 0
    """Coups found irregular: each waits for a ruling, which may come later in the tape."""
    bytes_read: int = 0
    last_line: int = 0

    @property
    def clean(self) -> bool:
        """Whether every line was applied."""
        return not (self.refused or self.rejected or self.unreadable)


@dataclass(slots=True)
class _Batch:
    commands: list[Command] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    lines: int = 0
    unreadable: int = 0
    last_line: int = 0
    size_bytes: int = 0
    """Of its lines, without their ends."""

    @property
    def full(self) -> bool:
        lines = len(self.commands) + len(self.reports)
        return lines >= BATCH_COMMANDS or self.size_bytes >= BATCH_BYTES


class Importer:
    """Plays lines into a ledger and counts what became of them.

    Args:
        report: told of every line that was not applied, in the order of the tape.
        progress: told after every batch, with the summary so far.
    """

    def __init__(
        self,
        ledger: Ledger,
        report: Callable[[Report], None],
        progress: Callable[[Summary], None] = lambda _: None,
    ) -> None:
        self._ledger = ledger
        self._report = report
        self._progress = progress

    def run(self, lines: Iterable[Line]) -> Summary:
        """Play every line. A line that fails does not stop the ones after it."""
        summary = Summary()
        read: deque[_Batch] = deque()

        def commands() -> Iterator[list[Command]]:
            for batch in self._batches(lines):
                read.append(batch)
                yield batch.commands

        for answers in self._ledger.run_batches(commands()):
            batch = read.popleft()  # others may have been read already, and are not on the disk
            summary.lines += batch.lines
            summary.unreadable += batch.unreadable
            summary.bytes_read += batch.size_bytes + batch.lines
            summary.last_line = batch.last_line or summary.last_line
            for number, answer in zip(batch.numbers, answers, strict=True):
                self._count(number, answer, summary, batch.reports)
            for report in sorted(batch.reports, key=lambda report: report.line):
                self._report(report)
            self._progress(summary)
        return summary

    @staticmethod
    def _batches(lines: Iterable[Line]) -> Iterator[_Batch]:
        batch = _Batch()
        for line in lines:
            batch.lines += 1
            batch.last_line = line.number
            try:
                if line.error is not None:
                    raise line.error
                batch.commands.append(read(line.content, TAPE_LINE))
                batch.numbers.append(line.number)
            except LedgerError as error:
                batch.unreadable += 1
                batch.reports.append(
                    Report(line.number, "unreadable", error.code, str(error), None, error.paragraph)
                )
            batch.size_bytes += len(line.content)
            if batch.full:
                yield batch
                batch = _Batch()
        yield batch

    @staticmethod
    def _count(number: int, answer: Answer, summary: Summary, reports: list[Report]) -> None:
        if answer.applied:
            summary.repeated += answer.repeat
            summary.applied += not answer.repeat
            summary.held += answer.stage == "held" and not answer.repeat
            return
        if answer.outcome == "refused":
            summary.refused += 1
        else:
            summary.rejected += 1
        reports.append(
            Report(
                number,
                answer.outcome,
                answer.code or "",
                answer.detail or "",
                answer.command_id,
                answer.paragraph,
            )
        )
