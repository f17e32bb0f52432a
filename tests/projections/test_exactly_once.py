"""Design §6: each event exactly once, resumable, never behind by a gap."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from ledger.errors import CauseBroken, EventUnreadable, PositionMoved, UnknownTopic
from ledger.store.port import NewRow, ReadTables, Statements
from ops.wiring import House
from projections import runner
from projections.pnl.table_pnl import TablePnl
from projections.pnl.views import PnlFilter
from projections.runner import Runner
from tests.oracle.night import pnl as oracle
from tests.projections.houses import Line, Row, house_at, in_contract, read, take
from tests.tabletalk import Live, Night

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def played(lines: list[Line], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The evening on the record, nothing of it folded yet."""
    path = tmp_path_factory.mktemp("evening") / "ledger.db"
    with house_at(path) as house:
        take(house, lines)
    return path


@pytest.fixture
def path(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(played, tmp_path / "ledger.db"))


@pytest.fixture
def house(path: Path) -> Iterator[House]:
    with house_at(path) as opened:
        yield opened


# --- In pieces ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_batches_of_any_size_come_to_the_same(
    house: House, figures: list[Row], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "PAGE_EVENTS", size)
    assert house.pnl_runner().catch_up() == house.ledger.record.last_sequence()
    assert in_contract(read(house)) == figures


@pytest.mark.parametrize("size", [4, 50])
def test_folding_while_the_night_goes_on_comes_to_the_same(
    tmp_path: Path, lines: list[Line], figures: list[Row], size: int
) -> None:
    """After every so many commands, each time by a new runner; and each time what it says is true by then."""
    with house_at(tmp_path / "ledger.db") as house:
        for start in range(0, len(lines), size):
            take(house, lines[start : start + size])
            assert house.pnl_runner().catch_up() == house.ledger.record.last_sequence()
            if start % 100 == 0:
                assert in_contract(read(house)) == oracle(lines[: start + size])
        assert in_contract(read(house)) == figures


def test_what_is_folded_is_not_folded_again(house: House, figures: list[Row]) -> None:
    for _ in range(3):
        house.pnl_runner().catch_up()
    assert in_contract(read(house)) == figures


def test_progress_is_told_after_every_batch(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "PAGE_EVENTS", 50)
    told: list[tuple[int, int]] = []
    kept_up = house.pnl_runner()

    def progress(position: int, goal: int) -> None:
        assert kept_up.position() == position
        told.append((position, goal))

    kept_up.catch_up(progress)
    last = house.ledger.record.last_sequence()
    assert len(told) > 2
    assert told == sorted(told)
    assert told[-1] == (last, last)
    assert {goal for _, goal in told} == {last}


def test_events_of_other_topics_only_move_the_position(tmp_path: Path) -> None:
    with house_at(tmp_path / "ledger.db") as house:
        assert (house.pnl_runner().catch_up(), house.pnl_runner().position()) == (0, 0)
        take(house, Night().opens().lines)
        last = house.ledger.record.last_sequence()
        assert last > 0
        assert (house.pnl_runner().catch_up(), house.pnl_runner().position()) == (last, last)
        assert read(house) == []


def test_each_projection_keeps_a_position_of_its_own(house: House) -> None:
    class Other(TablePnl):
        name = "other"

        topics = ()  # it keeps nothing

    house.pnl_runner().catch_up()
    other = Runner(house.ledger.record, house.tables, [Other()])
    assert other.position() == 0
    assert other.catch_up() == house.pnl_runner().position()


# --- Two runners -------------------------------------------------------------------------------------------


class Overtaken:
    """Read tables in which something happens just before each of so many transactions."""

    def __init__(self, tables: ReadTables, act: Callable[[], object], times: int) -> None:
        self._tables, self._act, self._left = tables, act, times
        self.snapshot = tables.snapshot

    @contextmanager
    def transaction(self) -> Iterator[Statements]:
        if self._left:
            self._left -= 1
            self._act()
        with self._tables.transaction() as statements:
            yield statements


def test_a_runner_that_is_overtaken_goes_on_from_where_the_other_has_come(
    house: House, path: Path, lines: list[Line]
) -> None:
    """What it had read is not added once more."""
    with house_at(path) as other:
        number = iter(range(1, 100))
        table = Live(other.ledger)

        def overtake() -> None:
            other.pnl_runner().catch_up()
            table.coup(next(number), "P 9 K / B 7 Q", "player 100")

        late = Runner(house.ledger.record, Overtaken(house.tables, overtake, 3), [TablePnl()])
        assert late.catch_up() == house.ledger.record.last_sequence()
        assert in_contract(read(house)) == oracle([*lines, *table.night.lines])


def test_a_runner_that_is_overtaken_every_time_gives_up_and_writes_nothing(
    house: House, path: Path, lines: list[Line], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "ATTEMPTS", 3)
    with house_at(path) as other:
        number = iter(range(1, 100))
        table = Live(other.ledger)

        def overtake() -> None:
            other.pnl_runner().catch_up()
            table.coup(next(number), "P 9 K / B 7 Q", "player 100")

        late = Runner(house.ledger.record, Overtaken(house.tables, overtake, 30), [TablePnl()])
        with pytest.raises(PositionMoved):
            late.catch_up()
        other.pnl_runner().catch_up()
        assert in_contract(read(house)) == oracle([*lines, *table.night.lines])


