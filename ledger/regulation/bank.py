"""Who may hold the bank: paragraphs 6(5) and 6(6)."""

from __future__ import annotations

from collections.abc import Mapping

from ledger.errors import BankMayNotStand, InterestNotAllowed
from ledger.terms.formats import Format
from ledger.terms.house import Capacity

HOUSE_CAPACITIES = frozenset({Capacity.LICENCE_HOLDER, Capacity.EMPLOYEE})


def capacities_allowed(format: Format) -> frozenset[Capacity]:
    """In what capacities the bank may be held at this format.

    6(5)(a): by the holder of the licence or a person acting for him under a contract of service, except
    in chemin de fer whose losing banker gives up the bank at once; there, 6(6), by neither of them.
    """
    return frozenset({Capacity.PLAYER}) if format.loser_gives_up_bank else HOUSE_CAPACITIES


def check_interests(format: Format, interests: Mapping[str, Capacity]) -> None:
    """That the bank may stand with these declared shares or interests in it (person to capacity).

    Raises:
        InterestNotAllowed: 6(5)(b), nobody but the holder of the licence; in chemin de fer whose losing
            banker gives up the bank 6(6), neither him nor anybody acting for him.
    """
    for person, capacity in interests.items():
        if format.loser_gives_up_bank:
            if capacity in HOUSE_CAPACITIES:
                raise InterestNotAllowed(person, capacity.value, "6(6)")
        elif capacity is not Capacity.LICENCE_HOLDER:
            raise InterestNotAllowed(person, capacity.value, "6(5)(b)")


def check_may_hold(format: Format, capacity: Capacity) -> None:
    """That somebody in this capacity may hold the bank.

    Raises:
        BankMayNotStand: with 6(5)(a) or 6(6).
    """
    if capacity not in capacities_allowed(format):
        paragraph = "6(6)" if format.loser_gives_up_bank else "6(5)(a)"
        raise BankMayNotStand(capacity.value, format.name, paragraph)
