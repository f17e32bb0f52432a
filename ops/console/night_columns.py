"""The columns of a night's tables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from ops.console.listing import Shown, Shows


def without(columns: Sequence[Shown], hidden: Collection[str]) -> list[Shown]:
    """The columns that are not hidden."""
    return [column for column in columns if column.name not in hidden]


def COUPS(to_coup: Callable[[Any], str | None]) -> tuple[Shown, ...]:  # noqa: N802 – as its neighbours are
    """Coup by coup; `to_coup` says where one is told."""
    return (
        Shown("number", "Coup", Shows.NUMBER, link=to_coup),
        Shown("shoe", "Shoe"),
        Shown("dealt_at", "Dealt", Shows.CLOCK),
        Shown("shift", "Shift"),
        Shown("state", "State", Shows.MARK),
        Shown("result", "Result"),
        Shown("bank", "Bank"),
        Shown("wagers", "Wagers", Shows.NUMBER),
        Shown("stakes", "Stakes", Shows.MONEY),
        Shown("win", "Bank’s win", Shows.WIN),
        Shown("expected", "Expected", Shows.WIN),
    )


SO_FAR = (
    Shown("nth", "Coups", Shows.NUMBER),
    Shown("shoe", "Shoe"),
    Shown("number", "Coup", Shows.NUMBER),
    Shown("win", "Win so far", Shows.WIN),
    Shown("expected", "Expected", Shows.WIN),
    Shown("deviation", "Standard deviation", Shows.MONEY),
)
KINDS = (
    Shown("kind", "Kind"),
    Shown("tender", "Chips"),
    Shown("wagers", "Wagers", Shows.NUMBER),
    Shown("handle", "Handle", Shows.MONEY),
    Shown("lost", "Stakes lost", Shows.MONEY),
    Shown("paid", "Winnings paid", Shows.MONEY),
    Shown("back", "Handed back", Shows.MONEY),
    Shown("win", "Bank’s win", Shows.WIN),
    Shown("expected", "Expected", Shows.WIN),
    Shown("win_share", "Win of handle", Shows.SHARE),
)
SHIFTS = (
    Shown("shift", "Shift"),
    Shown("coups", "Coups", Shows.NUMBER),
    Shown("voided", "Void", Shows.NUMBER),
    Shown("held", "Held", Shows.NUMBER),
    Shown("wagers", "Wagers", Shows.NUMBER),
    Shown("handle", "Handle", Shows.MONEY),
    Shown("win", "House’s win", Shows.WIN),
    Shown("banker_win", "Players’ banks’ win", Shows.WIN),
    Shown("theoretical_win", "Expected", Shows.WIN),
    Shown("void_stakes", "Void stakes", Shows.MONEY),
    Shown("stand_off_stakes", "Stood off", Shows.MONEY),
    Shown("drop", "Drop", Shows.MONEY),
    Shown("hold", "Hold", Shows.SHARE),
)
CAGE = (
    Shown("shift", "Shift"),
    Shown("opener", "Opener", Shows.MONEY),
    Shown("fills", "Fills", Shows.MONEY),
    Shown("credits", "Credits", Shows.MONEY),
    Shown("closer", "Closer", Shows.MONEY),
    Shown("drop", "Drop", Shows.MONEY),
    Shown("charges", "Charges", Shows.MONEY),
    Shown("win_by_inventory", "Win by inventory", Shows.WIN),
)
MOVES = (
    Shown("at", "Time", Shows.CLOCK),
    Shown("what", "What"),
    Shown("slip", "Slip"),
    Shown("shift", "Shift"),
    Shown("amount", "Amount", Shows.MONEY),
    Shown("signed_by", "Signed by"),
    Shown("note", "Note"),
)
BANK = (
    Shown("since", "From", Shows.CLOCK),
    Shown("until", "Until", Shows.CLOCK),
    Shown("holder", "Holder"),
    Shown("capacity", "Capacity"),
    Shown("paragraph", "Under", Shows.PARAGRAPH),
    Shown("seat", "Seat", Shows.NUMBER),
    Shown("put_up", "Put up", Shows.MONEY),
    Shown("coups", "Coups", Shows.NUMBER),
    Shown("won", "Won", Shows.WIN),
    Shown("lost", "Lost, must pass", Shows.PARAGRAPH),
    Shown("taken_away", "Taken away", Shows.MONEY),
    Shown("ending", "Then"),
)
INTERESTS = (
    Shown("declared", "Declared", Shows.CLOCK),
    Shown("withdrawn", "Withdrawn", Shows.CLOCK),
    Shown("person", "Who"),
    Shown("capacity", "Capacity"),
    Shown("bars", "The bank may not stand with it", Shows.PARAGRAPH),
    Shown("detail", "What"),
)
