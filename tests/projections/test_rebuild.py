"""`project rebuild` and `project check`: beside the live tables, then in their place (design §6)."""

from __future__ import annotations

import os
import random
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ledger.store.port import ReadTables
from ops.wiring import House
from projections import runner
from projections.catalogue import EVERY
from projections.check import check_read_tables
from projections.pnl.table_pnl import TablePnl
from projections.runner import REBUILT, Runner, rebuild
from tests.projections.dying import MortalTables, _Countdown
from tests.projections.houses import Line, Row, house_at, in_contract, read, take
from tests.projections.reading import Reading
from tests.verify.sealed import change


@pytest.fixture(scope="module")
def folded(lines: list[Line], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The evening on the record, everything folded."""
    path = tmp_path_factory.mktemp("evening") / "ledger.db"
    with house_at(path) as house:
        take(house, lines)
        house.runner().catch_up()
    return path


@pytest.fixture
def path(folded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(folded, tmp_path / "ledger.db"))


@pytest.fixture
def house(path: Path) -> Iterator[House]:
    with house_at(path) as opened:
        yield opened


def anew(house: House, tables: ReadTables | None = None) -> int:
    return rebuild(house.ledger.record, tables or house.tables, EVERY)


def names(house: House) -> list[Any]:
    """The tables that there are, and where each projection stands."""
    with house.tables.snapshot() as statements:
        made = statements.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")
        return [*made, *statements.execute("SELECT * FROM projection_positions ORDER BY 1")]


def test_a_rebuild_puts_wrong_tables_right_and_leaves_nothing_beside_them(
    house: House, path: Path, figures: list[Row]
) -> None:
    before = names(house)
    change(path, "UPDATE table_pnl_coups SET settled = settled + 1")
    change(path, "DELETE FROM table_pnl_wagers WHERE kind = 'tie'")
    assert in_contract(read(house)) != figures
    assert anew(house) == house.ledger.record.last_sequence()
    assert in_contract(read(house)) == figures
    assert names(house) == before
    house.runner().catch_up()
    assert in_contract(read(house)) == figures


def test_one_projection_is_rebuilt_alone(house: House, path: Path, figures: list[Row]) -> None:
    change(path, "DELETE FROM table_pnl_coups")
    rebuild(house.ledger.record, house.tables, [TablePnl()])
    assert in_contract(read(house)) == figures


def test_readers_and_runners_go_on_with_the_live_tables_until_the_exchange(
    house: House, path: Path, lines: list[Line], figures: list[Row]
) -> None:
    """A reader inside its snapshot keeps the old tables through the exchange; the next one sees the new."""
    change(path, "UPDATE table_pnl_coups SET settled = 7")
    beside = Runner(house.ledger.record, house.tables, EVERY, suffix=REBUILT)
    beside.catch_up()
    assert {row.coups % 7 for row in read(house)} == {0}
    with house_at(path) as other, other.tables.snapshot() as statements:
        old = "SELECT DISTINCT settled FROM table_pnl_coups"
        assert statements.execute(old) == [(7,)]
        beside.take_over()
        assert statements.execute(old) == [(7,)]
    assert in_contract(read(house)) == figures


def test_what_is_recorded_while_a_rebuild_goes_on_is_folded_once(
    house: House, tmp_path: Path, lines: list[Line], figures: list[Row]
) -> None:
    """The live tables go ahead of those beside them; after the exchange the runner goes on from there."""
    half = len(lines) // 2
    with house_at(tmp_path / "growing.db") as growing:
        take(growing, lines[:half])
        beside = Runner(growing.ledger.record, growing.tables, EVERY, suffix=REBUILT)
        beside.catch_up()
        take(growing, lines[half:])
        growing.runner().catch_up()
        beside.take_over()
        assert growing.runner().position() < growing.ledger.record.last_sequence()
        growing.runner().catch_up()
        assert in_contract(read(growing)) == figures


@pytest.mark.parametrize("seed", range(3))
def test_killed_at_any_statement_a_rebuild_leaves_the_live_tables_whole(
    path: Path, figures: list[Row], seed: int
) -> None:
    """SIGKILL at random statements of it, its exchange among them; the last one comes to the end."""
    rng = random.Random(seed)
    deaths = 0
    while True:
        child = os.fork()
        if not child:
            runner.PAGE_EVENTS = 600
            with house_at(path) as house:
                mortal = MortalTables(house, _Countdown(rng.randint(1, 40 + 40 * deaths)))
                anew(house, mortal)
            os._exit(0)
        rng.random()
        _, status = os.waitpid(child, 0)
        with house_at(path) as house:
            assert in_contract(read(house)) == figures
            house.runner().catch_up()
            assert in_contract(read(house)) == figures
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0
            break
        assert os.WTERMSIG(status) == signal.SIGKILL
        deaths += 1
    assert deaths


def test_tables_of_another_version_are_made_anew(house: House, figures: list[Row]) -> None:
    class Changed(TablePnl):
        version = TablePnl.version + 1

    kept_up = Runner(house.ledger.record, house.tables, [Changed()])
    assert kept_up.catch_up() == house.ledger.record.last_sequence()
    assert in_contract(read(house)) == figures


def test_one_that_is_behind_comes_level_and_then_all_go_together(house: House, figures: list[Row]) -> None:
    another = Reading(TablePnl())
    both = Runner(house.ledger.record, house.tables, [TablePnl(), another])
    both.create_tables()
    assert both.position() == 0
    assert both.catch_up() == house.ledger.record.last_sequence()
    assert another.taken == sorted(set(another.taken))
    assert another.taken
    assert in_contract(read(house)) == figures


# --- The check -------------------------------------------------------------------------------------------


def checked(house: House, tmp_path: Path) -> dict[str, list[str]]:
    """The codes of what the check finds, by projection."""
    with house_at(tmp_path / "scratch.db") as scratch:
        found = check_read_tables(house.ledger.record, house.tables, scratch.tables, EVERY)
        return {one.projection: [finding.code for finding in one.findings] for one in found}


def test_right_tables_are_right(house: House, tmp_path: Path) -> None:
    assert checked(house, tmp_path) == {projection.name: [] for projection in EVERY}


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("UPDATE table_pnl_coups SET settled = settled + 1 WHERE table_name = 'PB1'", "read-table-differs"),
        ("DELETE FROM table_pnl_wagers WHERE kind = 'tie'", "read-table-differs"),
        (
            "UPDATE projection_positions SET position = 1 WHERE projection = 'table_pnl'",
            "position-impossible",
        ),
        (
            "UPDATE projection_positions SET version = 99 WHERE projection = 'table_pnl'",
            "position-impossible",
        ),
    ],
)
def test_it_says_where_tables_differ(house: House, path: Path, tmp_path: Path, sql: str, code: str) -> None:
    change(path, sql)
    found = checked(house, tmp_path)
    assert found.pop("table_pnl")[0] == code
    assert not any(found.values())
