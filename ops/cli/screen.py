"""What people see: consoles, progress, and figures as they write them; and JSON for programs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from fractions import Fraction
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from ledger.terms.money import in_words

WIDE_COLUMNS = 200
"""Where there is no terminal: a file or a pipe does not fold lines."""


class Exit(IntEnum):
    """What a program learns without reading: good; there are findings; bad usage or input."""

    GOOD = 0
    FINDINGS = 1
    BAD_INPUT = 2


def out() -> Console:
    """Where results go."""
    told = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(width=None if told else WIDE_COLUMNS, highlight=False, markup=False)


def err() -> Console:
    """Where everything goes that is not a result."""
    return Console(stderr=True, highlight=False, markup=False)


def print_json(value: Any) -> None:
    """One JSON value, on one line, in ASCII, so that it arrives whatever the terminal's encoding."""
    sys.stdout.write(json.dumps(value, separators=(",", ":")) + "\n")


@contextmanager
def progress_bar(what: str) -> Iterator[tuple[Progress, TaskID]]:
    """A progress bar on standard error; silent where that is no terminal."""
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[note]}"),
    )
    console = err()
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        yield bar, bar.add_task(what, total=None, note="")


def print_fitting(
    console: Console,
    columns: Sequence[tuple[str, Any]],
    dispensable: Sequence[str],
    made_of: Callable[[Sequence[tuple[str, Any]]], Table],
) -> None:
    """Print a table without what the terminal has no room for, and say what that is.

    Args:
        columns: their names, and how each is told.
        dispensable: names of those to do without, the first first.
        made_of: makes the table of some of the columns.
    """
    names = {name for name, _ in columns}
    left = [name for name in dispensable if name in names]
    left_out: list[str] = []
    table = made_of(columns)
    unlimited = console.options.update(max_width=10 * WIDE_COLUMNS)
    while left and console.measure(table, options=unlimited).maximum > console.width:
        left_out.append(left.pop(0))
        table = made_of([column for column in columns if column[0] not in left_out])
    console.print(table)
    if left_out:
        console.print(f"Left out for want of width: {', '.join(left_out)}. --json has everything.")


def money(amount: int | Fraction | None, currency: str) -> str:
    """An amount, or a dash where there is none."""
    return "–" if amount is None else in_words(amount, currency)


def percent(ratio: Fraction | None) -> str:
    """A ratio in per cent with two decimals, or a dash."""
    if ratio is None:
        return "–"
    hundredths = round(ratio * 10_000)
    sign = "-" if hundredths < 0 else ""
    return f"{sign}{abs(hundredths) // 100}.{abs(hundredths) % 100:02} %"
