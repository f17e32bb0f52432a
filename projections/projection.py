"""What every projection of the record is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ledger.events.base import LedgerEvent
from projections.read_table import ReadTable, Writes

Recorded = tuple[int, LedgerEvent]
"""An event with its sequence."""


class Projection(Protocol):
    """A read model. It is told events in the order of the record, and writes what they add to its tables.

    Attributes:
        name: stable; its position is kept under it.
        version: raised with every change of what it writes; tables of another version are made anew.
        topics: the topics it folds; others only move its position.
        tables: what it writes to, and nobody else does.

    One that wants few events of a frequent topic may have an attribute `only_with`: topics, each with bytes
    that the stored bytes of such an event contain. Others need not be read. It may be told of them all the
    same, and must then pass them over.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> int: ...

    @property
    def topics(self) -> Sequence[str]: ...

    @property
    def tables(self) -> Sequence[ReadTable]: ...

    def fold(self, events: Sequence[Recorded], into: Writes) -> None:
        """Write what these events add.

        Args:
            events: of its topics, in order; of each command all events or none, so what one says of its
                coup holds for the others. Perhaps none.
            into: where to. What was written for other events before cannot be read, except by SQL
                that writes (`INSERT INTO … SELECT`).
        """
