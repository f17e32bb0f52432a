"""The leaf: its bytes as the page says them, and that nothing in an event can change without it."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import LeafUnreadable
from ledger.seal.leaf import leaf_hash, leaf_hashes
from ledger.store.port import Row

from .records import leaf_bytes

NUMBERS = st.integers(0, 2**64 - 1)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
ROWS = st.builds(Row, NUMBERS, TEXTS, NUMBERS, TEXTS, st.binary(max_size=8))

COUP = Row(258, "coup/é", 3, "t.v1", b'{"a":1}')
COUP_LEAF = (
    bytes([0, 0, 0, 0, 0, 0, 1, 2])  # 258
    + bytes([0, 0, 0, 0, 0, 0, 0, 3])
    + bytes([0, 0, 0, 7])  # é is two bytes
    + bytes([0, 0, 0, 4])
    + bytes([0, 0, 0, 7])
    + b"coup/\xc3\xa9"
    + b"t.v1"
    + b'{"a":1}'
)


def read(leaf: bytes) -> Row:
    """Read a leaf back, as another language would."""
    sequence, version = int.from_bytes(leaf[:8], "big"), int.from_bytes(leaf[8:16], "big")
    stream, topic, state = (int.from_bytes(leaf[at : at + 4], "big") for at in (16, 20, 24))
    rest = leaf[28:]
    assert len(rest) == stream + topic + state
    names = rest[:stream].decode(), rest[stream : stream + topic].decode()
    return Row(sequence, names[0], version, names[1], rest[stream + topic :])


def test_a_leaf_is_byte_for_byte_what_the_page_says() -> None:
    assert leaf_bytes(COUP) == COUP_LEAF


def test_its_hash_is_over_a_zero_byte_and_the_leaf() -> None:
    """RFC 6962 §2.1."""
    assert leaf_hash(COUP) == sha256(b"\x00" + COUP_LEAF).digest()


@given(ROWS)
def test_the_event_can_be_read_back_from_its_leaf(row: Row) -> None:
    """So no two events have the same leaf."""
    assert read(leaf_bytes(row)) == row


@given(st.lists(ROWS, max_size=5))
def test_many_leaves_are_hashed_as_one_is(rows: list[Row]) -> None:
    assert leaf_hashes(rows) == [sha256(b"\x00" + leaf_bytes(row)).digest() for row in rows]


@pytest.mark.parametrize(
    "moved",
    [
        Row(1, "ab", 1, "c", b"d"),
        Row(1, "a", 1, "bc", b"d"),
        Row(1, "a", 1, "b", b"cd"),
        Row(1, "", 1, "abc", b"d"),
    ],
)
def test_a_letter_cannot_move_from_one_column_to_the_next(moved: Row) -> None:
    assert leaf_hash(moved) != leaf_hash(Row(1, "abc", 1, "", b"d"))


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("sequence", -1),
        ("sequence", 2**64),
        ("version", -1),
        ("version", "one"),
        ("version", None),
        ("stream", b"coup"),
        ("stream", None),
        ("stream", "\ud800"),
        ("topic", 7),
        ("state", "{}"),
        ("state", None),
        ("state", 12),
    ],
)
def test_a_column_with_what_no_event_has_is_named_by_its_event(column: str, value: Any) -> None:
    row = COUP._replace(**{column: value})
    with pytest.raises(LeafUnreadable) as refusal:
        leaf_hash(row)
    assert refusal.value.sequence == row.sequence
