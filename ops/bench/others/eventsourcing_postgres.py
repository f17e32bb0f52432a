"""`eventsourcing` on PostgreSQL, events and view, with the recorders it comes with."""

from __future__ import annotations

from typing import Any

import psycopg
from eventsourcing.persistence import Tracking
from eventsourcing.postgres import PostgresDatastore, PostgresTrackingRecorder
from psycopg.sql import SQL, Identifier

from ops.bench.others.eventsourcing_parts import ADD, ROWS, TABLE, LibraryApplication
from ops.bench.others.protocol import serve

_DROP = "DROP TABLE IF EXISTS pnl, pnl_tracking"


class PnlView(PostgresTrackingRecorder):
    """See `ops.bench.others.eventsourcing_parts.View`."""

    def __init__(self, datastore: PostgresDatastore, **kwargs: Any) -> None:
        super().__init__(datastore, **kwargs)
        self._path = SQL("SET LOCAL search_path TO {}").format(Identifier(self.datastore.schema))
        self.sql_create_statements.append(
            SQL(TABLE.replace(" pnl ", " {0}.pnl ")).format(Identifier(self.datastore.schema))
        )

    def add(self, place: str, win: int, tracking: Tracking) -> None:
        with self.datastore.transaction(commit=True) as cursor:
            self._insert_tracking(cursor, tracking)
            cursor.execute(self._path)
            cursor.execute(ADD.format(marks="%s, 1, %s"), (place, win))

    def rows(self) -> list[tuple[str, int, int]]:
        with self.datastore.transaction(commit=False) as cursor:
            cursor.execute(self._path)
            cursor.execute(ROWS)
            return [(row["place"], row["coups"], row["win"]) for row in cursor.fetchall()]


def opened(given: dict[str, Any]) -> LibraryApplication:
    """The application in a schema of the database that is given."""
    return LibraryApplication(given["env"], PnlView, lambda: _drop(given["db"]))


def _drop(db: str) -> None:
    with psycopg.connect(db) as connection:
        connection.execute(_DROP.encode())


if __name__ == "__main__":
    serve(opened)
