"""Small records, their sealed trees, and sealers in other processes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast

from ledger.seal.leaf import leaf_hashes
from ledger.seal.sealer import Sealer
from ledger.seal.tiles import SealedTree
from ledger.seal.tree import root_of
from ledger.store.port import LedgerRecorder, ReadTables, Row, Statements
from ledger.store.sqlite_read_tables import SQLiteReadTables

Stored = list[tuple[int, int, bytes]]


class AskedTree(SealedTree):
    """A sealed tree that answers one question at a time, each in a view of its own."""

    def size(self) -> int:
        with self.view() as view:
            return view.size()

    def root(self, size: int) -> bytes:
        with self.view() as view:
            return view.root(size)

    def inclusion_proof(self, index: int, size: int) -> list[bytes]:
        with self.view() as view:
            return view.inclusion_proof(index, size)

    def consistency_proof(self, old: int, new: int) -> list[bytes]:
        with self.view() as view:
            return view.consistency_proof(old, new)


def event(sequence: int) -> Row:
    """A stored event, in which everything tells where it stands."""
    return Row(sequence, f"coup/main/PB1/S-20/{sequence}", 1, "coup-settled.v1", b"%d" % sequence * 3)


def events(count: int) -> list[Row]:
    """The first events of a record."""
    return [event(sequence) for sequence in range(1, count + 1)]


def leaf_bytes(row: Row) -> bytes:
    """The leaf of an event, written from the table in ledger/seal/README.md."""
    columns = (row.stream.encode(), row.topic.encode(), row.state)
    numbers = (row.sequence.to_bytes(8, "big"), row.version.to_bytes(8, "big"))
    return b"".join((*numbers, *(len(column).to_bytes(4, "big") for column in columns), *columns))


def leaves(count: int) -> list[bytes]:
    """Their leaves, not hashed: what RFC 6962 calls D."""
    return [leaf_bytes(row) for row in events(count)]


def root(count: int) -> bytes:
    """The root over them, for sizes where the slow way is too slow; it is proven equal to that elsewhere."""
    return root_of(leaf_hashes(events(count)))


class PaperRecord:
    """As much of a record as a sealer asks for, over rows that a test may do anything to."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = list(rows)

    def select_rows(self, after: int, limit: int, topics: Sequence[str] = ()) -> list[Row]:
        assert not topics
        start = bisect_right(self.rows, after, key=lambda row: row.sequence)
        return self.rows[start : start + limit]

    def last_sequence(self) -> int:
        return self.rows[-1].sequence if self.rows else 0


def record(rows: Sequence[Row]) -> LedgerRecorder:
    """A record of these rows."""
    return cast("LedgerRecorder", PaperRecord(rows))


def seal(rows: Sequence[Row], tables: ReadTables, page_events: int = 2_048) -> AskedTree:
    """Seal what is not sealed yet of these rows."""
    Sealer(record(rows), tables, page_events).catch_up()
    return AskedTree(tables)


def stored(tables: ReadTables) -> Stored:
    """All tiles that are kept."""
    with tables.snapshot() as statements:
        found = statements.execute("SELECT level, tile_index, hashes FROM seal_tiles ORDER BY 1, 2")
    return cast("Stored", found)


def change(tables: ReadTables, sql: str, parameters: Sequence[Any] = ()) -> None:
    """Go behind the seal's back."""
    with tables.transaction() as statements:
        statements.execute(sql, parameters)


# --- In another process ------------------------------------------------------------------------------------


def seal_by_word(line: Connection, path: Path, count: int, page_events: int) -> None:
    """Seal page by page; says the size after each, and waits for a word to go on."""

    def told(size: int, goal: int) -> None:
        line.send(size)
        line.recv()

    tables = SQLiteReadTables(str(path))
    Sealer(record(events(count)), tables, page_events).catch_up(told)


def seal_and_hang(line: Connection, path: Path, count: int) -> None:
    """Write a page, say so, and wait with the transaction open."""
    Sealer(record(events(count)), _Hanging(SQLiteReadTables(str(path)), line)).catch_up()


class _Hanging:
    def __init__(self, tables: ReadTables, line: Connection) -> None:
        self._tables = tables
        self._line = line
        self.snapshot = tables.snapshot

    @contextmanager
    def transaction(self) -> Iterator[Statements]:
        with self._tables.transaction() as statements:
            yield _HangingStatements(statements, self._line)


class _HangingStatements:
    def __init__(self, statements: Statements, line: Connection) -> None:
        self._statements = statements
        self._line = line
        self.execute = statements.execute

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        self._statements.executemany(sql, rows)
        self._line.send("written")
        self._line.recv()
