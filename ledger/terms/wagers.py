"""Wagers: what a patron puts on a hand, and how it may end."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from ledger.errors import DuplicateWager
from ledger.terms.identifiers import Name, PatronToken
from ledger.terms.money import Amount, Count, Stake, Sum
from ledger.terms.value import Value, Word, in_order


class Kind(Word):
    """What a wager says will happen."""

    PLAYER = "player"
    """The sole opposing hand wins (6(4))."""
    BANKER = "banker"
    """The banker's hand wins (6(7)(i))."""
    TIE = "tie"
    """The hands are equal at the end (6(7)(ii))."""
    HAND_1 = "hand-1"
    HAND_2 = "hand-2"
    BOTH_HANDS = "both-hands"
    """À cheval: both opposing hands win (6(4)(b)). Never settled by halves."""


HANDS_OF_KIND: dict[Kind, tuple[str, ...]] = {
    Kind.PLAYER: ("player",),
    Kind.HAND_1: ("hand-1",),
    Kind.HAND_2: ("hand-2",),
    Kind.BOTH_HANDS: ("hand-1", "hand-2"),
}
"""The opposing hands whose winning a kind is a wager on; banker and tie wagers are on none (6(4), 6(7))."""


class Outcome(Word):
    """A wager's ends. They stay apart even where the money is the same."""

    WON = "won"
    LOST = "lost"
    VOID = "void"
    """The law's word: 6(4)."""
    STAND_OFF = "stand-off"
    """A house rule's: the stake neither wins nor loses (reg 2(2))."""
    CANCELLED = "cancelled"
    """By mutual consent (reg 2(2))."""
    REFUSED = "refused"
    """Never accepted."""


class Tender(Word):
    """What the stake is in; it settles alike and is counted apart (domain §4.1)."""

    VALUE = "value"
    PROMOTIONAL = "promotional"


WagerId = Name
SEATS = 100
"""More than any table has."""
Seat = Annotated[int, Field(strict=True, ge=0, le=SEATS - 1)]
"""Where somebody sits. Seats are numbered as the shoe travels, which is to the right (counter-clockwise from
above): the player on the banker's right has the next higher number, and after the highest comes the lowest.
"""


def places_round(seat: int, bankers_seat: int) -> int:
    """How far round a seat is from the banker's right, where it is 0; the banker's own is the last."""
    return (seat - bankers_seat - 1) % SEATS


class Wager(Value):
    """One wager. `stake` in minor units; `patron` a pseudonymous token."""

    id: WagerId
    kind: Kind
    stake: Stake
    patron: PatronToken | None = None
    seat: Seat | None = None
    tender: Tender = Tender.VALUE


WAGERS_MAX = 10_000
"""More wagers than any coup has ever had; a bound, so that one line cannot fill the memory."""


def _ids_are_distinct(wagers: tuple[Wager, ...]) -> tuple[Wager, ...]:
    seen: set[str] = set()
    for wager in wagers:
        if wager.id in seen:
            raise DuplicateWager(wager.id)
        seen.add(wager.id)
    return wagers


Wagers = Annotated[tuple[Wager, ...], Field(max_length=WAGERS_MAX), AfterValidator(_ids_are_distinct)]
"""Wagers as they are offered: in order, each under an id of its own."""


class Limit(Value):
    """The smallest and the largest stake a table takes on a kind, minor units, both included."""

    min: Amount = 0
    max: Stake

    @model_validator(mode="after")
    def _is_no_trap(self) -> Self:
        if self.min > self.max:
            msg = f"the smallest stake, {self.min}, is above the largest, {self.max}"
            raise ValueError(msg)
        return self


Limits = Annotated[dict[Kind, Limit], AfterValidator(in_order)]
"""A table's limits by kind; a kind that is not there has none."""


class SettlementLine(Value):
    """How one accepted wager ended. Amounts in minor units; `remainder` an exact fraction as text.

    The opposing hands concerned are those of the kind (`HANDS_OF_KIND`), so they are not repeated here.
    """

    wager: WagerId
    kind: Kind
    stake: Stake
    outcome: Outcome
    odds: str
    winnings: Amount
    returned: Amount
    remainder: str = "0"
    paragraph: str
    patron: PatronToken | None = None
    seat: Seat | None = None
    tender: Tender = Tender.VALUE


class Call(Word):
    """How a player asks for the bank at chemin de fer (domain §2.2)."""

    BANCO = "banco"
    """The whole of it."""
    SUIVI = "suivi"
    """The whole of it, by whoever lost the last banco: before every other."""
    WITH_THE_TABLE = "with-the-table"
    """Half of it; the rest is left to the table."""


class Total(Value):
    """What the wagers of one kind, tender and outcome came to in a coup. Minor units."""

    kind: Kind
    tender: Tender
    outcome: Outcome
    wagers: Count
    stakes: Sum
    winnings: Sum
