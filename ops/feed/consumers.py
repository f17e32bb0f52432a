"""Named consumers: whoever wishes keeps his position here, and his lag can be seen.

A convenience and a window, not a promise: a consumer who wants every effect exactly once keeps the position
together with the effect.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from ledger.errors import ConsumerMoved, ConsumerOfAnother, ConsumerUnknown, ResumePointBeyondEnd
from ledger.store.port import ReadTables, Statements
from ops.feed.tail import HasEnd

CONSUMERS = """
    CREATE TABLE IF NOT EXISTS feed_consumers (
        name TEXT PRIMARY KEY,
        owner TEXT NOT NULL,
        position BIGINT NOT NULL,
        moved_at TEXT NOT NULL
    )"""

_SELECT = "SELECT name, owner, position, moved_at FROM feed_consumers"


class Consumer(NamedTuple):
    """A consumer.

    Attributes:
        position: up to which event he says that he has read.
        moved_at: when he last said so, UTC, ISO 8601.
        lag: how many events he has not read.
    """

    name: str
    owner: str
    position: int
    moved_at: str
    lag: int


class Consumers:
    """The consumers of one ledger."""

    def __init__(self, tables: ReadTables, record: HasEnd, clock: Callable[[], datetime]) -> None:
        self._tables, self._record, self._clock = tables, record, clock
        self._made = False

    def every(self) -> list[Consumer]:
        """All of them, by name."""
        self._make_table()
        end = self._record.last_sequence()
        with self._tables.snapshot() as statements:
            rows = statements.execute(f"{_SELECT} ORDER BY name")
        return [_consumer(row, end) for row in rows]

    def get(self, name: str, owner: str | None = None) -> Consumer:
        """One of them.

        Args:
            owner: to whom it must belong; None asks for nobody's sake in particular.

        Raises:
            ConsumerUnknown, ConsumerOfAnother.
        """
        self._make_table()
        end = self._record.last_sequence()
        with self._tables.snapshot() as statements:
            found = _find(statements, name)
        if found is None:
            raise ConsumerUnknown(name)
        if owner is not None and found[1] != owner:
            raise ConsumerOfAnother(name)
        return _consumer(found, end)

    def move(self, name: str, owner: str, expected: int, position: int) -> Consumer:
        """Move a consumer who stands at `expected`; a name that is new stands at 0 and is his who moves it.

        Raises:
            ConsumerMoved: he stands elsewhere. Nothing is moved.
            ConsumerOfAnother: the name is taken.
            ResumePointBeyondEnd: there is no such event yet.
        """
        end = self._check_exists(position)
        now = self._clock().isoformat()
        self._make_table()
        with self._tables.transaction() as statements:
            _, owned_by, found, _ = _find(statements, name) or (name, owner, 0, now)
            if owned_by != owner:
                raise ConsumerOfAnother(name)
            if found != expected:
                raise ConsumerMoved(name, expected, found)
            _put(statements, (name, owner, position, now))
        return _consumer((name, owner, position, now), end)

    def reset(self, name: str, position: int) -> Consumer:
        """Put a consumer somewhere, whoever he belongs to and wherever he stands.

        Raises:
            ConsumerUnknown: there is none of that name.
            ResumePointBeyondEnd: there is no such event.
        """
        end = self._check_exists(position)
        now = self._clock().isoformat()
        self._make_table()
        with self._tables.transaction() as statements:
            found = _find(statements, name)
            if found is None:
                raise ConsumerUnknown(name)
            _put(statements, (name, found[1], position, now))
        return _consumer((name, found[1], position, now), end)

    def remove(self, name: str) -> None:
        """Forget a consumer. Raises: ConsumerUnknown."""
        self._make_table()
        with self._tables.transaction() as statements:
            if _find(statements, name) is None:
                raise ConsumerUnknown(name)
            statements.execute("DELETE FROM feed_consumers WHERE name = ?", (name,))

    def _check_exists(self, position: int) -> int:
        end = self._record.last_sequence()
        if position > end:
            raise ResumePointBeyondEnd(position, end)
        return end

    def _make_table(self) -> None:
        if not self._made:
            with self._tables.transaction() as statements:
                statements.execute(CONSUMERS)
            self._made = True


_Row = tuple[str, str, int, str]


def _find(statements: Statements, name: str) -> _Row | None:
    rows = statements.execute(f"{_SELECT} WHERE name = ?", (name,))
    return (str(rows[0][0]), str(rows[0][1]), int(rows[0][2]), str(rows[0][3])) if rows else None


def _put(statements: Statements, row: _Row) -> None:
    statements.execute(
        "INSERT INTO feed_consumers (name, owner, position, moved_at) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (name) DO UPDATE SET position = excluded.position, moved_at = excluded.moved_at",
        row,
    )


def _consumer(row: tuple[object, ...], end: int) -> Consumer:
    name, owner, position, moved_at = row
    return Consumer(str(name), str(owner), int(str(position)), str(moved_at), end - int(str(position)))
