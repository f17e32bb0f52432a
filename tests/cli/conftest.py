"""The evening, imported once, and copies of it for whoever writes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.shell import Done, run
from tests.projections.houses import EVENING


@pytest.fixture(scope="package")
def imported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """The ledger of the evening, and what its import said."""
    path = tmp_path_factory.mktemp("evening") / "ledger.db"
    return path, run("import", EVENING, "--db", path)


@pytest.fixture
def db(imported: tuple[Path, Done], tmp_path: Path) -> Path:
    """A ledger of the evening, to do with as one likes."""
    return Path(shutil.copy(imported[0], tmp_path / "ledger.db"))
