"""Why a table's variance may be what it is: small rules in a table, each of which names its evidence. Pure.

The first rule that fits is the likely cause. It fits where it accounts for the whole variance, to the penny.
The last two fit anyway: a table with an unfinished coup, or without a drop, has no final figure. Minor units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ledger.terms.money import exactly, in_words
from projections.reconciliation.reconciliation import SIGN, Cause, Comparison, LoneSlip

UNEXPLAINED = "unexplained"
_SINGULAR: Mapping[str, str] = {"fills": "fill", "credits": "credit"}


class Case(NamedTuple):
    """A table with a variance, and all the tables of its day."""

    at: Comparison
    every: Sequence[Comparison]

    @property
    def variance(self) -> int:
        return self.at.variance

    def money(self, amount: int) -> str:
        """An amount in words."""
        return in_words(amount, self.at.books.currency)


def cause_of(at: Comparison, every: Sequence[Comparison]) -> Cause | None:
    """The likely cause of this table's variance; None where there is no variance."""
    if not at.variance:
        return None
    case = Case(at, every)
    for code, rule in RULES.items():
        if evidence := rule(case):
            return Cause(code, evidence)
    return Cause(UNEXPLAINED, "nothing on the sheet or in the ledger accounts for it")


def _neighbour_table(case: Case) -> str | None:
    """Chips went to one table and were booked to another: equal and opposite variances."""
    opposite = [
        other
        for other in case.every
        if other is not case.at
        and other.variance == -case.variance
        and other.books.currency == case.at.books.currency
    ]
    if not opposite:
        return None
    for other in opposite:
        for slip in _crossed(case.at, other):
            return (
                f"slip {slip.slip} is {_where(slip)} at this table, and on the other side at "
                f"{other.books.table}, whose variance is as much the other way"
            )
    names = " and ".join(other.books.table for other in opposite)
    return f"the variance of {names} is as much the other way: look for a fill or credit booked to the other"


def _crossed(at: Comparison, other: Comparison) -> Iterator[LoneSlip]:
    there = {(slip.figure, slip.slip, slip.on_sheet) for slip in other.lone_slips}
    return (slip for slip in at.lone_slips if (slip.figure, slip.slip, not slip.on_sheet) in there)


def _where(slip: LoneSlip) -> str:
    if slip.void:
        return "on the sheet, and void in the ledger"
    return "on the sheet and not in the ledger" if slip.on_sheet else "in the ledger and not on the sheet"


def _slip_on_one_side(case: Case) -> str | None:
    """A fill or credit that one side has: the figures differ by it, and by nothing else."""
    for difference in case.at.differences:
        lone = [
            slip
            for slip in case.at.lone_slips
            if (slip.shift, slip.figure) == (difference.shift, difference.figure)
        ]
        if len(lone) == 1 and difference.effect == case.variance:
            return (
                f"{_SINGULAR[difference.figure]} slip {lone[0].slip} is {_where(lone[0])}; the "
                f"{difference.figure} of shift {difference.shift} differ by "
                f"{case.money(abs(difference.counted - difference.ledger))}"
            )
    return None


def _swapped(one: int, other: int) -> bool:
    """Whether two amounts are each other with two adjacent digits swapped; `01` for `10` too."""
    width = max(len(str(one)), len(str(other)))
    pairs = [*zip(f"{one:0{width}}", f"{other:0{width}}", strict=True)]
    unlike = [at for at, (left, right) in enumerate(pairs) if left != right]
    if one < 0 or other < 0 or len(unlike) != 2 or unlike[1] != unlike[0] + 1:
        return False
    first, second = (pairs[at] for at in unlike)
    return first == second[::-1]


def _digits_swapped(case: Case) -> str | None:
    """Two digits changed places when a figure was written down: then nine divides the variance."""
    if case.variance % 9:
        return None
    for difference in case.at.differences:
        if difference.effect == case.variance and _swapped(difference.counted, difference.ledger):
            return (
                f"{difference.figure} of shift {difference.shift} is {case.money(difference.counted)} on the "
                f"sheet, {case.money(difference.ledger)} in the ledger: two digits swapped"
            )
    for shift, count in zip(case.at.books.shifts, case.at.counted, strict=True):
        for figure, sign in SIGN.items():
            counted = getattr(count, figure)
            meant = counted + sign * case.variance
            if getattr(shift, figure) is None and _swapped(counted, meant):
                return (
                    f"{figure} of shift {shift.shift} is {case.money(counted)} on the sheet and not in the "
                    f"ledger; with two digits swapped, {case.money(meant)}, the variance would be 0"
                )
    return None


