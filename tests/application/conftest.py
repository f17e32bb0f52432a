"""A ledger on a file of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.application import Ledger
from tests.tabletalk import open_ledger


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the ledger's file is."""
    return tmp_path / "ledger.sqlite"


@pytest.fixture
def ledger(path: Path) -> Iterator[Ledger]:
    """An empty ledger."""
    opened = open_ledger(path)
    yield opened
    opened.close()
