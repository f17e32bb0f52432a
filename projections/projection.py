"""What every projection of the record is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from projections.read_table import ReadTable, Writes


class Batch(Protocol):
    """What a projection takes down of some events, in memory; made for them and thrown away with them."""

    def take(self, sequence: int, event: Any) -> None:
        """The next event, of the projection's topics.

        They come in the order of the record; of each command all or none, so what one says of its coup holds
        for the others.
        """

    def write(self, into: Writes) -> None:
        """Write what these events add; perhaps none came.

        Args:
            into: where to. What was written for other events before cannot be read, except by SQL
                that writes (`INSERT INTO … SELECT`).
        """


class Projection(Protocol):
    """A read model: what events add to its tables, a batch of them at a time.

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

    def batch(self) -> Batch:
        """Begin one."""
