"""The read tables of a large ledger, made as the ledger was: the small one's rows, over and over.

Folding five million events takes most of an hour. What a copy's events would have been folded into is the
small ledger's rows with the premises of the copy in place of its own, and positions as much later as the
copy's events are.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

from ops.bench.ledgers import PREMISES, Pair, premises_of
from ops.cli.screen import progress_bar
from ops.memory import few_collections
from ops.wiring import open_house
from projections.catalogue import EVERY
from projections.read_table import MAYBE_TEXT, TEXT, ReadTable
from projections.runner import rebuild

POSITION = "sequence"
"""A column that holds a position in the record, in whichever table."""
POSITIONS_OF_COMPLIANCE = frozenset(
    {
        "opened",
        "closed",
        "started",
        "begun",
        "dropped",
        "counted",
        "sealed",
        "raised",
        "resolved",
        "first_sequence",
    }
)
"""Columns of its tables that do so as well."""
EVIDENCE = "evidence"
"""A column that holds a list of them, as JSON."""


def fold(pair: Pair) -> None:
    """Bring both ledgers' read tables up to date: the small one's are folded, the large one's copied."""
    with open_house(str(pair.small)) as house, few_collections():
        rebuild(house.ledger.record, house.tables, EVERY)
    with open_house(str(pair.large)) as house:
        house.runner().create_tables()
    with (
        closing(sqlite3.connect(pair.large, isolation_level=None)) as connection,
        progress_bar("read tables") as (bar, task),
    ):
        bar.update(task, total=pair.copies)
        connection.execute("PRAGMA synchronous=OFF")  # who pulls the plug measures again
        connection.execute("PRAGMA cache_size=-262144")
        connection.execute("ATTACH ? AS small", (str(pair.small),))
        for copy in range(pair.copies):
            _copy(connection, copy, pair.small_events)
            bar.advance(task)
        connection.execute("UPDATE projection_positions SET position = ?", (pair.large_events,))
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _copy(connection: sqlite3.Connection, copy: int, events: int) -> None:
    """The rows of one copy, in one transaction."""
    named = {"was": PREMISES, "now": premises_of(copy), "later": copy * events}
    connection.execute("BEGIN")
    for table, of_compliance in _tables():
        told = ", ".join(_told(table, column, of_compliance=of_compliance) for column in table.columns)
        connection.execute(f'INSERT INTO main."{table.name}" SELECT {told} FROM small."{table.name}"', named)
    connection.execute("COMMIT")


def _tables() -> Iterator[tuple[ReadTable, bool]]:
    for projection in EVERY:
        for table in projection.tables:
            yield table, projection.name == "compliance"


def _told(table: ReadTable, column: str, *, of_compliance: bool) -> str:
    """What a column of the copy holds, in SQL."""
    if column == EVIDENCE:
        return f"(SELECT json_group_array(value + :later) FROM json_each({column}))"
    if {**table.key, **table.values}[column] in {TEXT, MAYBE_TEXT}:
        return f"replace({column}, :was, :now)"
    if column == POSITION or (of_compliance and column in POSITIONS_OF_COMPLIANCE):
        return f"{column} + :later"
    return column
