"""The read tables' contract on SQLite, and that they share a file with the record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from ledger.store.port import ReadTables
from ledger.store.sqlite_read_tables import SQLiteReadTables
from tests.contracts.read_tables import CREATE, INSERT, ReadTablesContract, rows
from tests.contracts.writers import row

from .sqlite_files import open_record


class TestSQLiteReadTables(ReadTablesContract):
    @pytest.fixture
    def opener(self, tmp_path: Path) -> Iterator[Callable[[], ReadTables]]:
        with ExitStack() as stack:

            def opened() -> ReadTables:
                tables = SQLiteReadTables(str(tmp_path / "ledger.db"))
                stack.callback(tables.close)
                return tables

            yield opened

    def test_the_record_and_its_read_tables_share_a_file(
        self, tmp_path: Path, opener: Callable[[], ReadTables]
    ) -> None:
        recorder = open_record(tmp_path / "ledger.db")
        tables = opener()
        with tables.transaction() as statements:
            statements.execute(CREATE)
            statements.execute(INSERT, ("PB1", 1))
        recorder.append([row("a", 1)], {})
        with tables.snapshot() as statements:
            assert statements.execute("SELECT COUNT(*) FROM stored_events") == [(1,)]
            recorder.append([row("a", 2)], {})
            assert statements.execute("SELECT COUNT(*) FROM stored_events") == [(1,)]
        assert rows(tables) == [("PB1", 1)]
        assert recorder.last_sequence() == 2
        recorder.datastore.close()

    def test_what_is_kept_is_on_the_disk_and_what_is_folded_is_not_awaited(self, tmp_path: Path) -> None:
        """A checkpoint that was published must be there after a power cut; a projection is folded again."""
        tables = SQLiteReadTables(str(tmp_path / "ledger.db"))
        full, normal = [(2,)], [(1,)]
        for opened, expected in ((tables, full), (tables.lazily(), normal), (tables, full)):
            with opened.transaction() as statements:
                assert statements.execute("PRAGMA synchronous") == expected
        tables.close()
