"""The kept tree: its answers at every size, the tiles they take, and damage to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.errors import NotSealed, SealDamaged, TreeShrunk
from ledger.seal.proof import verify_consistency, verify_inclusion
from ledger.seal.sealer import Sealer
from ledger.seal.tiles import TILES_HELD_MAX, SealedView, levels_of
from ledger.seal.tree import EMPTY_ROOT
from ledger.store.port import ReadTables, Statements

from .records import AskedTree, change, event, events, leaf_bytes, leaves, record, root, seal, stored
from .rfc6962 import mth, path, proof

COUNT = 600
D = leaves(COUNT)
SIZES = st.integers(1, COUNT)


@pytest.fixture
def tree(tables: ReadTables) -> AskedTree:
    return seal(events(COUNT), tables)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(SIZES, st.data())
def test_every_answer_is_the_rfcs(tree: AskedTree, size: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, size - 1))
    old = data.draw(st.integers(1, size))
    assert tree.root(size) == mth(D[:size])
    assert tree.inclusion_proof(index, size) == path(index, D[:size])
    assert tree.consistency_proof(old, size) == proof(old, D[:size])


def test_a_tile_is_256_hashes_of_32_bytes(tables: ReadTables, tree: AskedTree) -> None:
    """C2SP tlog-tiles: full tiles below, their roots above."""
    tiles = stored(tables)
    assert [(level, index, len(hashes) // 32) for level, index, hashes in tiles] == [
        (0, 0, 256),
        (0, 1, 256),
        (0, 2, 88),
        (1, 0, 2),
    ]
    assert tiles[0][2] == b"".join(mth([leaf]) for leaf in D[:256])
    assert tiles[3][2] == mth(D[:256]) + mth(D[256:512])


@pytest.mark.parametrize(
    ("size", "levels"), [(0, 0), (1, 1), (255, 1), (256, 2), (65_535, 2), (65_536, 3), (2**24, 4)]
)
def test_a_level_of_tiles_begins_with_its_first_hash(size: int, levels: int) -> None:
    assert levels_of(size) == levels


def test_the_hashes_stay_bytes_in_a_column_whose_type_sqlite_does_not_know(
    tables: ReadTables, tree: AskedTree
) -> None:
    with tables.snapshot() as statements:
        assert statements.execute("SELECT DISTINCT typeof(hashes) FROM seal_tiles") == [("blob",)]


def test_an_engine_may_give_bytes_as_a_memoryview(tables: ReadTables, tree: AskedTree) -> None:
    """As some drivers of PostgreSQL do."""

    class AsViews:
        def __init__(self, statements: Statements) -> None:
            self._statements = statements
            self.executemany = statements.executemany

        def execute(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
            rows = self._statements.execute(sql, parameters)
            return [tuple(memoryview(v) if isinstance(v, bytes) else v for v in row) for row in rows]

    with tables.snapshot() as statements:
        view = SealedView(AsViews(statements))
        assert view.root(COUNT) == root(COUNT)
        assert view.edge().open_tiles()[0].hashes == stored(tables)[2][2]


@pytest.mark.parametrize("size", [-1, COUNT + 1, 2**40])
def test_what_is_not_sealed_has_no_root(tree: AskedTree, size: int) -> None:
    for ask in (tree.root, lambda size: tree.inclusion_proof(0, size)):
        with pytest.raises(NotSealed) as refusal:
            ask(size)
        assert refusal.value.facts() == {"asked": size, "sealed": COUNT}


@pytest.mark.parametrize(("index", "size"), [(-1, 9), (9, 9), (10, 9), (0, 0)])
def test_a_leaf_outside_the_tree_asked_for_has_no_proof(tree: AskedTree, index: int, size: int) -> None:
    with pytest.raises(NotSealed):
        tree.inclusion_proof(index, size)


def test_no_proof_leads_from_a_greater_tree_to_a_smaller(tree: AskedTree) -> None:
    with pytest.raises(TreeShrunk):
        tree.consistency_proof(10, 9)
    with pytest.raises(NotSealed):
        tree.consistency_proof(10, COUNT + 1)


def test_before_anything_is_sealed_there_is_the_empty_tree(tables: ReadTables) -> None:
    tree = AskedTree(tables)
    assert (tree.size(), tree.root(0), tree.consistency_proof(0, 0)) == (0, EMPTY_ROOT, [])


# --- How much is read -------------------------------------------------------------------------------------


class Counting:
    """Read tables that count the tiles they are asked for."""

    def __init__(self, tables: ReadTables) -> None:
        self._tables = tables
        self.tiles = 0
        self.transaction = tables.transaction

    @contextmanager
    def snapshot(self) -> Any:
        with self._tables.snapshot() as statements:
            yield _CountingStatements(statements, self)


class _CountingStatements:
    def __init__(self, statements: Statements, counting: Counting) -> None:
        self._statements = statements
        self._counting = counting
        self.executemany = statements.executemany

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        self._counting.tiles += "seal_tiles" in sql
        return self._statements.execute(sql, parameters)


def test_an_answer_reads_two_tiles_a_level_or_fewer(tables: ReadTables) -> None:
    size = 70_000  # three levels
    seal(events(size), tables)
    counting = Counting(tables)
    tree = AskedTree(counting)
    asks: list[Callable[[int], object]] = [
        lambda number: tree.inclusion_proof(number, size),
        lambda number: tree.consistency_proof(number, size),
        tree.root,
    ]
    for ask in asks:
        for number in (1, 255, 256, 257, 40_000, 65_535, 65_536, 65_537, 69_887, 69_999):
            counting.tiles = 0
            ask(number)
            assert counting.tiles <= 6
    whole = tree.root(size)
    assert whole == root(size)
    for number in (1, 40_000, 65_536, 69_999):
        leaf = mth(leaves(number + 1)[-1:])
        verify_inclusion(leaf, number, size, tree.inclusion_proof(number, size), whole)
        verify_consistency(number, size, tree.consistency_proof(number, size), tree.root(number), whole)


def test_many_proofs_hash_each_tile_once(tree: AskedTree, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full tile has 255 nodes above its hashes. On the right edge, a proof folds a hash a level."""
    hashed = 0

    def counting(content: bytes) -> Any:
        nonlocal hashed
        hashed += 1
        return sha256(content)

    monkeypatch.setattr("ledger.seal.tree.sha256", counting)
    with tree.view() as view:
        view.inclusion_proof(0, COUNT)
        first = hashed
        for index in range(1, 256):
            view.inclusion_proof(index, COUNT)
        assert first < 2 * 255
        assert hashed - first < 256 * COUNT.bit_length()


