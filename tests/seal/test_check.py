"""The record against its seal: whatever was done behind the ledger's back is found, and where."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.errors import LeafDiffers, SealDamaged, TreeShrunk
from ledger.seal.check import SealCheck
from ledger.seal.leaf import leaf_hash, leaf_hashes
from ledger.store.port import ReadTables, Row

from .records import change, event, events, seal, stored

COUNT = 600


@pytest.fixture
def sealed(tables: ReadTables) -> ReadTables:
    seal(events(COUNT), tables)
    return tables


def check(tables: ReadTables, rows: list[Row], page_events: int = 250) -> None:
    """Check a record, so many events at a time."""
    checking = SealCheck(tables)
    for start in range(0, len(rows), page_events):
        checking.feed_leaves(leaf_hashes(rows[start : start + page_events]))
    checking.finish()


@pytest.mark.parametrize("page_events", [1, 7, 255, 256, 600])
@pytest.mark.parametrize("count", [0, 1, 255, 256, 257, 600])
def test_a_record_that_is_what_was_sealed_passes(tables: ReadTables, count: int, page_events: int) -> None:
    seal(events(count), tables)
    check(tables, events(count), page_events)


def test_it_passes_too_while_others_go_on_sealing(sealed: ReadTables) -> None:
    checking = SealCheck(sealed)
    checking.feed_leaves(leaf_hashes(events(300)))
    seal(events(2_000), sealed)
    checking.feed_leaves(leaf_hashes(events(600)[300:]))
    checking.finish()
    assert checking.sealed == 600


@pytest.mark.parametrize("page_events", [1, 256, 1_000])
def test_what_is_not_sealed_yet_is_not_its_business(sealed: ReadTables, page_events: int) -> None:
    check(sealed, events(1_000), page_events)


def test_it_says_whether_what_comes_next_would_tell_anything(sealed: ReadTables) -> None:
    checking = SealCheck(sealed)
    checking.feed_leaves(leaf_hashes(events(256)))
    assert not checking.failed
    with pytest.raises(LeafDiffers):
        checking.feed_leaves(leaf_hashes(events(256)))
    assert checking.failed


@pytest.mark.parametrize("sequence", [1, 2, 256, 257, 512, 513, 599, 600])
@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("stream", "coup/main/PB1/S-21/1"),
        ("version", 2),
        ("topic", "coup-settled.v2"),
        ("state", b""),
        ("state", b"changed"),
    ],
)
def test_an_event_changed_in_any_column_is_named(
    sealed: ReadTables, sequence: int, column: str, value: Any
) -> None:
    rows = events(COUNT)
    rows[sequence - 1] = rows[sequence - 1]._replace(**{column: value})
    with pytest.raises(LeafDiffers) as refusal:
        check(sealed, rows)
    assert refusal.value.facts() == {
        "sequence": sequence,
        "sealed": leaf_hash(event(sequence)).hex(),
        "found": leaf_hash(rows[sequence - 1]).hex(),
    }


def test_of_several_changed_events_the_first_is_named(sealed: ReadTables) -> None:
    rows = events(COUNT)
    for sequence in (590, 140, 133, 500):
        rows[sequence - 1] = rows[sequence - 1]._replace(state=b"changed")
    with pytest.raises(LeafDiffers) as refusal:
        check(sealed, rows)
    assert refusal.value.sequence == 133


def test_any_changed_bit_of_a_state_is_found(tables: ReadTables) -> None:
    seal(events(3), tables)
    state = event(2).state
    for bit in range(len(state) * 8):
        changed = (int.from_bytes(state, "big") ^ 1 << bit).to_bytes(len(state), "big")
        with pytest.raises(LeafDiffers):
            check(tables, [event(1), event(2)._replace(state=changed), event(3)])


@pytest.mark.parametrize(("rows", "first"), [([*events(9), *events(600)[10:]], 10), (events(600)[1:], 1)])
def test_where_an_event_is_deleted_the_next_one_is_not_what_was_sealed(
    sealed: ReadTables, rows: list[Row], first: int
) -> None:
    with pytest.raises(LeafDiffers) as refusal:
        check(sealed, rows)
    assert refusal.value.sequence == first


@pytest.mark.parametrize("count", [599, 512, 0])
def test_events_deleted_at_the_end_are_found(sealed: ReadTables, count: int) -> None:
    with pytest.raises(TreeShrunk) as refusal:
        check(sealed, events(count))
    assert refusal.value.facts() == {"old_size": 600, "new_size": count}


def test_two_events_swapped_are_found(sealed: ReadTables) -> None:
    rows = events(COUNT)
    rows[99], rows[100] = rows[100]._replace(sequence=100), rows[99]._replace(sequence=101)
    with pytest.raises(LeafDiffers) as refusal:
        check(sealed, rows)
    assert refusal.value.sequence == 100


def test_an_event_deleted_and_the_rest_moved_up_is_found(sealed: ReadTables) -> None:
    rows = [*events(99), *(event(n + 1)._replace(sequence=n) for n in range(100, 600))]
    with pytest.raises(LeafDiffers) as refusal:
        check(sealed, rows)
    assert refusal.value.sequence == 100


def test_any_changed_hash_of_any_tile_is_found(sealed: ReadTables) -> None:
    """A bit of each: of a leaf, as the event it stands for; of a level above, as a tile."""
    for level, index, hashes in stored(sealed):
        where = "WHERE level = ? AND tile_index = ?"
        for number in range(0, len(hashes) // 32, 1 if level else 5):
            at = number * 32 + number % 32
            changed = bytes([*hashes[:at], hashes[at] ^ 1 << number % 8, *hashes[at + 1 :]])
            change(sealed, f"UPDATE seal_tiles SET hashes = ? {where}", (changed, level, index))
            with pytest.raises(SealDamaged if level else LeafDiffers) as refusal:
                check(sealed, events(COUNT))
            facts = refusal.value.facts()
            if level:
                assert facts["place"] == f"tile {index} of level {level}"
            else:
                assert facts["sequence"] == index * 256 + number + 1
        change(sealed, f"UPDATE seal_tiles SET hashes = ? {where}", (hashes, level, index))
    check(sealed, events(COUNT))


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM seal_tiles WHERE level = 0 AND tile_index = 0",
        "DELETE FROM seal_tiles WHERE level = 0 AND tile_index = 2",
        "DELETE FROM seal_tiles WHERE level = 1",
        "UPDATE seal_tiles SET hashes = substr(hashes, 1, 8160) WHERE tile_index = 1",
        "UPDATE seal_tiles SET hashes = substr(hashes, 1, 2784) WHERE tile_index = 2",
        "UPDATE seal_tiles SET hashes = 'text' WHERE tile_index = 1",
        "INSERT INTO seal_tiles VALUES (0, 3, x'00')",
        "INSERT INTO seal_tiles VALUES (2, 0, x'00')",
        "UPDATE seal_tiles SET level = 7 WHERE level = 1",
        "UPDATE seal_tiles SET tile_index = 7 WHERE tile_index = 2",
    ],
)
def test_tiles_that_are_missing_short_or_too_many_are_found(sealed: ReadTables, sql: str) -> None:
    change(sealed, sql)
    with pytest.raises(SealDamaged):
        check(sealed, events(COUNT))


@pytest.mark.parametrize("size", [0, 1, 512, 599, 601, 10**6])
def test_a_changed_size_is_found(sealed: ReadTables, size: int) -> None:
    change(sealed, "UPDATE seal_size SET size = ?", (size,))
    with pytest.raises((SealDamaged, TreeShrunk)):
        check(sealed, events(COUNT))
