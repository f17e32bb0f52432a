"""One service for all tests of a module that do not need one of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.service.at_work import AtWork, at_work


@pytest.fixture(scope="module")
def working(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AtWork]:
    """A service at work on an empty ledger."""
    with at_work(tmp_path_factory.mktemp("service") / "ledger.db") as service:
        yield service
