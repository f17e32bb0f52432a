"""One save on PostgreSQL, in one transaction: by a call of the server, or by copying."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ledger.store.port import NewRow
from ledger.store.postgres_connections import Conn
from ledger.store.postgres_values import Blobs, Numbers, Texts

COPY_ROWS = 1_000
"""So large a save is copied, by who has the right: below, one call costs as little (measured)."""
CALL_ROWS = 10_000
"""No call brings more; a larger save is several in one transaction."""

_APPEND = "SELECT ledger_append($1, $2, $3, $4, $5, $6, $7, $8)"
_NEXT = "SELECT ledger_next_sequence($1, $2, $3, $4)"
_NOTIFY = "SELECT pg_notify('ledger_events', current_schema())"
_COPY = "COPY stored_events FROM STDIN (FORMAT BINARY)"
_TYPES = ("int8", "text", "int8", "text", "bytea")
_MAY_COPY = (
    "SELECT has_table_privilege('stored_events', 'INSERT') "
    "AND has_function_privilege('ledger_next_sequence(text[],bigint[],text[],text[])', 'EXECUTE')"
)


Expected = tuple[Texts, Numbers, Texts, Texts]
"""Guards and latest streams, as the server's functions take them."""
NOTHING_EXPECTED: Expected = (Texts(()), Numbers(()), Texts(()), Texts(()))


def append(connection: Conn, rows: Sequence[NewRow], expected: Expected, *, copies: bool) -> int:
    """Store the rows, if what is expected holds. Returns the sequence of the first.

    Args:
        copies: a large save may be copied; see `may_copy`.
    """
    if len(rows) < COPY_ROWS:
        return _call(connection, rows, expected)
    if copies:
        return _copy(connection, rows, expected)
    return _call_in_parts(connection, rows, expected)


def may_copy(connection: Conn) -> bool:
    """Whether this role may write to the table itself; a mere writer may only call the function."""
    return bool(value_of(connection, _MAY_COPY))


def value_of(connection: Conn, query: str, parameters: Sequence[Any] = ()) -> Any:
    """The only value of the only row that this answers."""
    row = connection.execute(query.encode(), parameters, prepare=True).fetchone()
    return None if row is None else row[0]


def _call(connection: Conn, rows: Sequence[NewRow], expected: Expected) -> int:
    """One call of the server does it all."""
    streams, versions, topics, states = zip(*rows, strict=True) if rows else ((), (), (), ())
    arrays = (Texts(streams), Numbers(versions), Texts(topics), Blobs(states))
    return int(value_of(connection, _APPEND, (*arrays, *expected)))


def next_sequence(connection: Conn, expected: Expected = NOTHING_EXPECTED) -> int:
    """Take the writers' lock for this transaction. Returns the sequence that comes next."""
    return int(value_of(connection, _NEXT, expected))


def _call_in_parts(connection: Conn, rows: Sequence[NewRow], expected: Expected) -> int:
    with connection.transaction():
        first = _call(connection, rows[:CALL_ROWS], expected)
        for start in range(CALL_ROWS, len(rows), CALL_ROWS):
            _call(connection, rows[start : start + CALL_ROWS], NOTHING_EXPECTED)
    return first


def _copy(connection: Conn, rows: Sequence[NewRow], expected: Expected) -> int:
    with connection.transaction():
        first = next_sequence(connection, expected)
        with connection.cursor().copy(_COPY) as copy:
            copy.set_types(_TYPES)
            for sequence, row in enumerate(rows, first):
                copy.write_row((sequence, *row))
        connection.execute(_NOTIFY)
    return first
