"""Rulings: who may approve one, and what hands it may name."""

from __future__ import annotations

from .notebook import Command, Coup, is_irregular


def approved(command: Command, coup: Coup) -> bool:
    """Say whether two people or more approve, each once, none who recorded the coup, all with the right."""
    # "Pit-1" and "pit-1" are one person; who may approve is spelt as the table spelt it.
    persons = {name.casefold() for name in command["approvers"]}
    if len(persons) != len(command["approvers"]) or len(persons) < 2:
        return False
    if persons & {name.casefold() for name in coup.recorders}:
        return False
    may_approve = coup.table.may_approve
    return not may_approve or set(command["approvers"]) <= set(may_approve)


def hands_may_be(coup: Coup, hands: dict[str, str]) -> bool:
    """Say whether a ruling may name these hands: those in play, and regular ones."""
    return set(hands) == set(coup.hands) and not is_irregular(coup.table.format, hands)


def written_alike(hands: dict[str, str]) -> dict[str, list[str]]:
    """Write every card in one way, so that the same hands look the same."""
    return {name: text.upper().replace("T", "10").split() for name, text in hands.items()}


def same_hands(first: dict[str, str], second: dict[str, str]) -> bool:
    """Say whether two tellings of a coup name the same cards."""
    return written_alike(first) == written_alike(second)
