"""The evening tape, and what it comes to by the oracle."""

from __future__ import annotations

import pytest

from tests.oracle.night import pnl
from tests.projections.houses import Line, Row, evening


@pytest.fixture(scope="session")
def lines() -> list[Line]:
    """The lines of the tape."""
    return evening()


@pytest.fixture(scope="session")
def figures(lines: list[Line]) -> list[Row]:
    """What the evening comes to."""
    return pnl(lines)
