"""Roots and the growing head, against the reference vectors and RFC 6962 written down as it stands."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.seal.tree import EMPTY_ROOT, Frontier, range_root, root_of, subtrees

from .published import LEAVES, ROOTS
from .rfc6962 import mth

SIZES = range(70)
DATA = [b"%d" % number for number in range(200)]


def hashed(leaves: list[bytes]) -> list[bytes]:
    return [sha256(b"\x00" + leaf).digest() for leaf in leaves]


@pytest.mark.parametrize("size", range(9))
def test_the_roots_of_the_reference_implementation(size: int) -> None:
    leaves = hashed(LEAVES[:size])
    assert root_of(leaves) == ROOTS[size]
    assert Frontier().extended(leaves).root() == ROOTS[size]


def test_the_root_of_nothing_is_the_hash_of_nothing() -> None:
    """RFC 6962 §2.1."""
    assert Frontier().root() == root_of([]) == EMPTY_ROOT == sha256(b"").digest()


@pytest.mark.parametrize("size", SIZES)
def test_the_root_of_any_size_is_the_rfcs(size: int) -> None:
    assert root_of(hashed(DATA[:size])) == mth(DATA[:size])


@settings(max_examples=60)
@given(st.lists(st.integers(0, 40), max_size=5))
def test_a_head_grows_by_any_steps_to_the_same_root(steps: list[int]) -> None:
    leaves, head, size = hashed(DATA), Frontier(), 0
    for step in steps:
        head = head.extended(leaves[size : size + step])
        size += step
        assert head.size == size
        assert head.root() == mth(DATA[:size])


@pytest.mark.parametrize("size", SIZES)
def test_a_head_needs_no_more_than_its_two_fields_to_go_on(size: int) -> None:
    """One hash for each bit of the size: nothing of the leaves themselves."""
    leaves = hashed(DATA)
    head = Frontier().extended(leaves[:size])
    assert len(head.subtrees) == size.bit_count()
    resumed = Frontier(head.size, head.subtrees).extended(leaves[size:100])
    assert resumed == Frontier().extended(leaves[:100])


@pytest.mark.parametrize(
    ("start", "stop", "split"),
    [
        (0, 0, []),
        (0, 7, [(2, 0), (1, 2), (0, 6)]),
        (4, 8, [(2, 1)]),
        (6, 8, [(1, 3)]),
        (5, 8, [(0, 5), (1, 3)]),
    ],
)
def test_a_range_splits_into_perfect_subtrees(start: int, stop: int, split: list[tuple[int, int]]) -> None:
    assert subtrees(start, stop) == split


@pytest.mark.parametrize(("start", "stop"), [(0, 70), (64, 70), (68, 70), (69, 70), (64, 69), (32, 64)])
def test_the_root_of_a_range_is_that_of_its_leaves_alone(start: int, stop: int) -> None:
    def roots(height: int, index: int) -> bytes:
        return mth(DATA[index << height : (index + 1) << height])

    assert range_root(start, stop, roots) == mth(DATA[start:stop])
