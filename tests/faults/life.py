"""A work whose process is killed again and again: run as a program, `life KIND DB FOLDER SEED DEATHS`.

Each life is a process of its own. It dies by SIGKILL at a random call to its disk or server, before, after or
half way through it (the layer of `layer.py` counts), or after a random time. When it has died often enough it
lives to its end. A line of JSON tells each end.
"""

from __future__ import annotations

import json
import math
import os
import random
import signal
import sys
import traceback
from pathlib import Path
from time import monotonic, sleep

from eventsourcing.persistence import PersistenceError

from ledger.errors import LedgerBusy, NotALedger, PositionMoved, RelayUnreachable, SealMoved
from ops import logs
from tests.faults import layer
from tests.faults.work import WORKS, Place

LIVES_MAX = 400
CALLS_MAX = 500
SECONDS_MAX = 0.7
AWAY = 3
"""The exit code of a life that was told that the ledger cannot be had now: it comes again."""
AWAY_SECONDS = 0.1
_AWAY = (PersistenceError, NotALedger, LedgerBusy, PositionMoved, SealMoved, RelayUnreachable, OSError)
_BAD_INPUT = 2
"""So the command line ends where the ledger cannot be had."""


def say(**facts: object) -> None:
    """A line, at once."""
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


def live(kind: str, place: Place, *, mortal: bool) -> None:
    """One life, in a process of its own; it does not return."""
    code = 1
    try:
        if mortal:
            layer.arm(place.rng, max(1, int(math.exp(place.rng.uniform(0, math.log(CALLS_MAX))))))
        WORKS[kind](place)
        code = 0
    except SystemExit as end:
        code = AWAY if end.code == _BAD_INPUT else int(end.code or 0)
    except _AWAY as error:
        say(away=f"{type(error).__name__}: {error}")
        code = AWAY
    except BaseException:  # noqa: BLE001 - whatever it is, it is told
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def end_of(child: int, seconds: float | None) -> int:
    """How a life ended, after so long at the latest."""
    until = None if seconds is None else monotonic() + seconds
    while until is not None:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        if monotonic() > until:
            os.kill(child, signal.SIGKILL)
            break
        sleep(0.002)
    return os.waitpid(child, 0)[1]


def main(kind: str, db: str, folder: Path, seed: int, deaths: int) -> None:
    """Live until the end is reached."""
    logs.configure()
    rng = random.Random(f"{seed}/{kind}")
    died = 0
    for life in range(LIVES_MAX):
        mortal = died < deaths
        place = Place(db, folder, random.Random(rng.getrandbits(64)))
        child = os.fork()
        if not child:
            live(kind, place, mortal=mortal)
        status = end_of(child, rng.uniform(0, SECONDS_MAX) if mortal else None)
        if os.WIFSIGNALED(status):
            died += 1
            say(died=life)
        elif os.WEXITSTATUS(status) == AWAY:
            sleep(AWAY_SECONDS)
        else:
            sys.exit(os.WEXITSTATUS(status))
    sys.exit(f"{kind} never came to its end")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]))
