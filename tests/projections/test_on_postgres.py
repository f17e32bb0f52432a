"""The read side over PostgreSQL: exactly once, rebuilt beside the live tables, and the oracle's figures."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ledger.store.port import NewRow
from ledger.store.sqlite_read_tables import SQLiteReadTables
from ops.wiring import House
from projections import runner
from projections.catalogue import EVERY
from projections.check import check_read_tables
from projections.runner import REBUILT, rebuild
from tests import postgres
from tests.projections.houses import Line, Row, house_at, in_contract, read, take
from tests.projections.test_exactly_once import (
    ROOT,
    test_a_runner_that_is_overtaken_every_time_gives_up_and_writes_nothing,
    test_a_runner_that_is_overtaken_goes_on_from_where_the_other_has_come,
    test_a_snapshot_sees_one_moment,
    test_each_projection_keeps_a_position_of_its_own,
    test_what_is_folded_is_not_folded_again,
)

__all__ = [
    "test_a_runner_that_is_overtaken_every_time_gives_up_and_writes_nothing",
    "test_a_runner_that_is_overtaken_goes_on_from_where_the_other_has_come",
    "test_a_snapshot_sees_one_moment",
    "test_each_projection_keeps_a_position_of_its_own",
    "test_what_is_folded_is_not_folded_again",
]


@pytest.fixture(scope="module")
def played(lines: list[Line], tmp_path_factory: pytest.TempPathFactory) -> list[NewRow]:
    """The evening's events, as they are stored."""
    with house_at(tmp_path_factory.mktemp("evening") / "ledger.db") as house:
        take(house, lines)
        return [NewRow(*row[1:]) for row in house.ledger.record.select_rows(0, 100_000)]


@pytest.fixture
def path(played: list[NewRow], postgres_url: str) -> str:
    """The evening on the record, nothing of it folded yet."""
    with house_at(postgres_url) as house:
        house.ledger.record.append(played, {})
    return postgres_url


@pytest.fixture
def house(path: str) -> Iterator[House]:
    with house_at(path) as opened:
        yield opened


def test_killed_at_any_statement_and_resumed_it_comes_to_the_same(path: str, figures: list[Row]) -> None:
    """SIGKILL before, between and after the statements of a batch, and after its commit; several times."""
    program = [sys.executable, "-m", "tests.projections.dying", path, str(random.randrange(10**9)), "40"]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, (program, done.stderr)
    assert int(done.stdout) >= 3
    with house_at(path) as house:
        assert house.pnl_runner().position() == house.ledger.record.last_sequence()
        assert in_contract(read(house)) == figures


def tables_of(url: str) -> list[str]:
    rows = postgres.change(
        url,
        "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = "
        "current_schema()::regnamespace ORDER BY 1",
    )
    return [name for (name,) in rows]


def test_rebuilds_put_wrong_tables_right_one_after_the_other(
    house: House, path: str, figures: list[Row]
) -> None:
    """A renamed table keeps the name of its index: the next rebuild must not stumble over it."""
    house.runner().catch_up()
    before = tables_of(path)
    for _ in range(3):
        postgres.change(path, "UPDATE table_pnl_coups SET settled = settled + 1")
        assert in_contract(read(house)) != figures
        assert rebuild(house.ledger.record, house.tables, EVERY) == house.ledger.record.last_sequence()
        assert in_contract(read(house)) == figures
        assert tables_of(path) == before
        house.runner().catch_up()
    assert in_contract(read(house)) == figures


def test_a_rebuild_that_was_left_half_way_is_begun_anew(
    house: House, path: str, figures: list[Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "PAGE_EVENTS", 500)

    def cut(position: int, _goal: int) -> None:
        if position > 1000:
            raise KeyboardInterrupt

    house.runner().catch_up()
    with pytest.raises(KeyboardInterrupt):
        rebuild(house.ledger.record, house.tables, EVERY, cut)
    assert any(name.endswith(REBUILT) for name in tables_of(path))
    assert in_contract(read(house)) == figures
    rebuild(house.ledger.record, house.tables, EVERY)
    assert not any(name.endswith(REBUILT) for name in tables_of(path))
    assert in_contract(read(house)) == figures


def test_every_read_table_is_what_it_is_on_sqlite(house: House, tmp_path: Path) -> None:
    """The check compares row by row, in order and with types, against tables that SQLite keeps."""
    house.runner().catch_up()
    with closing(SQLiteReadTables(str(tmp_path / "scratch.db"))) as scratch:
        found = list(check_read_tables(house.ledger.record, house.tables, scratch, EVERY))
    assert [one.findings for one in found] == [[]] * len(EVERY)
    assert {one.position for one in found} == {house.ledger.record.last_sequence()}


def test_it_says_where_a_table_differs(house: House, path: str, tmp_path: Path) -> None:
    house.runner().catch_up()
    postgres.change(path, "DELETE FROM table_pnl_wagers WHERE kind = 'tie'")
    with closing(SQLiteReadTables(str(tmp_path / "scratch.db"))) as scratch:
        found = {
            one.projection: one.findings
            for one in check_read_tables(house.ledger.record, house.tables, scratch, EVERY)
        }
    assert [finding.code for finding in found.pop("table_pnl")] == ["read-table-differs"]
    assert not any(found.values())
