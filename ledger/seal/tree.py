"""The Merkle tree of RFC 6962 §2.1 over SHA-256: hashes, roots, and a head that grows.

Leaves come as hashes (`ledger.seal.leaf`) and have indices from 0. A subtree is named (height, index): the
perfect tree over leaves index * 2**height up to (index + 1) * 2**height. Any tree splits into perfect
subtrees, one for each bit of its size; whoever can look those up can compute every root and every proof.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256

HASH_BYTES = 32

EMPTY_ROOT = sha256(b"").digest()
"""The root of a tree without leaves."""

_NODE_PREFIX = b"\x01"

SubtreeRoots = Callable[[int, int], bytes]
"""Looks up the root of a perfect subtree: (height, index) -> hash."""


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of an inner node."""
    return sha256(_NODE_PREFIX + left + right).digest()


def parents(layer: Sequence[bytes]) -> list[bytes]:
    """The hashes above the pairs of this layer. The last of an odd number has none."""
    pairs = zip(layer[::2], layer[1::2], strict=False)
    return [sha256(_NODE_PREFIX + left + right).digest() for left, right in pairs]


def root_of(leaves: Sequence[bytes]) -> bytes:
    """The root over these leaf hashes.

    Works a layer at a time. The last node of an odd layer moves up as it is: so does the right subtree where
    the RFC splits at the largest power of two.
    """
    layer = leaves
    while len(layer) > 1:
        above = parents(layer)
        if len(layer) % 2:
            above.append(layer[-1])
        layer = above
    return layer[0] if layer else EMPTY_ROOT


@dataclass(frozen=True)
class Frontier:
    """The head of a tree: all that is needed to go on from here, whatever the size.

    Attributes:
        size: leaves so far.
        subtrees: roots of the perfect subtrees, one for each bit of the size, the largest first.
    """

    size: int = 0
    subtrees: tuple[bytes, ...] = ()

    def extended(self, leaves: Sequence[bytes]) -> Frontier:
        """The head after these leaf hashes too."""
        size, subtrees, taken = self.size, list(self.subtrees), 0
        while taken < len(leaves):
            height = _tallest(size, len(leaves) - taken)
            node = root_of(leaves[taken : taken + (1 << height)])
            taken += 1 << height
            while size >> height & 1:  # a subtree of this height stands to the left: they make one
                size -= 1 << height
                node = node_hash(subtrees.pop(), node)
                height += 1
            subtrees.append(node)
            size += 1 << height
        return Frontier(size, tuple(subtrees))

    def root(self) -> bytes:
        """The root of the tree."""
        return _folded(self.subtrees)


def subtrees(start: int, stop: int) -> list[tuple[int, int]]:
    """The perfect subtrees that the leaves from `start` up to `stop` split into, from the left."""
    found = []
    while start < stop:
        height = _tallest(start, stop - start)
        found.append((height, start >> height))
        start += 1 << height
    return found


def range_root(start: int, stop: int, roots: SubtreeRoots) -> bytes:
    """The root over the leaves from `start` up to `stop`, as a tree of their own: MTH(D[start:stop]).

    The range is one that occurs in a tree: `start` is a multiple of the power of two that spans the range.
    """
    return _folded([roots(height, index) for height, index in subtrees(start, stop)])


def _tallest(start: int, room: int) -> int:
    """The height of the tallest perfect subtree from leaf `start` on that covers at most `room` leaves."""
    height = room.bit_length() - 1
    return min(height, (start & -start).bit_length() - 1) if start else height


def _folded(roots: Sequence[bytes]) -> bytes:
    """The root over neighbouring perfect subtrees, each smaller than the one before."""
    if not roots:
        return EMPTY_ROOT
    root = roots[-1]
    for left in roots[-2::-1]:
        root = node_hash(left, root)
    return root
