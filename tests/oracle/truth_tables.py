"""The settlement truth table, every cell typed in by hand.

A settlement cell reads: format, kind, results of the opposing hands (W beats the banker, L is beaten,
D draw), the table's ``banker_on_draw``, outcome, paragraph, odds. An availability cell reads: format,
number of opposing hands in play, kind, may it be had, paragraph, odds.
"""

from __future__ import annotations

from typing import TypeAlias

SettlementCell: TypeAlias = tuple[str, str, tuple[str, ...], str, str, str, str]
AvailabilityCell: TypeAlias = tuple[str, int, str, bool, str, str | None]

# Two-card hands that need no third card, with the banker's hand at seven: one for each result.
BANKER_HAND = "10 7"
OPPOSING_HAND = {"W": "9 K", "L": "2 4", "D": "J 7"}

# Who may be offered what. Three or more opposing hands are not baccarat at all, 6(1), and have no format.
# Banque with one hand in play is the variant with one hand and a drawing option.
AVAILABILITY: list[AvailabilityCell] = [
    ("punto-banco", 1, "player", True, "6(3),(4)", "1/1"),
    ("punto-banco", 1, "banker", True, "6(7)(i)", "19/20"),
    ("punto-banco", 1, "tie", True, "6(7)(ii)", "8/1"),
    ("punto-banco", 1, "hand-1", False, "6(4)", None),
    ("punto-banco", 1, "hand-2", False, "6(4)", None),
    ("punto-banco", 1, "both-hands", False, "6(4)", None),
    ("chemin-de-fer", 1, "player", True, "6(3),(4)", "1/1"),
    ("chemin-de-fer", 1, "banker", False, "6(7)(a)", None),
    ("chemin-de-fer", 1, "tie", False, "6(7)(a)", None),
    ("chemin-de-fer", 1, "hand-1", False, "6(4)", None),
    ("chemin-de-fer", 1, "hand-2", False, "6(4)", None),
    ("chemin-de-fer", 1, "both-hands", False, "6(4)", None),
    ("baccarat-banque", 2, "hand-1", True, "6(3),(4)", "1/1"),
    ("baccarat-banque", 2, "hand-2", True, "6(3),(4)", "1/1"),
    ("baccarat-banque", 2, "both-hands", True, "6(3),(4)", "1/1"),
    ("baccarat-banque", 2, "player", False, "6(4)", None),
    ("baccarat-banque", 2, "banker", False, "6(7)(b)", None),
    ("baccarat-banque", 2, "tie", False, "6(7)(b)", None),
    ("baccarat-banque", 1, "hand-1", True, "6(3),(4)", "1/1"),
    ("baccarat-banque", 1, "player", False, "6(4)", None),
    ("baccarat-banque", 1, "banker", False, "6(7)(c)", None),
    ("baccarat-banque", 1, "tie", False, "6(7)(c)", None),
]

# One opposing hand, under the text of 1994.
ONE_OPPOSING_HAND: list[SettlementCell] = [
    ("punto-banco", "player", ("W",), "stand-off", "won", "6(3),(4)", "1/1"),
    ("punto-banco", "player", ("L",), "stand-off", "lost", "6(4)", "1/1"),
    ("punto-banco", "player", ("D",), "stand-off", "void", "6(4)(a)", "1/1"),
    ("punto-banco", "player", ("W",), "lost", "won", "6(3),(4)", "1/1"),
    ("punto-banco", "player", ("L",), "lost", "lost", "6(4)", "1/1"),
    ("punto-banco", "player", ("D",), "lost", "void", "6(4)(a)", "1/1"),
    ("punto-banco", "banker", ("W",), "stand-off", "lost", "6(7)(i)", "19/20"),
    ("punto-banco", "banker", ("L",), "stand-off", "won", "6(7)(i)", "19/20"),
    ("punto-banco", "banker", ("D",), "stand-off", "stand-off", "house rule (reg 2(2))", "19/20"),
    ("punto-banco", "banker", ("W",), "lost", "lost", "6(7)(i)", "19/20"),
    ("punto-banco", "banker", ("L",), "lost", "won", "6(7)(i)", "19/20"),
    ("punto-banco", "banker", ("D",), "lost", "lost", "6(7)(i)", "19/20"),
    ("punto-banco", "tie", ("W",), "stand-off", "lost", "6(7)(ii)", "8/1"),
    ("punto-banco", "tie", ("L",), "stand-off", "lost", "6(7)(ii)", "8/1"),
    ("punto-banco", "tie", ("D",), "stand-off", "won", "6(7)(ii)", "8/1"),
    ("punto-banco", "tie", ("W",), "lost", "lost", "6(7)(ii)", "8/1"),
    ("punto-banco", "tie", ("L",), "lost", "lost", "6(7)(ii)", "8/1"),
    ("punto-banco", "tie", ("D",), "lost", "won", "6(7)(ii)", "8/1"),
    ("chemin-de-fer", "player", ("W",), "stand-off", "won", "6(3),(4)", "1/1"),
    ("chemin-de-fer", "player", ("L",), "stand-off", "lost", "6(4)", "1/1"),
    ("chemin-de-fer", "player", ("D",), "stand-off", "void", "6(4)(a)", "1/1"),
    ("baccarat-banque", "hand-1", ("W",), "stand-off", "won", "6(3),(4)", "1/1"),
    ("baccarat-banque", "hand-1", ("L",), "stand-off", "lost", "6(4)", "1/1"),
    ("baccarat-banque", "hand-1", ("D",), "stand-off", "void", "6(4)(a)", "1/1"),
]

