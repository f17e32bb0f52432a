"""The house's exact edge at punto banco, by kind of wager and number of decks.

The counts are those of every ordered draw of six cards from a full shoe (domain §6), found by
`enumeration.enumerate_results`, which plays the tableau; no burn card, no cut card. Other formats have a
drawing option, so they have no edge of their own and none is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from ledger.regulation.profiles import Profile
from ledger.regulation.settle import outcome_of
from ledger.terms.hands import PLAYER, Result
from ledger.terms.house import Terms
from ledger.terms.wagers import Kind, Outcome


class ResultCounts(NamedTuple):
    """Ordered draws of six cards by the player's result: banker wins, player wins, equal hands."""

    banker: int
    player: int
    tie: int

    @property
    def total(self) -> int:
        """Every ordered draw of six cards from the shoe."""
        return sum(self)


RESULT_COUNTS: Mapping[int, ResultCounts] = {
    1: ResultCounts(6_737_232_640, 6_548_674_432, 1_372_227_328),
    2: ResultCounts(501_543_728_128, 487_816_735_232, 103_154_274_240),
    3: ResultCounts(6_000_349_195_008, 5_837_305_562_496, 1_238_768_922_816),
    4: ResultCounts(34_543_624_867_840, 33_608_344_225_792, 7_145_601_996_928),
    5: ResultCounts(133_700_037_548_800, 130_087_780_016_000, 27_690_387_926_400),
    6: ResultCounts(403_095_751_234_560, 392_220_492_728_832, 83_552_962_932_288),
    7: ResultCounts(1_023_469_376_328_448, 995_884_732_700_032, 212_268_385_833_280),
    8: ResultCounts(2_292_252_566_437_888, 2_230_518_282_592_256, 475_627_426_473_216),
}
"""By number of decks. A test plays them again."""


@cache
def _gain(kind: Kind, result: Result, profile: Profile, terms: Terms) -> Fraction:
    outcome, _ = outcome_of(kind, {PLAYER: result}, profile, terms)
    if outcome is Outcome.WON:
        return profile.odds[kind].on(1)
    return Fraction(-1 if outcome is Outcome.LOST else 0)


def house_edge(kind: Kind, decks: int, profile: Profile, terms: Terms) -> Fraction:
    """What the house expects of one unit staked on `kind` at punto banco, before any rounding.

    Per unit of all stakes, those later handed back included (domain §6). `decks` 1 to 8.
    """
    counts = RESULT_COUNTS[decks]
    by_result = {Result.LOSES: counts.banker, Result.WINS: counts.player, Result.DRAW: counts.tie}
    gain = sum(_gain(kind, result, profile, terms) * ways for result, ways in by_result.items())
    return -Fraction(gain) / counts.total
