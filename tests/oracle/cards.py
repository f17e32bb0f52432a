"""What cards count, and how two hands compare."""

from __future__ import annotations


def card_value(card: str) -> int:
    """Return what one card counts: ace 1, two to nine their number, ten and pictures nothing."""
    rank = card.upper()
    if rank[-1] in "CDHS":
        rank = rank[:-1]
    if rank == "A":
        return 1
    if rank in ("10", "T", "J", "Q", "K"):
        return 0
    return int(rank)


def total(cards: list[str]) -> int:
    """Return the total of a hand, tens dropped."""
    return sum(card_value(card) for card in cards) % 10


def compare(opposing: list[str], banker: list[str]) -> str:
    """Return W when the opposing hand beats the banker's hand, L when it is beaten, D on a draw."""
    if total(opposing) > total(banker):
        return "W"
    if total(opposing) < total(banker):
        return "L"
    return "D"


def results_of(hands: dict[str, str]) -> dict[str, str]:
    """Return the result of each opposing hand that was dealt against the banker's hand."""
    banker = hands["banker"].split()
    results: dict[str, str] = {}
    for name in ("player", "hand-1", "hand-2"):
        if name in hands:
            results[name] = compare(hands[name].split(), banker)
    return results
