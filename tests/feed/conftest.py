"""The evening as a ledger, and that ledger's feed served by a real server."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ops.wiring import House
from tests.feed.serving import Served, serving
from tests.projections.houses import evening, house_at, take


@pytest.fixture(scope="package")
def evening_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("feed") / "ledger.db"
    with house_at(path) as house:
        take(house, evening())
    return path


@pytest.fixture
def db(evening_file: Path, tmp_path: Path) -> Path:
    """A ledger of the evening, to do with as one likes."""
    return Path(shutil.copy(evening_file, tmp_path / "ledger.db"))


@pytest.fixture
def house(db: Path) -> Iterator[House]:
    with house_at(db) as house:
        yield house


@pytest.fixture
def served(house: House, db: Path) -> Iterator[Served]:
    with serving(house, str(db)) as served:
        yield served


@pytest.fixture(scope="package")
def shown(evening_file: Path) -> Iterator[Served]:
    """The evening's feed, for those who only read."""
    with house_at(evening_file) as house, serving(house, str(evening_file)) as served:
        yield served
