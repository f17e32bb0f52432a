"""An exact count of punto banco: every ordered draw of six cards from a full shoe, by value.

Cards of one value are alike, so a shoe is ten piles. A coup that ends after four or five cards still counts
every way in which the cards up to the sixth could have followed.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product


def full_shoe(decks: int) -> list[int]:
    """Return how many cards of each value, nought to nine, a full shoe holds."""
    return [16 * decks] + [4 * decks] * 9


def player_draws(player_two: int) -> bool:
    """Say whether the player's hand takes a third card, no hand having a natural."""
    return player_two <= 5


def banker_draws(banker_two: int, player_third: int | None) -> bool:
    """Say whether the banker's hand takes a third card, no hand having a natural."""
    if player_third is None:
        return banker_two <= 5
    # The draws of each banker's total, as the tableau prints them.
    if banker_two == 3:
        return player_third in (0, 1, 2, 3, 4, 5, 6, 7, 9)
    if banker_two == 4:
        return player_third in (2, 3, 4, 5, 6, 7)
    if banker_two == 5:
        return player_third in (4, 5, 6, 7)
    if banker_two == 6:
        return player_third in (6, 7)
    return banker_two in (0, 1, 2)


class Tally:
    """The counts of one shoe, by winner and by number of cards dealt."""

    def __init__(self, decks: int) -> None:
        """Start with a full shoe and nothing counted."""
        self.shoe = full_shoe(decks)
        self.cards_in_shoe = 52 * decks
        self.ends = {(winner, n): 0 for winner in ("banker", "player", "tie") for n in (4, 5, 6)}
        self.natural = 0
        self.banker_six = 0

    def count_all(self) -> None:
        """Deal every four cards by value: player, banker, player, banker."""
        for first_four in product(range(10), repeat=4):
            ways = 1
            for value in first_four:
                ways *= self.shoe[value]
                self.shoe[value] -= 1
            if ways > 0:
                player_two = (first_four[0] + first_four[2]) % 10
                banker_two = (first_four[1] + first_four[3]) % 10
                self.count_third_cards(player_two, banker_two, ways)
            for value in first_four:
                self.shoe[value] += 1

    def count_third_cards(self, player_two: int, banker_two: int, ways: int) -> None:
        """Follow one deal of four cards to the ends of its coups."""
        if player_two >= 8 or banker_two >= 8:
            self.natural += self.end(player_two, banker_two, 4, ways)
        elif not player_draws(player_two):
            self.count_banker(player_two, banker_two, None, 4, ways)
        else:
            for third in range(10):
                ways_with_third = ways * self.shoe[third]
                self.shoe[third] -= 1
                player_total = (player_two + third) % 10
                self.count_banker(player_total, banker_two, third, 5, ways_with_third)
                self.shoe[third] += 1

    def count_banker(self, player: int, banker_two: int, third: int | None, dealt: int, ways: int) -> None:
        """Give the banker's hand its third card, or none."""
        if not banker_draws(banker_two, third):
            self.end(player, banker_two, dealt, ways)
            return
        for value in range(10):
            self.end(player, (banker_two + value) % 10, dealt + 1, ways * self.shoe[value])

    def end(self, player: int, banker: int, dealt: int, ways: int) -> int:
        """Count the end of a coup and return the six-card draws that it stands for."""
        for already_out in range(dealt, 6):
            ways *= self.cards_in_shoe - already_out
        if player > banker:
            winner = "player"
        elif player < banker:
            winner = "banker"
        else:
            winner = "tie"
        self.ends[winner, dealt] += ways
        if winner == "banker" and banker == 6:
            self.banker_six += ways
        return ways


@cache
def tally(decks: int) -> Tally:
    """Return the counts of a full shoe of so many decks, counted once."""
    counted = Tally(decks)
    counted.count_all()
    return counted


def counts(decks: int) -> dict[str, int]:
    """Return the ordered six-card draws of a full shoe: all of them, and those each hand wins."""
    ends = tally(decks).ends
    answer = {winner: sum(ends[winner, n] for n in (4, 5, 6)) for winner in ("banker", "player", "tie")}
    answer["total"] = sum(answer.values())
    return answer


def edge(decks: int, kind: str, banker_on_draw: str = "stand-off") -> Fraction:
    """Return what the house keeps, on average, of each unit staked; stand-offs count as staked."""
    n = counts(decks)
    if kind == "player":
        gain = Fraction(n["player"] - n["banker"])
    elif kind == "tie":
        gain = Fraction(8 * n["tie"] - n["banker"] - n["player"])
    elif kind == "banker":
        gain = Fraction(19, 20) * n["banker"] - n["player"]
        if banker_on_draw == "lost":
            gain -= n["tie"]
    else:
        raise ValueError(f"punto banco has no wager of kind {kind}")
    return -gain / n["total"]
