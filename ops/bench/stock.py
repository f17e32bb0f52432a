"""The library's own application as a rival: see `ops.bench.stock_application`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict

from ops.bench.contest import Rival, Saves
from ops.bench.stock_application import Stock


def sqlite_env(path: Path) -> dict[str, str]:
    """As the library is told of a SQLite file."""
    return {"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": str(path)}


def postgres_env(address: str, schema: str) -> dict[str, str]:
    """As the library is told of a PostgreSQL database."""
    said = conninfo_to_dict(address)
    return {
        "PERSISTENCE_MODULE": "eventsourcing.postgres",
        "POSTGRES_DBNAME": str(said.get("dbname", "")),
        "POSTGRES_HOST": str(said.get("host", "")),
        "POSTGRES_PORT": str(said.get("port", "5432")),
        "POSTGRES_USER": str(said.get("user", "")),
        "POSTGRES_PASSWORD": str(said.get("password", "")),
        "POSTGRES_SCHEMA": schema,
    }


@contextmanager
def stock(env: dict[str, str]) -> Iterator[Rival]:
    """The application, open; a commit for each save."""
    with closing(Stock(env)) as application:

        def ready(saves: Saves) -> Callable[[], object]:
            happened = [[(row.stream, row.topic, json.loads(row.state)) for row in rows] for rows in saves]

            def work() -> None:
                for of_one in happened:
                    application.record(of_one)

            return work

        yield ready
