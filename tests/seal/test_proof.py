"""Proofs: the reference vectors, the RFC written down as it stands, and every falsification refused."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.errors import LedgerError, ProofInvalid, RootDiffers, TreeShrunk
from ledger.seal.proof import consistency_proof, inclusion_proof, verify_consistency, verify_inclusion
from ledger.seal.tree import EMPTY_ROOT

from .published import CONSISTENCY, ENTRY, ENTRY_HEAD, ENTRY_INDEX, ENTRY_PROOF, INCLUSION, LEAVES, ROOTS
from .rfc6962 import mth, path, proof

LARGEST = 40
DATA = [b"%d" % number for number in range(LARGEST)]
ROOT = [mth(DATA[:size]) for size in range(LARGEST + 1)]
LEAF = [mth([data]) for data in DATA]
OTHER = sha256(b"something else").digest()
PLACES = [(index, size) for size in range(1, LARGEST + 1) for index in range(size)]
GROWTHS = [(old, new) for new in range(1, LARGEST + 1) for old in range(1, new + 1)]


def roots_of(data: list[bytes]) -> Callable[[int, int], bytes]:
    return lambda height, index: mth(data[index << height : (index + 1) << height])


def included(index: int, size: int) -> list[bytes]:
    return inclusion_proof(index, size, roots_of(DATA))


def grown(old: int, new: int) -> list[bytes]:
    return consistency_proof(old, new, roots_of(DATA))


def flipped(hash_: bytes, bit: int) -> bytes:
    return (int.from_bytes(hash_, "big") ^ 1 << bit).to_bytes(32, "big")


# --- Inclusion: RFC 6962 §2.1.1, RFC 9162 §2.1.3.2 ---------------------------------------------------------


@pytest.mark.parametrize(("index", "size"), INCLUSION)
def test_the_inclusion_proofs_of_the_reference_implementation(index: int, size: int) -> None:
    vector = INCLUSION[index, size]
    assert inclusion_proof(index, size, roots_of(LEAVES)) == vector
    verify_inclusion(mth([LEAVES[index]]), index, size, vector, ROOTS[size])


def test_every_leaf_of_every_size_is_proven_as_the_rfc_says() -> None:
    for index, size in PLACES:
        made = included(index, size)
        assert made == path(index, DATA[:size])
        verify_inclusion(LEAF[index], index, size, made, ROOT[size])


def test_an_entry_of_a_live_log_is_in_the_tree_that_it_published() -> None:
    """Entry 412,114 of Sigstore's Rekor, in a tree of 412,115."""
    leaf, root = mth([ENTRY]), b64decode(ENTRY_HEAD.root)
    verify_inclusion(leaf, ENTRY_INDEX, ENTRY_HEAD.size, ENTRY_PROOF, root)
    with pytest.raises(ProofInvalid):
        verify_inclusion(mth([ENTRY + b" "]), ENTRY_INDEX, ENTRY_HEAD.size, ENTRY_PROOF, root)


def test_no_leaf_is_proven_at_another_place_or_size() -> None:
    for index, size in [(index, size) for index, size in PLACES if size <= 12]:
        made = included(index, size)
        for other_index, other_size in [(i, s) for s in range(14) for i in range(-1, s + 1)]:
            if (other_index, other_size) == (index, size):
                continue
            if accepts(LEAF[index], other_index, other_size, made, ROOT[size]):
                # The RFC's algorithm takes the size for the shape of the path alone: where another size gives
                # the leaf the same path, only the root (which a checkpoint signs with its size) tells.
                assert shape(other_index, other_size) == shape(index, size)


def accepts(leaf: bytes, index: int, size: int, made: list[bytes], root: bytes) -> bool:
    try:
        verify_inclusion(leaf, index, size, made, root)
    except ProofInvalid:
        return False
    return True


def shape(index: int, size: int) -> str:
    """From the leaf up: is its neighbour to the left or to the right?"""
    if size == 1:
        return ""
    k = 1 << (size - 1).bit_length() - 1
    return shape(index, k) + "R" if index < k else shape(index - k, size - k) + "L"


