"""What long work holds in memory at its most, in a large ledger against a small one: it should not grow.

Each command runs in a process of its own, which says at its end what it held at its most.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, redirect_stderr, redirect_stdout, suppress
from multiprocessing.connection import Connection
from pathlib import Path

from ops.bench.figure import Figure, Sort, Turn
from ops.bench.ledgers import two_ledgers
from ops.bench.serving import spawn
from ops.cli.screen import progress_bar
from ops.rehearsal.deal import load, write

GOAL = 1.5
LEDGER, TAPE = "{ledger}", "{tape}"
WORK: Mapping[str, tuple[str, ...]] = {
    "project rebuild": ("project", "rebuild", "--db", LEDGER),
    "audit": ("audit", "--db", LEDGER),
    "export csv": ("export", "csv", "--db", LEDGER, "-o", "{folder}/wagers.csv"),
    "export journal": ("export", "journal", "--db", LEDGER, "-o", "{folder}/books.journal"),
    "import": ("import", TAPE, "--db", "{folder}/imported.db"),
}
"""Commands, and what they are given. The tape has the large ledger's events, or the small one's."""
_EVENTS_A_COUP = 8
_PEAK = "VmHWM:"


class Failed(RuntimeError):
    """A command did not do what was to be measured."""


def memory(small: int, large: int, repeat: int) -> Iterator[Figure]:
    """Each command's figure.

    Args:
        small, large: events of the two ledgers.
    """
    with tempfile.TemporaryDirectory() as folder:
        pair = two_ledgers(Path(folder), small, large)
        tapes = {path: _tape(path, events) for path, events in ((pair.small, small), (pair.large, large))}
        for name, arguments in WORK.items():
            turns = []
            with progress_bar(f"memory: {name}") as (bar, task):
                bar.update(task, total=repeat)
                for _ in range(repeat):
                    held = [held_by(arguments, path, tapes[path]) for path in (pair.large, pair.small)]
                    turns.append(Turn(1, *held))
                    bar.advance(task)
            events = f"{pair.large_events:,} events"
            against = f"{pair.small_events:,} events"
            yield Figure(f"{name}, {events}", against, "commands", turns, Sort.MEMORY, GOAL)


def _tape(beside: Path, events: int) -> Path:
    path = beside.with_suffix(".ndjson")
    with path.open("wb") as stream:
        write(load(events // _EVENTS_A_COUP), stream)
    return path


def held_by(arguments: tuple[str, ...], ledger: Path, tape: Path) -> float:
    """What a command held at its most (bytes).

    Raises:
        Failed: it did not end well.
    """
    with tempfile.TemporaryDirectory() as folder:
        given = [part.format(ledger=ledger, tape=tape, folder=folder) for part in arguments]
        ours, theirs = spawn.Pipe()
        process = spawn.Process(target=_command, args=(given, theirs))
        process.start()
        theirs.close()
        with closing(ours):
            try:
                code, held = ours.recv()
            except EOFError:
                raise Failed(" ".join(given)) from None
        process.join()
    if code:
        raise Failed(f"{' '.join(given)}: exit code {code}")
    return float(held)


def _command(arguments: list[str], told: Connection) -> None:
    """Run one command as the command line does, silently."""
    from ops.cli.main import main  # noqa: PLC0415 – it imports every command

    sys.argv = ["baccarat-ledger", *arguments]
    code: object = 0
    with Path(os.devnull).open("w") as nothing, redirect_stdout(nothing), redirect_stderr(nothing):
        try:
            main()
        except SystemExit as ended:
            code = ended.code
    told.send((code or 0, peak()))


def peak() -> int:
    """What this process has held at its most (bytes).

    The system's own figure for the program that runs; what a process inherits from whoever forked it counts
    in the portable one.
    """
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(_PEAK):
                return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