def _drop_missing(case: Case) -> str | None:
    """A cash box that was not counted, or not written down."""
    for shift, count in zip(case.at.books.shifts, case.at.counted, strict=True):
        if count.drop == 0 and shift.drop and shift.drop == case.variance:
            return (
                f"the sheet has no drop for shift {shift.shift}, the ledger counted {case.money(shift.drop)}"
            )
    return None


def _drop_not_counted(case: Case) -> str | None:
    """A shift of which nobody has a drop, while something is short."""
    if case.variance > 0:
        for shift, count in zip(case.at.books.shifts, case.at.counted, strict=True):
            if count.drop == 0 and shift.drop is None:
                return f"neither the sheet nor the ledger has a drop for shift {shift.shift}"
    return None


def _opener_not_closer(case: Case) -> str | None:
    """The float was opened with something else than it was left with."""
    for broken in case.at.float_breaks:
        if broken.effect == case.variance:
            return (
                f"opener of shift {broken.shift} is {case.money(broken.opener)}, "
                f"the closer of {broken.closed} was {case.money(broken.closer)}"
            )
    return None


def _figure_differs(case: Case) -> str | None:
    """The sheet differs from the ledger, in one figure or in several together."""
    differences = case.at.differences
    if (whole := [one for one in differences if one.effect == case.variance]) and len(differences) > 1:
        differences = whole[:1]
    if not differences or sum(one.effect for one in differences) != case.variance:
        return None
    return "; ".join(
        f"{one.figure} of shift {one.shift} is {case.money(one.counted)} on the sheet, "
        f"{case.money(one.ledger)} in the ledger"
        for one in differences
    )


def _unfinished_coup(case: Case) -> str | None:
    """Stakes of a coup that has not ended are in no win yet."""
    unfinished = case.at.books.unfinished
    if not unfinished:
        return None
    coups = ", ".join(f"{coup} with {case.money(stakes)} staked" for coup, stakes in unfinished)
    all_of_it = abs(case.variance) in {*(stakes for _, stakes in unfinished), sum(s for _, s in unfinished)}
    return f"not ended: {coups}" + (", which is the whole variance" if all_of_it else "")


def _promotional_chips(case: Case) -> str | None:
    """Lost promotional stakes are won by wagers, and are no money that anybody could count."""
    lost = case.at.books.promotional_lost
    return f"promotional stakes lost: {case.money(lost)}" if lost == case.variance else None


def _remainder(case: Case) -> str | None:
    """Rounding: the ledger says what should have been paid, the table paid the bare odds."""
    remainder = case.at.books.remainder
    if not remainder or abs(case.variance + remainder) >= 1:
        return None
    told = exactly(remainder, case.at.books.currency)
    return f"rounding paid {told} beyond the odds by the terms; at the table it was not paid"


def _adjustment_paid(case: Case) -> str | None:
    """A ruling on an earlier day, booked on this one, was paid out of this table's float."""
    adjustments = case.at.books.adjustments
    if -adjustments != case.variance or not adjustments:
        return None
    told = case.money(adjustments)
    return f"rulings on earlier days, booked on this one, come to {told}: they were paid at the table"


RULES: Mapping[str, Callable[[Case], str | None]] = {
    "neighbour-table": _neighbour_table,
    "slip-on-one-side": _slip_on_one_side,
    "digits-swapped": _digits_swapped,
    "drop-missing": _drop_missing,
    "opener-not-closer": _opener_not_closer,
    "figure-differs": _figure_differs,
    "promotional-chips": _promotional_chips,
    "rounding-remainder": _remainder,
    "adjustment-paid": _adjustment_paid,
    "unfinished-coup": _unfinished_coup,
    "drop-not-counted": _drop_not_counted,
}
"""Every cause by its code, the strongest evidence first. A rule gives its evidence where it fits."""