@settings(max_examples=200)
@given(st.sampled_from(PLACES), st.data())
def test_any_changed_bit_of_leaf_proof_or_root_is_refused(
    place: tuple[int, int], data: st.DataObject
) -> None:
    index, size = place
    parts = [LEAF[index], *included(index, size), ROOT[size]]
    part = data.draw(st.integers(0, len(parts) - 1))
    parts[part] = flipped(parts[part], data.draw(st.integers(0, 255)))
    leaf, *made, root = parts
    with pytest.raises(ProofInvalid):
        verify_inclusion(leaf, index, size, made, root)


@pytest.mark.parametrize("place", [(0, 1), (0, 8), (5, 8), (2, 3), (1, 5), (32, 40), (39, 40)])
@pytest.mark.parametrize("extra", [OTHER, ROOT[8], b"", bytes(64)], ids=["other", "root", "none", "two"])
def test_a_hash_too_many_anywhere_in_an_inclusion_proof_is_refused(
    place: tuple[int, int], extra: bytes
) -> None:
    made = included(*place)
    for at in range(len(made) + 1):
        with pytest.raises(ProofInvalid):
            verify_inclusion(LEAF[place[0]], *place, [*made[:at], extra, *made[at:]], ROOT[place[1]])


@pytest.mark.parametrize("place", [(0, 8), (5, 8), (2, 3), (1, 5), (32, 40), (39, 40)])
def test_a_hash_too_few_in_an_inclusion_proof_is_refused(place: tuple[int, int]) -> None:
    made = included(*place)
    for at in range(len(made)):
        with pytest.raises(ProofInvalid):
            verify_inclusion(LEAF[place[0]], *place, [*made[:at], *made[at + 1 :]], ROOT[place[1]])


@pytest.mark.parametrize(("index", "size"), [(0, 0), (1, 0), (1, 1), (2, 1), (-1, 1), (-1, -1), (0, -1)])
def test_a_leaf_outside_its_tree_is_refused(index: int, size: int) -> None:
    with pytest.raises(ProofInvalid, match=f"no leaf {index}"):
        verify_inclusion(OTHER, index, size, [], OTHER)


@pytest.mark.parametrize("cut", [0, 16, 31, 33, 64])
def test_two_hashes_cut_at_another_byte_are_refused(cut: int) -> None:
    """The bytes that are hashed are the same; neither part is a hash."""
    pair = LEAF[0] + LEAF[1]
    with pytest.raises(ProofInvalid, match="32 bytes"):
        verify_inclusion(pair[:cut], 0, 2, [pair[cut:]], ROOT[2])
    (right,) = grown(4, 8)
    pair = ROOT[4] + right
    with pytest.raises(ProofInvalid, match="32 bytes"):
        verify_consistency(4, 8, [pair[cut:]], pair[:cut], ROOT[8])


def test_an_inner_node_does_not_pass_for_a_leaf() -> None:
    """RFC 6962 §2.1: the prefixes keep leaves and nodes apart."""
    node = sha256(b"\x01" + LEAF[0] + LEAF[1]).digest()
    assert mth([LEAF[0] + LEAF[1]]) != node
    with pytest.raises(ProofInvalid):
        verify_inclusion(mth([LEAF[0] + LEAF[1]]), 0, 2, [ROOT[4]], ROOT[4])


# --- Consistency: RFC 6962 §2.1.2, RFC 9162 §2.1.4.2 -------------------------------------------------------


@pytest.mark.parametrize(("old", "new"), CONSISTENCY)
def test_the_consistency_proofs_of_the_reference_implementation(old: int, new: int) -> None:
    vector = CONSISTENCY[old, new]
    assert consistency_proof(old, new, roots_of(LEAVES)) == vector
    verify_consistency(old, new, vector, ROOTS[old], ROOTS[new])


def test_every_growth_is_proven_as_the_rfc_says() -> None:
    for old, new in GROWTHS:
        made = grown(old, new)
        assert made == proof(old, DATA[:new])
        verify_consistency(old, new, made, ROOT[old], ROOT[new])


@settings(max_examples=200)
@given(st.sampled_from(GROWTHS), st.data())
def test_any_changed_bit_of_a_consistency_proof_or_its_roots_is_refused(
    growth: tuple[int, int], data: st.DataObject
) -> None:
    parts = [ROOT[growth[0]], *grown(*growth), ROOT[growth[1]]]
    part = data.draw(st.integers(0, len(parts) - 1))
    parts[part] = flipped(parts[part], data.draw(st.integers(0, 255)))
    old_root, *made, new_root = parts
    with pytest.raises((ProofInvalid, RootDiffers)):
        verify_consistency(*growth, made, old_root, new_root)