def test_two_runners_racing_count_each_event_once(
    path: Path, figures: list[Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "PAGE_EVENTS", 3)
    start = threading.Barrier(2)

    def race() -> None:
        with house_at(path) as house:
            house.pnl_runner().create_tables()
            start.wait(timeout=30)
            while house.pnl_runner().position() < house.ledger.record.last_sequence():
                with suppress(PositionMoved):
                    house.pnl_runner().catch_up()

    racers = [threading.Thread(target=race) for _ in range(2)]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join(timeout=60)
    assert not any(racer.is_alive() for racer in racers)
    with house_at(path) as house:
        assert house.pnl_runner().position() == house.ledger.record.last_sequence()
        assert in_contract(read(house)) == figures


# --- Death -------------------------------------------------------------------------------------------------


def test_killed_at_any_statement_and_resumed_it_comes_to_the_same(path: Path, figures: list[Row]) -> None:
    """SIGKILL before, between and after the statements of a batch, and after its commit; many times over."""
    program = [sys.executable, "-m", "tests.projections.dying", str(path), str(random.randrange(10**9))]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, (program, done.stderr)
    assert int(done.stdout) >= 5
    with house_at(path) as house:
        assert house.pnl_runner().position() == house.ledger.record.last_sequence()
        assert in_contract(read(house)) == figures


# --- What cannot be read -----------------------------------------------------------------------------------


def test_an_unreadable_event_stops_the_folding_after_the_last_whole_command(tmp_path: Path) -> None:
    with house_at(tmp_path / "ledger.db") as house:
        table = Live(house.ledger)
        table.coup(1, "P 9 K / B 7 Q", "player 100")
        house.pnl_runner().catch_up()
        table.coup(2, "P 9 K / B 7 Q", "player 100")
        last_good = house.ledger.record.last_sequence()
        house.ledger.record.append([NewRow("coup/main/T1/S1/3", 1, "coup-settled.v1", b'{"half":')], {})
        for _ in range(2):
            with pytest.raises(EventUnreadable) as caught:
                house.pnl_runner().catch_up()
            assert (caught.value.stream, caught.value.version) == ("coup/main/T1/S1/3", 1)
            assert house.pnl_runner().position() == last_good
            assert [row.coups for row in read(house)] == [2]


def test_events_without_their_commands_record_stop_the_folding(tmp_path: Path) -> None:
    """No save of ours ends so; what such events say is folded by nobody, and whoever folds is told."""
    with house_at(tmp_path / "ledger.db") as house:
        table = Live(house.ledger)
        table.coup(1, "P 9 K / B 7 Q", "player 100")
        last_good = house.ledger.record.last_sequence()
        row = house.ledger.record.select_rows(last_good - 3, 1)[0]
        house.ledger.record.append([NewRow(row.stream, 99, row.topic, row.state)], {})
        with pytest.raises(CauseBroken) as caught:
            house.pnl_runner().catch_up()
        assert caught.value.sequence == last_good + 1
        assert house.pnl_runner().position() == last_good


def test_batches_before_an_unreadable_event_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "PAGE_EVENTS", 1)
    with house_at(tmp_path / "ledger.db") as house:
        table = Live(house.ledger)
        table.coup(1, "P 9 K / B 7 Q", "player 100")
        last_good = house.ledger.record.last_sequence()
        house.ledger.record.append([NewRow("coup/main/T1/S1/3", 1, "coup-settled.v1", b"{}")], {})
        with pytest.raises(EventUnreadable):
            house.pnl_runner().catch_up()
        assert 0 < house.pnl_runner().position() <= last_good
        assert [row.coups for row in read(house)] == [1]


def test_a_topic_of_a_later_version_is_not_passed_over_silently(tmp_path: Path) -> None:
    class FromLater(TablePnl):
        topics = (*TablePnl.topics, "coup-settled.v2")

    with house_at(tmp_path / "ledger.db") as house:
        house.ledger.record.append([NewRow("coup/main/T1/S1/1", 1, "coup-settled.v2", b"{}")], {})
        kept_up = Runner(house.ledger.record, house.tables, [FromLater()])
        with pytest.raises(UnknownTopic):
            kept_up.catch_up()
        assert kept_up.position() == 0


def test_a_snapshot_sees_one_moment(house: House, path: Path, figures: list[Row]) -> None:
    """Rows and position belong together, whoever folds meanwhile."""
    house.pnl_runner().create_tables()
    with house_at(path) as other, house.tables.snapshot() as statements:
        position: list[Any] = statements.execute("SELECT position FROM projection_positions")
        other.pnl_runner().catch_up()
        assert position == statements.execute("SELECT position FROM projection_positions") == [(0,)]
        assert statements.execute("SELECT * FROM table_pnl_coups") == []
    assert in_contract(read(house, PnlFilter())) == figures
