"""How long to wait before trying again, and when to stop trying."""

from __future__ import annotations

from time import monotonic

from ledger.errors import RelayUnreachable

FIRST_SECONDS = 0.1
LONGEST_SECONDS = 10.0


class Patience:
    """Waits twice as long each time, up to `LONGEST_SECONDS`, until something has gone well."""

    def __init__(self, servers: str, give_up_seconds: float | None) -> None:
        """Nothing has been tried.

        Args:
            servers: how they are called when they are given up.
            give_up_seconds: after so many seconds without anything gone well; None: never.
        """
        self._servers, self._give_up_seconds = servers, give_up_seconds
        self.attempts = 0
        self._since = monotonic()

    def rewarded(self) -> None:
        """Something has gone well."""
        self.attempts = 0
        self._since = monotonic()

    def next_pause(self, reason: str) -> float:
        """How many seconds to wait now. Raises: RelayUnreachable: it has been long enough."""
        waited = monotonic() - self._since
        if self._give_up_seconds is not None and waited > self._give_up_seconds:
            raise RelayUnreachable(self._servers, reason)
        self.attempts += 1
        return float(min(FIRST_SECONDS * 2 ** min(self.attempts - 1, 20), LONGEST_SECONDS))
