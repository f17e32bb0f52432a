"""What an installation runs every day."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.shell import SCRIPT, run
from tests.projections.houses import EVENING as TAPE
from tests.reconcile.sheets import DAY, EVENING

DEPLOY = Path(__file__).parents[2] / "ops" / "deploy"


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ledger of the evening."""
    path = tmp_path_factory.mktemp("evening") / "ledger.db"
    run("import", TAPE, "--db", path)
    return path


@pytest.mark.parametrize(
    ("sheet", "code", "told"), [(EVENING, 1, "tables"), (EVENING.replace("PB1,2", "PB1,3"), 2, "error")]
)
def test_the_job_writes_its_reports_and_leaves_by_the_commands_code(
    imported: Path, tmp_path: Path, sheet: str, code: int, told: str
) -> None:
    """A coup of the evening is held, so there is something to look at. An earlier run's pages do not stay."""
    (tmp_path / f"{DAY}.html").write_text("of an earlier run")
    shutil.copy(imported, tmp_path / "ledger.db")
    (tmp_path / f"{DAY}.csv").write_text(sheet)
    settings = {
        "BACCARAT_LEDGER_DB": str(tmp_path / "ledger.db"),
        "BACCARAT_LEDGER": str(SCRIPT),
        "COUNTS_DIR": str(tmp_path),
        "REPORTS_DIR": str(tmp_path),
        "RECONCILE_OPTIONS": "--premises main --threshold GBP=5000",
    }
    job = ["sh", str(DEPLOY / "reconcile-day"), DAY]
    done = subprocess.run(job, env={**os.environ, **settings}, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    report = json.loads((tmp_path / f"{DAY}.json").read_text())
    assert told in report
    assert (tmp_path / f"{DAY}.html").exists() is (code == 1)


def test_without_its_paths_it_does_nothing() -> None:
    environment = {"PATH": os.environ["PATH"]}
    job = ["sh", str(DEPLOY / "reconcile-day"), DAY]
    done = subprocess.run(job, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode not in {0, 1}
    assert "BACCARAT_LEDGER_DB" in done.stderr


def test_every_path_of_the_house_is_a_variable() -> None:
    """The units and the cron line name only where they themselves are installed."""
    for name in ("baccarat-reconcile.service", "baccarat-reconcile.cron"):
        text = (DEPLOY / name).read_text()
        assert "/etc/baccarat-ledger/reconcile.env" in text
        assert "/usr/local/lib/baccarat-ledger/reconcile-day" in text
        assert "ledger.db" not in text
    used = (DEPLOY / "reconcile-day").read_text()
    for line in (DEPLOY / "reconcile.env").read_text().splitlines():
        if line and not line.startswith("#"):
            assert line.partition("=")[0] in used
