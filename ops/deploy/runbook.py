"""The runbook as a program: its procedures, and what each of them runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

RUNBOOK = Path(__file__).with_name("RUNBOOK.md")
SETTINGS = "Settings"
"""The procedure that stands before each of the others."""

_HEADING = re.compile(r"^## +(.+?) *$")
_BEGINS = re.compile(r"^(```sh|<!-- drill)$")
_ENDS = {"```sh": "```", "<!-- drill": "-->"}


class Procedure(NamedTuple):
    """A section of the runbook, and its blocks in their order.

    A block is either shown to whoever reads (`sh`), or plays the rest of the world in a drill: what table
    systems send meanwhile, what breaks, and what must be true now.
    """

    title: str
    blocks: tuple[str, ...]

    @property
    def script(self) -> str:
        """All blocks as one."""
        return "\n".join(self.blocks)


def procedures(text: str) -> list[Procedure]:
    """The procedures of a runbook that have something to run, in their order."""
    found: dict[str, list[str]] = {}
    for title, block in _blocks(text):
        found.setdefault(title, []).append(block)
    return [Procedure(title, tuple(blocks)) for title, blocks in found.items()]


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    title, end, lines = "", "", list[str]()
    for line in text.splitlines():
        if end and line == end:
            yield title, "\n".join(lines)
            end = ""
        elif end:
            lines.append(line)
        elif begins := _BEGINS.match(line):
            end, lines = _ENDS[begins[1]], []
        elif heading := _HEADING.match(line):
            title = heading[1]
    if end:
        raise ValueError(f"a block of {title!r} does not end")
