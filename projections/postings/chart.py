"""The chart of accounts: what each account is for, and how it holds exact figures.

Amounts are signed, debit more than 0 and credit less, and an entry sums to 0. They are whole minor units:
what was paid is always whole. What rounding paid beyond the odds is not, so an entry says beside its amounts
how many `PARTS` of a minor unit of its winnings were that: these belong to `remainder` instead. So each
entry sums to 0 in whole units and in parts, and no fraction is ever rounded:

    winnings  = its amount less parts / PARTS
    remainder = parts / PARTS
"""

from __future__ import annotations

from collections.abc import Mapping
from math import lcm
from typing import NamedTuple

from ledger.regulation.profiles import PROFILES
from ledger.terms.money import Currency
from ledger.terms.value import Word
from ledger.terms.wagers import Kind


class Account(Word):
    """Each belongs to one table's one gaming day."""

    CAGE = "cage"
    """What the cage gave (credit) and got."""
    FLOAT = "float"
    """The table's chips, by what was moved and counted. Wagers won and lost are not in it: what they moved is
    the difference to the count. When the table is closed, it is the win by inventory, as a credit."""
    DROP = "drop"
    """Cash in the boxes."""
    PATRONS = "patrons"
    """What patrons have put down at the table and not got back. When no coup is in hand and no player's bank
    stands, it is the win by wagers and the charges: what the count should show."""
    WAGERS_OPEN = "wagers-open"
    """Stakes of coups that have not ended."""
    BANK = "bank"
    """The sum that a player has put up as the bank. What is left after it has gone is what a ruling on one of
    its coups says the banker owes (debit) or is owed: later coups are never replayed."""
    WINNINGS = "winnings"
    """What the house won (credit) or lost of wagers, at the odds. Never anything of a player's bank."""
    REMAINDER = "remainder"
    """What rounding paid beyond the odds. The house's win is winnings and remainder together."""
    CHARGES = "charges"
    """Charges for taking part."""
    VARIANCE = "variance"
    """What the wagers say was won, and the charges, less what the count says: booked when the day is closed,
    which clears `patrons` against `float`. What comes to light later changes it."""


AMOUNTS: tuple[Account, ...] = tuple(account for account in Account if account is not Account.REMAINDER)
"""Accounts with whole amounts: a column each in read tables, in this order."""
COLUMNS: tuple[str, ...] = (
    "cage",
    "table_float",  # float and drop are words of SQL
    "drop_box",
    "patrons",
    "wagers_open",
    "bank",
    "winnings",
    "charges",
    "variance",
    "parts",
)
"""The columns of `AMOUNTS`, and last the parts."""
Amounts = tuple[int, ...]
"""Minor units in the order of `COLUMNS`, the last one in parts of a minor unit."""

PARTS = lcm(*(odds.stake for profile in PROFILES.values() for odds in profile.odds.values()))
"""So many parts of a minor unit hold what any stake is due at any odds that there are."""
DUE_PARTS: Mapping[str, Mapping[Kind, int]] = {
    profile.id: {kind: odds.winnings * PARTS // odds.stake for kind, odds in profile.odds.items()}
    for profile in PROFILES.values()
}
"""Parts of a minor unit due on each minor unit of a stake that is won, by profile and kind."""


def amounts(moved: Mapping[Account, int], parts: int = 0) -> Amounts:
    """An entry's amounts; accounts that are not named do not move."""
    return (*(moved.get(account, 0) for account in AMOUNTS), parts)


class Posting(NamedTuple):
    """What an account got (debit) or gave: `amount` in minor units, plus `parts` of one."""

    account: Account
    amount: int
    parts: int
    currency: Currency


def postings_of(moved: Amounts, currency: str) -> list[Posting]:
    """The accounts that an entry, or a sum of entries, moves."""
    *whole, parts = moved
    found = [
        Posting(account, amount, -parts if account is Account.WINNINGS else 0, currency)
        for account, amount in zip(AMOUNTS, whole, strict=True)
        if amount or (parts and account is Account.WINNINGS)
    ]
    return [*found, Posting(Account.REMAINDER, 0, parts, currency)] if parts else found
