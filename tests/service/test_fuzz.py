"""Bad input, a little of it in every run of the tests; `python -m tests.service.fuzz` makes up more."""

from __future__ import annotations

from pathlib import Path

from tests.service.fuzz.runs import run_locks, run_outages, run_requests

SECONDS = 3.0
SEED = 20_261_127
"""The same each time: what fails here fails again."""


def test_whatever_is_sent_is_answered_and_nothing_is_half_written(tmp_path: Path) -> None:
    """Wrong types, huge numbers, keys twice, bytes that are no text, keys that have ended, clients that go.

    No 500, nothing from inside, the ledger verifies, and the log has no fault and says why of each 503.
    """
    held = run_requests(str(tmp_path / "ledger.db"), SEED, SECONDS)
    assert len(held.codes) > 15, "it comes to many kinds of refusal"
    assert held.answers[200] > 10


def test_through_a_file_that_another_process_has_locked_every_coup_is_played_once(tmp_path: Path) -> None:
    assert run_locks(tmp_path / "ledger.db", SEED, SECONDS).others["coups through it"]


def test_through_a_server_that_is_stopped_and_started_every_coup_is_played_once() -> None:
    assert run_outages(SEED, SECONDS).others["coups through it"]
