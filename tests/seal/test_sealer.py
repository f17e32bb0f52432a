"""Sealing: each event once, whatever stops a sealer, and in little memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.errors import LeafUnreadable, RecordGap, SealMoved, TreeShrunk
from ledger.seal.leaf import leaf_hash
from ledger.seal.sealer import Sealer
from ledger.seal.tiles import Edge, Tile
from ledger.seal.tree import Frontier
from ledger.store.port import LedgerRecorder, NewRow, ReadTables, Row
from ledger.store.sqlite_read_tables import SQLiteReadTables
from tests.contracts.elsewhere import PATIENCE_SECONDS, elsewhere
from tests.store.sqlite_files import open_record

from .records import (
    AskedTree,
    PaperRecord,
    change,
    event,
    events,
    leaves,
    record,
    root,
    seal,
    seal_and_hang,
    seal_by_word,
    stored,
)
from .rfc6962 import mth


def made_at_once(count: int) -> list[Tile]:
    """The tiles of so many events when nothing comes between."""
    edge = Edge()
    filled = edge.extend([leaf_hash(row) for row in events(count)])
    return sorted([*filled, *edge.open_tiles()])


def test_the_record_in_its_file_is_sealed_in_the_same_file(file: Path) -> None:
    recorder, tables = open_record(file), SQLiteReadTables(str(file))
    recorder.append([NewRow(*row[1:]) for row in events(300)], {})
    assert Sealer(recorder, tables).catch_up() == 300
    assert AskedTree(tables).root(300) == mth(leaves(300))
    tables.close()
    recorder.datastore.close()


def test_an_empty_record_is_sealed_too(file: Path) -> None:
    tables = SQLiteReadTables(str(file))
    assert Sealer(record([]), tables).catch_up() == 0
    assert AskedTree(tables).root(0) == mth([])
    tables.close()


def test_a_sealer_resumes_at_every_size(tables: ReadTables) -> None:
    """A new sealer for each event, over two full tiles and into the third."""
    for size in range(1, 530):
        assert seal(events(size), tables).size() == size
    assert stored(tables) == made_at_once(529)
    with AskedTree(tables).view() as view:
        head = Frontier()
        for size in range(1, 530):
            head = head.extended([leaf_hash(event(size))])
            assert view.root(size) == head.root()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(1, 400), st.integers(1, 300)), min_size=1, max_size=5))
def test_any_stops_and_any_pages_give_the_same_tiles(
    tables: ReadTables, steps: list[tuple[int, int]]
) -> None:
    change(tables, "DELETE FROM seal_tiles")
    change(tables, "UPDATE seal_size SET size = 0")
    count = 0
    for more, page_events in steps:
        count += more
        seal(events(count), tables, page_events)
    assert stored(tables) == made_at_once(count)


def test_progress_is_told_after_each_page(tables: ReadTables) -> None:
    told: list[tuple[int, int]] = []
    Sealer(record(events(100)), tables, 40).catch_up(lambda size, goal: told.append((size, goal)))
    assert told == [(40, 100), (80, 100), (100, 100)]


# --- Stopped ----------------------------------------------------------------------------------------------


def test_a_sealer_that_is_killed_between_pages_is_gone_on_from(file: Path, tables: ReadTables) -> None:
    with elsewhere(seal_by_word, file, 1_000, 130) as sealer:
        assert sealer.hears() == 130
        sealer.says("on")
        assert sealer.hears() == 260
        sealer.says("on")
        assert sealer.hears() == 390
        sealer.is_killed()
    assert AskedTree(tables).size() == 390
    assert stored(tables) == made_at_once(390)
    assert seal(events(1_000), tables).root(1_000) == root(1_000)
    assert stored(tables) == made_at_once(1_000)


def test_a_sealer_that_is_killed_in_the_middle_of_a_page_leaves_nothing_of_it(
    file: Path, tables: ReadTables
) -> None:
    seal(events(390), tables)
    with elsewhere(seal_and_hang, file, 1_000) as sealer:
        assert sealer.hears() == "written"
        sealer.is_killed()
    assert AskedTree(tables).size() == 390
    assert stored(tables) == made_at_once(390)
    seal(events(1_000), tables)
    assert stored(tables) == made_at_once(1_000)


# --- Two at once ------------------------------------------------------------------------------------------


def test_a_sealer_that_was_overtaken_writes_nothing(tables: ReadTables) -> None:
    class Overtaken(PaperRecord):
        def select_rows(self, after: int, limit: int, topics: Sequence[str] = ()) -> list[Row]:
            seal(events(40), tables)
            return super().select_rows(after, limit, topics)

    late = Sealer(cast("LedgerRecorder", Overtaken(events(100))), tables)
    with pytest.raises(SealMoved) as refusal:
        late.catch_up()
    assert refusal.value.expected_size == 0
    assert stored(tables) == made_at_once(40)
    assert AskedTree(tables).size() == 40


def test_of_several_sealers_each_page_is_sealed_by_one(file: Path, tables: ReadTables) -> None:
    sizes: list[int] = []

    def insist() -> None:
        own = SQLiteReadTables(str(file))
        sealer = Sealer(record(events(960)), own, 24)
        for _ in range(1_000):
            try:
                sealer.catch_up(lambda size, _: sizes.append(size))
            except SealMoved:
                continue
            break
        own.close()

    with ThreadPoolExecutor(4) as threads:
        for sealing in [threads.submit(insist) for _ in range(4)]:
            sealing.result(PATIENCE_SECONDS)
    assert sorted(sizes) == list(range(24, 961, 24))
    assert stored(tables) == made_at_once(960)


# --- A record that is not whole ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "expected", "found"),
    [
        ([*events(9), event(11)], 10, 11),
        ([event(2), event(3)], 1, 2),
        ([*events(40), *map(event, range(42, 60))], 41, 42),
    ],
    ids=["one before the last", "the first", "between two pages"],
)
def test_an_event_that_is_missing_is_named(
    tables: ReadTables, rows: list[Row], expected: int, found: int
) -> None:
    with pytest.raises(RecordGap) as refusal:
        seal(rows, tables, 20)
    assert refusal.value.facts() == {"expected": expected, "found": found}
    assert AskedTree(tables).size() == (expected - 1) // 20 * 20


def test_an_end_that_cannot_be_read_is_missing_too(tables: ReadTables) -> None:
    class Endless(PaperRecord):
        def last_sequence(self) -> int:
            return 12

    with pytest.raises(RecordGap) as refusal:
        Sealer(cast("LedgerRecorder", Endless(events(10))), tables, 10).catch_up()
    assert refusal.value.facts() == {"expected": 11, "found": None}


def test_a_record_shorter_than_what_is_sealed_is_refused(tables: ReadTables) -> None:
    seal(events(10), tables)
    with pytest.raises(TreeShrunk) as refusal:
        seal(events(9), tables)
    assert refusal.value.facts() == {"old_size": 10, "new_size": 9}


def test_an_event_that_cannot_be_a_leaf_stops_its_page_and_is_named(tables: ReadTables) -> None:
    rows = [*events(29), event(30)._replace(version=-1), event(31)]
    with pytest.raises(LeafUnreadable) as refusal:
        seal(rows, tables, 20)
    assert refusal.value.sequence == 30
    assert AskedTree(tables).size() == 20


# --- Memory -----------------------------------------------------------------------------------------------


def test_a_hundred_thousand_events_are_sealed_in_one_megabyte(tables: ReadTables) -> None:
    """A third level of tiles begins at 65,536. The hashes of the last half alone would be over a megabyte."""
    rows = events(100_000)
    seal(rows[:60_000], tables)
    sealer = Sealer(record(rows), tables)
    tracemalloc.start()
    try:
        sealer.catch_up()
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 1_000_000
    tree, head = AskedTree(tables), Frontier()
    for start in range(0, 100_000, 10_000):
        head = head.extended([leaf_hash(row) for row in rows[start : start + 10_000]])
        assert tree.root(start + 10_000) == head.root()
    assert {level for level, _, _ in stored(tables)} == {0, 1, 2}
