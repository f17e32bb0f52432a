"""Commands about one table and its gaming day."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ledger.commands.base import CardsText, Reason, Signatures, TableCommand
from ledger.regulation.profiles import DEFAULT_PROFILE
from ledger.terms.house import Capacity, Chips, Decks, Terms
from ledger.terms.identifiers import Name, PatronToken
from ledger.terms.money import Amount, Currency
from ledger.terms.value import GamingDay, Value
from ledger.terms.wagers import Kind, Limits, Seat


class FloatCount(Value):
    """A count of the float: chips by denomination (minor units), and who signed for it."""

    chips: Chips
    signed_by: Signatures = ()


class OpenTable(TableCommand):
    """Open a table for a gaming day. The profile, the terms and the limits hold for that day."""

    command: Literal["open-table"] = "open-table"
    gaming_day: GamingDay
    shift: Name = "1"
    format: Name
    profile: Name = DEFAULT_PROFILE
    terms: Terms = Terms()
    currency: Currency = "GBP"
    limits: Limits = Field(default_factory=dict)
    opener: FloatCount
    may_approve: Signatures = ()


class ChangeShift(TableCommand):
    command: Literal["change-shift"] = "change-shift"
    shift: Name


class StartShoe(TableCommand):
    """Bring a shoe into use. Its name is used once at this table, ever.

    `burned` are the cards burnt face up, `burned_face_down` how many were burnt unseen, and `cut_card` how
    many cards lie behind the cut card.
    """

    command: Literal["start-shoe"] = "start-shoe"
    shoe: Name
    decks: Decks
    burned: CardsText | None = None
    burned_face_down: Annotated[int, Field(strict=True, ge=0, le=60)] | None = None
    cut_card: Annotated[int, Field(strict=True, ge=0, le=416)] | None = None


class EndShoe(TableCommand):
    command: Literal["end-shoe"] = "end-shoe"
    shoe: Name


class TakeBank(TableCommand):
    command: Literal["take-bank"] = "take-bank"
    holder: PatronToken
    capacity: Capacity = Capacity.PLAYER
    seat: Seat | None = None
    sum: Annotated[Amount, Field(gt=0)]


class PassBank(TableCommand):
    """The bank goes to another holder, who puts up `sum`."""

    command: Literal["pass-bank"] = "pass-bank"
    holder: PatronToken
    capacity: Capacity = Capacity.PLAYER
    seat: Seat | None = None
    sum: Annotated[Amount, Field(gt=0)]


class RetireBank(TableCommand):
    command: Literal["retire-bank"] = "retire-bank"


class DeclareInterest(TableCommand):
    """Somebody has a share or interest in the bank (6(5)(b), 6(6)). The bank may then not stand."""

    command: Literal["declare-interest"] = "declare-interest"
    person: PatronToken
    capacity: Capacity
    detail: Annotated[str, Field(max_length=500)] | None = None


class WithdrawInterest(TableCommand):
    command: Literal["withdraw-interest"] = "withdraw-interest"
    person: PatronToken


class SeatPlayer(TableCommand):
    """A player sits down. Once a table's seats are reported, its bank goes to nobody without one."""

    command: Literal["seat-player"] = "seat-player"
    patron: PatronToken
    seat: Seat


class UnseatPlayer(TableCommand):
    command: Literal["unseat-player"] = "unseat-player"
    patron: PatronToken


class ChangeOffer(TableCommand):
    """The kinds of wager on offer from the next coup on (6(8))."""

    command: Literal["change-offer"] = "change-offer"
    kinds: Annotated[tuple[Kind, ...], Field(max_length=len(Kind))]


class TakeCharge(TableCommand):
    """A charge for taking part; it never reduces what a wager is paid."""

    command: Literal["take-charge"] = "take-charge"
    amount: Annotated[Amount, Field(gt=0)]
    patron: PatronToken | None = None
    seat: Seat | None = None


class FillChips(TableCommand):
    command: Literal["fill-chips"] = "fill-chips"
    slip: Name
    chips: Chips
    signed_by: Signatures = ()


class CreditChips(TableCommand):
    command: Literal["credit-chips"] = "credit-chips"
    slip: Name
    chips: Chips
    signed_by: Signatures = ()


class CountDrop(TableCommand):
    """A cash box was counted: `amount` in minor units.

    It is the box of the shift in force and of the latest gaming day, unless the count says of which.
    """

    command: Literal["count-drop"] = "count-drop"
    amount: Amount
    signed_by: Signatures = ()
    shift: Name | None = None
    gaming_day: GamingDay | None = None


class VoidSlip(TableCommand):
    """A fill or credit slip does not count, or a number was spoiled: also after the table closed.

    It is a slip of the latest gaming day, unless the command says of which.
    """

    command: Literal["void-slip"] = "void-slip"
    slip: Name
    reason: Reason
    signed_by: Signatures = ()
    gaming_day: GamingDay | None = None


class CountFloat(TableCommand):
    """The float was counted while the table stays open, as when a shift changes."""

    command: Literal["count-float"] = "count-float"
    count: FloatCount


class CloseTable(TableCommand):
    command: Literal["close-table"] = "close-table"
    closer: FloatCount
