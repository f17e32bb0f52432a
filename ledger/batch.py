"""Commands decided together: their drafts, their answers, and what the save must check."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import Any, Protocol

from ledger import commands, errors
from ledger.aggregates import access as accesses
from ledger.aggregates import coup as coups
from ledger.aggregates import day as days
from ledger.aggregates import shoe as shoes
from ledger.aggregates import table as tables
from ledger.aggregates.draft import Draft, Folded, Stamp
from ledger.aggregates.folds import NOT_RUN, Ran, fold_of
from ledger.answer import Answer, answer_of, first_answer, rejected
from ledger.events.base import LedgerEvent
from ledger.events.command import CommandOutcome, CommandRecorded
from ledger.handlers import HANDLERS
from ledger.store.port import NewRow
from ledger.terms import identifiers
from ledger.terms.plain import write

CLOCK_SKEW = timedelta(seconds=5)
"""How far a table system's clock may run ahead of the ledger's before its word is from the future."""

Clock = Callable[[], datetime]


class Source(Protocol):
    """Where a batch's streams come from: the application's cache and its recorder."""

    def remembered(self, stream: str) -> Folded[Any] | None:
        """The stream as last seen, which the save will check; None when it has not been seen."""

    def load(self, stream: str) -> Folded[Any]:
        """The stream as it is in the record."""

    def remembered_night(self, prefix: str) -> str | None:
        """The stream of the latest gaming day of a table, as last seen."""

    def last_stream(self, prefix: str) -> str | None:
        """The last stream whose name begins so: the latest day of a table, or of the premises."""


class Batch:
    """Commands decided together, to be saved in one transaction. Implements `ledger.handlers.Streams`.

    Every command sees what those before it in the batch recorded. What was read without being written to
    is guarded: the save checks that it has not moved.
    """

    def __init__(
        self, source: Source, clock: Clock, known: Mapping[str, Folded[Any]], *, trusting: bool
    ) -> None:
        self._source = source
        self._clock = clock
        self._trusting = trusting
        """Take new ids for new, unread; the save finds out, and the next attempt reads."""
        self._base: dict[str, int] = {}
        self._folded: dict[str, Folded[Any]] = dict(known)
        self._written: dict[str, Folded[Any]] = {}
        self._nights: dict[str, str | None] = {}
        self._nights_opened: dict[str, str] = {}
        self._latest: dict[str, str | None] = {}
        self._drafts: dict[str, Draft[Any]] = {}
        self._recorded: list[LedgerEvent] = []
        self._stamp: Stamp
        self.events: list[LedgerEvent] = []

    # --- One command ---------------------------------------------------------------------------------

    def decide(self, command: commands.Command) -> Answer:
        """Decide one command; its events join the batch unless it is rejected."""
        now = self._clock()
        self._stamp = Stamp(command.occurred_at, now, command.actor, command.id)
        digest = commands.digest_of(command)
        self._begin()
        before = self._ran(command)
        if before is not None:
            return first_answer(before, digest)
        try:
            if command.occurred_at > now + CLOCK_SKEW:
                raise errors.FromTheFuture(command.occurred_at.isoformat(), now.isoformat())
            subject = HANDLERS[type(command)](self, command)
        except errors.Refusal as refusal:
            self._begin()
            about = _subject_of(command)
            return self._record(command, digest, CommandOutcome.REFUSED, subject=about, refusal=refusal)
        except errors.MalformedInput as error:
            return self._reject(command, digest, error)
        stage = subject.state.stage.value if isinstance(subject.state, coups.Coup) else None
        return self._record(command, digest, CommandOutcome.APPLIED, subject=subject.stream, stage=stage)

    def _begin(self) -> None:
        """Drop what this command has recorded so far."""
        self._drafts = {}
        self._recorded = []
        self._nights_opened = {}

    def _ran(self, command: commands.Command) -> CommandRecorded | None:
        """The record of an earlier run of this command, as far as is known."""
        stream = identifiers.command_stream(command.id)
        folded = self._folded.get(stream) or self._source.remembered(stream)
        if folded is None:
            if self._trusting:
                return None
            folded = self._source.load(stream)
        record: CommandRecorded | None = folded.state.record
        return record

    def _reject(self, command: commands.Command, digest: str, error: errors.MalformedInput) -> Answer:
        """The answer to what cannot be read against the record: the first one, if it was run before.

        Nothing will be saved that could find out, so a trusting batch has to look.
        """
        ran: Folded[Ran] = self._source.load(identifiers.command_stream(command.id))
        if ran.state.record is not None:
            return first_answer(ran.state.record, digest)
        return rejected(command.id, error)

    def _record(
        self,
        command: commands.Command,
        digest: str,
        outcome: CommandOutcome,
        *,
        subject: str,
        stage: str | None = None,
        refusal: errors.Refusal | None = None,
    ) -> Answer:
        stream = identifiers.command_stream(command.id)
        ran: Draft[Ran] = Draft(Folded(stream, 0, NOT_RUN), fold_of(stream)[0], self._stamp, self._recorded)
        ran.record(
            CommandRecorded,
            command=command.command,
            digest=digest,
            outcome=outcome,
            subject=subject,
            stage=stage,
            code=refusal.code if refusal else None,
            detail=str(refusal) if refusal else None,
            paragraph=refusal.paragraph if refusal else None,
        )
        self.events += self._recorded
        if outcome is CommandOutcome.APPLIED:
            self._nights.update(self._nights_opened)
        self._folded[stream] = ran.folded
        for written, draft in self._drafts.items():
            if draft.version != self._folded[written].version:
                self._folded[written] = self._written[written] = draft.folded
        record = ran.state.record
        if record is None:
            msg = "a command's record folds into itself"
            raise AssertionError(msg)
        return answer_of(record, repeat=False)

    def _draft(self, stream: str, *, new: bool = False) -> Draft[Any]:
        """A draft of the stream for the command being decided."""
        draft = self._drafts.get(stream)
        if draft is None:
            steps, empty = fold_of(stream)
            folded = self._folded.get(stream)
            if folded is None:
                folded = self._source.remembered(stream)
                if folded is None:
                    trusted = new and self._trusting
                    folded = Folded(stream, 0, empty) if trusted else self._source.load(stream)
                self._folded[stream] = folded
                self._base[stream] = folded.version
            draft = Draft(folded, steps, self._stamp, self._recorded)
            self._drafts[stream] = draft
        return draft

    # --- ledger.handlers.Streams -----------------------------------------------------------------------

    def table(self, premises: str, table: str) -> Draft[tables.Table]:
        prefix = identifiers.table_prefix(premises, table)
        stream = self._last_night(prefix)
        if stream is None:
            raise errors.TableNotOpen(table)
        return self._draft(stream)

    def night(self, premises: str, table: str, gaming_day: date) -> Draft[tables.Table]:
        return self._draft(identifiers.table_stream(premises, table, gaming_day))

    def new_night(
        self, command: commands.OpenTable
    ) -> tuple[Draft[tables.Table], Folded[tables.Table] | None]:
        prefix = identifiers.table_prefix(command.premises, command.table)
        last_stream = self._last_night(prefix)
        last = self._draft(last_stream).folded if last_stream else None
        stream = identifiers.table_stream(command.premises, command.table, command.gaming_day)
        self._nights_opened[prefix] = stream
        return self._draft(stream), last

    def _last_night(self, prefix: str) -> str | None:
        """The table's latest gaming day.

        While that day is open no other can open, so one remembered will do: its version is guarded. Once it
        is closed another may have opened, so the record is asked, and the save asks it again.
        """
        if prefix not in self._nights:
            stream = self._source.remembered_night(prefix)
            if stream is None or self._draft(stream).state.closed:
                stream = self._latest[prefix] = self._source.last_stream(prefix)
            self._nights[prefix] = stream
        return self._nights[prefix]

    def day(self, premises: str, gaming_day: date) -> Draft[days.Day]:
        return self._draft(identifiers.day_stream(premises, gaming_day))

    def open_day(self, premises: str) -> Draft[days.Day]:
        prefix = identifiers.day_prefix(premises)
        recorded = self._latest[prefix] = self._source.last_stream(prefix)
        in_batch = [stream for stream, known in self._folded.items() if known.version]
        latest = max(filter(None, [recorded, *(name for name in in_batch if name.startswith(prefix))]))
        day: Draft[days.Day] = self._draft(latest)
        if not day.state.sealed:
            return day
        return self.day(premises, date.fromisoformat(days.day_of(day)) + timedelta(days=1))

    def access(self, premises: str, key: str) -> Draft[accesses.Access]:
        return self._draft(identifiers.access_stream(premises, key))

    def shoe(self, premises: str, table: str, shoe: str) -> Draft[shoes.Shoe]:
        return self._draft(identifiers.shoe_stream(premises, table, shoe))

    def coup(
        self, premises: str, table: str, shoe: str, number: int, *, new: bool = False
    ) -> Draft[coups.Coup]:
        return self._draft(identifiers.coup_stream(premises, table, shoe, number), new=new)

    # --- Saving ----------------------------------------------------------------------------------------

    def rows(self) -> list[NewRow]:
        """The batch's events, as they are stored."""
        return [NewRow(event.stream, event.version, event.TOPIC, write(event)) for event in self.events]

    def guards(self) -> dict[str, int]:
        """The streams that were read and not written to, with the version read.

        A stream written to needs no guard: its next version would be taken.
        """
        return {stream: version for stream, version in self._base.items() if stream not in self._written}

    def folded(self) -> Mapping[str, Folded[Any]]:
        """Every stream of the batch as it stands after it."""
        return self._folded

    def written(self) -> Mapping[str, Folded[Any]]:
        """The streams that were written to, but for the commands' own, as they stand after the batch."""
        return self._written

    def latest(self) -> Mapping[str, str | None]:
        """What the record said is the latest gaming day of each table that it was asked about."""
        return self._latest

    def nights(self) -> Mapping[str, str]:
        """The latest gaming day of each table the batch was about, as it stands after it."""
        return {prefix: stream for prefix, stream in self._nights.items() if stream is not None}


def _subject_of(command: commands.Command) -> str:
    """The stream a refused command was about, as far as the command itself says."""
    if isinstance(command, commands.CoupCommand):
        return identifiers.coup_stream(command.premises, command.table, command.shoe, command.number)
    if isinstance(command, commands.CloseDay):
        return identifiers.day_stream(command.premises, command.gaming_day)
    if isinstance(command, commands.TableCommand):
        return identifiers.table_prefix(command.premises, command.table).rstrip("/")
    return identifiers.access_stream(command.premises, command.key)
