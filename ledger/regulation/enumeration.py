"""Every coup of punto banco that a full shoe can deal, counted exactly.

This is where the figures of `house_edge` come from, and how a reader checks them: it asks the same tableau
that settles the coups.
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger.regulation.house_edge import ResultCounts
from ledger.regulation.tableau import NATURALS, banker_draws, player_draws
from ledger.terms.cards import Card

CARDS_IN_A_COUP = 6
_OF_POINTS = tuple(Card("?", None, points, "?") for points in range(10))


class _Shoe:
    """How many cards of each value are left, and how many orders have led here."""

    def __init__(self, decks: int) -> None:
        self.left = [16 * decks] + [4 * decks] * 9
        self.size = 52 * decks

    def draws(self, ways: int) -> Iterator[tuple[int, int]]:
        """Each value that can come next, with the ordered draws that end in it; it is out while yielded."""
        for points, count in enumerate(self.left):
            if count:
                self.left[points] -= 1
                yield points, ways * count
                self.left[points] += 1

    def completed(self, ways: int, drawn: int) -> int:
        """The ordered draws of six cards that begin with these `drawn` ones."""
        for further in range(drawn, CARDS_IN_A_COUP):
            ways *= self.size - further
        return ways


def _coups(shoe: _Shoe) -> Iterator[tuple[int, int, int]]:
    """Every coup by values: the player's total, the banker's, and the ordered draws of six behind it."""
    for player_1, ways_1 in shoe.draws(1):
        for banker_1, ways_2 in shoe.draws(ways_1):
            for player_2, ways_3 in shoe.draws(ways_2):
                for banker_2, ways_4 in shoe.draws(ways_3):
                    yield from _thirds(shoe, (player_1 + player_2) % 10, (banker_1 + banker_2) % 10, ways_4)


def _thirds(shoe: _Shoe, player: int, banker: int, ways: int) -> Iterator[tuple[int, int, int]]:
    if player in NATURALS or banker in NATURALS:
        yield player, banker, shoe.completed(ways, 4)
    elif player_draws(player):
        for points, more in shoe.draws(ways):
            yield from _bankers_third(
                shoe, (player + points) % 10, banker, _OF_POINTS[points], ways=more, drawn=5
            )
    else:
        yield from _bankers_third(shoe, player, banker, None, ways=ways, drawn=4)


def _bankers_third(
    shoe: _Shoe, player: int, banker: int, players_third: Card | None, *, ways: int, drawn: int
) -> Iterator[tuple[int, int, int]]:
    if banker_draws(banker, players_third):
        for points, more in shoe.draws(ways):
            yield player, (banker + points) % 10, shoe.completed(more, drawn + 1)
    else:
        yield player, banker, shoe.completed(ways, drawn)


def enumerate_results(decks: int) -> ResultCounts:
    """Play every coup of a full shoe of `decks` decks (no burn card, no cut card) and count the results."""
    counts = [0, 0, 0]
    for player, banker, ways in _coups(_Shoe(decks)):
        counts[0 if banker > player else 1 if player > banker else 2] += ways
    return ResultCounts(*counts)
