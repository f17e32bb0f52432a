"""`record-coup` over HTTP: the same coups come to the service and to the bare resource."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ops.bench.over_http import ledger_at, turns
from ops.bench.shoes import RECORD_COUP, shoes_of
from ops.wiring import open_house

CLIENTS = 2


def test_a_shoe_is_what_goes_before_its_coups_and_the_coups() -> None:
    tape = shoes_of(1)
    first, second = next(tape), next(tape)
    assert [line["command"] for line in first.before] == ["open-table", "start-shoe"]
    assert [line["command"] for line in second.before] == ["end-shoe", "start-shoe"]
    for shoe in (first, second):
        assert {line["command"] for line in shoe.coups} == {RECORD_COUP}
        assert [line["number"] for line in shoe.coups] == list(range(1, len(shoe.coups) + 1))
        assert all(len(line["wagers"]) == 10 for line in shoe.coups)


@pytest.mark.parametrize("engine", ["SQLite", "PostgreSQL"])
def test_the_bare_resource_inserts_the_rows_of_every_coup_that_the_service_took(
    engine: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    url = request.getfixturevalue("postgres_server") if engine == "PostgreSQL" else None
    dealt = [len(next(shoes_of(client)).coups) for client in range(1, CLIENTS + 1)]
    with ledger_at(tmp_path, url) as db:
        (turn,) = turns(db, tmp_path, 1, CLIENTS)
        assert turn.done == sum(dealt)
        with open_house(db) as house:
            rows = house.ledger.record.select_rows(0, 100_000)
            settled = [row for row in rows if row.topic.startswith("coup-settled")]
            assert len(settled) == turn.done
        stored = bare(db, tmp_path)
    first = min(row.sequence for row in rows if row.stream.startswith("coup/"))
    assert stored == [tuple(row) for row in rows if row.sequence >= first]


def bare(db: str, folder: Path) -> list[tuple[object, ...]]:
    if db.startswith("postgresql"):
        import psycopg  # noqa: PLC0415

        with psycopg.connect(db) as connection:
            return connection.execute("SELECT * FROM bare ORDER BY sequence").fetchall()
    with closing(sqlite3.connect(folder / "bare.db")) as file:
        return file.execute("SELECT * FROM stored_events ORDER BY sequence").fetchall()
