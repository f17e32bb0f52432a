"""Who may read which events: a table by topic. What is not in it is for nobody.

Events are given whole or not at all. A token masked inside an event would make other bytes of it, which
nobody could prove against the seal, so an event with what a role may not see is withheld, and that it was
withheld is told. Cage and accounting do not see who staked what: the events with their figures stand alone
(`coup-settled` has the totals by kind). Two tokens belong to those figures and stay in them: the holder of a
bank, and whoever paid a charge.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ledger.terms.access import Role

_ALL = frozenset({Role.PIT, Role.CAGE, Role.ACCOUNTING, Role.COMPLIANCE, Role.AUDITOR})
_TOKENS = frozenset({Role.PIT, Role.COMPLIANCE, Role.AUDITOR})
"""Who may see who staked what, sits where, holds a bank or disputes a coup."""
_DAY = _ALL - {Role.PIT}
_OVERSIGHT = frozenset({Role.COMPLIANCE, Role.AUDITOR})

READERS: Mapping[str, frozenset[Role]] = {
    "table-opened.v1": _ALL,
    "shift-changed.v1": _ALL,
    "shoe-started.v1": _ALL,
    "shoe-ended.v1": _ALL,
    "offer-changed.v1": _ALL,
    "table-closed.v1": _ALL,
    "chips-filled.v1": _ALL,
    "chips-credited.v1": _ALL,
    "slip-voided.v1": _ALL,
    "float-counted.v1": _ALL,
    "drop-counted.v1": _DAY,  # the pit does not learn what is in its boxes
    "table-charge-taken.v1": _ALL,
    "table-listed.v1": _ALL,
    "count-recorded.v1": _DAY,
    "day-reconciled.v1": _DAY,
    "day-sealed.v1": _ALL,
    "adjustment-booked.v1": _DAY,
    "coup-settled.v1": _ALL,
    "coup-corrected.v1": _ALL,
    "coup-voided.v1": _ALL,
    "bank-taken.v1": _TOKENS,
    "bank-passed.v1": _TOKENS,
    "bank-retired.v1": _TOKENS,
    "interest-declared.v1": _OVERSIGHT | {Role.PIT},
    "interest-withdrawn.v1": _OVERSIGHT | {Role.PIT},
    "bank-committed.v1": _TOKENS,
    "bank-settled.v1": _TOKENS,
    "player-seated.v1": _TOKENS,
    "player-left.v1": _TOKENS,
    "cards-seen.v1": _TOKENS,
    "cards-reread.v1": _TOKENS,
    "coup-opened.v1": _TOKENS,
    "banco-called.v1": _TOKENS,
    "wagers-placed.v1": _TOKENS,
    "wager-refused.v1": _TOKENS,
    "wagers-cancelled.v1": _TOKENS,
    "wagers-closed.v1": _TOKENS,
    "hands-dealt.v1": _TOKENS,
    "irregularity-found.v1": _TOKENS,
    "hands-corrected.v1": _TOKENS,
    "wagers-settled.v1": _TOKENS,
    "wagers-reversed.v1": _TOKENS,
    "dispute-raised.v1": _TOKENS,
    "dispute-resolved.v1": _TOKENS,
    "command-recorded.v1": _TOKENS,
    "key-issued.v1": _OVERSIGHT | {Role.ADMIN},
    "key-revoked.v1": _OVERSIGHT | {Role.ADMIN},
}
"""Each topic, and the roles that may read its events."""


EVERYWHERE = "*"
"""In place of a premises: all of them, and the events that are of none."""


class Reader(NamedTuple):
    """Who reads.

    Attributes:
        name: of the person or system; what named consumers belong to.
        roles: by premises, or `EVERYWHERE`.
    """

    name: str
    roles: Mapping[str, frozenset[Role]]

    def topics(self) -> frozenset[str]:
        """The topics that this reader may read somewhere."""
        held = frozenset().union(*self.roles.values())
        return frozenset(topic for topic, roles in READERS.items() if roles & held)

    def may_read(self, topic: str, premises: str | None) -> bool:
        """Whether events of this topic are for this reader that happened there; None: at no premises."""
        held = self.roles.get(EVERYWHERE, frozenset()) | self.roles.get(premises or "", frozenset())
        return not held.isdisjoint(READERS.get(topic, frozenset()))

    def reads_everywhere(self) -> frozenset[str]:
        """The topics that this reader may read wherever it was."""
        return frozenset(topic for topic in READERS if self.may_read(topic, None))

    def has(self, roles: frozenset[Role]) -> bool:
        """Whether one of these roles is held somewhere."""
        return any(roles & held for held in self.roles.values())
