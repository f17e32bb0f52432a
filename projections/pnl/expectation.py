"""What the house expects of a coup of punto banco, and how far from that it may come: exact fractions.

All wagers of a coup end by the same two hands, so they are not independent: what the house wins is worked out
for each of the three results, and expectation and variance follow from those three sums. Coups are taken as
dealt from a full shoe each (domain §6), and so as independent of one another: their variances add up.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from math import isqrt, lcm
from typing import NamedTuple

from ledger.regulation.house_edge import RESULT_COUNTS
from ledger.regulation.profiles import PROFILES, profile_named
from ledger.regulation.settle import outcome_of
from ledger.terms.hands import PLAYER, Result
from ledger.terms.house import BankerOnDraw, Terms
from ledger.terms.wagers import Kind, Outcome


class Moments(NamedTuple):
    """What is expected, and its variance; in minor units, and those squared."""

    mean: Fraction
    variance: Fraction


NOTHING_STAKED = Moments(Fraction(0), Fraction(0))


_SCALE = lcm(*(odds.stake for profile in PROFILES.values() for odds in profile.odds.values()))
"""What a gain per unit is multiplied by, so that it is a whole number at any odds."""


@cache
def _house_gains(kind: str, profile: str, banker_on_draw: str) -> tuple[int, ...]:
    """What the house gains of a unit on this kind, times `_SCALE`, by the player's result as in `_ways`."""
    rules, terms = profile_named(profile), Terms(banker_on_draw=BankerOnDraw(banker_on_draw))
    gains = []
    for result in _RESULTS:
        outcome, _ = outcome_of(Kind(kind), {PLAYER: result}, rules, terms)
        won = -int(rules.odds[Kind(kind)].on(_SCALE))
        gains.append(won if outcome is Outcome.WON else _SCALE if outcome is Outcome.LOST else 0)
    return tuple(gains)


_RESULTS = (Result.WINS, Result.LOSES, Result.DRAW)


def _ways(decks: int) -> tuple[int, int, int]:
    counts = RESULT_COUNTS[decks]
    return counts.player, counts.banker, counts.tie


def expected_win(stakes: Iterable[tuple[str, int]], decks: int, profile: str, banker_on_draw: str) -> Moments:
    """What the house expects to win of a coup with these stakes, each a kind and minor units.

    Stakes later handed back count; rounding does not. `decks` 1 to 8.
    """
    wins = [0, 0, 0]  # by result, times _SCALE: whole numbers until the end, as every page adds up many
    for kind, stake in stakes:
        for at, gain in enumerate(_house_gains(kind, profile, banker_on_draw)):
            wins[at] += stake * gain
    ways = _ways(decks)
    every = sum(ways)
    first = sum(way * win for way, win in zip(ways, wins, strict=True))
    second = sum(way * win * win for way, win in zip(ways, wins, strict=True))
    whole = every * _SCALE
    return Moments(Fraction(first, whole), Fraction(second * every - first * first, whole * whole))


def deviation(variance: Fraction) -> int:
    """The standard deviation in whole minor units, rounded down; for a drawing, where fractions end."""
    return isqrt(int(variance))
