"""Spoilt input for as long as you like: `python -m tests.fuzz --seconds 600`.

Every reader of what comes from outside but HTTP (for that `python -m tests.service.fuzz`). The last line says
what held. What is raised and was not declared ends the run, with the smallest input that was found.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from typing import Annotated

import typer

from ops.cli.screen import Exit, err, out
from tests.fuzz.holding import send_for
from tests.fuzz.targets import TARGETS


def main(
    seconds: Annotated[float, typer.Option(min=1, help="For how long, all targets together.")] = 60,
    seed: Annotated[int | None, typer.Option(help="To make the same input again.")] = None,
    only: Annotated[str | None, typer.Option(help="One target, by its name.")] = None,
) -> None:
    """Send spoilt input to every reader, and see that only declared errors come of it."""
    chosen = random.randrange(10**9) if seed is None else seed
    names = [name for name in TARGETS if only in (None, name)]
    if not names:
        err().print(f"there is no such target; there are: {', '.join(TARGETS)}")
        sys.exit(Exit.BAD_INPUT)
    whole: Counter[str] = Counter()
    for name in names:
        try:
            came = send_for(name, chosen, seconds / len(names))
        except Exception as broken:  # noqa: BLE001 whatever it was, it is what is to be told
            err().print("\n".join([repr(broken), *getattr(broken, "__notes__", [])]), soft_wrap=True)
            out().print(f"fuzz: BROKEN by {name}, seed {chosen}: {broken!r}"[:300], soft_wrap=True)
            sys.exit(Exit.FINDINGS)
        err().print(f"{name}: {came['read']:,} read, {came['refused']:,} refused")
        whole += came
    out().print(
        f"fuzz: held. {whole.total():,} inputs to {len(names)} readers, seed {chosen}:"
        f" {whole['read']:,} read, {whole['refused']:,} refused with a declared error, and nothing else.",
        soft_wrap=True,
    )


if __name__ == "__main__":
    typer.run(main)
