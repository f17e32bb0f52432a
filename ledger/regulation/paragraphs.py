"""What the paragraphs cited in the record say, in a sentence each.

Regulation 6 of SI 1994/2899 is quoted to the letter, with ` … ` where words are left out. Its amendment by
SI 2000/597, regulation 2(2) and the terms of a table are told in words of our own, and so not as quotations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """A sentence, and whether it is the law's own."""

    text: str
    quoted: bool = True


def _told(text: str) -> Words:
    return Words(text, quoted=False)


_EVENS = "shall be payable, if the wager is won, at odds of 1 to 1"
_VOID = "it will be treated as void if the game should result,—"

PARAGRAPHS: Mapping[str, Words] = {
    "6(3)": Words(f"Any wager in relation to the game shall be made with the banker and … {_EVENS}"),
    "6(3),(4)": Words(f"{_EVENS}. … a wager that the opposing hand … will win the game"),
    "6(4)": Words(
        "Any wager in relation to the game shall … be a wager that the opposing hand (or, in the case of a "
        "game against two opposing hands, a specific one or both of them) will win the game"
    ),
    "6(4)(a)": Words(
        f"{_VOID} (a) in the case of a wager that one hand will win, in a draw between the banker’s hand and "
        "that hand"
    ),
    "6(4)(b)": Words(
        f"{_VOID} … (b) in the case of a wager that two hands will win, in a draw between the banker’s hand "
        "and one or both of those hands or in the banker’s hand winning against one of those hands and "
        "losing against the other"
    ),
    "6(5)(a)": Words(
        "the bank shall be held by the holder of the licence, or by a person acting on his behalf in "
        "pursuance of a contract of service"
    ),
    "6(5)(b)": Words(
        "no person other than the holder of the licence shall have any share or interest in the bank"
    ),
    "6(6)": Words(
        "neither the holder of the licence nor any person acting on his behalf shall hold the bank or have a "
        "share or interest in it"
    ),
    "6(7)(a)": Words("Where in any game— (a) the bank is held as mentioned in paragraph (5)(a) above"),
    "6(7)(b)": Words("Where in any game— … (b) there is only one opposing hand in the game"),
    "6(7)(c)": Words(
        "Where in any game— … (c) the rules of the game are such that no person has an option in any "
        "circumstances as to whether or not a third card should be added to either hand in the game"
    ),
    "6(7)(i)": Words(
        "a wager (payable, if won, at odds of 19 to 20) that the banker’s hand will win the game"
    ),
    "6(7)(ii)": Words(
        "a wager (payable, if won, at odds of 8 to 1) that the banker’s hand and the player’s hand shall be "
        "equal at the end of the game"
    ),
    "6(8)": Words(
        "The holder of the licence shall make available to players all the kinds of wagers referred to in "
        "this regulation"
    ),
    "6(7A)(a)": _told(
        "As amended by SI 2000/597: a wager that the banker's hand will win, payable at odds of 19 to 20."
    ),
    "6(7A)(b)": _told(
        "As amended by SI 2000/597: a wager that the hands are equal, payable at odds of 8 to 1."
    ),
    "2(2)": _told("No wager has to be accepted, and a wager may be cancelled by mutual consent."),
    "house rule (reg 2(2))": _told(
        "On equal hands a wager that the banker's hand will win neither wins nor loses: a rule of this "
        "house, as wagers may be cancelled by mutual consent under regulation 2(2)."
    ),
    "terms.rounding": _told(
        "The terms of this table refuse a stake whose winnings could not be paid exactly at the odds."
    ),
    "terms.limits": _told("The terms of this table set the smallest and the largest stake."),
    "terms.offer": _told("The table had said which kinds of wagers were on offer."),
}
"""By the paragraph as lines and refusals cite it."""
