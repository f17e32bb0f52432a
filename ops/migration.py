"""Copies a ledger from one engine to another: the same sequence, the same bytes, the same seal.

All or nothing. A server gets it in one transaction; a file is written under another name, and gets its own
when everything has been read again and compared. Read tables are not copied: they are made from the record.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from ledger.errors import NotALedger, RootDiffers
from ledger.seal import tables as seal_sql
from ledger.seal.identity import LEDGER
from ledger.seal.leaf import leaf_hashes
from ledger.seal.sealer import check_unbroken
from ledger.seal.tiles import SealedView
from ledger.seal.tree import Frontier
from ledger.store.port import LedgerRecorder, NewRow, ReadTables, RecordReader, Row, Statements
from ledger.verify.sealed import exists, seal_tables
from ops import engines
from ops.feed.consumers import CONSUMERS
from ops.location import Location
from ops.relay.position import RELAYED
from ops.wiring import open_house

PAGE_EVENTS = 4_096
PART = ".part"
"""What the name of a file ends in that is being written."""

Progress = Callable[[int, int], None]


class Kept(NamedTuple):
    """A table that goes with the record, by its key, with the SQL that makes it."""

    name: str
    key: tuple[str, ...]
    create: str
    page_rows: int


SEAL = (
    Kept("seal_ledger", ("one",), LEDGER, 10),
    Kept("seal_size", ("id",), seal_sql.SIZE, 10),
    Kept("seal_tiles", ("level", "tile_index"), seal_sql.TILES, 256),
    Kept("seal_checkpoints", ("size",), seal_sql.CHECKPOINTS, 1_000),
)
POSITIONS = (
    Kept("feed_consumers", ("name",), CONSUMERS, 1_000),
    Kept("relay_positions", ("target",), RELAYED, 1_000),
)
"""How far others have come, by the sequence, which is the same afterwards: nobody reads an event twice.

With the seal it is all that is copied beside the record. Read tables are made from the record; keys to the
service are issued anew.
"""


class Migrated(NamedTuple):
    """What was copied: events, how many of them are sealed, and the root over all of them."""

    events: int
    sealed: int
    root: bytes


def migrate(source_db: str, target_db: str, progress: Progress | None = None) -> Migrated:
    """Copy a ledger to where there is none.

    Args:
        progress: told (events read, events to read): each is read twice, the second time where it was
            written.

    Raises:
        NotALedger: there is none to copy, or one where it should go.
        RecordGap: the source has a hole; `verify` says more.
        RootDiffers: what was written is not what was read. Nothing of it stays.
    """
    with open_house(source_db) as source, source.tables.snapshot() as statements:
        sealed = seal_tables(source.tables)
        positions = [table for table in POSITIONS if exists(source.tables, table.name)]
        kept = [*(SEAL if sealed else ()), *positions]
        goal = source.ledger.record.last_sequence()  # after the moment of the seal, which is never ahead
        told = progress or (lambda _done, _goal: None)
        with _target(target_db, kept) as (record, tables):
            head = Frontier()
            for rows in _pages(source.ledger.record, goal):
                record.append([NewRow(*row[1:]) for row in rows], {})
                head = head.extended(leaf_hashes(rows))
                told(head.size, 2 * goal)
            _copy(kept, statements, tables)
            size = SealedView(statements).size() if sealed else 0
            _compare(record, tables, head, size, lambda done: told(goal + done, 2 * goal))
    return Migrated(goal, size, head.root())


def _pages(record: RecordReader, goal: int) -> Iterator[list[Row]]:
    after = 0
    while after < goal:
        rows = record.select_rows(after, min(PAGE_EVENTS, goal - after))
        check_unbroken(rows, after)
        yield rows
        after += len(rows)


def _copy(kept: Sequence[Kept], source: Statements, tables: ReadTables) -> None:
    """Copy the tables that are kept beside the record."""
    with tables.transaction() as statements:
        for table in kept:
            for page in _rows(source, table):
                marks = ", ".join("?" * len(page[0]))
                statements.executemany(f"INSERT INTO {table.name} VALUES ({marks})", page)  # noqa: S608


def _rows(statements: Statements, table: Kept) -> Iterator[list[tuple[object, ...]]]:
    key, marks = ", ".join(table.key), ", ".join("?" * len(table.key))
    where, parameters = "", tuple[object, ...]()
    while True:
        sql = f"SELECT * FROM {table.name} {where} ORDER BY {key} LIMIT ?"  # noqa: S608
        rows = statements.execute(sql, (*parameters, table.page_rows))
        if rows:
            yield rows
        if len(rows) < table.page_rows:
            return
        where, parameters = f"WHERE ({key}) > ({marks})", rows[-1][: len(table.key)]


def _compare(
    record: LedgerRecorder, tables: ReadTables, read: Frontier, size: int, told: Callable[[int], None]
) -> None:
    """Read again what was written: the root over the record, and that of the seal over its beginning.

    Raises: RootDiffers, RecordGap.
    """
    written = beginning = Frontier()
    for rows in _pages(record, read.size):
        leaves = leaf_hashes(rows)
        beginning = beginning.extended(leaves[: max(size - written.size, 0)])
        written = written.extended(leaves)
        told(written.size)
    if written.root() != read.root():
        raise RootDiffers(read.size, read.root().hex(), written.root().hex())
    if size:
        with tables.snapshot() as statements:
            root = SealedView(statements).root(size)
        if root != beginning.root():
            raise RootDiffers(size, beginning.root().hex(), root.hex())


@contextmanager
def _target(db: str, kept: Sequence[Kept]) -> Iterator[tuple[LedgerRecorder, ReadTables]]:
    """An empty ledger, which is there when the block has ended well, and not otherwise."""
    if engines.is_server(db):
        engines.upgrade(db)
        with open_house(db) as house:
            _check_empty(db, house.ledger.record, house.tables)
            _create(kept, house.tables)
        with engines.postgres("postgres").in_one_transaction(db) as (record, tables):
            _check_empty(db, record, tables)
            yield record, tables
        return
    path = engines.file_of(db)
    if path.exists():
        raise NotALedger(str(path), "there is something already; give the name of a new file")
    part = path.with_name(path.name + PART)
    _remove(part)
    try:
        with open_house(str(part), create=True) as house:
            _create(kept, house.tables)
            yield house.ledger.record, house.tables
        with closing(sqlite3.connect(part)) as connection:  # that nothing of it lies in a file beside it
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        part.rename(path)
    finally:
        _remove(part)


def _create(kept: Sequence[Kept], tables: ReadTables) -> None:
    with tables.transaction() as statements:
        for table in kept:
            statements.execute(table.create)


def _check_empty(db: str, record: LedgerRecorder, tables: ReadTables) -> None:
    if record.last_sequence() or (seal_tables(tables) and _any_of_the_seal(tables)):
        raise NotALedger(str(Location(db)), "there is a ledger already; an empty schema is wanted")


def _any_of_the_seal(tables: ReadTables) -> bool:
    with tables.snapshot() as statements:
        return any(statements.execute(f"SELECT 1 FROM {table.name} LIMIT 1") for table in SEAL)  # noqa: S608


def _remove(part: Path) -> None:
    """Take away a file that was not finished, and what SQLite keeps beside it."""
    for suffix in ("", "-wal", "-shm"):
        part.with_name(part.name + suffix).unlink(missing_ok=True)
