"""Roads as the few shapes of a picture: a floor of a hundred tables is some thousand beads.

A dot is a stroke of no length with round ends, so all dots of a colour are one path. Lengths are in the
picture's own units, of which a cell is `CELL` wide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ops.console.roads import ROWS, Bead, Entry, Side

CELL = 13
BEAD_COLUMNS, ROAD_COLUMNS = 12, 20
"""So many of the last columns are drawn."""
_BASELINE = 3
"""How far under a bead's middle its letter stands."""


class Letter(NamedTuple):
    """A letter or number, and where it stands."""

    x: int
    y: int
    text: str


class Picture(NamedTuple):
    """A road as it is drawn.

    Attributes:
        dots: paths of the dots, by side; rings on the big road.
        letters: the beads' letters in order, with all their places.
        strokes: the path of the strokes for ties.
        numbers: of ties, where there were several.
    """

    columns: int
    dots: dict[Side, str]
    letters: str = ""
    xs: str = ""
    ys: str = ""
    strokes: str = ""
    numbers: Sequence[Letter] = ()

    @property
    def lines(self) -> str:
        """The path of the lines between the cells."""
        height, width = ROWS * CELL, self.columns * CELL
        down = "".join(f"M{at * CELL} 0v{height}" for at in range(1, self.columns))
        return down + "".join(f"M0 {at * CELL}h{width}" for at in range(1, ROWS))

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.columns * CELL, ROWS * CELL


def _middle(at: int) -> int:
    return at * CELL + CELL // 2


def _dots(places: Iterable[tuple[int, int]]) -> str:
    return "".join(f"M{_middle(column)} {_middle(row)}h0" for column, row in places)


def bead_picture(beads: Sequence[Bead], letter_of: Callable[[Side], str]) -> Picture:
    """The last columns of a bead plate."""
    first = max(0, max((bead.column for bead in beads), default=0) + 1 - BEAD_COLUMNS)
    shown = [bead._replace(column=bead.column - first) for bead in beads if bead.column >= first]
    return Picture(
        BEAD_COLUMNS,
        {side: _dots((bead.column, bead.row) for bead in shown if bead.side is side) for side in Side},
        letters="".join(letter_of(bead.side) for bead in shown),
        xs=" ".join(str(_middle(bead.column)) for bead in shown),
        ys=" ".join(str(_middle(bead.row) + _BASELINE) for bead in shown),
    )


def road_picture(entries: Sequence[Entry]) -> Picture:
    """The last columns of a big road."""
    first = max(0, max((entry.column for entry in entries), default=0) + 1 - ROAD_COLUMNS)
    shown = [entry._replace(column=entry.column - first) for entry in entries if entry.column >= first]
    return Picture(
        ROAD_COLUMNS,
        {
            side: _dots((entry.column, entry.row) for entry in shown if entry.side is side)
            for side in (Side.BANKER, Side.OPPOSING)
        },
        strokes="".join(
            f"M{entry.column * CELL + 2} {entry.row * CELL + 11}l8-9" for entry in shown if entry.ties
        ),
        numbers=[
            Letter(entry.column * CELL + 9, entry.row * CELL + 12, str(entry.ties))
            for entry in shown
            if entry.ties > 1
        ],
    )
