"""Writing by turns: every contestant writes the same, on both engines."""

from __future__ import annotations

import json
import sqlite3
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ledger.store.port import Row
from ledger.store.postgres_connections import settings_of
from ops.bench import writes
from ops.bench.contest import by_turns
from ops.bench.server import NotDurable, check_durable
from ops.bench.stock_application import Stock
from ops.bench.writes import BARE, BULK, LIBRARY, LIVE, Opened, Way, on_postgres, on_sqlite
from ops.rehearsal.deal import load
from ops.wiring import House

COUPS = 5
ENGINES = ("SQLite", "PostgreSQL")
WAYS = (LIVE, BULK._replace(size=3))


@pytest.fixture
def opened(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> tuple[AbstractContextManager[Opened], list[Any]]:
    """Contestants on an engine, and the stock application and bare stores that they open."""
    engine, way = request.param
    kept: list[Any] = []
    for name in ("sqlite_bare", "postgres_bare", "stock"):
        made = getattr(writes, name)

        def noting(*arguments: Any, name: str = name, made: Any = made) -> Any:
            kept.append((name, arguments))
            return made(*arguments)

        monkeypatch.setattr(writes, name, noting)
    if engine == "SQLite":
        return on_sqlite(way), kept
    return on_postgres(request.getfixturevalue("postgres_server"), way), kept


CASES = [
    pytest.param((engine, way), (engine, way), id=f"{engine}-{way.name}")
    for engine in ENGINES
    for way in WAYS
]


@pytest.mark.parametrize(("opened", "case"), CASES, indirect=["opened"])
def test_the_bare_driver_and_the_library_write_what_ours_wrote(
    opened: tuple[AbstractContextManager[Opened], list[Any]], case: tuple[str, Way]
) -> None:
    """The bare driver the very same rows, the library the same facts of every stream."""
    _, way = case
    contestants, kept = opened
    with contestants as (house, rivals):
        turns = list(by_turns(house, list(load(COUPS, seed=1)), way.size, 2, rivals))
        assert sum(turn.coups for turn in turns) == COUPS
        assert all(turn.rivals.keys() == {BARE, LIBRARY} for turn in turns)
        ours = house.ledger.record.select_rows(0, 1_000)
        calls = dict(kept)
        assert bare_rows(calls, way) == ours
        facts = [json.loads(row.state) for row in ours]
        assert sorted(facts, key=place) == sorted(facts_of(calls["stock"][0]), key=place)
        assert settled(house) == COUPS


def place(facts: dict[str, Any]) -> tuple[str, int]:
    """Of an event: the library saves a stream at a time."""
    return facts["stream"], facts["version"]


def bare_rows(calls: dict[str, Any], way: Way) -> list[Row]:
    if "sqlite_bare" in calls:
        with sqlite3.connect(calls["sqlite_bare"][0]) as connection:
            found = connection.execute("SELECT * FROM stored_events ORDER BY sequence").fetchall()
        connection.close()
    else:
        table = "bare_copied" if way.by_copy else "bare"
        with psycopg.connect(**settings_of(calls["postgres_bare"][0])) as server:
            found = server.execute(f"SELECT * FROM {table} ORDER BY sequence".encode()).fetchall()
    return [Row(*row) for row in found]


def facts_of(env: dict[str, str]) -> list[Any]:
    """What the library's application has recorded, read by another one."""
    application = Stock(env)
    found = [
        vars(application.mapper.to_domain_event(notification))["facts"]
        for notification in application.recorder.select_notifications(1, 1_000)
    ]
    application.close()
    return found


def settled(house: House) -> int:
    return len(house.ledger.record.select_rows(0, 1_000, ("coup-settled.v1",)))


def test_a_server_that_does_not_wait_for_the_disk_is_not_measured(postgres_server: str) -> None:
    """The tests' own is such a one."""
    with psycopg.connect(postgres_server) as connection:
        on = connection.execute("SHOW fsync").fetchone() == ("on",)
    if on:
        check_durable(postgres_server)
        return
    with pytest.raises(NotDurable):
        check_durable(postgres_server)


def test_figures_of_both_rivals_come_of_every_way_on_both_engines(
    postgres_server: str, tmp_path: Path
) -> None:
    found = [
        (figure.name, figure.against, sum(turn.done for turn in figure.turns))
        for figure in writes.writes(postgres_server, live=2, bulk=3, repeat=2)
    ]
    assert found == [
        (f"{engine}, {way.name}", against, 2 * coups)
        for engine in ENGINES
        for way, coups in ((LIVE, 2), (BULK, 3))
        for against in ("COPY" if (engine, way) == ("PostgreSQL", BULK) else BARE, LIBRARY)
    ]
