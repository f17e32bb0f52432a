"""The ledger: load, decide, save in one transaction; once for every command, for ever.

Nothing here knows an engine, a clock or a file: the clock is passed in, the engine is the library's setting.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ClassVar, NamedTuple, cast

from eventsourcing.application import Application
from eventsourcing.persistence import IntegrityError
from eventsourcing.utils import Environment, EnvType

from ledger import commands, errors
from ledger.aggregates import coup as coups
from ledger.aggregates.draft import Folded
from ledger.aggregates.folds import Ran, fold_of
from ledger.ahead import Ahead
from ledger.answer import Answer
from ledger.batch import Batch, Clock
from ledger.events.plain import decode_plain
from ledger.recent import Recent
from ledger.store.port import ANY_TIME, LedgerRecorder
from ledger.terms import identifiers

ATTEMPTS = 20
"""How often a command is decided anew when other writers were first."""
Pause = Callable[[int], None]


def _no_pause(_attempt: int) -> None:
    """Decide anew at once: for a ledger with one writer."""


CACHED_STREAMS = 2_000
"""Folded streams kept in memory: the tables and shoes of one premises' night, many times over."""


class _Saving(NamedTuple):
    """A batch on its way to the disk."""

    batch: Sequence[commands.Command]
    decided: Batch
    answers: list[Answer]
    saved: Future[None]


