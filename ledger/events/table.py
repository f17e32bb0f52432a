"""One table's one gaming day: opening to closing. All amounts in minor units."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from ledger.events.base import LedgerEvent
from ledger.terms.house import Capacity, Chips, Decks, Terms
from ledger.terms.identifiers import Name, PatronToken
from ledger.terms.money import Amount, Currency, Sum
from ledger.terms.value import GamingDay
from ledger.terms.wagers import Limits, Seat


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


class ShiftChanged(LedgerEvent):
    """From here on coups, slips and counts belong to `shift`."""

    TOPIC: ClassVar[str] = "shift-changed.v1"

    shift: Name


class ShoeStarted(LedgerEvent):
    """A shoe comes into use; `burned` are the cards burnt face up, as a text."""

    TOPIC: ClassVar[str] = "shoe-started.v1"

    shoe: Name
    decks: Decks
    burned: str | None = None


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
    """The bank goes from one holder to the next."""

    TOPIC: ClassVar[str] = "bank-passed.v1"

    from_holder: PatronToken
    holder: PatronToken
    capacity: Capacity
    seat: Seat | None = None
    sum: Sum


class BankRetired(LedgerEvent):
    """The holder gives up the bank and takes `sum` away; nobody holds it until it is taken."""

    TOPIC: ClassVar[str] = "bank-retired.v1"

    holder: PatronToken
    sum: Sum


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


class TableClosed(LedgerEvent):
    """The float was counted and the table closed for its gaming day."""

    TOPIC: ClassVar[str] = "table-closed.v1"

    closer: Chips
    amount: Amount
    signed_by: tuple[Name, ...]
