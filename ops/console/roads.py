"""Roads: a shoe's results as people at a table write them down. Pure functions.

The bead plate is a bead a coup, down each column of six and then to the right. The big road begins a new
column when the winner changes; ties mark the last entry; a streak that is longer than six, or that meets an
earlier one, turns to the right: the dragon's tail.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

ROWS = 6


class Side(StrEnum):
    """Who won a coup."""

    BANKER = "B"
    OPPOSING = "P"
    TIE = "T"


SIDE_OF: dict[str, Side] = {"W": Side.OPPOSING, "L": Side.BANKER, "D": Side.TIE}
"""A result, which is an opposing hand's against the banker's."""


class Bead(NamedTuple):
    """An entry of the bead plate. Rows and columns count from 0."""

    column: int
    row: int
    side: Side


class Entry(NamedTuple):
    """An entry of the big road: a win, and how many ties came after it.

    `side` is None where a shoe has begun with ties and nobody has won yet. Rows and columns count from 0.
    """

    column: int
    row: int
    side: Side | None
    ties: int


def bead_plate(sides: Sequence[Side]) -> list[Bead]:
    """The bead plate of a shoe."""
    return [Bead(index // ROWS, index % ROWS, side) for index, side in enumerate(sides)]


def big_road(sides: Sequence[Side]) -> list[Entry]:
    """The big road of a shoe, in the order of its coups."""
    entries: list[Entry] = []
    taken: set[tuple[int, int]] = set()
    begins = column = row = 0
    turned = False
    for side in sides:
        last = entries[-1] if entries else None
        if side is Side.TIE:
            entries[-1:] = [last._replace(ties=last.ties + 1) if last else Entry(0, 0, None, 1)]
            continue
        if last is None or last.side is None:  # the first win of a shoe takes the ties that came before it
            entries = [Entry(0, 0, side, last.ties if last else 0)]
            taken.add((0, 0))
            continue
        if side is not last.side:
            begins = next(at for at in range(begins + 1, begins + len(taken) + 2) if (at, 0) not in taken)
            column, row, turned = begins, 0, False
        elif turned or row == ROWS - 1 or (column, row + 1) in taken:
            column, turned = column + 1, True
        else:
            row += 1
        taken.add((column, row))
        entries.append(Entry(column, row, side, 0))
    return entries


def counts(sides: Sequence[Side]) -> dict[Side, int]:
    """How often each came."""
    counted = Counter(sides)
    return {side: counted[side] for side in Side}


def streak(sides: Sequence[Side]) -> tuple[Side, int] | None:
    """Who has won the last coups, and how many of them; ties neither count nor end it. None: nobody yet."""
    wins = [side for side in sides if side is not Side.TIE]
    if not wins:
        return None
    length = next((at for at, side in enumerate(reversed(wins)) if side is not wins[-1]), len(wins))
    return wins[-1], length
