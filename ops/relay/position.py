"""How far the record has been relayed to a stream, kept with the ledger.

What decides where the relay goes on is the stream's own last message. This is for whoever looks at the lag,
and for a stream that has let go of old messages.
"""

from __future__ import annotations

from typing import NamedTuple

from ledger.store.port import ReadTables

RELAYED = """
    CREATE TABLE IF NOT EXISTS relay_positions (
        target TEXT PRIMARY KEY,
        created TEXT NOT NULL,
        position BIGINT NOT NULL
    )"""


class Relayed(NamedTuple):
    """How far.

    Attributes:
        target: the stream's name.
        created: when that stream was made; another of its name is another stream.
        position: the last event of the record that it has acknowledged.
    """

    target: str
    created: str
    position: int


class Positions:
    """What was relayed of one ledger."""

    def __init__(self, tables: ReadTables) -> None:
        self._tables = tables
        self._made = False

    def every(self) -> list[Relayed]:
        """All of them, by stream."""
        self._make_table()
        with self._tables.snapshot() as statements:
            rows = statements.execute("SELECT target, created, position FROM relay_positions ORDER BY target")
        return [Relayed(*row) for row in rows]

    def get(self, target: str) -> Relayed | None:
        """How far to this stream, if anything ever was."""
        return next((one for one in self.every() if one.target == target), None)

    def put(self, relayed: Relayed) -> None:
        """It has come this far."""
        self._make_table()
        with self._tables.transaction() as statements:
            statements.execute(
                "INSERT INTO relay_positions (target, created, position) VALUES (?, ?, ?) "
                "ON CONFLICT (target) DO UPDATE SET created = excluded.created, position = excluded.position",
                relayed,
            )

    def _make_table(self) -> None:
        if not self._made:
            with self._tables.transaction() as statements:
                statements.execute(RELAYED)
            self._made = True
