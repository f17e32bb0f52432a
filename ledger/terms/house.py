"""The house's side of a table: its terms, its chips, and the conditions a coup is played under."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from ledger.terms.identifiers import Name, PatronToken
from ledger.terms.money import AMOUNT_MAX, Currency, Rounding, Sum, Unit
from ledger.terms.value import GamingDay, Value, Word, in_order


class BankerOnDraw(Word):
    """What becomes of a wager on the banker's hand when the hands are equal (domain §3.4 A1)."""

    STAND_OFF = "stand-off"
    """The stake is handed back: a house rule under reg 2(2), not 6(4)."""
    LOST = "lost"
    """The literal reading of 6(7): it did not win."""


class Terms(Value):
    """What a table says where the regulation leaves it open. `unit` is the smallest payable, minor units."""

    rounding: Rounding = Rounding.EXACT_ONLY
    unit: Unit = 1
    banker_on_draw: BankerOnDraw = BankerOnDraw.STAND_OFF


class Capacity(Word):
    """In what capacity somebody holds the bank (6(5), 6(6))."""

    LICENCE_HOLDER = "licence-holder"
    EMPLOYEE = "employee"
    """A person acting for the licence holder in pursuance of a contract of service."""
    PLAYER = "player"


class BankedBy(Word):
    """Whose money covers the wagers: kept apart in every figure."""

    HOUSE = "house"
    PLAYER = "player"

    @classmethod
    def of(cls, capacity: Capacity) -> BankedBy:
        """The side that a banker in this capacity stands for."""
        return cls.PLAYER if capacity is Capacity.PLAYER else cls.HOUSE


Decks = Annotated[int, Field(strict=True, ge=1, le=8)]


class Conditions(Value):
    """What a coup is played under, pinned when it opens, so that a replay in ten years settles alike.

    `banker` and `bank` (minor units) stand only where a player holds the bank; wagers accepted never
    exceed `bank`.
    """

    gaming_day: GamingDay
    shift: Name
    format: Name
    profile: Name
    terms: Terms
    currency: Currency
    decks: Decks
    banked_by: BankedBy
    banker: PatronToken | None = None
    bank: Sum | None = None


_DENOMINATION = re.compile(r"[1-9][0-9]{0,9}")


def _denominations_are_plain(chips: object) -> object:
    # JSON's keys are texts: two spellings of one denomination would lose the first one's count.
    if isinstance(chips, dict):
        for key in chips:
            if not (type(key) is int or (isinstance(key, str) and _DENOMINATION.fullmatch(key))):
                msg = f"a denomination is written in plain digits, in minor units, not {str(key)[:20]!r}"
                raise ValueError(msg)
    return chips


def _chips_are_plausible(chips: dict[int, int]) -> dict[int, int]:
    if value_of(chips) > AMOUNT_MAX:
        msg = f"the chips come to more than {AMOUNT_MAX}"
        raise ValueError(msg)
    return in_order(chips)


Chips = Annotated[
    dict[Annotated[int, Field(gt=0, le=10**9)], Annotated[int, Field(strict=True, ge=0, le=10**6)]],
    BeforeValidator(_denominations_are_plain),
    AfterValidator(_chips_are_plausible),
]
"""Value chips: how many of each denomination (minor units)."""


def value_of(chips: dict[int, int]) -> int:
    """What the chips are worth, minor units."""
    return sum(denomination * count for denomination, count in chips.items())
