"""The evening, imported, folded and sealed in two portions, and copies of it to do anything to."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.verify.sealed import seal_evening


@pytest.fixture(scope="session")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sealed ledger of the evening, and checkpoints of it that were kept elsewhere."""
    folder = tmp_path_factory.mktemp("sealed")
    seal_evening(folder)
    return folder


@pytest.fixture
def db(evening: Path, tmp_path: Path) -> Path:
    """The sealed ledger, to do with as one likes."""
    return Path(shutil.copy(evening / "ledger.db", tmp_path / "ledger.db"))


@pytest.fixture
def unsealed(evening: Path, tmp_path: Path) -> Path:
    """The same record before anything was sealed or folded."""
    return Path(shutil.copy(evening / "unsealed.db", tmp_path / "unsealed.db"))


@pytest.fixture(scope="session")
def rebuilt(evening: Path) -> Path:
    """A copy that stays as it is: its read tables are what a rebuild comes to."""
    return Path(shutil.copy(evening / "ledger.db", evening / "rebuilt.db"))
