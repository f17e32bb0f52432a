"""Rule profiles: which text a coup settles under, with its dates, odds and paragraphs.

A profile is data. The money of the two profiles is the same; the paragraphs they cite are not.
Paragraph (7B) of SI 2000/597 is left out: its text could not be had (domain §1.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from ledger.errors import ProfileNotImplemented, UnknownProfile
from ledger.terms.odds import Odds
from ledger.terms.value import Word
from ledger.terms.wagers import Kind

ACT_LAPSED = date(2007, 9, 1)
"""The Gambling Act 2005's regime: from here on a table plays under house rules modelled on a profile."""


class Authority(Word):
    """By what authority a profile's rules govern a coup."""

    REGULATION = "regulation"
    HOUSE_RULES = "house-rules"
    """House rules modelled on the profile: the regulation itself has lapsed."""


EVENS = Odds(1, 1)
OPPOSING_HAND_ODDS: Mapping[Kind, Odds] = dict.fromkeys(
    (Kind.PLAYER, Kind.HAND_1, Kind.HAND_2, Kind.BOTH_HANDS), EVENS
)


@dataclass(frozen=True, slots=True, eq=False)  # one object a profile, so identity will do
class Profile:
    """A dated text of regulation 6.

    Attributes:
        first, last: the gaming days it was in force, both included.
        odds: what each kind is payable at, if won: 6(3), 6(7).
        banker: the paragraph for a wager that the banker's hand will win.
        tie: the paragraph for a wager that the hands shall be equal.
    """

    id: str
    title: str
    first: date
    last: date
    odds: Mapping[Kind, Odds]
    banker: str
    tie: str

    def authority_on(self, gaming_day: date) -> Authority | None:
        """By what authority this profile governs `gaming_day`; None when it could not be played then."""
        if self.first <= gaming_day <= self.last:
            return Authority.REGULATION
        return Authority.HOUSE_RULES if gaming_day >= ACT_LAPSED else None


_ODDS_OF_1994 = {**OPPOSING_HAND_ODDS, Kind.BANKER: Odds(19, 20), Kind.TIE: Odds(8, 1)}

SI_1994 = Profile(
    id="si-1994-2899",
    title="Gaming Clubs (Bankers' Games) Regulations 1994, regulation 6 as made",
    first=date(1995, 1, 1),
    last=date(2000, 3, 31),
    odds=_ODDS_OF_1994,
    banker="6(7)(i)",
    tie="6(7)(ii)",
)
SI_2000_7A = Profile(
    id="si-2000-597-7a",
    title="Regulation 6 as amended by SI 2000/597, wagers of paragraph (7A)",
    first=date(2000, 4, 1),
    last=date(2007, 8, 31),
    odds=_ODDS_OF_1994,
    banker="6(7A)(a)",
    tie="6(7A)(b)",
)

PROFILES: Mapping[str, Profile] = {profile.id: profile for profile in (SI_1994, SI_2000_7A)}
DEFAULT_PROFILE = SI_1994.id
NOT_IMPLEMENTED = frozenset({"si-2000-597-7b"})


def profile_named(profile_id: str) -> Profile:
    """The profile with this id.

    Raises:
        ProfileNotImplemented: it is known that there was such a text, but not what it said.
        UnknownProfile: there is none.
    """
    try:
        return PROFILES[profile_id]
    except KeyError:
        if profile_id in NOT_IMPLEMENTED:
            raise ProfileNotImplemented(profile_id) from None
        raise UnknownProfile(profile_id[:40], ", ".join(PROFILES)) from None
