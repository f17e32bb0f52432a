"""The sealed tree, in tiles of 256 hashes (after C2SP tlog-tiles).

Level 0 holds the leaf hashes, 256 a tile; each hash on a level above is the root of one full tile below.
The levels of the tree between two tile levels are not kept: they are hashed from a tile when asked for.
So the tree of n leaves costs 32 n bytes and a little, an append touches one open tile a level, and a root
or a proof reads two tiles a level or fewer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from ledger.errors import NotSealed, SealDamaged, TreeShrunk
from ledger.seal.proof import consistency_proof, inclusion_proof
from ledger.seal.tree import HASH_BYTES, parents, range_root, root_of
from ledger.store.port import ReadTables, Statements

TILE_HEIGHT = 8
TILE_HASHES = 1 << TILE_HEIGHT
TILES_HELD_MAX = 64
"""By one view; 33 kB each with what was hashed from it. Proofs of neighbouring events need a few."""
_TILE_BYTES = TILE_HASHES * HASH_BYTES


class Tile(NamedTuple):
    """Up to 256 neighbouring hashes of one level, one after the other."""

    level: int
    tile_index: int
    hashes: bytes


class Edge:
    """The open tiles at the right edge of the tree, one a level at most: what an append needs to know."""

    def __init__(self, size: int = 0, open_tiles: Sequence[list[bytes]] = ()) -> None:
        """An edge as `SealedView.edge` reads it.

        Args:
            size: leaves so far.
            open_tiles: for each level from 0, the hashes of its open tile; an empty list where none is open.
        """
        self.size = size
        self._open = list(open_tiles)

    def extend(self, leaves: Sequence[bytes]) -> list[Tile]:
        """Append leaf hashes. Returns the tiles that this fills, in order, on every level."""
        first = self.size
        self.size += len(leaves)
        filled: list[Tile] = []
        arriving = list(leaves)
        level = 0
        while arriving:
            if level == len(self._open):
                self._open.append([])
            hashes = self._open[level] + arriving
            index = first >> TILE_HEIGHT * (level + 1)
            arriving = []
            while len(hashes) >= TILE_HASHES:
                full, hashes = hashes[:TILE_HASHES], hashes[TILE_HASHES:]
                filled.append(Tile(level, index, b"".join(full)))
                arriving.append(root_of(full))
                index += 1
            self._open[level] = hashes
            level += 1
        return filled

    def open_tiles(self) -> list[Tile]:
        """The tiles at the edge that are begun and not full, from level 0 up."""
        return [
            Tile(level, self.size >> TILE_HEIGHT * (level + 1), b"".join(hashes))
            for level, hashes in enumerate(self._open)
            if hashes
        ]


class _HashedTile:
    """A tile, and the roots of the subtrees inside it, hashed a layer at a time when first asked for."""

    def __init__(self, hashes: list[bytes]) -> None:
        self._layers = [hashes]

    @property
    def hashes(self) -> list[bytes]:
        return self._layers[0]

    def subtree(self, height: int, index: int) -> bytes:
        """The root of the subtree that is so high above the tile's own hashes."""
        while len(self._layers) <= height:
            self._layers.append(parents(self._layers[-1]))
        return self._layers[height][index]


