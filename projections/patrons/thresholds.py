"""Thresholds of due diligence and charges, as dated data: what applied on a gaming day, and how sure that is.

A figure is never changed here when the law changes: its last day is set and the next one follows. Where the
text could not be had, the entry says so (`doubt`), and every output that applies it repeats that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from ledger.terms.money import minor_digits
from ledger.terms.value import Word


class Purpose(Word):
    """What a threshold is for."""

    DUE_DILIGENCE = "due-diligence"
    """At or over it a patron is to be identified: stakes wagered or winnings collected."""
    EXIT_PAYMENT = "exit-payment"
    """Under it a casino may pay out to end a relationship without asking for consent first."""
    CHARGE = "charge"
    """The most that a person may be charged in a day for taking part in chemin de fer."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """A dated figure.

    Attributes:
        id: stable; output names it.
        first, last: gaming days, both included; `last` is None while it applies.
        amount: minor units of `currency`.
        what: what is held against it.
        source: where it stands.
        confirmed: whether the amount and its dates were read in a text.
        doubt: what about it was not confirmed, in a sentence; None where nothing is in doubt.
    """

    id: str
    purpose: Purpose
    first: date
    last: date | None
    currency: str
    amount: int
    what: str
    source: str
    confirmed: bool
    doubt: str | None = None

    def applies_on(self, gaming_day: date) -> bool:
        """Whether it was in force on this gaming day."""
        return self.first <= gaming_day and (self.last is None or gaming_day <= self.last)

    def as_json(self) -> dict[str, Any]:
        """For programs: days as text, the amount in minor units."""
        figures = {name: getattr(self, name) for name in self.__slots__}
        return figures | {
            "first": self.first.isoformat(),
            "last": None if self.last is None else self.last.isoformat(),
        }


_RESTAKED = "whether winnings staked again count was not confirmed (reg 27(7)), so they are counted"

THRESHOLDS: tuple[Threshold, ...] = (
    Threshold(
        id="mlr-2007-reg-10",
        purpose=Purpose.DUE_DILIGENCE,
        first=date(2007, 12, 15),
        last=date(2017, 6, 25),
        currency="EUR",
        amount=2_000_00,
        what="chips bought or exchanged within 24 hours",
        source="Money Laundering Regulations 2007, regulation 10",
        confirmed=True,
        doubt="its first day was not read in a text; it is of chips in 24 hours, the sums of a gaming day",
    ),
    Threshold(
        id="mlr-2017-reg-27",
        purpose=Purpose.DUE_DILIGENCE,
        first=date(2017, 6, 26),
        last=date(2026, 6, 29),
        currency="EUR",
        amount=2_000_00,
        what="a stake wagered or winnings collected, in one transaction or several that appear to be linked",
        source="Money Laundering Regulations 2017, regulation 27(5) and (6)",
        confirmed=True,
        doubt=_RESTAKED,
    ),
    Threshold(
        id="mlr-2026-casino",
        purpose=Purpose.DUE_DILIGENCE,
        first=date(2026, 6, 30),
        last=None,
        currency="EUR",
        amount=2_000_00,
        what="a stake wagered or winnings collected, in one transaction or several that appear to be linked",
        source="Money Laundering and Terrorist Financing (Amendment) Regulations 2026",
        confirmed=False,
        doubt="the sterling figure for casinos from 30 June 2026 was not confirmed: "
        f"the euro figure before it is carried on; {_RESTAKED}",
    ),
    Threshold(
        id="daml-exit-before-2025",
        purpose=Purpose.EXIT_PAYMENT,
        first=date(2007, 12, 15),
        last=date(2025, 7, 30),
        currency="GBP",
        amount=1_000_00,
        what="a payment that ends a relationship",
        source="the exemption from a defence against money laundering",
        confirmed=True,
        doubt="its first day was not read in a text",
    ),
    Threshold(
        id="daml-exit-2025",
        purpose=Purpose.EXIT_PAYMENT,
        first=date(2025, 7, 31),
        last=None,
        currency="GBP",
        amount=3_000_00,
        what="a payment that ends a relationship",
        source="the exemption from a defence against money laundering",
        confirmed=True,
    ),
    Threshold(
        id="si-2007-1945-participation-fee",
        purpose=Purpose.CHARGE,
        first=date(2007, 9, 1),
        last=None,
        currency="GBP",
        amount=3_00,
        what="charges to one person in a day, before VAT",
        source="SI 2007/1945 (club gaming permits)",
        confirmed=True,
        doubt="it binds holders of a club gaming permit; whether these premises are one is not in the record",
    ),
)
"""Every figure there is, by purpose and date."""


def in_force(
    purpose: Purpose, gaming_day: date, among: tuple[Threshold, ...] = THRESHOLDS
) -> Threshold | None:
    """The figure for this purpose on this gaming day; None where none was known."""
    return next((one for one in among if one.purpose is purpose and one.applies_on(gaming_day)), None)


Rates = Mapping[tuple[str, str], Fraction]
"""Rates of exchange by (from, to): how many units of the second currency one unit of the first is.

None is in the record. Whoever judges by one passes it in, and it is told with the result.
"""


def in_currency(threshold: Threshold, currency: str, rates: Rates) -> Fraction | None:
    """The figure in minor units of `currency`, exactly; None where that takes a rate that is not given."""
    if threshold.currency == currency:
        return Fraction(threshold.amount)
    rate = rates.get((threshold.currency, currency))
    if rate is None:
        return None
    scale = Fraction(10) ** (minor_digits(currency) - minor_digits(threshold.currency))
    return threshold.amount * rate * scale
