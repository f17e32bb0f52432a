"""The read tables' contract on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from ledger.store.port import ReadTables
from ledger.store.postgres_read_tables import open_read_tables
from tests.contracts.read_tables import ReadTablesContract


class TestPostgresReadTables(ReadTablesContract):
    @pytest.fixture
    def opener(self, postgres_url: str) -> Iterator[Callable[[], ReadTables]]:
        with ExitStack() as stack:

            def opened() -> ReadTables:
                tables = open_read_tables(postgres_url)
                stack.callback(tables.close)
                return tables

            yield opened

    def test_what_is_kept_is_on_the_disk_and_what_is_folded_is_not_awaited(self, postgres_url: str) -> None:
        """A checkpoint that was published must be there after a crash; a projection is folded again."""
        tables = open_read_tables(postgres_url)
        for opened, expected in ((tables, "on"), (tables.lazily(), "off"), (tables, "on")):
            with opened.transaction() as statements:
                assert statements.execute("SELECT current_setting('synchronous_commit')") == [(expected,)]
        tables.close()
