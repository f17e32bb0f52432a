"""The contract of `ledger.store.port.ReadTables`: what every engine that keeps read tables promises.

An adapter's test class inherits `ReadTablesContract` and gives the fixtures that it leaves open.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from eventsourcing.persistence import PersistenceError

from ledger.store.port import ReadTables, Statements

from .elsewhere import PATIENCE_SECONDS

CREATE = "CREATE TABLE takings (name TEXT PRIMARY KEY, win BIGINT NOT NULL)"
INSERT = "INSERT INTO takings (name, win) VALUES (?, ?)"
SELECT = "SELECT name, win FROM takings ORDER BY name"


class PowerCutError(Exception):
    """Something of ours fails in the middle of a transaction."""


def rows(tables: ReadTables) -> list[tuple[Any, ...]]:
    with tables.snapshot() as statements:
        return statements.execute(SELECT)


class ReadTablesContract:
    """Promises of all read tables."""

    @pytest.fixture
    def opener(self) -> Callable[[], ReadTables]:
        """Opens the same read tables once more."""
        raise NotImplementedError

    @pytest.fixture
    def tables(self, opener: Callable[[], ReadTables]) -> ReadTables:
        """Read tables with one table, `takings`, of one row."""
        tables = opener()
        with tables.transaction() as statements:
            statements.execute(CREATE)
            statements.execute(INSERT, ("PB1", 100))
        return tables

    def test_a_transaction_is_there_for_whoever_looks_next(
        self, tables: ReadTables, opener: Callable[[], ReadTables]
    ) -> None:
        with tables.transaction() as statements:
            statements.executemany(INSERT, [("PB3", 10**15), ("PB2", -5)])
            assert statements.execute(SELECT) == [("PB1", 100), ("PB2", -5), ("PB3", 10**15)]
        assert rows(tables) == rows(opener()) == [("PB1", 100), ("PB2", -5), ("PB3", 10**15)]

    def test_a_transaction_that_fails_leaves_nothing_behind(self, tables: ReadTables) -> None:
        def fails_half_way() -> None:
            with tables.transaction() as statements:
                statements.execute(INSERT, ("PB2", 200))
                statements.execute("UPDATE takings SET win = 0")
                raise PowerCutError

        with pytest.raises(PowerCutError):
            fails_half_way()
        assert rows(tables) == [("PB1", 100)]
        with tables.transaction() as statements:
            statements.execute(INSERT, ("PB2", 300))
        assert rows(tables) == [("PB1", 100), ("PB2", 300)]

    @pytest.mark.parametrize(
        ("sql", "parameters"),
        [
            (INSERT, ("PB1", 1)),
            (INSERT, ("PB3", None)),
            ("INSERT INTO takings (name, win) VALUES (?, ?, ?)", ("PB3", 1, 1)),
            ("SELECT nothing FROM takings", ()),
            ("SELECT win FROM nowhere", ()),
            ("SELEKT", ()),
        ],
    )
    def test_what_the_engine_refuses_comes_out_as_an_error_of_the_library(
        self, tables: ReadTables, sql: str, parameters: tuple[Any, ...]
    ) -> None:
        def fails_half_way() -> None:
            with tables.transaction() as statements:
                statements.execute(INSERT, ("PB2", 200))
                statements.execute(sql, parameters)

        with pytest.raises(PersistenceError):
            fails_half_way()
        assert rows(tables) == [("PB1", 100)]

    def test_a_snapshot_sees_one_moment_while_a_writer_commits(
        self, tables: ReadTables, opener: Callable[[], ReadTables]
    ) -> None:
        with tables.snapshot() as before:
            assert before.execute(SELECT) == [("PB1", 100)]
            for writer in (tables, opener()):
                with writer.transaction() as statements:
                    statements.execute("UPDATE takings SET win = win + 1")
            assert before.execute(SELECT) == [("PB1", 100)]
            assert before.execute("SELECT SUM(win) FROM takings") == [(100,)]
            assert rows(tables) == [("PB1", 102)]
        assert rows(tables) == [("PB1", 102)]

    def test_nobody_sees_half_a_transaction(
        self, tables: ReadTables, opener: Callable[[], ReadTables]
    ) -> None:
        with tables.transaction() as statements:
            statements.execute("UPDATE takings SET win = 0")
            assert rows(tables) == rows(opener()) == [("PB1", 100)]
        assert rows(tables) == [("PB1", 0)]

    def test_what_a_transaction_reads_still_holds_when_it_writes(
        self, opener: Callable[[], ReadTables], tables: ReadTables
    ) -> None:
        """Writers read and write one after the other: of a hundred raises by one, none is lost."""

        def raise_by_one(statements: Statements) -> None:
            ((win,),) = statements.execute("SELECT win FROM takings")
            statements.execute("UPDATE takings SET win = ?", (win + 1,))

        def raises(writer: ReadTables) -> None:
            for _ in range(25):
                with writer.transaction() as statements:
                    raise_by_one(statements)

        with ThreadPoolExecutor(4) as threads:
            saves = [threads.submit(raises, writer) for writer in (tables, tables, opener(), opener())]
            for save in saves:
                save.result(PATIENCE_SECONDS)
        assert rows(tables) == [("PB1", 200)]
