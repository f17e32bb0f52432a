"""Who may hold the bank: 6(5) and 6(6), for every version and every capacity."""

from __future__ import annotations

import pytest

from ledger.errors import BankMayNotStand, Refusal
from ledger.regulation.bank import capacities_allowed, check_may_hold
from ledger.terms.formats import FORMATS, format_named
from ledger.terms.house import Capacity

# Domain §3.1. None: may hold; else the paragraph that says no.
MAY_HOLD = {
    ("punto-banco", "licence-holder"): None,
    ("punto-banco", "employee"): None,
    ("punto-banco", "player"): "6(5)(a)",
    ("baccarat-banque", "licence-holder"): None,
    ("baccarat-banque", "employee"): None,
    ("baccarat-banque", "player"): "6(5)(a)",
    ("single-hand-with-option", "licence-holder"): None,
    ("single-hand-with-option", "employee"): None,
    ("single-hand-with-option", "player"): "6(5)(a)",
    ("chemin-de-fer-kept-bank", "licence-holder"): None,
    ("chemin-de-fer-kept-bank", "employee"): None,
    ("chemin-de-fer-kept-bank", "player"): "6(5)(a)",
    ("chemin-de-fer", "licence-holder"): "6(6)",
    ("chemin-de-fer", "employee"): "6(6)",
    ("chemin-de-fer", "player"): None,
}


@pytest.mark.parametrize(("format", "capacity"), MAY_HOLD)
def test_the_house_holds_every_bank_but_that_of_chemin_de_fer(format: str, capacity: str) -> None:
    """6(5)(a): the licence holder or an employee; 6(6): neither, where a losing banker gives up at once."""
    version, holder = format_named(format), Capacity(capacity)
    paragraph = MAY_HOLD[format, capacity]
    assert (holder in capacities_allowed(version)) == (paragraph is None)
    if paragraph is None:
        check_may_hold(version, holder)
        return
    with pytest.raises(BankMayNotStand) as refused:
        check_may_hold(version, holder)
    assert isinstance(refused.value, Refusal)
    assert (refused.value.paragraph, refused.value.capacity, refused.value.format) == (
        paragraph,
        capacity,
        format,
    )


def test_no_version_and_no_capacity_is_left_out() -> None:
    assert set(MAY_HOLD) == {(format, capacity.value) for format in FORMATS for capacity in Capacity}
