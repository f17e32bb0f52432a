"""Whoever was let in a moment ago need not be looked up again, which costs as much as a coup does."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Lock

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
        self._lock = Lock()
        self._since: OrderedDict[bytes, tuple[Principal, datetime]] = OrderedDict()
        self._turns = 0

    def find(self, credential: str) -> Principal | None:
        """Who came with this credential less than a second ago, if anybody did."""
        found = self._since.get(_digest(credential))
        if found is None:
            return None
        principal, since = found
        return principal if timedelta(0) <= self._clock() - since < TRUSTED_FOR else None

    def authenticate(self, credential: str, look_up: Callable[[], Principal]) -> Principal:
        """Look somebody up, and remember who it was. Raises: what `look_up` does."""
        turn, since = self._turns, self._clock()
        principal = look_up()
        with self._lock:
            if turn == self._turns:  # else what was looked up may have been before somebody was cut off
                self._since[_digest(credential)] = principal, since
                self._since.move_to_end(_digest(credential))
                if len(self._since) > CREDENTIALS_MAX:
                    self._since.popitem(last=False)
        return principal

    def forget(self) -> None:
        """Look everybody up again."""
        with self._lock:
            self._turns += 1
            self._since.clear()


def _digest(credential: str) -> bytes:
    return hashlib.sha256(credential.encode()).digest()
