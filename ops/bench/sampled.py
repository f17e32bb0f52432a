"""`python -m ops.bench.sampled`: where the time of a coup goes, by samples of the processor's time.

Coups of ten wagers, a hundred a commit, on SQLite. Pieces lie within one another: shares do not add up.
"""

from __future__ import annotations

import argparse
import signal
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from rich.table import Table

from ops import logs
from ops.bench.contest import dealt
from ops.bench.writes import BULK_COUPS
from ops.cli.screen import out
from ops.memory import few_collections
from ops.wiring import open_house

EVERY_SECONDS = 0.001
ROOM = "/ledger/"
SHOWN = 40


class Samples:
    """How often each function of the ledger was on the stack."""

    def __init__(self) -> None:
        self.taken = 0
        self.of: Counter[str] = Counter()

    def take(self, _: int, frame: FrameType | None) -> None:
        """One sample; a signal's handler."""
        self.taken += 1
        self.of.update({_name(each) for each in _stack(frame) if ROOM in each.f_code.co_filename})


def _stack(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _name(frame: FrameType) -> str:
    module = frame.f_code.co_filename.rpartition(ROOM)[2]
    return f"{module} {frame.f_code.co_name}"


@contextmanager
def sampling() -> Iterator[Samples]:
    """Samples of this process's time on the processor, while the block runs."""
    samples = Samples()
    before = signal.signal(signal.SIGPROF, samples.take)
    signal.setitimer(signal.ITIMER_PROF, EVERY_SECONDS, EVERY_SECONDS)
    try:
        yield samples
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def main() -> None:
    """Sample, and print."""
    parser = argparse.ArgumentParser(
        prog="python -m ops.bench.sampled", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--coups", type=int, default=8_000, help="(8000)")
    wanted = parser.parse_args()
    logs.configure()
    commands = dealt(wanted.coups, seed=1)
    with (
        tempfile.TemporaryDirectory() as folder,
        open_house(str(Path(folder) / "ledger.db"), create=True) as house,
        few_collections(),
        sampling() as samples,
    ):
        for start in range(0, len(commands), BULK_COUPS):
            house.ledger.run_many(commands[start : start + BULK_COUPS])
    table = Table("of the time", "in", title=f"{samples.taken:,} samples over {wanted.coups:,} coups")
    for name, count in samples.of.most_common(SHOWN):
        table.add_row(f"{100 * count / samples.taken:.0f} %", name)
    out().print(table)


if __name__ == "__main__":
    main()
