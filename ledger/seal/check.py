"""Checks the record against the seal: every leaf, every tile, and nothing besides."""

from __future__ import annotations

from collections.abc import Sequence

from ledger.errors import LeafDiffers, SealDamaged, TreeShrunk
from ledger.seal.tiles import TILE_HASHES, Edge, SealedTree, Tile
from ledger.seal.tree import HASH_BYTES
from ledger.store.port import ReadTables


class SealCheck:
    """Makes the tiles anew from the record as somebody reads it, and compares them with those kept.

    Feed it the leaf hash of every sealed event in order, so many at a time as one likes, then call `finish`.
    If nothing is raised, the record up to `sealed` is what was sealed; whether the seal itself was made anew
    by somebody who owns the file, only checkpoints kept elsewhere can tell.

    Attributes:
        sealed: events that were sealed when it began, and so are to be fed. What is fed beyond is not asked.
        failed: something was raised, and what comes after it would tell nothing.
    """

    def __init__(self, tables: ReadTables) -> None:
        self._tree = SealedTree(tables)
        self._edge = Edge()
        self.failed = False
        with self._tree.view() as view:
            self.sealed = view.size()

    def feed_leaves(self, leaves: Sequence[bytes]) -> None:
        """The leaf hashes of the next events.

        Raises:
            LeafDiffers: an event is not what was sealed; the first of the tile that is not.
            SealDamaged: a tile of a level above is not what the one below says, or a tile is missing.
        """
        self.failed = True
        self._compare(self._edge.extend(leaves[: self.sealed - self._edge.size]))
        self.failed = False

    def finish(self) -> None:
        """Check what is left when all sealed events were fed. Raises as `feed_leaves` does.

        Raises:
            TreeShrunk: fewer events were fed than are sealed.
            SealDamaged: the size is not that of the tiles.
        """
        self._compare(self._edge.open_tiles())
        if self._edge.size < self.sealed:
            raise TreeShrunk(self.sealed, self._edge.size)
        with self._tree.view() as view:
            view.edge()  # the open tiles have no hash too many
            view.check_count()

    def _compare(self, tiles: Sequence[Tile]) -> None:
        with self._tree.view() as view:
            for tile in tiles:
                stored = view.stored(tile.level, tile.tile_index)
                if stored[: len(tile.hashes)] != tile.hashes:
                    _raise_difference(tile, stored)


def _raise_difference(tile: Tile, stored: bytes) -> None:
    for start in range(0, len(tile.hashes), HASH_BYTES):
        made, kept = tile.hashes[start : start + HASH_BYTES], stored[start : start + HASH_BYTES]
        if made != kept:
            number = start // HASH_BYTES
            if tile.level or not kept:
                place = f"tile {tile.tile_index} of level {tile.level}"
                raise SealDamaged(place, f"hash {number} in it is not what it should be")
            raise LeafDiffers(tile.tile_index * TILE_HASHES + number + 1, kept.hex(), made.hex())
