"""Nights for as long as it takes: `python -m tests.model`; `--nights N` for fewer than ten thousand.

The last line says what held. What broke it ends the run, told as shortly as it was found.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from ops import logs
from ops.cli.screen import Exit, err, out, progress_bar
from tests.model.machine import Nights
from tests.model.profiles import NIGHTLY
from tests.model.told import Told


def main(
    nights: Annotated[int, typer.Option(min=1, help="How many sequences of them.")] = NIGHTLY.max_examples,
    steps: Annotated[int, typer.Option(min=1, help="The most of a sequence.")] = NIGHTLY.stateful_step_count,
) -> None:
    """Play nights beside the oracle, and say what held."""
    logs.configure()
    played, applied, refused = 0, 0, 0
    with progress_bar("nights") as (bar, task):
        bar.update(task, total=nights)

        class Counted(Nights):
            """Counts what was played to its end."""

            def teardown(self) -> None:
                nonlocal played, applied, refused
                told: Told = self.told
                super().teardown()
                played += 1
                well = sum(answer.applied for _, answer in told.answered)
                applied, refused = applied + well, refused + len(told.answered) - well
                bar.update(task, completed=played, note=f"{applied + refused:,} commands")

        Counted.__name__ = Counted.__qualname__ = Nights.__name__
        chosen = settings(NIGHTLY, max_examples=nights, stateful_step_count=steps)
        try:
            run_state_machine_as_test(Counted, settings=chosen)
        except Exception as broken:  # noqa: BLE001 whatever it was, it is what is to be told
            err().print("\n".join(getattr(broken, "__notes__", [])))
            out().print(f"model: BROKEN after {played:,} nights: {str(broken)[:300]}")
            sys.exit(Exit.FINDINGS)
    out().print(
        f"model: held. {played:,} sequences of nights, {applied:,} commands applied and {refused:,} refused:"
        " every answer, settlement, bank, P&L and float is the oracle's, and verify found nothing."
    )


if __name__ == "__main__":
    typer.run(main)
