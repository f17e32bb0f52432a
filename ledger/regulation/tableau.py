"""Punto banco's tableau: who draws a third card, and whether the cards of a coup follow it.

Domain §2.1. Where nobody has an option (6(7)(c)) the tableau is the rule, and a coup that breaks it is
irregular. Where somebody has one the same cards may be lawful, so only formats without option ask here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from ledger.terms.cards import Card
from ledger.terms.hands import Hand
from ledger.terms.value import Value

NATURALS = frozenset({8, 9})
PLAYER_DRAWS_ON = frozenset(range(6))
BANKER_DRAWS_AFTER_STAND_ON = frozenset(range(6))
_ANY = frozenset(range(10))
BANKER_DRAWS_AGAINST: Mapping[int, frozenset[int]] = {
    0: _ANY,
    1: _ANY,
    2: _ANY,
    3: _ANY - {8},
    4: frozenset(range(2, 8)),
    5: frozenset(range(4, 8)),
    6: frozenset({6, 7}),
    7: frozenset(),
}
"""The banker's two-card total, to the points of the player's third card that make him draw."""


class Irregularity(Value):
    """A third card that the tableau does not allow, or one that it demands and that is missing."""

    rule: str
    detail: str


@dataclass(frozen=True, slots=True)
class DrawingRule:
    """One line of the tableau applied to a coup: what a hand had to do, and what it did."""

    hand: str
    rule: str
    text: str
    draws: bool
    drew: bool

    @property
    def kept(self) -> bool:
        """Whether the hand did what the line says."""
        return self.draws == self.drew


def player_draws(total: int) -> bool:
    """Whether the player's hand draws on this two-card total, when neither hand is a natural."""
    return total in PLAYER_DRAWS_ON


def banker_draws(total: int, players_third: Card | None) -> bool:
    """Whether the banker's hand draws on this two-card total, when neither hand is a natural."""
    if players_third is None:
        return total in BANKER_DRAWS_AFTER_STAND_ON
    return players_third.points in BANKER_DRAWS_AGAINST[total]


def drawing_rules(player: Hand, banker: Hand) -> tuple[DrawingRule, DrawingRule]:
    """The two lines of the tableau that govern these hands, the player's first."""
    return _drawing_rules(
        player.two_card_total, banker.two_card_total, player.third, drew=banker.third is not None
    )


@cache  # totals and a third card: some ten thousand cases
def _drawing_rules(
    players: int, bankers: int, third: Card | None, *, drew: bool
) -> tuple[DrawingRule, DrawingRule]:
    if players in NATURALS or bankers in NATURALS:
        whose = "the player's" if players in NATURALS else "the banker's"
        text = f"{whose} natural {players if players in NATURALS else bankers}: no more cards"
        return (
            DrawingRule("player", "natural", text, draws=False, drew=third is not None),
            DrawingRule("banker", "natural", text, draws=False, drew=drew),
        )
    players_line = player_draws(players)
    bankers_line = banker_draws(bankers, third)
    against = "a standing player" if third is None else f"a third card of {third.points}"
    return (
        DrawingRule(
            "player",
            "player-draws" if players_line else "player-stands",
            f"player {'draws' if players_line else 'stands'} on {players}",
            draws=players_line,
            drew=third is not None,
        ),
        DrawingRule(
            "banker",
            "banker-draws" if bankers_line else "banker-stands",
            f"banker {'draws' if bankers_line else 'stands'} on {bankers} against {against}",
            draws=bankers_line,
            drew=drew,
        ),
    )


def irregularity(player: Hand, banker: Hand) -> Irregularity | None:
    """The first line of the tableau that these hands break, or None when the coup is regular."""
    for line in drawing_rules(player, banker):
        if not line.kept:
            did = "drew a third card" if line.drew else "drew none"
            return Irregularity(rule=line.rule, detail=f"{line.text}, but the {line.hand} {did}")
    return None