class SealedView:
    """The sealed tree as one transaction sees it.

    Holds the tiles that it used last, with the hashes inside them: many proofs cost little more than one.
    """

    def __init__(self, statements: Statements) -> None:
        self._statements = statements
        self._size: int | None = None
        self._held: dict[tuple[int, int], _HashedTile] = {}
        """The one used last stands last."""

    def size(self) -> int:
        """Leaves in the tree; 0 before the first."""
        if self._size is None:
            self._size = self._read_size()
        return self._size

    def _read_size(self) -> int:
        rows = self._statements.execute("SELECT size FROM seal_size WHERE id = 1")
        size = rows[0][0] if rows else 0
        if not isinstance(size, int) or size < 0:
            raise SealDamaged("the size", f"it is {size!r}")
        return size

    def root(self, size: int) -> bytes:
        """The root over the first `size` events.

        Raises:
            NotSealed: so many are not sealed.
            SealDamaged: a tile is missing or too short.
        """
        self._check_sealed(size)
        return range_root(0, size, self._subtree)

    def inclusion_proof(self, index: int, size: int) -> list[bytes]:
        """The proof that leaf `index`, event `index` + 1, is among the first `size`. Raises as `root`."""
        self._check_sealed(size)
        if not 0 <= index < size:
            raise NotSealed(index + 1, size)
        return inclusion_proof(index, size, self._subtree)

    def consistency_proof(self, old: int, new: int) -> list[bytes]:
        """The proof that the tree of `new` events goes on from that of `old`. Raises as `root` does.

        Raises:
            TreeShrunk: `new` is less than `old`.
        """
        if new < old:
            raise TreeShrunk(old, new)
        self._check_sealed(old)
        self._check_sealed(new)
        return consistency_proof(old, new, self._subtree)

    def edge(self) -> Edge:
        """Where the next append begins.

        Raises:
            SealDamaged: an open tile has not as many hashes as the size says.
        """
        size = self.size()
        open_tiles = []
        for level in range(levels_of(size)):
            count = size >> TILE_HEIGHT * level
            begun = count % TILE_HASHES
            hashes = self._tile(level, count >> TILE_HEIGHT, begun).hashes if begun else []
            if len(hashes) != begun:
                raise SealDamaged(_place(level, count >> TILE_HEIGHT), f"it has more than {begun} hashes")
            open_tiles.append(hashes)
        return Edge(size, open_tiles)

    def stored(self, level: int, index: int) -> bytes:
        """The hashes of a tile as they are stored; none if it is not there. Never kept in memory.

        Raises:
            SealDamaged: what is stored is no row of hashes.
        """
        sql = "SELECT hashes FROM seal_tiles WHERE level = ? AND tile_index = ?"
        rows = self._statements.execute(sql, (level, index))
        if not rows:
            return b""
        hashes = rows[0][0]
        if not isinstance(hashes, bytes | memoryview):
            raise SealDamaged(_place(level, index), "it holds no bytes")
        hashes = bytes(hashes)
        if len(hashes) % HASH_BYTES or len(hashes) > _TILE_BYTES:
            raise SealDamaged(_place(level, index), f"it has {len(hashes)} bytes")
        return hashes

    def check_count(self) -> None:
        """That the table holds as many tiles as the size says.

        Raises:
            SealDamaged: it does not.
        """
        size = self.size()
        expected = sum(-(-(size >> TILE_HEIGHT * level) // TILE_HASHES) for level in range(levels_of(size)))
        ((found,),) = self._statements.execute("SELECT COUNT(*) FROM seal_tiles")
        if found != expected:
            raise SealDamaged("the table of tiles", f"it has {found} tiles, not {expected}")

    def _tile(self, level: int, index: int, count: int) -> _HashedTile:
        """A tile that must have `count` hashes or more."""
        tile = self._held.pop((level, index), None)
        if tile is None:
            tile = _HashedTile(_split(self.stored(level, index)))
            if len(self._held) == TILES_HELD_MAX:
                del self._held[next(iter(self._held))]
        self._held[level, index] = tile
        if len(tile.hashes) < count:
            raise SealDamaged(_place(level, index), f"it has fewer than {count} hashes")
        return tile

    def _subtree(self, height: int, index: int) -> bytes:
        level, rest = divmod(height, TILE_HEIGHT)
        tile_index, start = divmod(index << rest, TILE_HASHES)
        return self._tile(level, tile_index, start + (1 << rest)).subtree(rest, start >> rest)

    def _check_sealed(self, size: int) -> None:
        sealed = self.size()
        if not 0 <= size <= sealed:
            raise NotSealed(size, sealed)


class SealedTree:
    """The sealed tree. What it says of a size never changes."""

    def __init__(self, tables: ReadTables) -> None:
        self._tables = tables

    @contextmanager
    def view(self) -> Iterator[SealedView]:
        """One moment of the tree, for several questions."""
        with self._tables.snapshot() as statements:
            yield SealedView(statements)


def levels_of(size: int) -> int:
    """How many levels of tiles a tree of this size has."""
    return -(-size.bit_length() // TILE_HEIGHT)


def _split(hashes: bytes) -> list[bytes]:
    return [hashes[start : start + HASH_BYTES] for start in range(0, len(hashes), HASH_BYTES)]


def _place(level: int, index: int) -> str:
    return f"tile {index} of level {level}"
