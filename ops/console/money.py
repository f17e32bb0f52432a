"""Money as people read it. Whole minor units come in, and a sign, not a colour alone, says who won."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from markupsafe import Markup

from ledger.terms.money import in_words

MINUS = "\N{MINUS SIGN}"
NOTHING = Markup('<span class="nothing">–</span>')
"""For what is not known."""


def money(amount: int | Fraction | None, currency: str) -> Markup:
    """`£1,234.50`; a fraction of minor units to the nearest. Minor units."""
    if amount is None:
        return NOTHING
    return _number(_written(amount, currency), "money")


def win(amount: int | Fraction | None, currency: str) -> Markup:
    """`+£1,234.50`, or with a minus: what somebody won or lost, signed and coloured. Minor units."""
    if amount is None:
        return NOTHING
    sign = "+" if amount > 0 else ""
    kind = "won" if amount > 0 else "lost" if amount < 0 else "even"
    return _number(sign + _written(amount, currency), f"money {kind}")


def number(value: int | None) -> Markup:
    """A whole number, with thousands."""
    return NOTHING if value is None else _number(f"{value:,}".replace("-", MINUS), "number")


def share(value: Fraction | None) -> Markup:
    """A share as a percentage, to two places: `14.36 %`."""
    if value is None:
        return NOTHING
    hundredths = round(value * 10_000)
    whole, part = divmod(abs(hundredths), 100)
    return _number(f"{MINUS if hundredths < 0 else ''}{whole:,}.{part:02} %", "number")


def _written(amount: int | Fraction, currency: str) -> str:
    return in_words(amount, currency).replace("-", MINUS)


def _number(text: str, kind: str) -> Markup:
    return Markup('<span class="{}">{}</span>').format(kind, text)


FILTERS: Mapping[str, Callable[..., Any]] = {"money": money, "win": win, "number": number, "share": share}
