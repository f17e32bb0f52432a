"""The seal against implementations that nobody here wrote.

* sigstore, the Python client of the Sigstore logs: its verifier of inclusion proofs and its reader of
  checkpoints. It knows keys by 4 bytes alone and takes the note's text as it comes.
* pymerkle: trees, roots and proofs. Its `security` is RFC 6962's prefixes. It counts leaves from 1 and puts
  the leaf itself before an inclusion proof. Where the older tree ends at a split, its consistency proofs go
  a level deeper than the RFC's, so there its verdict on our roots is asked for, not the same hashes.
"""

from __future__ import annotations

from base64 import b64encode
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from pymerkle import InmemoryTree, verify_consistency, verify_inclusion  # type: ignore[import-untyped]
from sigstore._internal.merkle import verify_merkle_inclusion
from sigstore._internal.rekor.checkpoint import SignedCheckpoint, verify_checkpoint
from sigstore._internal.trust import Keyring, RekorKeyring
from sigstore.errors import VerificationError
from sigstore_models.common import v1

from ledger.seal.checkpoint import Checkpoint, open_checkpoint, origin_of
from ledger.seal.keys import VerifierKey, new_key, parse_verifier
from ledger.store.port import ReadTables

from .published import ENTRY, ENTRY_HEAD, ENTRY_INDEX, ENTRY_PROOF
from .records import AskedTree, events, leaves, seal

if TYPE_CHECKING:
    from sigstore.models import TransparencyLogEntry

COUNT = 600
SIZES = [1, 2, 3, 7, 8, 255, 256, 257, 511, 512, 513, 599, 600]
D = leaves(COUNT)
ORIGIN = origin_of("main")
KEY = new_key(ORIGIN, bytes(range(32)))


@pytest.fixture
def tree(tables: ReadTables) -> AskedTree:
    return seal(events(COUNT), tables)


@pytest.fixture(scope="module")
def theirs() -> Any:
    tree = InmemoryTree(algorithm="sha256")
    for leaf in D:
        tree.append_entry(leaf)
    return tree


def places(size: int) -> list[int]:
    return sorted({0, 1, size // 2, size - 2, size - 1} & set(range(size)))


# --- pymerkle ----------------------------------------------------------------------------------------------


def test_pymerkle_finds_the_same_roots(tree: AskedTree, theirs: Any) -> None:
    with tree.view() as view:
        assert [view.root(size) for size in range(1, COUNT + 1)] == [
            theirs.get_root(size) for size in range(1, COUNT + 1)
        ]


@pytest.mark.parametrize("size", SIZES)
def test_pymerkle_makes_the_same_inclusion_proofs(tree: AskedTree, theirs: Any, size: int) -> None:
    for index in places(size):
        proven = theirs.prove_inclusion(index + 1, size)
        assert tree.inclusion_proof(index, size) == proven.path[1:]
        verify_inclusion(proven.path[0], tree.root(size), proven, index + 1, size, "sha256")


@pytest.mark.parametrize("new", SIZES)
def test_pymerkle_finds_our_roots_consistent(tree: AskedTree, theirs: Any, new: int) -> None:
    for old in [size for size in SIZES if size <= new]:
        proven = theirs.prove_consistency(old, new)
        verify_consistency(tree.root(old), tree.root(new), proven, old, new, "sha256")


# --- sigstore: inclusion -----------------------------------------------------------------------------------


def entry(
    leaf: bytes,
    index: int,
    size: int,
    hashes: list[bytes],
    root: bytes,
    *,
    envelope: str = "",
    key: bytes = b"",
) -> TransparencyLogEntry:
    """A log entry as far as sigstore's verifiers look at it."""
    proof = SimpleNamespace(
        log_index=index,
        tree_size=size,
        hashes=hashes,
        root_hash=root,
        checkpoint=SimpleNamespace(envelope=envelope),
    )
    inner = SimpleNamespace(
        inclusion_proof=proof, canonicalized_body=leaf, log_id=SimpleNamespace(key_id=key)
    )
    return cast("TransparencyLogEntry", SimpleNamespace(_inner=inner))


@pytest.mark.parametrize("size", SIZES)
def test_sigstore_accepts_our_inclusion_proofs(tree: AskedTree, size: int) -> None:
    for index in places(size):
        proof, root = tree.inclusion_proof(index, size), tree.root(size)
        verify_merkle_inclusion(entry(D[index], index, size, proof, root))
        with pytest.raises(VerificationError):
            verify_merkle_inclusion(entry(D[index] + b" ", index, size, proof, root))


# --- sigstore: checkpoints ---------------------------------------------------------------------------------


def keyring(*keys: VerifierKey) -> RekorKeyring:
    def known(key: VerifierKey) -> v1.PublicKey:
        public = Ed25519PublicKey.from_public_bytes(key.public_key)
        der = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return v1.PublicKey(
            raw_bytes=b64encode(der), key_details=v1.PublicKeyDetails.PKIX_ED25519, valid_for=None
        )

    return RekorKeyring(Keyring([known(key) for key in keys]))


def test_sigstore_reads_our_checkpoint_and_verifies_its_signature(tree: AskedTree) -> None:
    root = tree.root(COUNT)
    envelope = str(Checkpoint(ORIGIN, COUNT, root).signed(KEY))
    said = SignedCheckpoint.from_text(envelope).checkpoint
    assert (said.origin, said.log_size, said.log_hash, said.other_content) == (ORIGIN, COUNT, root.hex(), [])
    signed = entry(D[0], 0, COUNT, [], root, envelope=envelope, key=KEY.verifier.id)
    verify_checkpoint(keyring(KEY.verifier), signed)
    stranger = new_key(ORIGIN, bytes(32))
    with pytest.raises(VerificationError):
        verify_checkpoint(keyring(stranger.verifier), signed)


def test_sigstore_verifies_a_checkpoint_with_several_signatures_by_any_of_them(tree: AskedTree) -> None:
    root, witness = tree.root(COUNT), new_key("witness.example/w1", bytes(32))
    envelope = str(Checkpoint(ORIGIN, COUNT, root).signed(witness, KEY))
    for key in (KEY.verifier, witness.verifier):
        verify_checkpoint(keyring(key), entry(D[0], 0, COUNT, [], root, envelope=envelope, key=key.id))


def test_sigstore_and_we_read_an_entry_of_a_live_log_alike() -> None:
    key = parse_verifier(ENTRY_HEAD.key)
    root = open_checkpoint(ENTRY_HEAD.note, ENTRY_HEAD.origin, [key]).root
    published = entry(
        ENTRY, ENTRY_INDEX, ENTRY_HEAD.size, ENTRY_PROOF, root, envelope=ENTRY_HEAD.note, key=key.id
    )
    verify_merkle_inclusion(published)
    verify_checkpoint(keyring(key), published)
