"""A projection that keeps nothing, and says what it was told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from ledger.events.base import LedgerEvent
from projections.projection import Projection
from projections.read_table import ReadTable, Writes


class Reading:
    """Reads what another projection does. It is its own batch.

    Attributes:
        taken: the sequences of the events, in the order they came in.
    """

    name, version = "reading", 1
    tables: tuple[ReadTable, ...] = ()

    def __init__(self, like: Projection) -> None:
        self.topics = like.topics
        self.only_with: Mapping[str, bytes] = getattr(like, "only_with", {})
        self.taken: list[int] = []

    def batch(self) -> Self:
        return self

    def take(self, sequence: int, _: LedgerEvent) -> None:
        self.taken.append(sequence)

    def write(self, into: Writes) -> None:
        """Nothing."""
