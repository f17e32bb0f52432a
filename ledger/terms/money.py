"""Money: integer minor units and exact fractions. There is no float here and none gets in."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, floor
from typing import Annotated

from pydantic import Field

from ledger.terms.value import Word

AMOUNT_MAX = 10**15
"""No single amount is larger (minor units), so that sums of thousands still fit in 64 bits."""

Amount = Annotated[int, Field(strict=True, ge=0, le=AMOUNT_MAX)]
"""Minor units (pence), zero or more. Strict: a float, a boolean or a text is refused."""

Sum = Annotated[int, Field(strict=True, ge=0, le=2**63 - 1)]
"""Minor units of many amounts together: as much as 64 bits hold."""

Count = Annotated[int, Field(strict=True, ge=0)]
"""How many of something."""

STAKE_MAX = 10**12
Stake = Annotated[int, Field(strict=True, gt=0, le=STAKE_MAX)]
"""Minor units of one wager: more than nothing, at most ten thousand million pounds."""

Unit = Annotated[int, Field(strict=True, gt=0, le=10**9)]
"""The smallest payable unit, in minor units."""

Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
"""An ISO 4217 code."""


class Rounding(Word):
    """What a table does when the odds do not come out in payable units (domain §3.5)."""

    EXACT_ONLY = "exact-only"
    """Refuse, before the cards, a stake whose winnings could not be paid exactly."""
    UP_TO_UNIT = "up-to-unit"
    """Pay up to the next payable unit: never under the legal odds."""
    NEAREST = "nearest"
    """Pay the nearest payable unit, halves up. May pay less than the odds by under half a unit."""


def payable(due: Fraction, rounding: Rounding, unit: int) -> int | None:
    """What is paid for exact winnings `due`: a whole multiple of `unit`, minor units.

    None under `EXACT_ONLY` when `due` is not such a multiple: that wager is not to be accepted.
    """
    units = due / unit
    if units.denominator == 1:
        return int(due)
    if rounding is Rounding.EXACT_ONLY:
        return None
    whole = ceil(units) if rounding is Rounding.UP_TO_UNIT else floor(units + Fraction(1, 2))
    return whole * unit


_DIGITS_UNLIKE_PENCE: Mapping[str, int] = {
    "BHD": 3,
    "IQD": 3,
    "ISK": 0,
    "JOD": 3,
    "JPY": 0,
    "KRW": 0,
    "KWD": 3,
    "OMR": 3,
    "TND": 3,
    "VND": 0,
    "XAF": 0,
    "XOF": 0,
    "XPF": 0,
}
"""ISO 4217 currencies whose minor unit is not a hundredth."""


def minor_digits(currency: str) -> int:
    """How many decimal digits its minor unit is: 2 where it is a hundredth."""
    return _DIGITS_UNLIKE_PENCE.get(currency, 2)


_SIGNS: Mapping[str, str] = {"GBP": "£", "EUR": "€", "USD": "$"}


def in_words(amount: int | Fraction, currency: str) -> str:
    """An amount in minor units as people write it: `£1,234.50`, `-£0.05`.

    A fraction is shown to the nearest minor unit, halves to even; `exactly` shows all of it.
    """
    minor = amount if isinstance(amount, int) else round(amount)
    digits = minor_digits(currency)
    whole, part = divmod(abs(minor), 10**digits)
    sign = "-" if minor < 0 else ""
    tail = f".{part:0{digits}}" if digits else ""
    return f"{sign}{_SIGNS.get(currency, currency + ' ')}{whole:,}{tail}"


def exactly(amount: Fraction, currency: str) -> str:
    """A fraction of minor units as people write it, to the last part: `£2.62 1/2`."""
    whole = int(amount)
    part = abs(amount - whole)
    sign = "-" if amount < 0 and not whole else ""
    return f"{sign}{in_words(whole, currency)}" + (f" {part}" if part else "")
