"""Proofs that a leaf is in a tree (RFC 6962 §2.1.1), and that one tree goes on from another (§2.1.2).

A proof is a list of hashes. Making one needs the tree; checking one needs nothing but what is given here,
by the algorithms of RFC 9162 §2.1.3.2 and §2.1.4.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from ledger.errors import ProofInvalid, RootDiffers, TreeShrunk
from ledger.seal.tree import EMPTY_ROOT, HASH_BYTES, SubtreeRoots, node_hash, range_root


def inclusion_proof(index: int, size: int, roots: SubtreeRoots) -> list[bytes]:
    """PATH(index, D[size]): the hashes that lead from a leaf to the root, the lowest first."""
    assert 0 <= index < size
    beside = []
    start, stop = 0, size
    while stop - start > 1:
        middle = start + _split(stop - start)
        if index < middle:
            beside.append((middle, stop))
            stop = middle
        else:
            beside.append((start, middle))
            start = middle
    return [range_root(first, end, roots) for first, end in reversed(beside)]


def consistency_proof(old: int, new: int, roots: SubtreeRoots) -> list[bytes]:
    """PROOF(old, D[new]): the hashes that lead to both roots. From nothing, and to itself, it is empty."""
    assert 0 <= old <= new
    if old in {0, new}:
        return []
    beside = []
    start, stop = 0, new
    while stop != old:
        middle = start + _split(stop - start)
        if old <= middle:
            beside.append((middle, stop))
            stop = middle
        else:
            beside.append((start, middle))
            start = middle
    if start:  # otherwise the rest is the old tree itself, whose root the verifier has
        beside.append((start, stop))
    return [range_root(first, end, roots) for first, end in reversed(beside)]


def verify_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> None:
    """Check that the leaf with this hash stands at `index` in the tree of `size` leaves with this root.

    Raises:
        ProofInvalid: the proof has the wrong form, or leads elsewhere.
    """
    if not 0 <= index < size:
        raise ProofInvalid("inclusion", f"a tree of {size} leaves has no leaf {index}")
    _check_lengths("inclusion", (leaf, *proof, root))
    fn, sn = index, size - 1
    found = leaf
    for hash_ in proof:
        if sn == 0:
            raise ProofInvalid("inclusion", "it has more hashes than the tree has levels")
        if fn & 1 or fn == sn:
            found = node_hash(hash_, found)
            while fn and not fn & 1:
                fn, sn = fn >> 1, sn >> 1
        else:
            found = node_hash(found, hash_)
        fn, sn = fn >> 1, sn >> 1
    if sn:
        raise ProofInvalid("inclusion", "it has fewer hashes than the tree has levels")
    if found != root:
        raise ProofInvalid("inclusion", f"it leads to root {found.hex()}, not to {root.hex()}")


def verify_consistency(old: int, new: int, proof: Sequence[bytes], old_root: bytes, new_root: bytes) -> None:
    """Check that the tree of `new` leaves begins with the `old` leaves of the older tree.

    Raises:
        TreeShrunk: the newer tree is the smaller.
        RootDiffers: both have the same size, or the older is empty, and a root is not what it must be.
        ProofInvalid: the proof has the wrong form, or does not lead to both roots.
    """
    if new < old:
        raise TreeShrunk(old, new)
    if old < 0:
        raise ProofInvalid("consistency", f"a tree cannot have {old} leaves")
    _check_lengths("consistency", (*proof, old_root, new_root))
    if new == 0 and new_root != EMPTY_ROOT:
        raise RootDiffers(new, EMPTY_ROOT.hex(), new_root.hex())
    if old in {0, new}:
        if proof:
            raise ProofInvalid("consistency", "it has more hashes than the tree has levels")
        expected = new_root if old else EMPTY_ROOT
        if old_root != expected:
            raise RootDiffers(old, expected.hex(), old_root.hex())
        return
    _follow(old, new, proof, old_root, new_root)


def _follow(old: int, new: int, proof: Sequence[bytes], old_root: bytes, new_root: bytes) -> None:
    """RFC 9162 §2.1.4.2 from its second step on, for 0 < old < new."""
    if not proof:
        raise ProofInvalid("consistency", "it is empty")
    path = proof if old & (old - 1) else [old_root, *proof]
    fn, sn = old - 1, new - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    old_found = new_found = path[0]
    for hash_ in path[1:]:
        if sn == 0:
            raise ProofInvalid("consistency", "it has more hashes than the tree has levels")
        if fn & 1 or fn == sn:
            old_found, new_found = node_hash(hash_, old_found), node_hash(hash_, new_found)
            while fn and not fn & 1:
                fn, sn = fn >> 1, sn >> 1
        else:
            new_found = node_hash(new_found, hash_)
        fn, sn = fn >> 1, sn >> 1
    if sn:
        raise ProofInvalid("consistency", "it has fewer hashes than the tree has levels")
    for found, root in ((old_found, old_root), (new_found, new_root)):
        if found != root:
            raise ProofInvalid("consistency", f"it leads to root {found.hex()}, not to {root.hex()}")


def _split(width: int) -> int:
    """The largest power of two below `width`: where the RFC splits a tree of more than one leaf."""
    return 1 << (width - 1).bit_length() - 1


def _check_lengths(proof: str, hashes: Sequence[bytes]) -> None:
    if any(len(hash_) != HASH_BYTES for hash_ in hashes):
        raise ProofInvalid(proof, f"a hash in it is not {HASH_BYTES} bytes long")
