"""What other processes do to the record in the tests of its contract."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection

from eventsourcing.persistence import IntegrityError

from ledger.store.port import LedgerRecorder, NewRow

Opener = Callable[[], LedgerRecorder]
"""Opens the record under test in the process that calls it."""

Save = tuple[NewRow, Mapping[str, int], Mapping[str, str | None]]
"""One event, and what its decision read: see `LedgerRecorder.append`."""


def row(stream: str, version: int = 1, state: bytes = b"{}", topic: str = "test.v1") -> NewRow:
    """An event about to be stored, of which only its place matters."""
    return NewRow(stream, version, topic, state)


def append_batches(line: Connection, opener: Opener, stream: str, batches: int) -> None:
    """Append batches of one to four events to one stream, a refused save after each; says what it stored."""
    recorder = opener()
    line.send("ready")
    line.recv()
    stored: list[tuple[int, str, int]] = []
    for batch in range(batches):
        version = len(stored)
        rows = [row(stream, version + 1 + count) for count in range(1 + batch % 4)]
        numbers = recorder.append(rows, {})
        stored += [(number, stream, new.version) for number, new in zip(numbers, rows, strict=True)]
        with suppress(IntegrityError):
            recorder.append([row(stream, len(stored) + 1), row(stream, 1)], {})
    line.send(stored)


def append_each_time(line: Connection, opener: Opener, saves: Sequence[Save]) -> None:
    """Make the next save each time it is told to; says whether the save was accepted."""
    recorder = opener()
    line.send("ready")
    for new, guards, latest in saves:
        line.recv()
        try:
            recorder.append([new], guards, latest)
        except IntegrityError:
            line.send(False)
        else:
            line.send(True)


def open_and_append(line: Connection, opener: Opener, stream: str) -> None:
    """Open the record when told to, and append; says which numbers that gave."""
    line.send("ready")
    line.recv()
    line.send(list(opener().append([row(stream)], {})))
