"""A program that imports a load of coups, then a larger one: `importing LEDGER COUPS MORE`.

It says its peak memory in bytes after each, and how many lines were applied.
"""

from __future__ import annotations

import io
import json
import resource
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ops import logs
from ops.cli.tapes import play
from ops.rehearsal.deal import load
from ops.tape.sources import Source
from ops.wiring import open_house

WAGERS = 3


class Dealt(io.RawIOBase):
    """A tape that is dealt while it is read, so that it is never whole in memory."""

    def __init__(self, coups: int, seed: int) -> None:
        self._lines = self._written(coups, seed)
        self._left = b""

    @staticmethod
    def _written(coups: int, seed: int) -> Iterator[bytes]:
        for line in load(coups, WAGERS, seed):
            yield json.dumps(line).encode() + b"\n"

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._left = self._left or next(self._lines, b"")
        piece, self._left = self._left[: len(buffer)], self._left[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)


def main(path: Path, *loads: int) -> None:
    """Import the loads one after the other."""
    logs.configure()
    with open_house(str(path), create=True) as house:
        for seed, coups in enumerate(loads, start=1):
            source = Source(io.BufferedReader(Dealt(coups, seed)), None)
            summary = play(house, source, "load", lambda report: sys.exit(str(report)))
            unit = 1 if sys.platform == "darwin" else 1024
            peak_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
            sys.stdout.write(f"{peak_bytes} {summary.applied}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