def test_a_view_holds_few_tiles_however_many_it_is_asked_for(tables: ReadTables) -> None:
    size = (TILES_HELD_MAX + 6) * 256
    seal(events(size), tables)
    whole = root(size)
    held = []
    with AskedTree(tables).view() as view:
        for number in [*range(0, size, 256), 0, size - 1]:
            leaf = mth([leaf_bytes(event(number + 1))])
            verify_inclusion(leaf, number, size, view.inclusion_proof(number, size), whole)
            held.append(len(view._held))
    assert max(held) == TILES_HELD_MAX


# --- Damage -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM seal_tiles WHERE level = 0 AND tile_index = 2",
        "DELETE FROM seal_tiles WHERE level = 1",
        "UPDATE seal_tiles SET hashes = substr(hashes, 1, 32) WHERE level = 1",
        "UPDATE seal_tiles SET hashes = substr(hashes, 1, 2815) WHERE level = 0 AND tile_index = 2",
        "UPDATE seal_tiles SET hashes = x'' WHERE level = 1",
        "UPDATE seal_tiles SET hashes = 'no bytes' WHERE level = 1",
        "UPDATE seal_tiles SET hashes = 12 WHERE level = 1",
        "UPDATE seal_tiles SET hashes = CAST(hashes || hashes AS BLOB) WHERE level = 1",
        "UPDATE seal_size SET size = 900",
        "UPDATE seal_size SET size = 590",
        "UPDATE seal_size SET size = -1",
        "UPDATE seal_size SET size = 'many'",
        "UPDATE seal_size SET size = 600.5",
    ],
)
def test_nobody_seals_on_over_damaged_tiles(tables: ReadTables, tree: AskedTree, sql: str) -> None:
    change(tables, sql)
    with pytest.raises(SealDamaged):
        Sealer(record(events(1_000)), tables).catch_up()


@pytest.mark.parametrize(
    ("sql", "place"),
    [
        ("DELETE FROM seal_tiles WHERE level = 1", "tile 0 of level 1"),
        ("UPDATE seal_tiles SET hashes = substr(hashes, 1, 32) WHERE level = 1", "tile 0 of level 1"),
        ("UPDATE seal_tiles SET hashes = 'no bytes' WHERE tile_index = 2", "tile 2 of level 0"),
        ("UPDATE seal_tiles SET hashes = substr(hashes, 2) WHERE tile_index = 2", "tile 2 of level 0"),
        ("UPDATE seal_size SET size = 'many'", "the size"),
    ],
)
def test_a_tile_that_is_missing_or_too_short_is_named(
    tables: ReadTables, tree: AskedTree, sql: str, place: str
) -> None:
    change(tables, sql)
    with pytest.raises(SealDamaged) as refusal:
        tree.root(COUNT)
    assert refusal.value.place == place
