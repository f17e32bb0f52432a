"""The proof of extension: who holds an old checkpoint needs nothing else but the public key."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pymerkle import InmemoryTree, verify_consistency  # type: ignore[import-untyped]

from ledger.errors import (
    CheckpointMalformed,
    ExtensionMalformed,
    ExtensionOfAnother,
    KeyNotPinned,
    LedgerError,
    MalformedInput,
    NoteMalformed,
    OriginDiffers,
    ProofInvalid,
    RootDiffers,
    SealError,
    SignatureInvalid,
    TreeShrunk,
)
from ledger.seal.checkpoint import Checkpoint, origin_of
from ledger.seal.extension import EXTENSION_BYTES_MAX, prove_extension, verify_extension
from ledger.seal.keys import SigningKey, new_key
from ledger.seal.note import Note, sign_note
from ledger.store.port import ReadTables

from .records import AskedTree, change, events, leaves, root, seal
from .rfc6962 import consistency, mth

COUNT = 600
ORIGIN = origin_of("main")
KEY, NEW_KEY, THIEF = (new_key(ORIGIN, bytes([seed]) * 32) for seed in (1, 2, 3))
PINNED = (KEY.verifier,)
Content = dict[str, Any]


@pytest.fixture
def tree(tables: ReadTables) -> AskedTree:
    return seal(events(COUNT), tables)


def head(size: int, *signers: SigningKey, origin: str = ORIGIN) -> Note:
    return Checkpoint(origin, size, root(size)).signed(*(signers or (KEY,)))


def proven(tree: AskedTree, older: Note, newer: Note, *keys: SigningKey) -> bytes:
    pinned = [key.verifier for key in keys or (KEY,)]
    with tree.view() as view:
        return prove_extension(older, newer, ORIGIN, pinned, view)[1]


def written(content: Content) -> bytes:
    """JSON as such a file has it, and its digest."""
    rest = {name: value for name, value in content.items() if name != "digest"}
    digest = sha256(_dumped(rest)).hexdigest()
    return _dumped(rest | {"digest": digest}) + b"\n"


def _dumped(content: Content) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def changed(made: bytes, change: Callable[[Content], object]) -> bytes:
    """The file as somebody makes it who knows what they do."""
    content = json.loads(made)
    change(content)
    return written(content)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(1, COUNT), st.data())
def test_what_is_made_leads_to_both_roots_as_the_rfc_defines_the_proof(
    tree: AskedTree, new: int, data: st.DataObject
) -> None:
    """Read by JSON, Base64 and §2.1.2 alone; then by the ledger's own reader."""
    old = data.draw(st.integers(1, new))
    file = proven(tree, head(old), head(new))
    content = json.loads(file)
    older, newer = (content[name].split("\n") for name in ("older", "newer"))
    assert (older[0], older[1], newer[1]) == (ORIGIN, str(old), str(new))
    hashes = [b64decode(text) for text in content["proof"]]
    roots = consistency(old, new, hashes, b64decode(older[2]))
    assert roots == (b64decode(older[2]), b64decode(newer[2]))
    assert roots == (mth(leaves(old)), mth(leaves(new)))
    assert written(content) == file
    shown = verify_extension(file, PINNED)
    assert (shown.older, shown.newer) == (
        Checkpoint(ORIGIN, old, roots[0]),
        Checkpoint(ORIGIN, new, roots[1]),
    )


@pytest.mark.parametrize(("old", "new"), [(1, 2), (3, 7), (256, 600), (257, 512), (599, 600), (600, 600)])
def test_pymerkle_finds_the_two_roots_of_a_file_consistent(tree: AskedTree, old: int, new: int) -> None:
    theirs = InmemoryTree(algorithm="sha256")
    for leaf in leaves(COUNT):
        theirs.append_entry(leaf)
    shown = verify_extension(proven(tree, head(old), head(new)), PINNED)
    verify_consistency(
        shown.older.root, shown.newer.root, theirs.prove_consistency(old, new), old, new, "sha256"
    )


def test_from_nothing_and_to_itself_no_hash_is_needed(tree: AskedTree) -> None:
    for old, new in ((0, 600), (600, 600), (0, 0)):
        file = proven(tree, head(old), head(new))
        assert json.loads(file)["proof"] == []
        assert verify_extension(file, PINNED).newer.size == new


def test_after_a_change_of_keys_both_must_be_pinned(tree: AskedTree) -> None:
    file = proven(tree, head(300), head(600, NEW_KEY), KEY, NEW_KEY)
    shown = verify_extension(file, [KEY.verifier, NEW_KEY.verifier])
    assert (shown.older_signed_by, shown.newer_signed_by) == ((KEY.verifier,), (NEW_KEY.verifier,))
    for one in (KEY, NEW_KEY):
        with pytest.raises(KeyNotPinned):
            verify_extension(file, [one.verifier])


# --- None is made ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("older", "error"),
    [
        (lambda: head(300, origin=origin_of("annex")), OriginDiffers),
        (lambda: head(601), TreeShrunk),
        (lambda: head(300, THIEF), KeyNotPinned),
        (lambda: Note(head(300).text.replace("\n300\n", "\n299\n"), head(300).signatures), SignatureInvalid),
        (lambda: Checkpoint(ORIGIN, 300, root(299)).signed(KEY), RootDiffers),
        (lambda: Checkpoint(ORIGIN, 0, root(1)).signed(KEY), RootDiffers),
    ],
    ids=["another ledger", "larger", "another key", "altered", "another root", "not nothing's root"],
)
def test_from_a_checkpoint_that_is_not_the_ledgers_there_is_no_proof(
    tree: AskedTree, older: Callable[[], Note], error: type[LedgerError]
) -> None:
    with pytest.raises(error):
        proven(tree, older(), head(600))


