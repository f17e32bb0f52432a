"""Tables to seal into."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.seal.tables import create_tables
from ledger.store.port import ReadTables
from ledger.store.sqlite_read_tables import SQLiteReadTables


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


@pytest.fixture
def tables(file: Path) -> Iterator[ReadTables]:
    """The seal's tables, empty."""
    tables = SQLiteReadTables(str(file))
    create_tables(tables)
    yield tables
    tables.close()
