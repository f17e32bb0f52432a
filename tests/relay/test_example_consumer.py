"""The example consumer's accounts are the ledger's own, to the penny, however often it is killed."""

from __future__ import annotations

import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from time import sleep

import pytest

from ops.wiring import open_house
from projections.pnl.views import Span
from tests.projections.houses import evening, house_at, read, take
from tests.relay.servers import Server, server
from tests.relay.working import ledger_at, relay_once

Takings = dict[tuple[str, str, str, str], tuple[int, int]]
PROGRAM = (sys.executable, "-m", "ops.relay.example_consumer")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def one(tmp_path: Path) -> Iterator[Server]:
    with server(tmp_path / "nats") as one:
        yield one


def consumer(one: Server, accounts: Path, *more: str) -> subprocess.Popen[bytes]:
    arguments = [*PROGRAM, "--nats", one.url, "--accounts", str(accounts), "--batch", "10", *more]
    return subprocess.Popen(arguments, cwd=ROOT, stderr=subprocess.PIPE)


def to_the_end(one: Server, accounts: Path) -> None:
    process = consumer(one, accounts, "--once")
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said


def counted(accounts: Path) -> Takings:
    """What the consumer has."""
    with closing(sqlite3.connect(accounts)) as connection:
        rows = connection.execute(
            "SELECT premises, table_name, gaming_day, currency, settled, win FROM takings"
        )
        return {row[:4]: row[4:] for row in rows}


def number(accounts: Path) -> int:
    """Up to which message it has counted."""
    try:
        with closing(sqlite3.connect(accounts)) as connection:
            return int(connection.execute("SELECT number FROM position").fetchone()[0])
    except (sqlite3.Error, TypeError):
        return 0


def in_the_ledger(path: Path) -> Takings:
    """The same of the ledger's own profit and loss, which knows nothing of the stream."""
    with house_at(path) as house:
        house.runner().catch_up()
        found = [row for row in read(house, span=Span.DAY) if row.banked_by == "house" and row.coups]
        return {
            (row.premises, row.table, str(row.gaming_day), row.currency): (row.coups, row.win)
            for row in found
        }


def test_the_evening_with_its_rulings_comes_to_the_ledgers_own_figures(one: Server, tmp_path: Path) -> None:
    db, accounts = tmp_path / "ledger.db", tmp_path / "accounts.db"
    with house_at(db) as house:
        take(house, evening())
    relay_once(db, one)
    to_the_end(one, accounts)
    expected = in_the_ledger(db)
    assert {key: win for key, (_, win) in counted(accounts).items()} == {
        key: win for key, (_, win) in expected.items()
    }
    assert any(win for _, win in expected.values())


def test_killed_at_any_moment_it_counts_everything_once(one: Server, tmp_path: Path) -> None:
    db, accounts = tmp_path / "ledger.db", tmp_path / "accounts.db"
    ledger_at(db, 600)
    relay_once(db, one)
    chance = random.Random(11)
    with open_house(str(db)) as house:
        end = house.ledger.record.last_sequence()
    deaths = 0
    while deaths < 4 and number(accounts) < end // 2:
        enough = number(accounts) + chance.randint(1, end // 12)
        process = consumer(one, accounts)
        while number(accounts) < enough and process.poll() is None:
            sleep(0.0005)
        sleep(chance.random() / 200)
        process.kill()
        process.communicate()
        deaths += 1
    assert deaths >= 2
    to_the_end(one, accounts)
    assert counted(accounts) == in_the_ledger(db)


def test_a_stream_that_is_made_anew_and_filled_again_is_not_counted_twice(
    one: Server, tmp_path: Path
) -> None:
    db, accounts = tmp_path / "ledger.db", tmp_path / "accounts.db"
    ledger_at(db, 40)
    relay_once(db, one)
    to_the_end(one, accounts)
    one.stop()
    shutil.rmtree(one.folder)
    one.start()
    relay_once(db, one)
    to_the_end(one, accounts)
    assert counted(accounts) == in_the_ledger(db)
