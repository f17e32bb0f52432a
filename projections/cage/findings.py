"""What is wrong with the cage's side: numbers missing from a series or used twice, floats that do not follow.

One slip number is used once at the premises, whatever the table, and a series has no hole (domain §4.2); a
table opens with the float that it closed with (§4.3, step 5). Amounts in minor units.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby, pairwise
from typing import Any, ClassVar, NamedTuple

from ledger.store.port import Statements
from projections.cage.cage import NIGHTS, NO_NUMBER, SERIES, SLIPS, numbered
from projections.cage.nights import CageNight, nights
from projections.pnl.views import PnlFilter


class SlipUse(NamedTuple):
    """Where a number was used."""

    gaming_day: str
    table: str
    slip: str


@dataclass(frozen=True, slots=True)
class SlipsMissing:
    """Numbers between two that were used, which nobody has used. Found on the day of the later number.

    Attributes:
        first, last: the first and last missing, as slips of the series are written.
        count: how many there are.
        before, after: the numbers used next to them.
    """

    code: ClassVar[str] = "slips-missing"

    premises: str
    series: str
    first: str
    last: str
    count: int
    before: SlipUse
    after: SlipUse

    def as_json(self) -> dict[str, Any]:
        """The finding for programs."""
        return {"finding": self.code, **asdict(self)} | _uses(before=self.before, after=self.after)


@dataclass(frozen=True, slots=True)
class SlipTwice:
    """A number of a series that was used more than once, by whatever tables."""

    code: ClassVar[str] = "slip-used-twice"

    premises: str
    series: str
    slip: str
    uses: tuple[SlipUse, ...]

    def as_json(self) -> dict[str, Any]:
        """The finding for programs."""
        return {"finding": self.code, **asdict(self), "uses": [use._asdict() for use in self.uses]}


@dataclass(frozen=True, slots=True)
class ChainBroken:
    """A table went on with another float than it was left with.

    Attributes:
        closed_day, closed_shift: when it was left with `closer`; the shift is None from one day to another.
        opened_day, opened_shift: when it went on with `opener`.
    """

    code: ClassVar[str] = "chain-broken"

    premises: str
    table: str
    currency: str
    closed_day: str
    closed_shift: str | None
    closer: int
    opened_day: str
    opened_shift: str | None
    opener: int

    @property
    def difference(self) -> int:
        """What it had more when it went on; negative where it had less."""
        return self.opener - self.closer

    def as_json(self) -> dict[str, Any]:
        """The finding for programs."""
        return {"finding": self.code, **asdict(self), "difference": self.difference}


SlipFinding = SlipsMissing | SlipTwice
CageFinding = SlipFinding | ChainBroken


def _uses(**uses: SlipUse) -> dict[str, Any]:
    return {name: use._asdict() for name, use in uses.items()}


# --- Slips ---------------------------------------------------------------------------------------------


def slip_gaps(statements: Statements, wanted: PnlFilter) -> list[SlipFinding]:
    """Numbers missing from the series that were used on the days wanted, and numbers used twice.

    The number before those of a day counts too, so what is missing is found on the day of the number after
    it, and a range of days finds what its days find. A missing number is nobody's, so the table wanted does
    not matter for it; one used twice is of every table that used it. By premises, series and number.
    """
    where, parameters = PnlFilter(wanted.first_day, wanted.last_day, None, wanted.premises).where()
    sql = f"SELECT premises, slip FROM {SLIPS.name} {where}"
    used: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    for premises, slip in statements.execute(sql, parameters):
        series, number = numbered(slip)
        used[premises, series].add(number)
    findings: list[SlipFinding] = []
    for (premises, series), numbers in sorted(used.items()):
        uses = _uses_of(statements, premises, series, min(numbers), max(numbers))
        findings += _missing(premises, series, uses, numbers)
        findings += [
            SlipTwice(premises, series, at[0].slip, at)
            for number, at in uses
            if number in numbers and len(at) > 1 and _of_table(at, wanted.table)
        ]
    return findings


_Uses = Sequence[tuple[int, tuple[SlipUse, ...]]]
"""Numbers in order, each with where it was used."""


def _uses_of(statements: Statements, premises: str, series: str, first: int, last: int) -> _Uses:
    """The numbers of a series from the one before `first` up to `last`."""
    sql = f"SELECT MAX(number) FROM {SERIES.name} WHERE premises = ? AND series = ? AND number < ?"
    ((before,),) = statements.execute(sql, (premises, series, first))
    sql = (
        f"SELECT number, gaming_day, table_name, slip FROM {SERIES.name} WHERE premises = ? AND series = ? "
        "AND number >= ? AND number <= ? ORDER BY number, gaming_day, table_name, slip"
    )
    begin = first if before is None else before
    rows = statements.execute(sql, (premises, series, begin, last))
    return [
        (number, tuple(SlipUse(*use) for _, *use in same))
        for number, same in groupby(rows, key=lambda row: int(row[0]))
    ]


def _missing(premises: str, series: str, uses: _Uses, numbers: set[int]) -> Iterator[SlipFinding]:
    for (number, before), (following, after) in pairwise(uses):
        if following in numbers and number != NO_NUMBER and following > number + 1:
            digits = len(before[-1].slip) - len(series)
            first, last = (f"{series}{missing:0{digits}}" for missing in (number + 1, following - 1))
            count = following - number - 1
            yield SlipsMissing(premises, series, first, last, count, before[-1], after[0])


def _of_table(uses: Sequence[SlipUse], table: str | None) -> bool:
    return table is None or any(use.table == table for use in uses)


# --- The chain -----------------------------------------------------------------------------------------


def chain(statements: Statements, wanted: PnlFilter) -> list[ChainBroken]:
    """Where a table's float did not follow on: from its last day to the next, and from shift to shift.

    Of a day wanted, the table's day before it counts too, whenever that was. By day, premises and table.
    """
    findings: list[ChainBroken] = []
    last: dict[tuple[str, str], tuple[str, str, int | None]] = {}
    for night in nights(statements, wanted):
        where = (night.premises, night.table)
        if where not in last and (before := _night_before(statements, night)) is not None:
            last[where] = before
        if where in last:
            findings += _from_day_to_day(last[where], night)
        findings += _from_shift_to_shift(night)
        last[where] = (night.gaming_day, night.currency, night.closer)
    return findings


def _night_before(statements: Statements, night: CageNight) -> tuple[str, str, int | None] | None:
    """The day, the currency and the closer of the table's night before."""
    sql = (
        f"SELECT gaming_day, currency, closer FROM {NIGHTS.name} WHERE premises = ? AND gaming_day < ? "
        "AND table_name = ? ORDER BY gaming_day DESC LIMIT 1"
    )
    rows = statements.execute(sql, (night.premises, night.gaming_day, night.table))
    for day, currency, closer in rows:
        return day, currency, closer
    return None


def _from_day_to_day(before: tuple[str, str, int | None], night: CageNight) -> Iterator[ChainBroken]:
    day, currency, closer = before
    # A table whose currency has changed began with another float, of which nothing follows.
    if closer is not None and closer != night.opener and currency == night.currency:
        yield _broken(night, (day, None, closer), (night.gaming_day, None, night.opener))


def _from_shift_to_shift(night: CageNight) -> Iterator[ChainBroken]:
    day = night.gaming_day
    for left, taken in pairwise(night.stretches):
        if left.closer is not None and taken.opener is not None and left.closer != taken.opener:
            yield _broken(night, (day, left.shift, left.closer), (day, taken.shift, taken.opener))


def _broken(
    night: CageNight, left: tuple[str, str | None, int], taken: tuple[str, str | None, int]
) -> ChainBroken:
    return ChainBroken(night.premises, night.table, night.currency, *left, *taken)
