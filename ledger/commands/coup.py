"""Commands about one coup."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ledger.commands.base import Reason, TableCommand
from ledger.terms.hands import DrawingDecision, Hands, Results
from ledger.terms.house import Terms
from ledger.terms.identifiers import CoupNumber, Name, PatronToken
from ledger.terms.money import Amount
from ledger.terms.value import Moment
from ledger.terms.wagers import WAGERS_MAX, Call, Seat, WagerId, Wagers


class CoupCommand(TableCommand):
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
