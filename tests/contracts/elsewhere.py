"""Work in other processes: as another server of the casino would do it, or one that loses its power."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

PATIENCE_SECONDS = 30
"""So long and no longer is a process that stays silent waited for."""

_SPAWN = get_context("spawn")  # a process of its own from the start: no open file comes along through a fork
_DONE = "done"


def _serve(line: Connection) -> None:
    """Do one piece of work after the other."""
    while True:
        work, arguments = line.recv()
        work(line, *arguments)
        line.send(_DONE)


class Helper:
    """Another process, and the line to it."""

    def __init__(self) -> None:
        self.line, their_line = _SPAWN.Pipe()
        self.process = _SPAWN.Process(target=_serve, args=(their_line,), daemon=True)
        self.process.start()
        their_line.close()

    def hears(self) -> Any:
        """What the other process says next."""
        assert self.line.poll(PATIENCE_SECONDS), f"{self.process.name} stays silent"
        return self.line.recv()

    def says(self, word: str) -> None:
        """A word to the other process, which waits for one."""
        self.line.send(word)

    def is_killed(self) -> None:
        """End it where it stands, as `kill -9` does."""
        self.process.kill()
        self.process.join()


_idle: list[Helper] = []
"""Helpers that finished their work: to start a process takes longer than most of what it does."""


@contextmanager
def elsewhere(work: Callable[..., None], *arguments: Any) -> Iterator[Helper]:
    """Do `work(line, *arguments)` in another process, which ends with the block unless it has finished."""
    helper = _idle.pop() if _idle else Helper()
    helper.line.send((work, arguments))
    finished = False
    try:
        yield helper
        finished = helper.process.is_alive() and helper.hears() == _DONE
    finally:
        if finished:
            _idle.append(helper)
        else:
            helper.is_killed()
