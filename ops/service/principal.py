"""Who is asking."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from ledger.terms.access import Role


class Principal(NamedTuple):
    """An authenticated person or system.

    Attributes:
        person: the actor of what is done.
        credential: what it was authenticated by, for limits and the log; no secret.
        roles: by premises.
    """

    person: str
    credential: str
    roles: Mapping[str, frozenset[Role]]

    def may(self, wanted: Collection[Role], premises: str) -> bool:
        """Whether one of these roles is held there."""
        return not self.roles.get(premises, frozenset()).isdisjoint(wanted)

    def premises_with(self, wanted: Collection[Role]) -> list[str]:
        """Where one of these roles is held."""
        return sorted(premises for premises in self.roles if self.may(wanted, premises))
