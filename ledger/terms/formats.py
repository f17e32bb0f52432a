"""Formats: the versions of baccarat, as the facts that the regulation asks about.

Which wagers may be taken and who may hold the bank follow from three facts; a named format is a preset of
them (domain §3.1). Another version is another row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ledger.errors import HandMissing, HandUnknown, NotBaccarat, UnknownFormat
from ledger.terms.hands import BANKER, HAND_1, HAND_2, PLAYER


@dataclass(frozen=True, slots=True)
class Format:
    """A version of baccarat.

    Attributes:
        opposing_hands: how many hands are played against the banker's (6(1): one or two).
        drawing_option: whether anybody may choose whether a third card is added to a hand (6(7)(c)).
        loser_gives_up_bank: whether the rules make the banker give up the bank at once when an opposing
            hand wins (6(5), 6(6)).
    """

    name: str
    opposing_hands: int
    drawing_option: bool
    loser_gives_up_bank: bool

    hand_names: tuple[str, ...] = field(init=False)
    """The opposing hands, in the order in which they are dealt."""

    def __post_init__(self) -> None:
        names = (PLAYER,) if self.opposing_hands == 1 else (HAND_1, HAND_2)
        object.__setattr__(self, "hand_names", names)  # once, as the value is made


FORMATS: Mapping[str, Format] = {
    format.name: format
    for format in (
        Format("punto-banco", opposing_hands=1, drawing_option=False, loser_gives_up_bank=False),
        Format("chemin-de-fer", opposing_hands=1, drawing_option=True, loser_gives_up_bank=True),
        Format("baccarat-banque", opposing_hands=2, drawing_option=True, loser_gives_up_bank=False),
        # Versions that domain §3.1 tells apart from those three: the house must hold these banks.
        Format("chemin-de-fer-kept-bank", opposing_hands=1, drawing_option=True, loser_gives_up_bank=False),
        Format("single-hand-with-option", opposing_hands=1, drawing_option=True, loser_gives_up_bank=False),
    )
}


def format_named(name: str) -> Format:
    """The preset called `name`.

    Raises:
        UnknownFormat: there is none.
    """
    try:
        return FORMATS[name]
    except KeyError:
        raise UnknownFormat(name[:40], ", ".join(FORMATS)) from None


def check_hands(format: Format, names: Mapping[str, object]) -> None:
    """That the hands dealt are those of the format: the banker's and at least the first opposing hand.

    With two opposing hands one may be out of play (nobody staked there).

    Raises:
        NotBaccarat: three opposing hands or more (6(1)).
        HandUnknown: a hand that the format does not have.
        HandMissing: the banker's hand, or every opposing hand, is missing.
    """
    opposing = [name for name in names if name != BANKER]
    if len(opposing) > 2:
        raise NotBaccarat(len(opposing))
    for name in opposing:
        if name not in format.hand_names:
            raise HandUnknown(name[:40], format.name)
    if BANKER not in names:
        raise HandMissing(BANKER, format.name)
    if not opposing:
        raise HandMissing(" or ".join(format.hand_names), format.name)
