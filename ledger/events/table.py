"""One table's one gaming day: opening to closing. All amounts in minor units."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from ledger.events.base import LedgerEvent
from ledger.terms.house import Capacity, Chips, Decks, Terms
from ledger.terms.identifiers import Name, PatronToken
from ledger.terms.money import Amount, Count, Currency, Sum
from ledger.terms.value import GamingDay
from ledger.terms.wagers import Kind, Limits, Seat


class TableOpened(LedgerEvent):
    """The table opens for a gaming day, which stays its day whatever the clock says later."""

    TOPIC: ClassVar[str] = "table-opened.v1"

    premises: Name
    table: Name
    gaming_day: GamingDay
    shift: Name
    format: Name
    profile: Name
    authority: Name
    terms: Terms
    currency: Currency
    limits: Limits
    opener: Chips
    signed_by: tuple[Name, ...]
    may_approve: tuple[Name, ...] | None = None
    """Who may approve a ruling at this table; anybody, where nobody is named."""


class ShiftChanged(LedgerEvent):
    """From here on coups, slips and counts belong to `shift`."""

    TOPIC: ClassVar[str] = "shift-changed.v1"

    shift: Name


class ShoeStarted(LedgerEvent):
    """A shoe comes into use; `burned` are the cards burnt face up, as a text.

    `burned_face_down` cards were burnt unseen, and `cut_card` lie behind the cut card.
    """

    TOPIC: ClassVar[str] = "shoe-started.v1"

    shoe: Name
    decks: Decks
    burned: str | None = None
    burned_face_down: Count | None = None
    cut_card: Count | None = None


class ShoeEnded(LedgerEvent):
    TOPIC: ClassVar[str] = "shoe-ended.v1"

    shoe: Name


class BankTaken(LedgerEvent):
    """A player takes the bank, of this sum."""

    TOPIC: ClassVar[str] = "bank-taken.v1"

    holder: PatronToken
    capacity: Capacity
    seat: Seat | None = None
    sum: Sum


class BankPassed(LedgerEvent):
    """The bank goes from one holder, who takes `from_sum` away, to the next, who puts up `sum`."""

    TOPIC: ClassVar[str] = "bank-passed.v1"

    from_holder: PatronToken
    holder: PatronToken
    capacity: Capacity
    seat: Seat | None = None
    sum: Sum
    from_sum: Sum | None = None


class BankRetired(LedgerEvent):
    """The holder gives up the bank and takes `sum` away; nobody holds it until it is taken."""

    TOPIC: ClassVar[str] = "bank-retired.v1"

    holder: PatronToken
    sum: Sum


class InterestDeclared(LedgerEvent):
    """Somebody has a share or interest in the bank. Whether the bank may stand with it is 6(5), 6(6)."""

    TOPIC: ClassVar[str] = "interest-declared.v1"

    person: PatronToken
    capacity: Capacity
    detail: str | None = None


class InterestWithdrawn(LedgerEvent):
    TOPIC: ClassVar[str] = "interest-withdrawn.v1"

    person: PatronToken


class BankCommitted(LedgerEvent):
    """The bank stands for a coup: neither its holder nor its sum may change until that coup has ended."""

    TOPIC: ClassVar[str] = "bank-committed.v1"

    coup: str
    sum: Sum


class BankSettled(LedgerEvent):
    """The coup the bank stood for has ended. `banker_win` may be negative; `must_pass` after a loss."""

    TOPIC: ClassVar[str] = "bank-settled.v1"

    coup: str
    banker_win: Annotated[int, Field(strict=True)]
    sum: Sum
    must_pass: bool
    banco_lost_by: PatronToken | None = None
    """Who had called banco and lost it: the next suivi is theirs."""


class ChipsFilled(LedgerEvent):
    """Chips came from the cage, under a slip with its serial number."""

    TOPIC: ClassVar[str] = "chips-filled.v1"

    slip: Name
    shift: Name
    chips: Chips
    amount: Amount
    signed_by: tuple[Name, ...]


class ChipsCredited(LedgerEvent):
    """Chips went to the cage, under a slip with its serial number."""

    TOPIC: ClassVar[str] = "chips-credited.v1"

    slip: Name
    shift: Name
    chips: Chips
    amount: Amount
    signed_by: tuple[Name, ...]


class SlipVoided(LedgerEvent):
    """A fill or credit slip does not count. `voids` says what it was; chips it had moved are back.

    A number spoiled before any chips moved voids nothing: its `amount` is 0. `shift` is the slip's own.
    """

    TOPIC: ClassVar[str] = "slip-voided.v1"

    slip: Name
    shift: Name
    voids: Literal["fill", "credit"] | None = None
    amount: Amount
    reason: str
    signed_by: tuple[Name, ...]


class FloatCounted(LedgerEvent):
    """The float was counted while the table was open: one shift's closer and the next one's opener."""

    TOPIC: ClassVar[str] = "float-counted.v1"

    shift: Name
    chips: Chips
    amount: Amount
    signed_by: tuple[Name, ...]


class DropCounted(LedgerEvent):
    """The cash box of this shift was counted."""

    TOPIC: ClassVar[str] = "drop-counted.v1"

    premises: Name
    table: Name
    gaming_day: GamingDay
    shift: Name
    currency: Currency
    format: Name
    amount: Amount
    signed_by: tuple[Name, ...]


class TableChargeTaken(LedgerEvent):
    """A charge for taking part, which never reduces what a wager is paid (domain §1.4)."""

    TOPIC: ClassVar[str] = "table-charge-taken.v1"

    premises: Name
    table: Name
    gaming_day: GamingDay
    shift: Name
    currency: Currency
    amount: Amount
    patron: PatronToken | None = None
    seat: Seat | None = None


class OfferChanged(LedgerEvent):
    """The kinds of wager on offer from here on; `missing` are those that 6(8) would have offered too."""

    TOPIC: ClassVar[str] = "offer-changed.v1"

    kinds: tuple[Kind, ...]
    missing: tuple[Kind, ...]


class PlayerSeated(LedgerEvent):
    TOPIC: ClassVar[str] = "player-seated.v1"

    patron: PatronToken
    seat: Seat


class PlayerLeft(LedgerEvent):
    TOPIC: ClassVar[str] = "player-left.v1"

    patron: PatronToken


class TableClosed(LedgerEvent):
    """The float was counted and the table closed for its gaming day."""

    TOPIC: ClassVar[str] = "table-closed.v1"

    closer: Chips
    amount: Amount
    signed_by: tuple[Name, ...]
