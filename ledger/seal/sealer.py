"""Seals the record: a leaf for each event, in the order of the record, each exactly once.

The tiles of a page and the size after it are written in one transaction, and only if nobody moved the size
meanwhile. So a crash, a second sealer or a restart can neither skip an event nor seal it twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ledger.errors import RecordGap, SealMoved, TreeShrunk
from ledger.seal.leaf import leaf_hashes
from ledger.seal.tables import create_tables
from ledger.seal.tiles import SealedTree, Tile
from ledger.store.port import LedgerRecorder, ReadTables, Row

PAGE_EVENTS = 2_048
"""Events a transaction: eight tiles, little memory, and a commit that costs next to nothing for each."""

_WRITE_TILE = (
    "INSERT INTO seal_tiles (level, tile_index, hashes) VALUES (?, ?, ?) "
    "ON CONFLICT (level, tile_index) DO UPDATE SET hashes = excluded.hashes"
)


class Sealer:
    """Keeps the sealed tree up with the record."""

    def __init__(self, record: LedgerRecorder, tables: ReadTables, page_events: int = PAGE_EVENTS) -> None:
        self._record = record
        self._tables = tables
        self._page_events = page_events

    def catch_up(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Seal everything that the record holds now. Returns the size reached.

        Args:
            progress: told (size, goal) after each page.

        Raises:
            SealMoved: another sealer was first; call again.
            TreeShrunk: the record has fewer events than are sealed.
            RecordGap, LeafUnreadable: the record is damaged; nothing of that page is sealed.
            SealDamaged: the seal's own tables are.
        """
        create_tables(self._tables)
        with SealedTree(self._tables).view() as view:
            edge = view.edge()
        goal = self._record.last_sequence()
        if goal < edge.size:
            raise TreeShrunk(edge.size, goal)
        while edge.size < goal:
            size = edge.size
            rows = self._record.select_rows(size, min(self._page_events, goal - size))
            check_unbroken(rows, size)
            filled = edge.extend(leaf_hashes(rows))
            self._write([*filled, *edge.open_tiles()], size, edge.size)
            if progress is not None:
                progress(edge.size, goal)
        return edge.size

    def _write(self, tiles: Sequence[Tile], size: int, reached: int) -> None:
        with self._tables.transaction() as statements:
            moved = statements.execute(
                "UPDATE seal_size SET size = ? WHERE id = 1 AND size = ? RETURNING size", (reached, size)
            )
            if not moved:
                raise SealMoved(size)
            statements.executemany(_WRITE_TILE, tiles)


def check_unbroken(rows: Sequence[Row], after: int) -> None:
    """That these rows, in the record's order, are the next ones after this sequence without a hole.

    Raises:
        RecordGap: they are not; or there are none, where some were expected.
    """
    if rows and rows[0].sequence == after + 1 and rows[-1].sequence == after + len(rows):
        return
    for expected, row in enumerate(rows, after + 1):
        if row.sequence != expected:
            raise RecordGap(expected, row.sequence)
    raise RecordGap(after + 1, None)
