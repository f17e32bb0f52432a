"""When a table's variance must be looked into: dated data, with what is not sure about each figure.

A figure is never changed here when the law changes: its last day is set, and the next one follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any


@dataclass(frozen=True, slots=True)
class VarianceThreshold:
    """A dated figure. Amounts in minor units of `currency`.

    Attributes:
        first, last: gaming days, both included; `last` is None while it applies.
        report_over: a variance of more than this, either way, is reported in writing.
        regulator_from: one of this much or more goes to the regulator; None where nothing says so.
        source: where it stands.
        confirmed: whether the amounts were read in a text that binds.
        doubt: what was not confirmed, in a sentence.
    """

    id: str
    first: date
    last: date | None
    currency: str
    report_over: int
    regulator_from: int | None
    source: str
    confirmed: bool
    doubt: str | None = None

    def applies_on(self, gaming_day: date) -> bool:
        """Whether it was in force on this gaming day."""
        return self.first <= gaming_day and (self.last is None or gaming_day <= self.last)

    def as_json(self) -> dict[str, Any]:
        """For programs: days as text."""
        figures = {name: getattr(self, name) for name in self.__slots__}
        return figures | {"first": str(self.first), "last": None if self.last is None else str(self.last)}


_FIRST = date(1995, 1, 1)

VARIANCE_THRESHOLDS: tuple[VarianceThreshold, ...] = (
    VarianceThreshold(
        id="nj-13-69d",
        first=_FIRST,
        last=None,
        currency="USD",
        report_over=25_00,
        regulator_from=100_00,
        source="New Jersey, N.J.A.C. 13:69D: over $25 a written report, $100 or more to the regulator",
        confirmed=True,
        doubt="its first day was not read; it is of an opener that differs from its count, and is applied to "
        "the variance of a table's gaming day",
    ),
    VarianceThreshold(
        id="gbp-as-nj",
        first=_FIRST,
        last=None,
        currency="GBP",
        report_over=25_00,
        regulator_from=100_00,
        source="New Jersey's figures, number for number in pounds",
        confirmed=False,
        doubt="no British figure was found: the house's own goes before it (--threshold)",
    ),
)
"""Every figure there is."""


def in_force(
    currency: str, gaming_day: date, among: Sequence[VarianceThreshold] = VARIANCE_THRESHOLDS
) -> VarianceThreshold | None:
    """The figure for this currency on this gaming day; None where none is known."""
    return next((one for one in among if one.currency == currency and one.applies_on(gaming_day)), None)
