"""The daily comparison: what the wagers say a table won, against what the cage counted. Pure.

**The variance is win by wagers, plus charges taken, less win by inventory**, which is drop + closer + credits
- opener - fills. More than 0: the count is short of what the wagers say. Less: there is more than they say.

At a table whose bank the players hold, the house wins nothing by wagers: the charges alone are to be there.
All amounts in minor units.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from ledger.terms.books import CountedShift

SIGN: Mapping[str, int] = {"opener": -1, "fills": -1, "credits": 1, "drop": 1, "closer": 1}
"""How each figure of a count goes into its win by inventory."""
SLIPS: Mapping[str, str] = {"fills": "fill_slips", "credits": "credit_slips"}
"""The slips that make up a figure."""


@dataclass(frozen=True, slots=True)
class ShiftBooks:
    """What the ledger has of one table's shift; None where it was not counted there."""

    shift: str
    win: int = 0
    charges: int = 0
    opener: int | None = None
    closer: int | None = None
    fills: int = 0
    credits: int = 0
    drop: int | None = None
    fill_slips: tuple[str, ...] = ()
    credit_slips: tuple[str, ...] = ()


class EarlierCloser(NamedTuple):
    """The closer of the table's gaming day before this one."""

    gaming_day: str
    amount: int


class Unfinished(NamedTuple):
    """A coup that was opened and has not ended, with the stakes accepted in it; held ones are among them."""

    coup: str
    stakes: int


@dataclass(frozen=True, slots=True)
class TableBooks:
    """What the ledger has of one table's gaming day.

    Attributes:
        shifts: in their order.
        earlier: the closer of the night before; None where there is none in the record.
        remainder: what rounding paid beyond the odds, exact.
        promotional_lost: stakes in promotional chips that were lost: in the win by wagers, never in a box.
        adjustments: win of earlier, sealed days that rulings booked on this one; in no other figure here.
        void_slips: slips that do not count.
    """

    table: str
    currency: str
    format: str
    shifts: tuple[ShiftBooks, ...]
    earlier: EarlierCloser | None = None
    remainder: Fraction = Fraction(0)
    promotional_lost: int = 0
    adjustments: int = 0
    void_slips: tuple[str, ...] = ()
    unfinished: tuple[Unfinished, ...] = ()


class Difference(NamedTuple):
    """A figure of the count that is not the ledger's. `effect` is what that adds to the variance."""

    shift: str
    figure: str
    ledger: int
    counted: int

    @property
    def effect(self) -> int:
        return -SIGN[self.figure] * (self.counted - self.ledger)


class LoneSlip(NamedTuple):
    """A slip that one side has and the other has not."""

    shift: str
    figure: str
    slip: str
    on_sheet: bool
    void: bool = False
    """The ledger has it, as void."""


class FloatBreak(NamedTuple):
    """A float that was opened with something else than it was closed with before."""

    closed: str
    """What it is compared with: `2026-11-26`, or `shift 1`."""
    shift: str
    closer: int
    opener: int

    @property
    def effect(self) -> int:
        """What it adds to the variance, if the closer was right."""
        return self.opener - self.closer


class Cause(NamedTuple):
    """The likely cause of a variance: a stable code, and the evidence in a sentence."""

    code: str
    evidence: str


class ShiftSums(NamedTuple):
    """One shift, reconciled."""

    shift: str
    win_by_wagers: int
    charges: int
    win_by_inventory: int

    @property
    def variance(self) -> int:
        return self.win_by_wagers + self.charges - self.win_by_inventory


@dataclass(frozen=True, slots=True)
class Comparison:
    """One table's gaming day: the books beside the count.

    Attributes:
        counted: the count of each shift, in the order of `books.shifts`.
        threshold: a variance of more than this, either way, is a finding.
    """

    books: TableBooks
    counted: tuple[CountedShift, ...]
    threshold: int

    @property
    def shifts(self) -> list[ShiftSums]:
        return [
            ShiftSums(shift.shift, shift.win, shift.charges, count.win)
            for shift, count in zip(self.books.shifts, self.counted, strict=True)
        ]

    @property
    def win_by_wagers(self) -> int:
        return sum(shift.win for shift in self.books.shifts)

    @property
    def charges(self) -> int:
        return sum(shift.charges for shift in self.books.shifts)

    @property
    def win_by_inventory(self) -> int:
        return sum(count.win for count in self.counted)

    @property
    def variance(self) -> int:
        """Above 0: the count is short. See the module."""
        return self.win_by_wagers + self.charges - self.win_by_inventory

    @property
    def above(self) -> bool:
        """Whether the variance is above the threshold."""
        return abs(self.variance) > self.threshold

    @property
    def differences(self) -> list[Difference]:
        """Every figure of the count that is not the ledger's own, where the ledger has one."""
        return [
            Difference(shift.shift, figure, ledger, counted)
            for shift, count in zip(self.books.shifts, self.counted, strict=True)
            for figure in SIGN
            if (ledger := getattr(shift, figure)) is not None
            and (counted := getattr(count, figure)) != ledger
        ]

    @property
    def lone_slips(self) -> list[LoneSlip]:
        """Slips on one side only, in shifts whose slips the sheet names."""
        return [
            lone
            for shift, count in zip(self.books.shifts, self.counted, strict=True)
            for lone in self._lone(shift, count)
        ]

    def _lone(self, shift: ShiftBooks, count: CountedShift) -> Iterator[LoneSlip]:
        for figure, slips in SLIPS.items():
            on_sheet = getattr(count, slips)
            if on_sheet is None:
                continue
            in_ledger = getattr(shift, slips)
            for slip in on_sheet:
                if slip not in in_ledger:
                    yield LoneSlip(
                        shift.shift, figure, slip, on_sheet=True, void=slip in self.books.void_slips
                    )
            for slip in in_ledger:
                if slip not in on_sheet:
                    yield LoneSlip(shift.shift, figure, slip, on_sheet=False)

    @property
    def float_breaks(self) -> list[FloatBreak]:
        """Where the float did not come as it was left: by the night before, or by the shift before."""
        breaks = []
        earlier = self.books.earlier
        if earlier is not None and self.counted and self.counted[0].opener != earlier.amount:
            first = self.counted[0]
            breaks.append(FloatBreak(earlier.gaming_day, first.shift, earlier.amount, first.opener))
        breaks += [
            FloatBreak(f"shift {before.shift}", after.shift, before.closer, after.opener)
            for before, after in zip(self.counted, self.counted[1:], strict=False)
            if before.closer != after.opener
        ]
        return breaks

    @property
    def clean(self) -> bool:
        """Whether nobody need look at this table."""
        return not (
            self.above or self.differences or self.lone_slips or self.float_breaks or self.books.unfinished
        )


def compare(
    books: Sequence[TableBooks],
    counts: Mapping[str, Mapping[str, CountedShift]],
    thresholds: Mapping[str, int],
) -> list[Comparison]:
    """Every table's books beside its count.

    Args:
        counts: by table and shift; every shift of the books must be there.
        thresholds: by currency; a currency without one has 0.
    """
    return [
        Comparison(
            table,
            tuple(counts[table.table][shift.shift] for shift in table.shifts),
            thresholds.get(table.currency, 0),
        )
        for table in books
    ]
