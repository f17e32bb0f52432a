"""Why a gaming day, its counts or its slips stay as they are. Recorded, as every refusal is."""

from __future__ import annotations

from dataclasses import dataclass

from ledger.errors.refusals import Refusal


@dataclass(eq=False)
class DayIsSealed(Refusal):
    gaming_day: str
    code = "day-sealed"
    template = "gaming day {gaming_day} is sealed; `book-adjustment` puts later facts on an open day"


@dataclass(eq=False)
class DayNotSealed(Refusal):
    gaming_day: str
    code = "day-not-sealed"
    template = "gaming day {gaming_day} is not sealed: book the fact as what it is"


@dataclass(eq=False)
class NoTablesOnDay(Refusal):
    gaming_day: str
    code = "no-tables-on-day"
    template = "no table opened for gaming day {gaming_day}"


@dataclass(eq=False)
class TableNotOnDay(Refusal):
    table: str
    gaming_day: str
    code = "table-not-on-day"
    template = "table {table} did not open for gaming day {gaming_day}"


@dataclass(eq=False)
class CoupsUnfinished(Refusal):
    gaming_day: str
    coups: str
    count: int
    code = "coups-unfinished"
    template = "gaming day {gaming_day} has {count} coups that have not ended: {coups}"


@dataclass(eq=False)
class FiguresIncomplete(Refusal):
    gaming_day: str
    listed: str
    figured: str
    code = "figures-incomplete"
    template = "on gaming day {gaming_day} played {listed}; the figures are of {figured}"


@dataclass(eq=False)
class SignOffNotIndependent(Refusal):
    """A day is signed off by somebody independent of pit and cage (domain §4.3)."""

    signer: str
    code = "sign-off-not-independent"
    template = "{signer} signed for or reported chips or counts of that day, and cannot sign it off"


@dataclass(eq=False)
class AdjustmentNotApproved(Refusal):
    approvers: str
    actor: str
    code = "adjustment-not-approved"
    template = "an adjustment needs two approvers, distinct and not {actor}; named: {approvers}"


@dataclass(eq=False)
class SlipVoidAlready(Refusal):
    slip: str
    code = "slip-void-already"
    template = "slip {slip} is void already"


@dataclass(eq=False)
class ShiftNameReserved(Refusal):
    shift: str
    code = "shift-name-reserved"
    template = "{shift!r} cannot be a shift: it stands for what is booked on a later day"


@dataclass(eq=False)
class ShiftUnknown(Refusal):
    shift: str
    shifts: str
    code = "shift-unknown"
    template = "there was no shift {shift!r}: this gaming day has had {shifts}"
