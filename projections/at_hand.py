"""Coups that are opened and not ended yet: where an event of theirs belongs that does not say so itself.

`WagersPlaced`, `WagerRefused`, `WagersCancelled` and `WagersClosed` name only their coup. Its premises, day,
shift and so on are in `CoupOpened`: perhaps of the same batch (`AtHand.get`), perhaps of one that is long
written. A projection cannot read, but SQL can: for each row that it cannot place it runs an

    INSERT INTO {mine} SELECT premises, gaming_day, ?, … FROM {mine_at_hand} WHERE coup = ?

A projection that needs it has such a table of its own (`at_hand_table`). Only coups that are still at hand at
the end of a batch are written, so bulk imports, which tell a coup in one command, write none.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ledger.events.base import LedgerEvent
from ledger.events.coup import CoupOpened, CoupSettled, CoupVoided
from projections.read_table import MAYBE_TEXT, NUMBER, TEXT, ReadTable, Writes

ENDINGS = frozenset({CoupSettled.TOPIC, CoupVoided.TOPIC})
"""What ends a coup at hand. One that is held for a ruling is still at hand."""


class CoupAtHand(NamedTuple):
    """Where and how a coup is played; a row of an `at_hand_table`, in its order."""

    coup: str
    premises: str
    table_name: str
    gaming_day: str
    shift: str
    banked_by: str
    format: str
    currency: str
    profile: str
    banker: str | None
    opened: int
    """The sequence of its `CoupOpened`."""

    @classmethod
    def of(cls, sequence: int, event: CoupOpened) -> CoupAtHand:
        """What is known of a coup when it opens."""
        pinned = event.conditions
        return cls(
            event.stream,
            event.premises,
            event.table,
            pinned.gaming_day.isoformat(),
            pinned.shift,
            pinned.banked_by.value,
            pinned.format,
            pinned.currency,
            pinned.profile,
            pinned.banker,
            sequence,
        )


_KINDS = {"banker": MAYBE_TEXT, "opened": NUMBER}


def at_hand_table(projection: str) -> ReadTable:
    """A projection's own table of the coups at hand: `<projection>_at_hand`, by the coup's stream."""
    columns = {name: _KINDS.get(name, TEXT) for name in CoupAtHand._fields}
    return ReadTable(f"{projection}_at_hand", {"coup": columns.pop("coup")}, columns)


class AtHand:
    """The coups at hand during one batch. It is made for the batch and thrown away with it.

    Tell it of every `CoupOpened` and of every ending (`ENDINGS`), in order, and write it last: until then the
    table holds the coups of earlier batches that end in this one.
    """

    def __init__(self, table: ReadTable) -> None:
        """Begin a batch. `table` is the projection's own `at_hand_table`."""
        self._table = table
        self._opened: dict[str, CoupAtHand] = {}
        self._ended: dict[str, None] = {}  # a set that keeps the order

    def opened(self, sequence: int, event: CoupOpened) -> CoupAtHand:
        """A coup was opened."""
        coup = self._opened[event.stream] = CoupAtHand.of(sequence, event)
        return coup

    def ended(self, event: LedgerEvent) -> None:
        """A coup was settled or ruled void. A void that comes after a settlement does no harm."""
        self._ended[event.stream] = None

    def get(self, coup: str) -> CoupAtHand | None:
        """What is known of a coup opened in this batch; None if it was opened before: ask the table."""
        return self._opened.get(coup)

    def write(self, into: Writes) -> None:
        """Put the coups that are still at hand into the table, and take away those that ended."""
        opened, ended = self._opened, self._ended
        into.executemany(self._table.put, [row for coup, row in opened.items() if coup not in ended])
        gone: list[tuple[Any, ...]] = [(coup,) for coup in ended if coup not in opened]
        into.executemany(self._table.remove, gone)
