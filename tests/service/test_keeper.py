"""The process that folds: it does what the thread would, and whoever writes minds it in nothing."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ops.service.keeper import FoldingFailed, Keeper
from ops.service.upkeep import Upkeep
from ops.wiring import House, open_house
from tests.tabletalk import Night, command


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


@pytest.fixture
def house(db: Path) -> Iterator[House]:
    with open_house(str(db), create=True) as opened:
        yield opened


def play(house: House, table: str) -> int:
    """A coup at a table of its own; the sequence of its last event."""
    night = Night(table=table, prefix=f"{table}-").opens()
    night.coup(1, "P 9 K / B 7 Q", "player 100")
    assert all(house.ledger.run(command(line)).applied for line in night.lines)
    return house.ledger.record.last_sequence()


def played(house: House) -> int:
    """Tables in the profit and loss."""
    with house.tables.snapshot() as statements:
        return len({row[0] for row in statements.execute("SELECT table_name FROM table_pnl_coups")})


def test_it_folds_what_is_in_the_record_whenever_it_is_asked(house: House, db: Path) -> None:
    with closing(Keeper(str(db))) as keeper:
        for number, table in enumerate(("T1", "T2"), 1):
            assert keeper.catch_up() < play(house, table) == keeper.catch_up()
            assert house.runner().position() == house.ledger.record.last_sequence()
            assert played(house) == number


def test_a_read_waits_for_it_as_for_the_thread(house: House, db: Path) -> None:
    with closing(Keeper(str(db))) as keeper, closing(Upkeep(house, keeper)) as upkeep:
        assert play(house, "T1") == upkeep.fresh()


def test_one_that_was_killed_is_told_of_and_begun_anew(house: House, db: Path) -> None:
    with closing(Keeper(str(db))) as keeper:
        end = play(house, "T1")
        os.kill(keeper.process_id, signal.SIGKILL)
        with pytest.raises(FoldingFailed, match="another was begun"):
            keeper.catch_up()
        assert keeper.catch_up() == end


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_stops_the_service_does_not_stop_it_in_the_middle(
    house: House, db: Path, number: signal.Signals
) -> None:
    """A terminal and systemd send it to every process; it ends when the service closes it."""
    with closing(Keeper(str(db))) as keeper:
        assert keeper.catch_up() == 0
        os.kill(keeper.process_id, number)
        end = play(house, "T1")
        assert keeper.catch_up() == end
    with pytest.raises(ProcessLookupError):
        os.kill(keeper.process_id, 0)


def test_a_ledger_that_is_not_there_is_told_of_without_its_password(tmp_path: Path) -> None:
    with closing(Keeper("postgresql://ledger:s3cret@127.0.0.1:1/none")) as keeper:
        with pytest.raises(FoldingFailed) as refused:
            keeper.catch_up()
        assert "s3cret" not in str(refused.value)
        assert "127.0.0.1" in str(refused.value)
    with (
        closing(Keeper(str(tmp_path / "none.db"))) as keeper,
        pytest.raises(FoldingFailed, match=r"none\.db"),
    ):
        keeper.catch_up()
