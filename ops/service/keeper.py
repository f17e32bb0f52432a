"""Folds in a process of its own, so that what the read tables cost is not taken from those who write.

Python runs one thread at a time, and folding a coup costs about what deciding it does. The process is asked
by a line and answers by one, in JSON; it ends when nobody can ask it any more.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import IO, Any

from eventsourcing.persistence import PersistenceError

from ledger.errors import LedgerError
from ops import logs
from ops.service import faults
from ops.wiring import open_house
from projections.runner import Runner

STOP_SECONDS = 30.0
"""For the batch that it is at when it is told to end."""


@dataclass(eq=False)
class FoldingFailed(LedgerError):
    """The read tables could not be brought up to the record; the next turn may go well."""

    fault: str
    code = "folding-failed"
    template = "the read tables cannot be kept up: {fault}"


class Keeper:
    """The process, as whoever asks it sees it; one at a time. It is begun anew if it has ended.

    Args:
        db: the address of the ledger.
    """

    def __init__(self, db: str) -> None:
        self._db = db
        self._process = self._begin()

    @property
    def process_id(self) -> int:
        """Of the operating system."""
        return self._process.pid

    def catch_up(self) -> int:
        """Fold what is in the record now; the position reached.

        Raises:
            FoldingFailed.
        """
        try:
            answer = _ask(self._process, {})
        except (OSError, ValueError) as error:
            self.close()
            self._process = self._begin()
            raise FoldingFailed(f"its process has ended, and another was begun: {error}") from None
        if "position" not in answer:
            raise FoldingFailed(" ".join([str(answer["fault"]), *answer.get("at", ())]))
        return int(answer["position"])

    def close(self) -> None:
        """It ends after what it is at."""
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                _open(pipe).close()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:  # a batch that is not written is folded again
            self._process.kill()
            self._process.wait()

    def _begin(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", "ops.service.keeper"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        with suppress(OSError):  # then it is found when it is asked
            # with its password, so not in the arguments, where all could read it
            _say(process.stdin, {"db": str.__str__(self._db)})
        return process


def _ask(process: subprocess.Popen[bytes], question: dict[str, Any]) -> dict[str, Any]:
    """Raises: OSError, ValueError: it is no more."""
    _say(process.stdin, question)
    answer: dict[str, Any] = json.loads(_open(process.stdout).readline())
    return answer


def _say(pipe: IO[bytes] | None, said: dict[str, Any]) -> None:
    _open(pipe).write(json.dumps(said).encode() + b"\n")
    _open(pipe).flush()


def _open(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise ValueError("it has no such pipe")
    return pipe


# --- In that process -----------------------------------------------------------------------------------


def main() -> None:
    """Fold whenever a line asks for it, until there are no more."""
    for number in (signal.SIGINT, signal.SIGTERM):  # they are for the service, which then closes the pipe
        signal.signal(number, signal.SIG_IGN)
    logs.configure()
    asked = iter(sys.stdin.buffer.readline, b"")
    db = json.loads(next(asked))["db"]
    with ExitStack() as open_:
        runner: Runner | None = None
        for _ in asked:
            try:
                runner = runner or open_.enter_context(open_house(db)).runner()
                answer: dict[str, Any] = {"position": runner.catch_up()}
            except (PersistenceError, LedgerError) as error:
                answer = {"fault": f"{type(error).__name__}: {error}"}
            except Exception as error:  # noqa: BLE001 – whatever it was, the next turn may go well
                answer = faults.told(error)
            _say(sys.stdout.buffer, answer)


if __name__ == "__main__":
    main()
