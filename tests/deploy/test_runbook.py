"""The runbook does what it says: each procedure as written, on a machine of its own with real servers.

That takes minutes, root and systemd, so it is asked for: `BACCARAT_LEDGER_DRILL=1 sh ops/dev pytest
tests/deploy`, or `python -m ops.deploy.drill`, which is the same.
"""

from __future__ import annotations

import os

import pytest

from ops.deploy.drill import Ran, drill, obstacle
from ops.deploy.runbook import RUNBOOK, SETTINGS, procedures

FOUND = procedures(RUNBOOK.read_text(encoding="utf-8"))
TITLES = [one.title for one in FOUND if one.title != SETTINGS]


@pytest.fixture(scope="module")
def ran() -> dict[str, Ran]:
    """Every procedure, one after another as they stand."""
    if not os.environ.get("BACCARAT_LEDGER_DRILL"):
        pytest.skip("takes minutes: BACCARAT_LEDGER_DRILL=1 asks for it")
    why = obstacle()
    if why is not None:
        pytest.skip(f"no throwaway machine: {why}")
    return {one.title: one for one in drill()}


@pytest.mark.parametrize("title", TITLES)
def test_a_procedure_runs_as_it_is_written(ran: dict[str, Ran], title: str) -> None:
    """To its last command, and what the drill looks at afterwards is so."""
    assert ran[title].code == 0, ran[title].printed[-6_000:]


def test_every_shell_block_is_in_a_procedure() -> None:
    """Nothing that a reader would type stands where no drill runs it."""
    text = RUNBOOK.read_text(encoding="utf-8")
    shown = sum(line.startswith("```") for line in text.splitlines()) // 2
    hidden = text.count("<!-- drill\n")
    assert sum(len(one.blocks) for one in FOUND) == shown + hidden
    assert TITLES[0] == "Install"


def test_blocks_are_those_of_their_section_in_their_order() -> None:
    text = "# A\n## One\n```sh\na\n\nb\n```\n<!-- drill\nc\n-->\n## Two\n```text\nno\n```\n```sh\nd\n```\n"
    assert [(one.title, one.blocks) for one in procedures(text)] == [
        ("One", ("a\n\nb", "c")),
        ("Two", ("d",)),
    ]


def test_a_block_without_an_end_is_told() -> None:
    with pytest.raises(ValueError, match="'One'"):
        procedures("## One\n```sh\na\n")
