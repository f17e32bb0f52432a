"""Checkpoints: what they say, whose they are, and that one goes on from another."""

from __future__ import annotations

from base64 import b64decode, b64encode

import pytest

from ledger.errors import (
    CheckpointMalformed,
    KeyNotPinned,
    LedgerError,
    NoteMalformed,
    OriginDiffers,
    ProofInvalid,
    RootDiffers,
    SealError,
    TreeShrunk,
)
from ledger.seal.checkpoint import Checkpoint, check_consistent, open_checkpoint, origin_of, parse_checkpoint
from ledger.seal.keys import new_key, parse_verifier
from ledger.seal.note import sign_note

from .published import HEADS, Head
from .records import leaves
from .rfc6962 import mth, proof

ORIGIN = origin_of("main")
KEY = new_key(ORIGIN, bytes(range(32)))
OTHER_KEY = new_key(ORIGIN, bytes(32))
D = leaves(9)
ROOT = b64encode(mth(D)).decode()


def head(size: int, origin: str = ORIGIN) -> Checkpoint:
    return Checkpoint(origin, size, mth(D[:size]))


def test_a_checkpoint_is_three_lines() -> None:
    """C2SP tlog-checkpoint."""
    assert head(9).text() == f"baccarat-ledger/main\n9\n{ROOT}\n"


def test_an_empty_ledger_has_a_checkpoint_too() -> None:
    assert head(0).text() == "baccarat-ledger/main\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n"


@pytest.mark.parametrize("size", range(10))
def test_what_was_signed_is_read_back(size: int) -> None:
    signed = head(size).signed(KEY)
    for source in (signed, str(signed), str(signed).encode()):
        assert open_checkpoint(source, ORIGIN, [KEY.verifier]) == head(size)


@pytest.mark.parametrize("published", HEADS, ids=lambda head: f"{head.origin} {head.size}")
def test_the_heads_of_live_logs_are_read(published: Head) -> None:
    read = open_checkpoint(published.note, published.origin, [parse_verifier(published.key)])
    assert read == Checkpoint(published.origin, published.size, b64decode(published.root))


def test_lines_that_other_logs_add_are_kept_and_mean_nothing() -> None:
    text = head(9).text() + "Timestamp: 1679349379012118479\nanother\n"
    read = parse_checkpoint(text)
    assert read.extensions == ("Timestamp: 1679349379012118479", "another")
    assert read.text() == text
    assert (read.size, read.root) == (9, mth(D))


def test_any_changed_bit_of_a_signed_checkpoint_is_refused() -> None:
    whole = str(head(9).signed(KEY)).encode()
    for at, byte in enumerate(whole):
        for bit in range(8):
            changed = bytes([*whole[:at], byte ^ 1 << bit, *whole[at + 1 :]])
            with pytest.raises((NoteMalformed, CheckpointMalformed, SealError)):
                open_checkpoint(changed, ORIGIN, [KEY.verifier])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        f"{ORIGIN}\n9\n",
        f"{ORIGIN}\n9\n{ROOT}",
        f"{ORIGIN}\n9\n{ROOT}\n\n",
        f"{ORIGIN}\n9\n{ROOT}\n\nextension\n",
        f"\n9\n{ROOT}\n",
        f"{ORIGIN}\n\n{ROOT}\n",
        f"{ORIGIN}\n09\n{ROOT}\n",
        f"{ORIGIN}\n-9\n{ROOT}\n",
        f"{ORIGIN}\n+9\n{ROOT}\n",
        f"{ORIGIN}\n 9\n{ROOT}\n",
        f"{ORIGIN}\n9 \n{ROOT}\n",
        f"{ORIGIN}\n9.0\n{ROOT}\n",
        f"{ORIGIN}\n0x9\n{ROOT}\n",
        f"{ORIGIN}\n1_0\n{ROOT}\n",
        f"{ORIGIN}\n٩\n{ROOT}\n",  # nine, in Arabic digits
        f"{ORIGIN}\n{'9' * 19}\n{ROOT}\n",
        f"{ORIGIN}\n{'9' * 5_000}\n{ROOT}\n",
        f"{ORIGIN}\n9\n{ROOT[:-1]}\n",
        f"{ORIGIN}\n9\n{ROOT} \n",
        f"{ORIGIN}\n9\n{b64encode(mth(D)[1:]).decode()}\n",
        f"{ORIGIN}\n9\n{b64encode(mth(D) + bytes(1)).decode()}\n",
        f"{ORIGIN}\n9\n{mth(D).hex()}\n",
    ],
)
def test_what_is_no_checkpoint_is_refused_though_it_is_signed(text: str) -> None:
    with pytest.raises(CheckpointMalformed):
        parse_checkpoint(text)
    if text.endswith("\n"):
        with pytest.raises(CheckpointMalformed):
            open_checkpoint(sign_note(text, KEY), ORIGIN, [KEY.verifier])


