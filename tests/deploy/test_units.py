"""The systemd units: sound, shut in, and of commands that there are."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.deploy.files import DEPLOY, lines_of, options_of, ours, units

EXPOSURE_MAX = 20
"""Tenths of systemd's own scale, on which 100 is a unit without any protection."""

analyzed = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is part of systemd, which is not here"
)


def analyze(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = ["systemd-analyze", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@analyzed
@pytest.mark.parametrize("unit", [*units(), *units("*.timer")], ids=lambda unit: unit.name)
def test_systemd_finds_nothing_wrong_with_a_unit(unit: Path) -> None:
    """But that the program is not installed where the tests run."""
    said = analyze("verify", "--man=no", unit).stderr.splitlines()
    assert [line for line in said if "is not executable: No such file" not in line] == []


@analyzed
@pytest.mark.parametrize("unit", units(), ids=lambda unit: unit.name)
def test_a_unit_is_shut_in(unit: Path) -> None:
    done = analyze("security", "--offline=true", f"--threshold={EXPOSURE_MAX}", "--no-pager", unit)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("unit", units(), ids=lambda unit: unit.name)
def test_a_unit_has_no_root_and_no_secret(unit: Path) -> None:
    """It runs as somebody else, and secrets come as credentials or from files that root alone reads."""
    assert lines_of(unit, "DynamicUser") == ["yes"] or lines_of(unit, "User") not in ([], ["root"])
    assert lines_of(unit, "NoNewPrivileges")
    assert lines_of(unit, "ProtectSystem") == ["strict"]
    assert "assword=" not in unit.read_text()


@pytest.mark.parametrize("name", ["baccarat-ledger@", "baccarat-relay", "baccarat-nats@"])
def test_what_runs_always_is_started_again_always(name: str) -> None:
    """Also when it has failed often: a database that was away for an hour comes back."""
    unit = DEPLOY / f"{name}.service"
    assert lines_of(unit, "Restart") == ["always"]
    assert lines_of(unit, "StartLimitIntervalSec") == ["0"]


@pytest.mark.parametrize(("where", "command"), list(ours()), ids=[where for where, _ in ours()])
def test_a_command_and_its_options_exist(where: str, command: list[str]) -> None:
    used, known = options_of(command)
    assert used <= known


def test_every_settings_file_that_a_unit_reads_is_here() -> None:
    """In `ops/deploy`, under the name that it has in /etc; a NATS server's is written by the runbook."""
    read = {line for unit in units() for line in lines_of(unit, "EnvironmentFile")}
    assert {Path(path).name for path in read} - {"nats-%i.env"} <= {
        path.name for path in DEPLOY.glob("*.env")
    }
