"""The limit on PostgreSQL: a prepared executemany a coup, COPY for many, a bare loop over a cursor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg

from ops.bench.others.bare_sqlite import BareDriver, Row
from ops.bench.others.protocol import serve

_TABLE = (
    'CREATE TABLE IF NOT EXISTS stored_events (sequence BIGINT PRIMARY KEY, originator_id TEXT COLLATE "C" '
    'NOT NULL, originator_version BIGINT NOT NULL, topic TEXT COLLATE "C" NOT NULL, state BYTEA NOT NULL, '
    "UNIQUE (originator_id, originator_version))"
)
_SETTLED = "SELECT state FROM stored_events WHERE topic = 'coup-settled.v1' ORDER BY sequence"
_STREAM = "SELECT state FROM stored_events WHERE originator_id = %s ORDER BY originator_version"
_COLUMNS = ("int8", "text", "int8", "text", "bytea")


class OnPostgres(BareDriver):
    """The same, by psycopg."""

    insert = "INSERT INTO stored_events VALUES (%s,%s,%s,%s,%s)"

    def connect(self, given: dict[str, Any]) -> None:
        self._server = psycopg.connect(given["db"])
        self._server.prepare_threshold = 0
        self._server.execute(_TABLE)
        self._server.commit()

    def write(self, rows: Sequence[Row], size: int) -> None:
        with self._server.cursor() as cursor:
            if size > 1:
                with cursor.copy("COPY stored_events FROM STDIN (FORMAT BINARY)") as copy:
                    copy.set_types(_COLUMNS)
                    for row in rows:
                        copy.write_row(row)
            else:
                cursor.executemany(self.insert, rows)
        self._server.commit()

    def settled(self) -> Any:
        return self._server.execute(_SETTLED)

    def stream(self, name: str) -> Sequence[tuple[bytes]]:
        return self._server.execute(_STREAM, (name,)).fetchall()

    def close(self) -> None:
        self._server.close()


if __name__ == "__main__":
    serve(OnPostgres)
