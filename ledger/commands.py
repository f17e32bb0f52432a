"""Commands: what a table system, a tape or a person asks the ledger to do. Plain values.

A tape is NDJSON of these, one a line, `command` saying which. The id makes each of them run once, for ever.
"""

from __future__ import annotations

import hashlib
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from ledger.regulation.profiles import DEFAULT_PROFILE
from ledger.terms.hands import DrawingDecision, Hands, Results
from ledger.terms.house import Capacity, Chips, Decks, Terms
from ledger.terms.identifiers import DEFAULT_PREMISES, CommandId, CoupNumber, Name, PatronToken
from ledger.terms.money import Amount, Currency
from ledger.terms.value import GamingDay, Moment, Value
from ledger.terms.wagers import WAGERS_MAX, Call, Kind, Limits, Seat, WagerId, Wagers

Reason = Annotated[str, Field(min_length=1, max_length=500)]
Signatures = tuple[Name, ...]
CardsText = Annotated[str, Field(max_length=200, examples=["9s K 4h"])]


class _Command(Value):
    """What every command carries: its id, when it happened by the sender's clock, and who says so."""

    id: CommandId
    occurred_at: Moment
    actor: Name
    premises: Name = DEFAULT_PREMISES
    table: Name


class FloatCount(Value):
    """A count of the float: chips by denomination (minor units), and who signed for it."""

    chips: Chips
    signed_by: Signatures = ()


class OpenTable(_Command):
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


class ChangeShift(_Command):
    command: Literal["change-shift"] = "change-shift"
    shift: Name


class StartShoe(_Command):
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


class EndShoe(_Command):
    command: Literal["end-shoe"] = "end-shoe"
    shoe: Name


class TakeBank(_Command):
    command: Literal["take-bank"] = "take-bank"
    holder: PatronToken
    capacity: Capacity = Capacity.PLAYER
    seat: Seat | None = None
    sum: Annotated[Amount, Field(gt=0)]


class PassBank(_Command):
    """The bank goes to another holder, who puts up `sum`."""

    command: Literal["pass-bank"] = "pass-bank"
    holder: PatronToken
    capacity: Capacity = Capacity.PLAYER
    seat: Seat | None = None
    sum: Annotated[Amount, Field(gt=0)]


class RetireBank(_Command):
    command: Literal["retire-bank"] = "retire-bank"


class DeclareInterest(_Command):
    """Somebody has a share or interest in the bank (6(5)(b), 6(6)). The bank may then not stand."""

    command: Literal["declare-interest"] = "declare-interest"
    person: PatronToken
    capacity: Capacity
    detail: Annotated[str, Field(max_length=500)] | None = None


class WithdrawInterest(_Command):
    command: Literal["withdraw-interest"] = "withdraw-interest"
    person: PatronToken


class SeatPlayer(_Command):
    """A player sits down. Once a table's seats are reported, its bank goes to nobody without one."""

    command: Literal["seat-player"] = "seat-player"
    patron: PatronToken
    seat: Seat


class UnseatPlayer(_Command):
    command: Literal["unseat-player"] = "unseat-player"
    patron: PatronToken


class ChangeOffer(_Command):
    """The kinds of wager on offer from the next coup on (6(8))."""

    command: Literal["change-offer"] = "change-offer"
    kinds: Annotated[tuple[Kind, ...], Field(max_length=len(Kind))]


class TakeCharge(_Command):
    """A charge for taking part; it never reduces what a wager is paid."""

    command: Literal["take-charge"] = "take-charge"
    amount: Annotated[Amount, Field(gt=0)]
    patron: PatronToken | None = None
    seat: Seat | None = None


class FillChips(_Command):
    command: Literal["fill-chips"] = "fill-chips"
    slip: Name
    chips: Chips
    signed_by: Signatures = ()


class CreditChips(_Command):
    command: Literal["credit-chips"] = "credit-chips"
    slip: Name
    chips: Chips
    signed_by: Signatures = ()


class CountDrop(_Command):
    """A cash box was counted: `amount` in minor units.

    It is the box of the shift in force and of the latest gaming day, unless the count says of which.
    """

    command: Literal["count-drop"] = "count-drop"
    amount: Amount
    signed_by: Signatures = ()
    shift: Name | None = None
    gaming_day: GamingDay | None = None


class CloseTable(_Command):
    command: Literal["close-table"] = "close-table"
    closer: FloatCount


class CoupCommand(_Command):
    """A command about one coup."""

    shoe: Name
    number: CoupNumber


Claim = Literal["player", "banker", "tie"] | Results
"""A feed's word for how the coup ended: a claim, kept beside what the cards say."""


