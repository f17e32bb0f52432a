"""Deciding ahead: what a batch is decided on while the one before it is still being saved."""

from __future__ import annotations

from typing import Any

from ledger.aggregates.draft import Folded
from ledger.batch import Batch, Source


class Ahead:
    """The streams as they will stand when a batch is saved. Implements `ledger.batch.Source`.

    What is decided on it may be saved only after that batch was. What others save meanwhile, and what the
    record cannot say yet, the save finds out as it always does: by versions and guards.
    """

    def __init__(self, source: Source, saving: Batch) -> None:
        self._source = source
        self._folded = saving.folded()
        self._nights = saving.nights()

    def remembered(self, stream: str) -> Folded[Any] | None:
        """See `Source`."""
        return self._folded.get(stream) or self._source.remembered(stream)

    def load(self, stream: str) -> Folded[Any]:
        """See `Source`."""
        return self._folded.get(stream) or self._source.load(stream)

    def remembered_night(self, prefix: str) -> str | None:
        """See `Source`."""
        return self._nights.get(prefix) or self._source.remembered_night(prefix)

    def last_stream(self, prefix: str) -> str | None:
        """See `Source`."""
        return self._source.last_stream(prefix)
