"""One coup, from its first wager to its settlement. All amounts in minor units."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from ledger.events.base import LedgerEvent
from ledger.terms.hands import DrawingDecision, Hands, Results
from ledger.terms.house import Conditions
from ledger.terms.identifiers import CoupNumber, Name, PatronToken
from ledger.terms.money import Amount, Count, Sum
from ledger.terms.value import GamingDay, StoredMoment
from ledger.terms.wagers import Call, Kind, Limits, Seat, SettlementLine, Total, Wager, WagerId


class CoupOpened(LedgerEvent):
    """Wagers may be placed. The conditions and the limits are pinned here for good."""

    TOPIC: ClassVar[str] = "coup-opened.v1"

    premises: Name
    table: Name
    shoe: Name
    number: CoupNumber
    conditions: Conditions
    limits: Limits
    offer: tuple[Kind, ...] | None = None
    """The kinds on offer, where the table had said so."""
    may_approve: tuple[Name, ...] | None = None
    """Who may approve a ruling on it; anybody, where nobody is named."""


class BancoCalled(LedgerEvent):
    """A player covers the whole bank, or half of it with the table having the rest (`with-the-table`).

    `suivi` is the banco of whoever lost the last one, which comes before every other.
    """

    TOPIC: ClassVar[str] = "banco-called.v1"

    call: Call
    patron: PatronToken
    seat: Seat
    wager: WagerId
    stake: Amount


class WagersPlaced(LedgerEvent):
    """Wagers accepted, at most `LINES_AN_EVENT`, in order of acceptance, each for the stake covered."""

    TOPIC: ClassVar[str] = "wagers-placed.v1"

    wagers: tuple[Wager, ...]


class WagerRefused(LedgerEvent):
    """A wager, or the excess of one over the bank, was not taken; `paragraph` is the law's or the term."""

    TOPIC: ClassVar[str] = "wager-refused.v1"

    wager: Wager
    stake: Amount
    reason: Name
    paragraph: str


class WagersCancelled(LedgerEvent):
    """Accepted wagers were given back before the first card, by mutual consent (reg 2(2))."""

    TOPIC: ClassVar[str] = "wagers-cancelled.v1"

    wagers: tuple[WagerId, ...]
    stakes: Sum
    reason: Name
    paragraph: str


class WagersClosed(LedgerEvent):
    """No more wagers. The opposing hands of this coup are fixed here."""

    TOPIC: ClassVar[str] = "wagers-closed.v1"

    hands_in_play: tuple[Name, ...]
    wagers: Count
    stakes: Sum


class HandsDealt(LedgerEvent):
    """The cards, which are the evidence; `claimed` is what a feed said of them, which is a claim."""

    TOPIC: ClassVar[str] = "hands-dealt.v1"

    hands: Hands
    results: Results
    claimed: Results | None = None
    claim_agrees: bool | None = None
    decisions: tuple[DrawingDecision, ...] | None = None
    """What those with an option chose, where it was reported."""


class IrregularityFound(LedgerEvent):
    """The third cards break the tableau: the coup is held until it is ruled upon."""

    TOPIC: ClassVar[str] = "irregularity-found.v1"

    rule: Name
    detail: str
    premises: Name
    table: Name
    conditions: Conditions


class HandsCorrected(LedgerEvent):
    """A ruling: these are the hands to settle. Two approvers answer for it."""

    TOPIC: ClassVar[str] = "hands-corrected.v1"

    hands: Hands
    results: Results
    reason: str
    approvers: tuple[Name, ...]
    evidence: str | None = None


class WagersSettled(LedgerEvent):
    """How wagers ended, a line each, at most `LINES_AN_EVENT`, in order of acceptance."""

    TOPIC: ClassVar[str] = "wagers-settled.v1"

    lines: tuple[SettlementLine, ...]


class CoupSettled(LedgerEvent):
    """Every wager of the coup has ended; the totals by kind, tender and outcome.

    It repeats where and under what conditions the coup was played: an accounting system needs this event
    alone. `banker_win` is the player-banker's own result where a player holds the bank. `ruled` says that
    the coup had been held and a ruling released it.
    """

    TOPIC: ClassVar[str] = "coup-settled.v1"

    premises: Name
    table: Name
    shoe: Name
    number: CoupNumber
    conditions: Conditions
    results: Results
    totals: tuple[Total, ...]
    banker_win: Annotated[int, Field(strict=True)] | None = None
    ruled: bool = False


class WagersReversed(LedgerEvent):
    """Settlement lines that a ruling takes back, as they were settled, at most `LINES_AN_EVENT`."""

    TOPIC: ClassVar[str] = "wagers-reversed.v1"

    lines: tuple[SettlementLine, ...]


class CoupCorrected(LedgerEvent):
    """A ruling on a settled coup: it settles anew by these hands. Two approvers answer for it.

    Its net effect is `totals` less `reversed_totals`. `supersedes` is the version, on this stream, of the
    event that had settled or last corrected the coup. A bank that stood for it is not touched: later coups
    are never replayed.
    """

    TOPIC: ClassVar[str] = "coup-corrected.v1"

    premises: Name
    table: Name
    shoe: Name
    number: CoupNumber
    conditions: Conditions
    supersedes: Annotated[int, Field(strict=True, ge=1)]
    hands: Hands
    results: Results
    reason: str
    approvers: tuple[Name, ...]
    evidence: str
    reversed_totals: tuple[Total, ...]
    totals: tuple[Total, ...]
    banker_win: Annotated[int, Field(strict=True)] | None = None
    booked_on: GamingDay | None = None
    """The open gaming day that it is booked on, where the coup's own day was sealed already."""


class CoupVoided(LedgerEvent):
    """A ruling: the coup does not count and every stake goes back. Two approvers answer for it.

    Of a coup that had settled, `reversed_totals` takes the settlement back that `supersedes` names.
    """

    TOPIC: ClassVar[str] = "coup-voided.v1"

    premises: Name
    table: Name
    conditions: Conditions
    reason: str
    approvers: tuple[Name, ...]
    evidence: str | None = None
    wagers: Count
    stakes: Sum
    was_held: bool
    supersedes: Annotated[int, Field(strict=True, ge=1)] | None = None
    reversed_totals: tuple[Total, ...] | None = None
    booked_on: GamingDay | None = None
    """The open gaming day that it is booked on, where the coup's own day was sealed already."""


class DisputeRaised(LedgerEvent):
    """A patron disputes how a coup ended. `unresolved_at` is eight weeks after it was received."""

    TOPIC: ClassVar[str] = "dispute-raised.v1"

    dispute: Name
    patron: PatronToken | None = None
    wager: WagerId | None = None
    statement: str
    received_at: StoredMoment
    unresolved_at: StoredMoment


class DisputeResolved(LedgerEvent):
    """The dispute is settled, one way or the other; what was decided of the coup is a ruling of its own."""

    TOPIC: ClassVar[str] = "dispute-resolved.v1"

    dispute: Name
    decision: str
    evidence: str | None = None


LINES_AN_EVENT = 500
"""At most so many wagers or settlement lines stand in one event."""
