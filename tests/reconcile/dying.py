"""A day whose close is killed again and again: run as a program, `dying SEED ARGUMENT...`.

Each life is a process of its own, which runs the command line and dies by SIGKILL at a random call into
SQLite, before or after it. The last life comes to the end; how many died is printed.
"""

from __future__ import annotations

import os
import random
import signal
import sys
from pathlib import Path
from types import FrameType

import ops.cli.reconcile  # noqa: F401 every life would import it again
from ops.cli.main import main

LIVES_MAX = 200
CALLS_MAX = 300
"""More than there are between the beginning and the last commit."""
_CALLS = frozenset({"execute", "executemany", "commit"})


def live(calls: int, arguments: list[str]) -> None:
    """Run the command, and die on the way if so many calls are not enough."""
    left = calls

    def watch(_frame: FrameType, happened: str, called: object) -> None:
        nonlocal left
        if happened in {"c_call", "c_return"} and getattr(called, "__name__", "") in _CALLS:
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.argv = ["baccarat-ledger", *arguments]
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    sys.setprofile(watch)
    main()


def run(seed: int, arguments: list[str]) -> None:
    """Live until the end is reached; say how often that was cut short, and how it ended."""
    rng = random.Random(seed)
    for deaths in range(LIVES_MAX):
        calls = rng.randint(1, CALLS_MAX)
        child = os.fork()
        if not child:
            try:
                live(calls, arguments)
            except SystemExit as end:
                os._exit(int(end.code or 0))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            sys.stdout.write(f"{deaths} {os.WEXITSTATUS(status)}\n")
            return
    sys.exit("it never came to the end")


if __name__ == "__main__":
    run(int(sys.argv[1]), sys.argv[2:])
