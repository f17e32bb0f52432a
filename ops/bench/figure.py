"""One figure: two contestants at the same work, turn about, and what that says of them."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, NamedTuple


class Turn(NamedTuple):
    """What was done in one turn, and what it took each of the two: seconds, or bytes of memory.

    None of it is money, so floats will do.
    """

    done: int
    ours: float
    other: float


class Sort(StrEnum):
    """What a figure's ratio is."""

    RATE = "rate"
    """Our rate over the other's: more is better."""
    TIME = "time"
    """Our seconds over the other's: less is better."""
    MEMORY = "memory"
    """Our bytes over the other's: less is better."""


class Quartiles(NamedTuple):
    """The middle of some ratios, with the quartiles on either side."""

    low: float
    median: float
    high: float


class Figure(NamedTuple):
    """One line of a table.

    Attributes:
        name: what was done.
        against: by whom it was done as well.
        unit: what a turn's `done` counts.
        goal: the ratio to reach at least (a rate) or at most (anything else), where there is one.
    """

    name: str
    against: str
    unit: str
    turns: Sequence[Turn]
    sort: Sort = Sort.RATE
    goal: float | None = None

    @property
    def ratio(self) -> Quartiles:
        """Of the turns' ratios."""
        return quartiles([self._ratio_of(turn) for turn in self.turns])

    @property
    def held(self) -> bool | None:
        """Whether the median reaches the goal; None without one."""
        if self.goal is None:
            return None
        median = self.ratio.median
        return median >= self.goal if self.sort is Sort.RATE else median <= self.goal

    def as_json(self) -> dict[str, Any]:
        """Everything, for programs; ratios and rates as they come out."""
        return {
            "name": self.name,
            "against": self.against,
            "unit": self.unit,
            "sort": self.sort.value,
            "turns": len(self.turns),
            "ratio": self.ratio._asdict(),
            "goal": self.goal,
            "held": self.held,
            "ours": self._amount([turn.ours for turn in self.turns]),
            "other": self._amount([turn.other for turn in self.turns]),
        }

    def _ratio_of(self, turn: Turn) -> float:
        return turn.other / turn.ours if self.sort is Sort.RATE else turn.ours / turn.other

    def _amount(self, taken: Sequence[float]) -> float:
        """A rate over all turns (a second), or the median of the turns (seconds or bytes)."""
        if self.sort is Sort.RATE:
            return sum(turn.done for turn in self.turns) / sum(taken)
        return statistics.median(taken)


def quartiles(found: Sequence[float]) -> Quartiles:
    """Of what was found; of a single finding, that three times."""
    if len(found) == 1:
        return Quartiles(*(3 * list(found)))
    return Quartiles(*statistics.quantiles(found, n=4, method="inclusive"))


def told(amount: float, sort: str, unit: str) -> str:
    """A figure's amount as people read it.

    Args:
        sort: the value of a `Sort`.
    """
    match Sort(sort):
        case Sort.RATE:
            return f"{amount:,.0f} {unit}/s"
        case Sort.TIME:
            return f"{amount * 1e3:,.2f} ms"
        case Sort.MEMORY:
            return f"{amount / 2**20:,.0f} MiB"
