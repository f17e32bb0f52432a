"""The kept checkpoints: each goes on from the last, and a changed key changes nothing about the old ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ledger.errors import (
    KeyNotPinned,
    LedgerError,
    MalformedInput,
    NoteMalformed,
    OriginDiffers,
    ProofInvalid,
    RootDiffers,
    SealDamaged,
    SealError,
    SignatureInvalid,
    TreeShrunk,
)
from ledger.seal.checkpoint import Checkpoint, open_checkpoint, origin_of
from ledger.seal.checkpoints import Checkpoints
from ledger.seal.keys import SigningKey, new_key
from ledger.seal.note import Note
from ledger.store.port import ReadTables

from .records import change, events, leaves, root, seal
from .rfc6962 import mth

ORIGIN = origin_of("main")
OLD_KEY, NEW_KEY, THIEF = (new_key(ORIGIN, bytes([seed]) * 32) for seed in (1, 2, 3))
WITNESS = new_key("witness.example/w1", bytes(32))


def kept_in(tables: ReadTables, *keys: SigningKey) -> Checkpoints:
    """The checkpoints, as somebody sees them who trusts these keys."""
    return Checkpoints(tables, ORIGIN, [key.verifier for key in keys])


def head(size: int, origin: str = ORIGIN) -> Checkpoint:
    return Checkpoint(origin, size, root(size))


@pytest.fixture
def kept(tables: ReadTables) -> Checkpoints:
    """A ledger of 300 sealed events, with checkpoints at 0, 100 and 300."""
    checkpoints = kept_in(tables, OLD_KEY)
    for size in (0, 100, 300):
        seal(events(size), tables)
        checkpoints.sign(OLD_KEY)
    return checkpoints


def all_checked(checkpoints: Checkpoints) -> list[int]:
    return [checkpoints.check(size, note).size for size, note in checkpoints.every()]


def test_a_checkpoint_is_the_tree_as_far_as_it_is_sealed(kept: Checkpoints) -> None:
    last = kept.last()
    assert last is not None
    signed = open_checkpoint(last, ORIGIN, [OLD_KEY.verifier])
    assert signed == Checkpoint(ORIGIN, 300, mth(leaves(300)))
    assert all_checked(kept) == [0, 100, 300]


def test_before_the_first_there_is_none(tables: ReadTables) -> None:
    checkpoints = kept_in(tables, OLD_KEY)
    assert checkpoints.last() is None
    assert checkpoints.covering(1) is None
    assert list(checkpoints.every()) == []


@pytest.mark.parametrize(("sequence", "size"), [(1, 100), (100, 100), (101, 300), (300, 300), (301, None)])
def test_the_smallest_checkpoint_that_has_an_event_in_it(
    kept: Checkpoints, sequence: int, size: int | None
) -> None:
    covering = kept.covering(sequence)
    assert (None if covering is None else int(covering.text.split("\n")[1])) == size


def test_signing_twice_over_the_same_tree_keeps_one(kept: Checkpoints) -> None:
    before = list(kept.every())
    assert kept.sign(OLD_KEY) == kept.last()
    assert list(kept.every()) == before


def test_more_checkpoints_than_are_read_at_once_are_all_read(tables: ReadTables) -> None:
    checkpoints = kept_in(tables, OLD_KEY)
    seal(events(600), tables)
    for size in range(1, 600):
        note = str(head(size).signed(OLD_KEY)) if size in {1, 599} else "not read here"
        change(tables, "INSERT INTO seal_checkpoints VALUES (?, ?)", (size, note))
    assert [size for size, _ in checkpoints.every()] == list(range(1, 600))


# --- Keys change ------------------------------------------------------------------------------------------


def test_after_a_change_of_keys_old_checkpoints_still_verify(tables: ReadTables, kept: Checkpoints) -> None:
    both = kept_in(tables, OLD_KEY, NEW_KEY)
    seal(events(400), tables)
    both.sign(NEW_KEY)
    assert all_checked(both) == [0, 100, 300, 400]
    for size, note in both.every():
        open_checkpoint(note, ORIGIN, [(NEW_KEY if size == 400 else OLD_KEY).verifier])


def test_another_key_may_sign_the_last_checkpoint_too(tables: ReadTables, kept: Checkpoints) -> None:
    """So a new key vouches for the head that the old one left."""
    both = kept_in(tables, OLD_KEY, NEW_KEY)
    note = both.sign(NEW_KEY)
    assert note == both.last()
    assert note.verified_by([OLD_KEY.verifier]) == (OLD_KEY.verifier,)
    assert note.verified_by([NEW_KEY.verifier]) == (NEW_KEY.verifier,)
    assert [size for size, _ in both.every()] == [0, 100, 300]


def test_a_witness_may_sign_the_last_checkpoint_too(kept: Checkpoints) -> None:
    note = kept.sign(WITNESS, OLD_KEY)
    assert note.verified_by([WITNESS.verifier]) == (WITNESS.verifier,)
    assert kept.last() == note


def test_signatures_beyond_what_a_note_can_have_are_refused(kept: Checkpoints) -> None:
    many = [new_key(f"witness.example/{number}", bytes(32)) for number in range(99)]
    with pytest.raises(NoteMalformed):
        kept.sign(*many, WITNESS, OLD_KEY)
    kept.sign(*many[:60], OLD_KEY)
    before = kept.last()
    with pytest.raises(NoteMalformed):
        kept.sign(*many[60:], WITNESS, OLD_KEY)
    assert kept.last() == before


# --- Refused ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("UPDATE seal_size SET size = 200", TreeShrunk),
        ("UPDATE seal_checkpoints SET note = replace(note, '\n300\n', '\n299\n')", SignatureInvalid),
        ("UPDATE seal_checkpoints SET note = 'none' WHERE size = 300", NoteMalformed),
    ],
    ids=["smaller", "altered", "not signed"],
)
def test_what_does_not_go_on_from_the_last_is_not_kept(
    tables: ReadTables, kept: Checkpoints, sql: str, error: type[LedgerError]
) -> None:
    change(tables, sql)
    before = list(kept.every())
    with pytest.raises(error):
        kept.sign(OLD_KEY)
    assert list(kept.every()) == before


@pytest.mark.parametrize(
    ("last", "error"),
    [
        (lambda: Checkpoint(ORIGIN, 300, root(299)).signed(OLD_KEY), RootDiffers),
        (lambda: head(300, origin_of("annex")).signed(OLD_KEY), OriginDiffers),
        (lambda: head(300).signed(THIEF), KeyNotPinned),
    ],
    ids=["another root", "another ledger", "another key"],
)
def test_nothing_goes_on_from_a_last_one_that_is_not_this_ledgers(
    tables: ReadTables, kept: Checkpoints, last: Callable[[], Note], error: type[LedgerError]
) -> None:
    change(tables, "UPDATE seal_checkpoints SET note = ? WHERE size = 300", (str(last()),))
    with pytest.raises(error):
        kept.sign(OLD_KEY)
    seal(events(400), tables)
    with pytest.raises((error, ProofInvalid)):
        kept.sign(OLD_KEY)
    assert [size for size, _ in kept.every()] == [0, 100, 300]


def test_a_key_that_is_not_trusted_signs_nothing(kept: Checkpoints) -> None:
    with pytest.raises(KeyNotPinned):
        kept.sign(THIEF)
    assert all_checked(kept) == [0, 100, 300]


def test_a_history_sealed_anew_does_not_go_on_from_the_checkpoint_kept(
    tables: ReadTables, kept: Checkpoints
) -> None:
    """Event 50 is changed and all is sealed again: the tree no longer leads back to what was signed."""
    forged = [row._replace(state=b"changed") if row.sequence == 50 else row for row in events(400)]
    change(tables, "DELETE FROM seal_tiles")
    change(tables, "UPDATE seal_size SET size = 0")
    seal(forged, tables)
    with pytest.raises(SealError):
        kept.sign(OLD_KEY)
    size, note = list(kept.every())[1]
    with pytest.raises(RootDiffers) as refusal:
        kept.check(size, note)
    assert refusal.value.facts()["size"] == 100


# --- Changed behind the ledger's back ---------------------------------------------------------------------


def test_any_changed_byte_of_a_kept_checkpoint_is_found(tables: ReadTables, kept: Checkpoints) -> None:
    whole = list(kept.every())[1][1].encode()
    for at in range(len(whole)):
        changed = bytes([*whole[:at], whole[at] ^ 1, *whole[at + 1 :]])
        with pytest.raises((SealError, MalformedInput)):
            kept.check(100, changed.decode(errors="surrogateescape"))


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE seal_checkpoints SET size = 99 WHERE size = 100",
        "UPDATE seal_checkpoints SET note = CAST(note AS BLOB) WHERE size = 100",
        "UPDATE seal_checkpoints SET note = '' WHERE size = 100",
        "UPDATE seal_checkpoints SET note = (SELECT note FROM seal_checkpoints WHERE size = 0)",
    ],
)
def test_a_kept_checkpoint_that_is_not_its_own_is_found(
    tables: ReadTables, kept: Checkpoints, sql: str
) -> None:
    change(tables, sql)
    with pytest.raises((SealDamaged, NoteMalformed)):
        all_checked(kept)
