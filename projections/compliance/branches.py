"""The branches of regulation 6, as data: what a month of coups may exercise, with the paragraph of each.

Each cell of the truth tables (domain §3.2 and §3.3), what acceptance refuses, who holds the bank, what is on
offer. What a branch is seen by is either coups that settled so (`Settled`) or findings (`Refused`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from ledger.regulation.profiles import PROFILES
from ledger.terms.formats import FORMATS
from ledger.terms.wagers import Kind
from projections.story import words


@dataclass(frozen=True, slots=True)
class Settled:
    """Coups by which a branch is exercised. None: any.

    Attributes:
        what: a kind of wager, or `bank` or `offer`.
        results: of each opposing hand in play: W it beats the banker's, L it loses, D a draw.
        outcome: how wagers ended; or who held the bank; or whether `all` kinds were on offer, or `some`.
    """

    what: str
    outcome: str
    format: str | None = None
    profile: str | None = None
    results: str | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """Findings by which a branch is exercised."""

    code: str
    reason: str
    paragraph: str


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch of the regulation.

    Attributes:
        group: what it stands under in a report: a game (and its text, where texts differ), or a topic.
        text: what happens, in words.
    """

    group: str
    text: str
    paragraph: str
    seen_by: Settled | Refused

    @property
    def id(self) -> str:
        """Stable; for programs."""
        seen = self.seen_by
        parts = (
            (seen.code, seen.reason, seen.paragraph)
            if isinstance(seen, Refused)
            else (seen.format, seen.profile, seen.what, seen.results, seen.outcome)
        )
        return "/".join(part for part in parts if part)


Cells = Mapping[str, tuple[str, str]]
"""Results to how a wager ends, and by which paragraph."""

ONE_HAND: Cells = {"W": ("won", "6(3),(4)"), "L": ("lost", "6(4)"), "D": ("void", "6(4)(a)")}
"""A wager that one opposing hand will win, by that hand's result (domain §3.2)."""
BOTH_HANDS: Cells = {
    "WW": ("won", "6(3),(4)"),
    "WL": ("void", "6(4)(b)"),
    "WD": ("void", "6(4)(b)"),
    "LW": ("void", "6(4)(b)"),
    "LL": ("lost", "6(4)"),
    "LD": ("void", "6(4)(b)"),
    "DW": ("void", "6(4)(b)"),
    "DL": ("void", "6(4)(b)"),
    "DD": ("void", "6(4)(b)"),
}
"""A wager that both will win (domain §3.3)."""
BANKERS_HAND = (("W", "lost"), ("L", "won"), ("D", "lost"))
"""A wager that the banker's hand will win, by the paragraph of the text played under; see `STAND_OFF`."""
STAND_OFF = ("stand-off", "house rule (reg 2(2))")
"""What becomes of it on equal hands where the table's terms do not say lost (domain §3.4 A1)."""
EQUAL_HANDS = (("W", "lost"), ("L", "lost"), ("D", "won"))
"""A wager that the hands shall be equal, by the paragraph of the text played under."""

_RESULTS = {"W": "wins", "L": "loses", "D": "draws"}


def _cell(format: str, kind: Kind, results: str, end: tuple[str, str], profile: str | None = None) -> Branch:
    outcome, paragraph = end
    game = words.FORMATS[format]
    dealt = " and ".join(
        (f"hand {place} " if len(results) > 1 else "the hand ") + _RESULTS[result]
        for place, result in enumerate(results, start=1)
    )
    return Branch(
        group=f"{game} ({profile})" if profile else game,
        text=f"a wager that {words.KINDS[kind]}: {dealt}, {outcome}",
        paragraph=paragraph,
        seen_by=Settled(kind.value, outcome, format, profile, results),
    )


def _opposing_hands() -> Iterator[Branch]:
    """Wagers on the hands against the banker's, at every game."""
    for format in FORMATS.values():
        if format.opposing_hands == 1:
            for results, end in ONE_HAND.items():
                yield _cell(format.name, Kind.PLAYER, results, end)
            continue
        for kind, place in ((Kind.HAND_1, 0), (Kind.HAND_2, 1)):
            for results, end in ONE_HAND.items():  # only this hand in play
                yield _cell(format.name, kind, results, end)
            for results in BOTH_HANDS:
                yield _cell(format.name, kind, results, ONE_HAND[results[place]])
        for results, end in BOTH_HANDS.items():
            yield _cell(format.name, Kind.BOTH_HANDS, results, end)