# The same cells where the text of 2000 is cited otherwise; the rest is cited as in 1994.
ONE_OPPOSING_HAND_7A: list[SettlementCell] = [
    ("punto-banco", "player", ("W",), "stand-off", "won", "6(3),(4)", "1/1"),
    ("punto-banco", "player", ("L",), "stand-off", "lost", "6(4)", "1/1"),
    ("punto-banco", "player", ("D",), "stand-off", "void", "6(4)(a)", "1/1"),
    ("punto-banco", "banker", ("W",), "stand-off", "lost", "6(7A)(a)", "19/20"),
    ("punto-banco", "banker", ("L",), "stand-off", "won", "6(7A)(a)", "19/20"),
    ("punto-banco", "banker", ("D",), "stand-off", "stand-off", "house rule (reg 2(2))", "19/20"),
    ("punto-banco", "banker", ("W",), "lost", "lost", "6(7A)(a)", "19/20"),
    ("punto-banco", "banker", ("L",), "lost", "won", "6(7A)(a)", "19/20"),
    ("punto-banco", "banker", ("D",), "lost", "lost", "6(7A)(a)", "19/20"),
    ("punto-banco", "tie", ("W",), "stand-off", "lost", "6(7A)(b)", "8/1"),
    ("punto-banco", "tie", ("L",), "stand-off", "lost", "6(7A)(b)", "8/1"),
    ("punto-banco", "tie", ("D",), "stand-off", "won", "6(7A)(b)", "8/1"),
]

# Two opposing hands: all nine results, the three kinds of wager.
TWO_OPPOSING_HANDS: list[SettlementCell] = [
    ("baccarat-banque", "hand-1", ("W", "W"), "stand-off", "won", "6(3),(4)", "1/1"),
    ("baccarat-banque", "hand-2", ("W", "W"), "stand-off", "won", "6(3),(4)", "1/1"),
    ("baccarat-banque", "both-hands", ("W", "W"), "stand-off", "won", "6(3),(4)", "1/1"),
    ("baccarat-banque", "hand-1", ("W", "L"), "stand-off", "won", "6(3),(4)", "1/1"),
    ("baccarat-banque", "hand-2", ("W", "L"), "stand-off", "lost", "6(4)", "1/1"),
    ("baccarat-banque", "both-hands", ("W", "L"), "stand-off", "void", "6(4)(b)", "1/1"),
    ("baccarat-banque", "hand-1", ("W", "D"), "stand-off", "won", "6(3),(4)", "1/1"),
    ("baccarat-banque", "hand-2", ("W", "D"), "stand-off", "void", "6(4)(a)", "1/1"),
    ("baccarat-banque", "both-hands", ("W", "D"), "stand-off", "void", "6(4)(b)", "1/1"),
    ("baccarat-banque", "hand-1", ("L", "W"), "stand-off", "lost", "6(4)", "1/1"),
    ("baccarat-banque", "hand-2", ("L", "W"), "stand-off", "won", "6(3),(4)", "1/1"),
    ("baccarat-banque", "both-hands", ("L", "W"), "stand-off", "void", "6(4)(b)", "1/1"),
    ("baccarat-banque", "hand-1", ("L", "L"), "stand-off", "lost", "6(4)", "1/1"),
    ("baccarat-banque", "hand-2", ("L", "L"), "stand-off", "lost", "6(4)", "1/1"),
    ("baccarat-banque", "both-hands", ("L", "L"), "stand-off", "lost", "6(4)", "1/1"),
    ("baccarat-banque", "hand-1", ("L", "D"), "stand-off", "lost", "6(4)", "1/1"),
    ("baccarat-banque", "hand-2", ("L", "D"), "stand-off", "void", "6(4)(a)", "1/1"),
    ("baccarat-banque", "both-hands", ("L", "D"), "stand-off", "void", "6(4)(b)", "1/1"),
    ("baccarat-banque", "hand-1", ("D", "W"), "stand-off", "void", "6(4)(a)", "1/1"),
    ("baccarat-banque", "hand-2", ("D", "W"), "stand-off", "won", "6(3),(4)", "1/1"),
    ("baccarat-banque", "both-hands", ("D", "W"), "stand-off", "void", "6(4)(b)", "1/1"),
    ("baccarat-banque", "hand-1", ("D", "L"), "stand-off", "void", "6(4)(a)", "1/1"),
    ("baccarat-banque", "hand-2", ("D", "L"), "stand-off", "lost", "6(4)", "1/1"),
    ("baccarat-banque", "both-hands", ("D", "L"), "stand-off", "void", "6(4)(b)", "1/1"),
    ("baccarat-banque", "hand-1", ("D", "D"), "stand-off", "void", "6(4)(a)", "1/1"),
    ("baccarat-banque", "hand-2", ("D", "D"), "stand-off", "void", "6(4)(a)", "1/1"),
    ("baccarat-banque", "both-hands", ("D", "D"), "stand-off", "void", "6(4)(b)", "1/1"),
]
