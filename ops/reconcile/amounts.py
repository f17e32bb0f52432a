"""One amount in a cell of a count sheet: whole minor units, read where its meaning is certain.

A thousands separator is certain where every group after the first has three digits and nobody could take it
for a decimal one: `1,000`, `1 000`, `1'000`, `1.000.000`. One dot before three digits is not.
"""

from __future__ import annotations

import re

from ledger.terms.money import AMOUNT_MAX, minor_digits

_DIGITS = re.compile(r"[0-9]{1,30}", re.ASCII)
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:([,.' \u00a0\u2009\u202f\u2019])[0-9]{3})(?:\1[0-9]{3}){0,9}")
_NEGATIVE = re.compile(r"[-\u2212\u2013]\s*[0-9].*|\(.*\)|[0-9].*-", re.DOTALL)
_CURRENCY = re.compile(r"[£$€]|[A-Za-z]{3}\s*[0-9]|[0-9]\s*[A-Za-z]{3}$")
_POWER = re.compile(r"[0-9.,]+[eE][+-]?[0-9]+")
_DECIMALS = re.compile(r"[0-9][0-9., ']*[.,][0-9]*")

MINOR_UNITS = "amounts are whole minor units (1250 for £12.50)"
_FAULTS = (
    (_NEGATIVE, "it is negative, and nothing on a count sheet is"),
    (_POWER, "the spreadsheet has rounded it; format the column as whole numbers"),
    (_CURRENCY, f"it has a currency in it; {MINOR_UNITS}"),
    (_DECIMALS, f"it is no whole number; {MINOR_UNITS}"),
)
"""What somebody may have meant, and why it is not read so: the first that fits."""


class BadAmount(ValueError):
    """Why a cell cannot be read as an amount, in words."""


def amount(cell: str, currency: str) -> int:
    """The minor units in a cell without space around it.

    Args:
        currency: where its minor unit is a thousandth, `1,000` may mean one, and is not certain.

    Raises:
        BadAmount: it is empty, or nothing that is certain.
    """
    if not cell:
        raise BadAmount("it is empty; write 0 where there was nothing")
    if (grouped := _GROUPED.fullmatch(cell)) and _certain(grouped, currency):
        cell = cell.replace(grouped[1], "")
    if _DIGITS.fullmatch(cell):
        if int(cell) > AMOUNT_MAX:
            raise BadAmount(f"{_shown(cell)} is more than an amount can be")
        return int(cell)
    for shape, why in _FAULTS:
        if shape.search(cell) if shape is _CURRENCY else shape.fullmatch(cell):
            raise BadAmount(f"{_shown(cell)}: {why}")
    raise BadAmount(f"{_shown(cell)}: {MINOR_UNITS}")


def _certain(grouped: re.Match[str], currency: str) -> bool:
    separator = grouped[1]
    if separator not in ",." or grouped[0].count(separator) > 1:
        return True
    return separator == "," and minor_digits(currency) != 3


def _shown(cell: str) -> str:
    return repr(cell if len(cell) <= 40 else f"{cell[:40]}…")
