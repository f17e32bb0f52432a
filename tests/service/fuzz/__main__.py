"""Bad input for as long as you like: `python -m tests.service.fuzz --seconds 600`.

Anything at all to every resource while connections break off, on a file and on a server; what the published
document makes of itself; the file taken away by another process; the server stopped and started. The last
line says what held; a promise that was broken ends the run with what broke it, and the seed to make it again.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from time import monotonic
from typing import Annotated

import typer

from ops.cli.screen import err
from tests.service.fuzz.holding import Held
from tests.service.fuzz.pg import own_server
from tests.service.fuzz.runs import run_locks, run_outages, run_published, run_requests, scratch


def _requests_on_a_file(seed: int, seconds: float) -> Held:
    with scratch() as db:
        return run_requests(str(db), seed, seconds)


def _requests_on_a_server(seed: int, seconds: float) -> Held:
    with own_server() as server:
        return run_requests(server.url, seed, seconds)


def _as_published(seed: int, seconds: float) -> Held:
    with scratch() as db:
        return run_published(str(db), seed, seconds)


def _locks(seed: int, seconds: float) -> Held:
    with scratch() as db:
        return run_locks(db, seed, seconds)


RUNS: dict[str, tuple[float, Callable[[int, float], Held]]] = {
    "requests, on a file": (0.3, _requests_on_a_file),
    "requests, on a server": (0.2, _requests_on_a_server),
    "requests as published": (0.2, _as_published),
    "a file that is locked": (0.1, _locks),
    "a server that is stopped": (0.2, run_outages),
}
"""Each run, its share of the time, and what it does."""


def main(
    seconds: Annotated[float, typer.Option(min=1, help="For how long, all runs together.")] = 60,
    seed: Annotated[int | None, typer.Option(help="To make the same input again.")] = None,
) -> None:
    """Send bad input to a service, and see that nothing breaks."""
    chosen = random.randrange(10**9) if seed is None else seed
    begun = monotonic()
    total = 0
    for name, (share, run) in RUNS.items():
        err().print(f"{name}: {share * seconds:.0f} s from seed {chosen}")
        held = run(chosen, share * seconds)
        total += sum(held.answers.values())
        err().print(f"  {held}")
    sys.stdout.write(
        f"held for {monotonic() - begun:.0f} s, seed {chosen}: {total:,} answers and more, no fault, nothing "
        "from inside, no event half-written; every ledger verifies, and the log says why of all not served\n"
    )


if __name__ == "__main__":
    typer.run(main)
