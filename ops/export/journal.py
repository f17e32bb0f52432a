"""The books as a plain-text journal, for hledger or for beancount. Each transaction sums to 0 as it stands.

Accounts are named `Assets:Premises-main:Table-PB1:Float`: both programs take that. An amount has the digits
of its currency, and two more where it has parts, so no figure is rounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import BinaryIO, Final

from ledger.terms.money import minor_digits
from ledger.terms.wagers import Tender
from projections.postings.chart import PARTS, Account, Posting
from projections.postings.views import BookedEntry
from projections.story.words import plain


class Program(StrEnum):
    """Who is to read it."""

    HLEDGER = "hledger"
    BEANCOUNT = "beancount"


_NAMES: Mapping[Account, tuple[str, str]] = {
    Account.CAGE: ("Assets", "Cage"),
    Account.FLOAT: ("Assets", "Float"),
    Account.DROP: ("Assets", "Drop"),
    Account.PATRONS: ("Assets", "Patrons"),
    Account.WAGERS_OPEN: ("Liabilities", "WagersOpen"),
    Account.BANK: ("Liabilities", "Bank"),
    Account.WINNINGS: ("Income", "Winnings"),
    Account.REMAINDER: ("Expenses", "Remainder"),
    Account.CHARGES: ("Income", "Charges"),
    Account.VARIANCE: ("Expenses", "Variance"),
}
"""Each account's class and its name."""

_UNLIKE_A_NAME = re.compile(r"[._:]|-(?=x)")
_DIGITS_OF_PARTS: Final = next(digits for digits in range(20) if 10**digits % PARTS == 0)
"""Decimal digits that write any number of parts exactly."""


def component(name: str) -> str:
    """A name as part of an account's: what beancount takes in none is written `-x` and its code in hex.

    Another name is never written alike: a name's own `-x` is written so as well.
    """
    return _UNLIKE_A_NAME.sub(lambda found: f"-x{ord(found[0]):02x}", name)


def account_name(entry: BookedEntry, posting: Posting) -> str:
    """Where a posting goes: promotional stakes below the account itself."""
    kind, name = _NAMES[posting.account]
    place = f"{kind}:Premises-{component(entry.premises)}:Table-{component(entry.table)}:{name}"
    return place if entry.tender == Tender.VALUE else f"{place}:{entry.tender.capitalize()}"


def decimal(amount: int, parts: int, currency: str) -> str:
    """Minor units and parts of one, as a decimal number of the currency: exact."""
    digits = minor_digits(currency)
    if parts:
        digits += _DIGITS_OF_PARTS
        amount = (amount * PARTS + parts) * (10**_DIGITS_OF_PARTS // PARTS)
    whole, rest = divmod(abs(amount), 10**digits)
    sign = "-" if amount < 0 else ""
    return f"{sign}{whole}.{rest:0{digits}}" if digits else f"{sign}{whole}"


_Lines = Iterator[str]


def _hledger(rows: Sequence[BookedEntry], new: Sequence[str], currency: str | None) -> _Lines:
    if currency:
        yield f"commodity {currency}"
    for account in new:
        yield f"account {account}"
    first = rows[0]
    what = _what(first).replace(";", ",")
    yield f"{first.gaming_day} ({first.sequence}.{first.leg}) {_where(first)} | {what}"


def _beancount(rows: Sequence[BookedEntry], new: Sequence[str], currency: str | None) -> _Lines:
    first = rows[0]
    if currency:
        yield f"{first.gaming_day} commodity {currency}"
    for account in new:
        yield f"{first.gaming_day} open {account}"
    what = _what(first).replace("\\", "\\\\").replace('"', '\\"')
    yield f'{first.gaming_day} * "{_where(first)}" "{what}" ^{first.sequence}.{first.leg}'


def _where(entry: BookedEntry) -> str:
    return f"{entry.premises} {entry.table}, shift {entry.shift}"


def _what(entry: BookedEntry) -> str:
    adjusts = f"of {entry.adjusts}" if entry.adjusts else ""
    return " ".join(filter(None, (entry.entry, adjusts, plain(entry.about or "")))).strip()


_HEADS: Mapping[Program, Callable[[Sequence[BookedEntry], Sequence[str], str | None], _Lines]] = {
    Program.HLEDGER: _hledger,
    Program.BEANCOUNT: _beancount,
}


def journal(booked: Iterable[Sequence[BookedEntry]], program: Program) -> Iterator[str]:
    """The journal's lines. Accounts and currencies are declared where they first come.

    Args:
        booked: entries by gaming day, the rows of one entry together.
        program: whose dialect.
    """
    yield "; The books of a baccarat ledger. Winnings and Remainder together are the house's win, a credit."
    declared: set[str] = set()
    for rows in booked:
        moved = [
            (account_name(row, posting), decimal(posting.amount, posting.parts, row.currency), row.currency)
            for row in rows
            for posting in row.postings
        ]
        new = list(dict.fromkeys(account for account, _, _ in moved if account not in declared))
        currency = rows[0].currency
        yield ""
        yield from _HEADS[program](rows, new, None if currency in declared else currency)
        declared.update(new, (currency,))
        for account, amount, of in moved:
            yield f"    {account}  {amount} {of}"


def write_journal(booked: Iterable[Sequence[BookedEntry]], program: Program, file: BinaryIO) -> None:
    """Write the journal, in UTF-8."""
    file.writelines(line.encode() + b"\n" for line in journal(booked, program))