@pytest.mark.parametrize("origin", ["", "two\nlines"])
def test_a_checkpoint_that_nobody_could_read_back_is_not_signed(origin: str) -> None:
    with pytest.raises(CheckpointMalformed):
        Checkpoint(origin, 9, mth(D)).signed(KEY)


@pytest.mark.parametrize("ledger", ["", "a b", "a+b", "a\nb", "\u2003"])
def test_a_ledgers_id_is_one_word(ledger: str) -> None:
    with pytest.raises(CheckpointMalformed):
        origin_of(ledger)


def test_a_checkpoint_of_another_ledger_is_refused_though_the_same_key_signed_it() -> None:
    foreign = head(9, origin_of("annex")).signed(KEY)
    with pytest.raises(OriginDiffers) as refusal:
        open_checkpoint(foreign, ORIGIN, [KEY.verifier])
    assert refusal.value.facts() == {"expected": "baccarat-ledger/main", "found": "baccarat-ledger/annex"}


def test_a_checkpoint_by_a_key_that_is_not_the_one_pinned_is_refused() -> None:
    with pytest.raises(KeyNotPinned):
        open_checkpoint(head(9).signed(OTHER_KEY), ORIGIN, [KEY.verifier])


def test_after_a_key_was_changed_old_and_new_checkpoints_verify() -> None:
    both = [KEY.verifier, OTHER_KEY.verifier]
    assert open_checkpoint(head(5).signed(KEY), ORIGIN, both) == head(5)
    assert open_checkpoint(head(9).signed(OTHER_KEY), ORIGIN, both) == head(9)
    for pinned in both:
        assert open_checkpoint(head(7).signed(KEY, OTHER_KEY), ORIGIN, [pinned]) == head(7)


# --- One goes on from another ------------------------------------------------------------------------------


@pytest.mark.parametrize(("old", "new"), [(1, 9), (4, 9), (5, 9), (8, 9), (9, 9), (6, 7)])
def test_a_newer_checkpoint_goes_on_from_an_older(old: int, new: int) -> None:
    check_consistent(head(old), head(new), proof(old, D[:new]))


@pytest.mark.parametrize(
    ("older", "newer", "hashes", "error"),
    [
        (head(5), head(9, origin_of("annex")), proof(5, D), OriginDiffers),
        (head(9), head(5), [], TreeShrunk),
        (head(9), Checkpoint(ORIGIN, 9, mth(D[:8])), [], RootDiffers),
        (head(5), Checkpoint(ORIGIN, 9, mth(D[:8])), proof(5, D), ProofInvalid),
        (head(5), head(9), proof(6, D), ProofInvalid),
        (head(5), head(9), [], ProofInvalid),
    ],
    ids=["another ledger", "shrunk", "same size", "another root", "another proof", "no proof"],
)
def test_a_checkpoint_that_does_not_go_on_is_refused(
    older: Checkpoint, newer: Checkpoint, hashes: list[bytes], error: type[LedgerError]
) -> None:
    with pytest.raises(error):
        check_consistent(older, newer, hashes)
