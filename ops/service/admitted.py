"""Whoever was let in a moment ago need not be looked up again, which costs as much as a coup does."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime, timedelta

from ledger.recent import Recent
from ops.service.principal import Principal

TRUSTED_FOR = timedelta(seconds=1)
"""So long a key may still open after it has expired or another process has revoked it."""
CREDENTIALS_MAX = 10_000


class Admitted:
    """Who was authenticated by what, of late.

    It has SHA-256 digests of credentials and no credential: how long a search for one takes says something of
    digests alone, which nobody can choose.

    Args:
        clock: aware UTC.
    """

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._since: Recent[tuple[Principal, datetime]] = Recent(CREDENTIALS_MAX)

    def find(self, credential: str) -> Principal | None:
        """Who came with this credential less than a second ago, if anybody did."""
        found = self._since.get(_digest(credential))
        if found is None:
            return None
        principal, since = found
        return principal if timedelta(0) <= self._clock() - since < TRUSTED_FOR else None

    def authenticate(self, credential: str, look_up: Callable[[], Principal]) -> Principal:
        """Look somebody up, and remember who it was. Raises: what `look_up` does."""
        known, since = self._since, self._clock()
        principal = look_up()
        # into what was there before: if somebody was cut off meanwhile, nobody looks into that any more
        known.put(_digest(credential), (principal, since))
        return principal

    def forget(self) -> None:
        """Look everybody up again."""
        self._since = Recent(CREDENTIALS_MAX)


def _digest(credential: str) -> str:
    return hashlib.sha256(credential.encode()).hexdigest()
