"""Writers for the test of a reader at the tail: they save on until they are told to stop, or killed."""

from __future__ import annotations

from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection

from eventsourcing.persistence import IntegrityError

from ledger.store.postgres_append import COPY_ROWS
from tests.contracts.elsewhere import PATIENCE_SECONDS
from tests.contracts.writers import Opener, row

SIZES = (1, 6, 3, COPY_ROWS + 20, 2, 60)
"""Events of one save after another; the largest is copied, the others are calls."""


def save_for_ever(line: Connection, opener: Opener, stream: str) -> None:
    """Append to one stream, a refused save after each; says what it stored: (sequence, version, events)."""
    recorder = opener()
    line.send("ready")
    version = 0
    saves = 0
    while not line.poll():
        size = SIZES[saves % len(SIZES)]
        numbers = recorder.append([row(stream, version + 1 + count) for count in range(size)], {})
        line.send((numbers[0], version + 1, size))
        version += size
        saves += 1
        with suppress(IntegrityError):
            recorder.append([row(stream, version + 1), row(stream, 1)], {})
    line.recv()
    line.send("stopped")


class Writer:
    """A process that saves, and what it has said. They are forked from one that has imported everything."""

    _processes = get_context("forkserver")
    _processes.set_forkserver_preload([__name__])

    def __init__(self, opener: Opener, stream: str) -> None:
        self.stream = stream
        self.saves: list[tuple[int, int, int]] = []
        self.line, theirs = self._processes.Pipe()
        self.process = self._processes.Process(
            target=save_for_ever, args=(theirs, opener, stream), daemon=True
        )
        self.process.start()
        theirs.close()

    def is_ready(self) -> None:
        assert self.line.poll(PATIENCE_SECONDS)
        assert self.line.recv() == "ready"

    def listen(self) -> None:
        """Take down what it has said by now."""
        with suppress(EOFError):
            while self.line.poll():
                self.saves.append(self.line.recv())

    def stop(self) -> None:
        """Let it finish its save."""
        self.line.send("stop")
        while True:
            assert self.line.poll(PATIENCE_SECONDS)
            said = self.line.recv()
            if said == "stopped":
                return
            self.saves.append(said)

    def kill(self) -> None:
        """Where it stands, `kill -9`; what it said before counts."""
        self.process.kill()
        self.process.join()
        self.listen()
