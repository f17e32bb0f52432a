"""A ledger in memory: the same engine, and nothing here asks what survives."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ledger.application import Ledger
from tests.tabletalk import open_ledger


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    """An empty ledger."""
    opened = open_ledger(":memory:")
    yield opened
    opened.close()