class Ledger(Application[str]):
    """Runs commands. Everything it answers is on the disk, or was before.

    Args:
        env: the library's settings, these and no others: `PERSISTENCE_MODULE` says which engine.
        clock: the ledger's clock, aware UTC.
        pause: waits a little before a command is decided anew, given how often it has been; writers that
            wait unequally long do not meet again.
    """

    name = "ledger"
    env: ClassVar[dict[str, str]] = {
        "MAPPER_TOPIC": "ledger.store.mapper:LedgerMapper",
        "TRANSCODER_TOPIC": "ledger.store.mapper:NoTranscoder",
        "ORIGINATOR_ID_TYPE": "text",
    }

    def __init__(self, env: EnvType, clock: Clock, pause: Pause = _no_pause) -> None:
        super().__init__(env)
        self.clock = clock
        self._pause = pause
        self._cache: Recent[Folded[Any]] = Recent(CACHED_STREAMS)
        self._nights: Recent[str] = Recent(CACHED_STREAMS)

    def construct_env(self, name: str, env: EnvType | None = None) -> Environment:
        """The settings given, and not whatever stands in the process's environment."""
        return Environment(name, {**type(self).env, **(env or {})})

    @property
    def record(self) -> LedgerRecorder:
        """The recorder, by the ledger's own port."""
        return cast("LedgerRecorder", self.recorder)

    def run(self, command: commands.Command) -> Answer:
        """Run one command in a transaction of its own.

        Raises:
            LedgerBusy: other writers were first again and again; nothing was recorded.
        """
        return self.run_many((command,))[0]

    def run_many(
        self, batch: Sequence[commands.Command], unmoved: Mapping[str, int] = ANY_TIME
    ) -> list[Answer]:
        """Run commands in order, in one transaction; one that is refused does not stop the others.

        Where other writers are first again and again, each command gets a transaction of its own.

        Args:
            unmoved: beginnings of streams' names, each with the sequence up to which whoever sends the
                commands has read such streams: they rest on there being nothing later.

        Returns:
            An answer for each command, in order.

        Raises:
            LedgerBusy: that did not help either. Of several commands the first ones may have been recorded:
                send all of them again, and those will give their first answer.
            RecordMoved: there is something later than `unmoved` says.
        """
        known = self._commands_run(batch) if len(batch) > 1 else {}
        for attempt in range(ATTEMPTS):
            decided = Batch(self, self.clock, known, trusting=attempt == 0)
            answers = [decided.decide(command) for command in batch]
            try:
                self._save(decided, unmoved)
            except IntegrityError:
                self._forget(decided)
                self._pause(attempt)
            else:
                self._remember(decided)
                return answers
        if len(batch) > 1:  # a hot stream may starve a batch that a single command gets through
            return [answer for command in batch for answer in self.run_many((command,), unmoved)]
        raise errors.LedgerBusy(ATTEMPTS)

    def run_batches(
        self, batches: Iterable[Sequence[commands.Command]]
    ) -> Generator[list[Answer], None, None]:
        """Run batches in order, each in a transaction of its own; while it is saved the next is decided.

        A save waits for the disk or the server, without the interpreter for the most part. What is left of it
        takes turns with deciding, so whoever runs many does well to make turns short.

        Returns:
            The answers to each batch, in order, once it is on the disk. Whoever stops asking leaves at most
            one batch saved whose answers nobody took; sent again, it gives them.

        Raises:
            LedgerBusy: see `run_many`; PersistenceError: by the store. The batches before have been saved.
        """
        with ThreadPoolExecutor(1, "saver") as saver:
            before: _Saving | None = None
            for batch in batches:
                decided, answers = self._decide(batch, before.decided if before else None)
                answered = None
                if before is not None:
                    answered, as_decided = self._saved(before)
                    if not as_decided:  # what this one was decided on never came to be
                        decided, answers = self._decide(batch, None)
                before = _Saving(batch, decided, answers, saver.submit(self._save, decided))
                if answered is not None:
                    yield answered
            if before is not None:
                yield self._saved(before)[0]

    def _decide(self, batch: Sequence[commands.Command], ahead: Batch | None) -> tuple[Batch, list[Answer]]:
        source = self if ahead is None else Ahead(self, ahead)
        decided = Batch(source, self.clock, self._commands_run(batch), trusting=True)
        return decided, [decided.decide(command) for command in batch]

    def _save(self, decided: Batch, unmoved: Mapping[str, int] = ANY_TIME) -> None:
        rows, guards, latest = decided.rows(), decided.guards(), decided.latest()
        if rows or guards or latest:
            self.record.append(rows, guards, latest, unmoved)

    def _saved(self, saving: _Saving) -> tuple[list[Answer], bool]:
        """The answers to a batch, and whether it was saved as it was decided; if others were first: anew."""
        try:
            saving.saved.result()
        except IntegrityError:
            self._forget(saving.decided)
            return self.run_many(saving.batch), False
        self._remember(saving.decided)
        return saving.answers, True

    # --- The batch's source ----------------------------------------------------------------------------

    def remembered(self, stream: str) -> Folded[Any] | None:
        """The stream as this process last saw it; the save checks that it has not moved since."""
        return self._cache.get(stream)

    def load(self, stream: str) -> Folded[Any]:
        """The stream, read and folded."""
        steps, state = fold_of(stream)
        folded = Folded(stream, 0, state)
        for row in self.record.select_stream(stream):
            folded = folded.then(decode_plain(row.topic, row.state, row.stream, row.version), steps)
        self._keep(folded)
        return folded

    def remembered_night(self, prefix: str) -> str | None:
        """The stream of the latest gaming day of a table, as this process last saw it."""
        return self._nights.get(prefix)

    def last_stream(self, prefix: str) -> str | None:
        """The last stream whose name begins so: the latest day of a table, or of the premises."""
        return self.record.last_stream(prefix)

    def _commands_run(self, batch: Sequence[commands.Command]) -> dict[str, Folded[Any]]:
        """Which of these commands were run before: one query for all of them."""
        streams = [identifiers.command_stream(command.id) for command in batch]
        steps, state = fold_of("command/")
        return {
            stream: Folded(stream, 0, state).then(decode_plain(row.topic, row.state, stream, 1), steps)
            for stream, row in self.record.select_first(streams).items()
        }

    def _forget(self, decided: Batch) -> None:
        for stream in decided.folded():
            self._cache.drop(stream)
        for prefix in decided.nights():
            self._nights.drop(prefix)

    def _remember(self, decided: Batch) -> None:
        for folded in decided.written().values():
            self._keep(folded)
        for prefix, stream in decided.nights().items():
            self._nights.put(prefix, stream)

    def _keep(self, folded: Folded[Any]) -> None:
        """Remember a stream; one that has ended is hardly asked for again, and would push out the tables."""
        state = folded.state
        if isinstance(state, Ran) or (isinstance(state, coups.Coup) and state.stage not in coups.UNSETTLED):
            self._cache.drop(folded.stream)
        else:
            self._cache.put(folded.stream, folded)