@pytest.mark.parametrize("growth", [(0, 8), (1, 1), (8, 8), (1, 8), (6, 8), (2, 5), (6, 7), (32, 40)])
@pytest.mark.parametrize("extra", [OTHER, ROOT[8], b"", bytes(64)], ids=["other", "root", "none", "two"])
def test_a_hash_too_many_anywhere_in_a_consistency_proof_is_refused(
    growth: tuple[int, int], extra: bytes
) -> None:
    made = grown(*growth)
    for at in range(len(made) + 1):
        with pytest.raises(ProofInvalid):
            verify_consistency(*growth, [*made[:at], extra, *made[at:]], ROOT[growth[0]], ROOT[growth[1]])


@pytest.mark.parametrize("growth", [(1, 8), (6, 8), (2, 5), (6, 7), (32, 40), (1, 2)])
def test_a_hash_too_few_in_a_consistency_proof_is_refused(growth: tuple[int, int]) -> None:
    made = grown(*growth)
    for at in range(len(made)):
        with pytest.raises(ProofInvalid):
            verify_consistency(*growth, [*made[:at], *made[at + 1 :]], ROOT[growth[0]], ROOT[growth[1]])


@pytest.mark.parametrize("growth", [(1, 8), (6, 8), (2, 5), (6, 7), (32, 40)])
def test_a_history_rewritten_before_the_old_head_is_refused(growth: tuple[int, int]) -> None:
    """Whatever proof the forger makes over the new tree, it does not lead to the old root."""
    old, new = growth
    forged = [b"forged", *DATA[1:new]]
    with pytest.raises(ProofInvalid):
        verify_consistency(old, new, proof(old, forged), ROOT[old], mth(forged))


def test_no_growth_is_proven_for_other_sizes() -> None:
    """As with a leaf: two pairs of sizes that take the same proof have the same shape."""
    for old, new in [(old, new) for old, new in GROWTHS if old < new <= 12]:
        made = grown(old, new)
        for other_old, other_new in [(o, n) for n in range(1, 26) for o in range(1, n)]:
            try:
                verify_consistency(other_old, other_new, made, ROOT[old], ROOT[new])
            except ProofInvalid:
                continue
            assert growth_shape(other_old, other_new) == growth_shape(old, new)


def growth_shape(old: int, new: int) -> str:
    """From the old tree's last subtree up: does the new tree add on the right, or the old one on the left?"""
    if old == new:
        return ""
    k = 1 << (new - 1).bit_length() - 1
    return growth_shape(old, k) + "R" if old <= k else growth_shape(old - k, new - k) + "L"


def test_a_tree_that_shrank_is_refused() -> None:
    with pytest.raises(TreeShrunk) as refusal:
        verify_consistency(8, 7, [], ROOT[8], ROOT[7])
    assert refusal.value.facts() == {"old_size": 8, "new_size": 7}


@pytest.mark.parametrize(
    ("old", "new", "old_root", "new_root", "error"),
    [
        (8, 8, ROOT[7], ROOT[8], RootDiffers),
        (0, 0, EMPTY_ROOT, ROOT[1], RootDiffers),
        (0, 5, ROOT[5], ROOT[5], RootDiffers),
        (-1, 5, ROOT[5], ROOT[5], ProofInvalid),
    ],
    ids=["same size", "both empty", "from nothing", "less than nothing"],
)
def test_roots_that_need_no_proof_are_compared(
    old: int, new: int, old_root: bytes, new_root: bytes, error: type[LedgerError]
) -> None:
    with pytest.raises(error):
        verify_consistency(old, new, [], old_root, new_root)


@pytest.mark.parametrize("size", [0, 1, 8, 40])
def test_every_tree_goes_on_from_nothing_and_from_itself(size: int) -> None:
    verify_consistency(0, size, grown(0, size), EMPTY_ROOT, ROOT[size])
    verify_consistency(size, size, grown(size, size), ROOT[size], ROOT[size])
