"""Which kinds of wager may be taken: paragraphs 6(3), 6(4), 6(7), and 6(8) which asks for all of them."""

from __future__ import annotations

from ledger.terms.formats import Format
from ledger.terms.house import BankedBy
from ledger.terms.wagers import HANDS_OF_KIND, Kind


def kind_barred_by(kind: Kind, format: Format, banked_by: BankedBy, hands_in_play: int) -> str | None:
    """The paragraph that bars a kind of wager, or None when it may be taken.

    6(4): a wager is that the opposing hand will win or, with two, a specific one or both of them.
    6(7): the banker may take wagers on his own hand and on equal hands only where (a) the house holds the
    bank, (b) there is one opposing hand and (c) nobody has an option as to a third card.

    Args:
        hands_in_play: the opposing hands dealt, or to be dealt, in this coup (1 or 2).
    """
    if hands := HANDS_OF_KIND.get(kind):
        return None if all(hand in format.hand_names for hand in hands) else "6(4)"
    if banked_by is not BankedBy.HOUSE:
        return "6(7)(a)"
    if hands_in_play != 1:
        return "6(7)(b)"
    if format.drawing_option:
        return "6(7)(c)"
    return None


def kind_barred_from_offer(kind: Kind, format: Format, banked_by: BankedBy) -> str | None:
    """The paragraph that bars a kind from every coup of a table; None when some coup may take it.

    With two opposing hands one may be out of play, and whether it is shows only when wagers close. What is on
    offer is judged by the reading that allows most, one hand in play (6(7)(b)); each wager, when it is made,
    by its own coup. So at baccarat banque it is 6(7)(c) that keeps banker and tie wagers from every coup.
    """
    return kind_barred_by(kind, format, banked_by, 1)


def kinds_allowed(format: Format, banked_by: BankedBy) -> tuple[Kind, ...]:
    """Every kind that the version and the bank allow: what 6(8) makes the house offer."""
    return tuple(
        kind for kind in Kind if kind_barred_by(kind, format, banked_by, format.opposing_hands) is None
    )