def test_a_history_sealed_anew_does_not_go_on_from_what_was_kept(tables: ReadTables, tree: AskedTree) -> None:
    """Event 50 is changed and all is sealed and signed again."""
    kept = head(300)
    forged = [row._replace(state=b"changed") if row.sequence == 50 else row for row in events(COUNT)]
    change(tables, "DELETE FROM seal_tiles")
    change(tables, "UPDATE seal_size SET size = 0")
    tree = seal(forged, tables)
    with pytest.raises(RootDiffers) as refusal:
        proven(tree, kept, Checkpoint(ORIGIN, COUNT, tree.root(COUNT)).signed(KEY))
    assert refusal.value.facts() == {"size": 300, "expected": root(300).hex(), "found": tree.root(300).hex()}


def test_a_checkpoint_of_another_tree_is_not_led_to(tree: AskedTree) -> None:
    with pytest.raises(ProofInvalid):
        proven(tree, head(300), Checkpoint(ORIGIN, 600, root(599)).signed(KEY))


# --- None is taken -----------------------------------------------------------------------------------------


@pytest.fixture
def made(tree: AskedTree) -> bytes:
    return proven(tree, head(299), head(600))


def test_cut_anywhere_it_is_no_proof(made: bytes) -> None:
    for length in range(len(made)):
        with pytest.raises(ExtensionMalformed):
            verify_extension(made[:length], PINNED)


def test_any_changed_byte_is_found_for_an_accident(made: bytes) -> None:
    """Never as a finding about the ledger: who changed it without a new digest meant nothing by it."""
    for at in range(len(made)):
        with pytest.raises(ExtensionMalformed):
            verify_extension(bytes([*made[:at], made[at] ^ 1, *made[at + 1 :]]), PINNED)


def _flip(text: str) -> str:
    raw = b64decode(text)
    return b64encode(bytes([raw[0] ^ 1, *raw[1:]])).decode()


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda c: c.update(proof=c["proof"][1:]), ProofInvalid),
        (lambda c: c.update(proof=c["proof"][::-1]), ProofInvalid),
        (lambda c: c.update(proof=[*c["proof"], c["proof"][0]]), ProofInvalid),
        (lambda c: c.update(proof=[_flip(c["proof"][0]), *c["proof"][1:]]), ProofInvalid),
        (lambda c: c.update(proof=["AAA", *c["proof"][1:]]), ProofInvalid),
        (lambda c: c.update(proof=[]), ProofInvalid),
        (lambda c: c.update(older=c["newer"]), ProofInvalid),
        (lambda c: c.update(older=c["newer"], newer=c["older"]), TreeShrunk),
        (lambda c: c.update(older=str(head(299, THIEF))), KeyNotPinned),
        (lambda c: c.update(newer=str(head(600, THIEF))), KeyNotPinned),
        (lambda c: c.update(newer=c["newer"].replace("\n600\n", "\n599\n")), SignatureInvalid),
        (lambda c: c.update(newer=str(head(600, origin=origin_of("annex")))), OriginDiffers),
        (lambda c: c.update(newer="none"), NoteMalformed),
        (lambda c: c.update(format="baccarat-ledger/extension/v2"), ExtensionMalformed),
        (lambda c: c.update(proof=["A"] * 129), ExtensionMalformed),
        (lambda c: c.update(more=1), ExtensionMalformed),
        (lambda c: c.pop("older"), ExtensionMalformed),
    ],
)
def test_whoever_makes_one_from_others_parts_is_found_out(
    made: bytes, change: Callable[[Content], object], error: type[LedgerError]
) -> None:
    with pytest.raises(error):
        verify_extension(changed(made, change), PINNED)


def test_a_signed_note_that_is_no_checkpoint_is_none(made: bytes) -> None:
    with pytest.raises(CheckpointMalformed):
        verify_extension(changed(made, lambda c: c.update(older=str(sign_note("hello\n", KEY)))), PINNED)


def test_two_roots_of_one_size_that_were_both_signed_are_told(tree: AskedTree) -> None:
    """A house that shows its guests two records."""
    made = proven(tree, head(600), head(600))
    other = str(Checkpoint(ORIGIN, 600, root(599)).signed(KEY))
    with pytest.raises(RootDiffers):
        verify_extension(changed(made, lambda c: c.update(older=other)), PINNED)


def test_a_file_that_is_too_long_is_not_read(made: bytes) -> None:
    with pytest.raises(ExtensionMalformed, match="more than"):
        verify_extension(made.rstrip() + b" " * EXTENSION_BYTES_MAX + b"}\n", PINNED)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_bytes_of_any_kind_are_refused_in_our_own_words(source: bytes) -> None:
    with pytest.raises((MalformedInput, SealError)):
        verify_extension(source, PINNED)


# --- The one that is held ----------------------------------------------------------------------------------


def test_it_must_go_on_from_the_checkpoint_that_is_held(made: bytes) -> None:
    assert verify_extension(made, PINNED, Checkpoint(ORIGIN, 299, root(299))).older.size == 299
    for kept, error in (
        (Checkpoint(ORIGIN, 300, root(300)), ExtensionOfAnother),
        (Checkpoint(ORIGIN, 299, root(298)), RootDiffers),
        (Checkpoint(origin_of("annex"), 299, root(299)), OriginDiffers),
    ):
        with pytest.raises(error):
            verify_extension(made, PINNED, kept)
