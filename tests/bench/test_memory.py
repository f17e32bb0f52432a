"""What a command holds at its most: taken from the command itself, and only if it did its work."""

from __future__ import annotations

from pathlib import Path

import pytest

from ops.bench import memory
from ops.bench.figure import Sort
from ops.bench.ledgers import Pair, two_ledgers
from ops.rehearsal.deal import load, write

MIB = 2**20


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    return two_ledgers(tmp_path_factory.mktemp("held"), small_events=100, large_events=100)


@pytest.mark.parametrize("name", memory.WORK)
def test_every_command_that_is_measured_does_its_work(name: str, pair: Pair, tmp_path: Path) -> None:
    tape = tmp_path / "tape.ndjson"
    with tape.open("wb") as stream:
        write(load(3), stream)
    assert memory.held_by(memory.WORK[name], pair.small, tape) > 10 * MIB


def test_a_figure_has_the_large_ledger_over_the_small_one(monkeypatch: pytest.MonkeyPatch) -> None:
    held = {"small": 2.0, "large": 3.0}
    monkeypatch.setattr(memory, "held_by", lambda _, ledger, __: held[ledger.stem])
    found = list(memory.memory(small=100, large=300, repeat=2))
    assert [figure.name.partition(",")[0] for figure in found] == list(memory.WORK)
    assert {(figure.sort, figure.ratio.median) for figure in found} == {(Sort.MEMORY, 1.5)}


def test_a_command_that_fails_is_no_figure(tmp_path: Path) -> None:
    with pytest.raises(memory.Failed):
        memory.held_by(("audit", "--db", "{ledger}"), tmp_path / "none.db", tmp_path / "none.ndjson")


def test_what_a_process_holds_shows_in_its_peak_also_when_it_has_let_go() -> None:
    before = memory.peak()
    held = bytearray(64 * MIB + before)
    held[::4096] = b"x" * len(held[::4096])
    del held
    assert memory.peak() >= before + 32 * MIB