def _of_6_7() -> Iterator[Branch]:
    """The wagers of 6(7), under each text."""
    for profile in PROFILES.values():
        for results, outcome in BANKERS_HAND:
            yield _cell("punto-banco", Kind.BANKER, results, (outcome, profile.banker), profile.id)
        yield _cell("punto-banco", Kind.BANKER, "D", STAND_OFF, profile.id)
        for results, outcome in EQUAL_HANDS:
            yield _cell("punto-banco", Kind.TIE, results, (outcome, profile.tie), profile.id)


_ACCEPTANCE, _BANK, _OFFER = "Wagers refused", "Who holds the bank", "What is on offer"
_NOT_TAKEN = (
    ("kind-not-available", "6(4)", "a wager on a hand that the game does not have"),
    ("kind-not-available", "6(7)(a)", "a banker or tie wager where a player holds the bank"),
    ("kind-not-available", "6(7)(b)", "a banker or tie wager against two opposing hands"),
    ("kind-not-available", "6(7)(c)", "a banker or tie wager where somebody has an option on a third card"),
    ("wager-by-the-banker", "6(3)", "a wager that the banker makes with himself"),
    ("bank-exceeded", "6(3)", "a stake that the bank does not cover"),
    ("not-payable-exactly", "terms.rounding", "a stake whose winnings do not come out in payable units"),
    ("under-minimum", "terms.limits", "a stake under the smallest"),
    ("over-maximum", "terms.limits", "a stake over the largest"),
    ("kind-not-on-offer", "terms.offer", "a kind that the table had not on offer"),
    ("wagers-closed", "2(2)", "a wager after the close"),
)
_BANK_REFUSED = (
    ("bank-may-not-stand", "6(5)(a)", "a player asks for a bank that the house must hold"),
    ("bank-may-not-stand", "6(6)", "the house asks for a bank that a player must hold"),
    ("interest-not-allowed", "6(5)(b)", "another than the house has an interest in its bank: no coup opens"),
    ("interest-not-allowed", "6(6)", "the house has an interest in a player's bank: no coup opens"),
    ("bank-must-pass", "6(6)", "a losing banker would keep the bank"),
)
_OFFER_REFUSED = (
    ("6(4)", "a kind on a hand that the game does not have is not put on offer"),
    ("6(7)(a)", "banker or tie wagers are not put on offer where a player holds the bank"),
    ("6(7)(c)", "banker or tie wagers are not put on offer where somebody has an option"),
)


def _refusals() -> Iterator[Branch]:
    for reason, paragraph, text in _NOT_TAKEN:
        yield Branch(_ACCEPTANCE, text, paragraph, Refused("wager-refused", reason, paragraph))
    for reason, paragraph, text in _BANK_REFUSED:
        yield Branch(_BANK, text, paragraph, Refused("command-refused", reason, paragraph))
    for paragraph, text in _OFFER_REFUSED:
        yield Branch(_OFFER, text, paragraph, Refused("command-refused", "kind-not-available", paragraph))


_BANK_AND_OFFER = (
    Branch(_BANK, "the house held the bank", "6(5)(a)", Settled("bank", "house")),
    Branch(_BANK, "a player held the bank", "6(6)", Settled("bank", "player")),
    Branch(
        _BANK, "a banker lost and had to give up the bank", "6(6)", Settled("bank", "player", results="W")
    ),
    Branch(_OFFER, "a coup opened with every kind on offer", "6(8)", Settled("offer", "all")),
    Branch(_OFFER, "a coup opened with a kind missing from the offer", "6(8)", Settled("offer", "some")),
)

BRANCHES: tuple[Branch, ...] = tuple(chain(_opposing_hands(), _of_6_7(), _refusals(), _BANK_AND_OFFER))
"""Every branch, once."""
