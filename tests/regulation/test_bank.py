"""Who may hold the bank: 6(5) and 6(6), for every version and every capacity."""

from __future__ import annotations

import pytest

from ledger.errors import BankMayNotStand, InterestNotAllowed, Refusal
from ledger.regulation.bank import capacities_allowed, check_interests, check_may_hold
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


def paragraph_against(format: str, capacity: str) -> str | None:
    """Domain §3.1: 6(5)(b) of every bank but that of chemin de fer; of that 6(6)."""
    if format == "chemin-de-fer":
        return None if capacity == "player" else "6(6)"
    return None if capacity == "licence-holder" else "6(5)(b)"


@pytest.mark.parametrize(("format", "capacity"), MAY_HOLD)
def test_a_share_in_the_bank_is_the_licence_holders_or_at_chemin_de_fer_the_players(
    format: str, capacity: str
) -> None:
    """Of several shares the first that may not be is named, with the paragraph."""
    version = format_named(format)
    lawful = Capacity.PLAYER if format == "chemin-de-fer" else Capacity.LICENCE_HOLDER
    shares = {"p-1": lawful, "p-2": Capacity(capacity), "p-3": lawful}
    paragraph = paragraph_against(format, capacity)
    if paragraph is None:
        check_interests(version, shares)
        return
    with pytest.raises(InterestNotAllowed) as refused:
        check_interests(version, shares)
    assert (refused.value.person, refused.value.capacity, refused.value.paragraph) == (
        "p-2",
        capacity,
        paragraph,
    )


@pytest.mark.parametrize("format", FORMATS)
def test_a_bank_in_which_nobody_declared_a_share_may_stand(format: str) -> None:
    check_interests(format_named(format), {})