Decisions = Annotated[tuple[DrawingDecision, ...], Field(max_length=3)]


class RecordCoup(CoupCommand):
    """A whole coup as a table system reports it: one command, one transaction.

    `format`, `profile`, `terms` and `bank` may be left out; stated, they must be those the table plays under.
    """

    command: Literal["record-coup"] = "record-coup"
    wagers: Wagers = ()
    hands: Hands
    claimed: Claim | None = None
    decisions: Decisions = ()
    format: Name | None = None
    profile: Name | None = None
    terms: Terms | None = None
    bank: Amount | None = None


class OpenCoup(CoupCommand):
    command: Literal["open-coup"] = "open-coup"


class PlaceWagers(CoupCommand):
    command: Literal["place-wagers"] = "place-wagers"
    wagers: Wagers


class CallBanco(CoupCommand):
    """A player asks for the bank before anybody has staked; `wager` is the id of the wager it makes."""

    command: Literal["call-banco"] = "call-banco"
    call: Call = Call.BANCO
    patron: PatronToken
    seat: Seat
    wager: WagerId


class CancelWagers(CoupCommand):
    """Give back accepted wagers by mutual consent, before the first card (reg 2(2))."""

    command: Literal["cancel-wagers"] = "cancel-wagers"
    wagers: Annotated[tuple[WagerId, ...], Field(min_length=1, max_length=WAGERS_MAX)]


class CloseWagers(CoupCommand):
    """No more wagers. `hands_in_play` names the opposing hands to be dealt; left out, all the format has."""

    command: Literal["close-wagers"] = "close-wagers"
    hands_in_play: Annotated[tuple[Name, ...], Field(min_length=1, max_length=2)] | None = None


class DealHands(CoupCommand):
    command: Literal["deal-hands"] = "deal-hands"
    hands: Hands
    claimed: Claim | None = None
    decisions: Decisions = ()


class SettleCoup(CoupCommand):
    command: Literal["settle-coup"] = "settle-coup"


class _Ruling(CoupCommand):
    reason: Reason
    approvers: Annotated[tuple[Name, ...], Field(min_length=1, max_length=5)]
    evidence: Annotated[str, Field(max_length=500)] | None = None


class CorrectHands(_Ruling):
    """A ruling on a held coup: these are its hands, and it settles by them."""

    command: Literal["correct-hands"] = "correct-hands"
    hands: Hands


class CorrectCoup(_Ruling):
    """A ruling on a settled coup: it settles anew by these hands. The evidence is named."""

    command: Literal["correct-coup"] = "correct-coup"
    hands: Hands
    evidence: Annotated[str, Field(min_length=1, max_length=500)]


class VoidCoup(_Ruling):
    """A ruling: the coup does not count, every stake goes back, a settlement is taken back."""

    command: Literal["void-coup"] = "void-coup"


class RaiseDispute(CoupCommand):
    """A patron disputes how a coup ended; `received_at` when that was not now."""

    command: Literal["raise-dispute"] = "raise-dispute"
    dispute: Name
    patron: PatronToken | None = None
    wager: WagerId | None = None
    statement: Annotated[str, Field(min_length=1, max_length=2000)]
    received_at: Moment | None = None


class ResolveDispute(CoupCommand):
    command: Literal["resolve-dispute"] = "resolve-dispute"
    dispute: Name
    decision: Annotated[str, Field(min_length=1, max_length=2000)]
    evidence: Annotated[str, Field(max_length=500)] | None = None


Command = (
    OpenTable
    | ChangeShift
    | StartShoe
    | EndShoe
    | TakeBank
    | PassBank
    | RetireBank
    | DeclareInterest
    | WithdrawInterest
    | SeatPlayer
    | UnseatPlayer
    | ChangeOffer
    | TakeCharge
    | FillChips
    | CreditChips
    | CountDrop
    | CloseTable
    | RecordCoup
    | OpenCoup
    | PlaceWagers
    | CallBanco
    | CancelWagers
    | CloseWagers
    | DealHands
    | SettleCoup
    | CorrectHands
    | CorrectCoup
    | VoidCoup
    | RaiseDispute
    | ResolveDispute
)

TAPE_LINE: TypeAdapter[Command] = TypeAdapter(Annotated[Command, Field(discriminator="command")])
"""Reads one line of a tape."""


def digest_of(command: Command) -> str:
    """SHA-256 of a command's content, in hexadecimal.

    Over its JSON without fields at their defaults: a default spelled out is the same command, and a field
    added in later years with a default leaves every old digest as it was. Fields never change their order.
    """
    content = command.__pydantic_serializer__.to_json(command, exclude_defaults=True)
    return hashlib.sha256(command.command.encode() + b"\n" + content).hexdigest()
