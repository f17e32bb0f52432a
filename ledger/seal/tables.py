"""The tables of the seal, in SQL that SQLite and PostgreSQL both read.

`BYTEA` is PostgreSQL's word. SQLite gives a column of a type that it does not know an affinity, which never
changes a value of bytes.
"""

from __future__ import annotations

from ledger.store.port import ReadTables

TILES = """
    CREATE TABLE IF NOT EXISTS seal_tiles (
        level INTEGER NOT NULL,
        tile_index BIGINT NOT NULL,
        hashes BYTEA NOT NULL,
        PRIMARY KEY (level, tile_index)
    )"""

SIZE = """
    CREATE TABLE IF NOT EXISTS seal_size (
        id INTEGER PRIMARY KEY,
        size BIGINT NOT NULL
    )"""
"""One row, with id 1: the leaves of the tree, which is the sequence of the last event sealed."""

CHECKPOINTS = """
    CREATE TABLE IF NOT EXISTS seal_checkpoints (
        size BIGINT PRIMARY KEY,
        note TEXT NOT NULL
    )"""


def create_tables(tables: ReadTables) -> None:
    """Make the seal's tables, if they are not there."""
    with tables.transaction() as statements:
        for sql in (TILES, SIZE, CHECKPOINTS):
            statements.execute(sql)
        statements.execute("INSERT INTO seal_size VALUES (1, 0) ON CONFLICT DO NOTHING")
