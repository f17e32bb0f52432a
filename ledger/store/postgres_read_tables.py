"""The read tables on PostgreSQL, in the record's schema."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from psycopg.pq import TransactionStatus

from ledger.store.port import Lazily
from ledger.store.postgres_connections import Conn, Connections
from ledger.store.postgres_sql import for_postgres, is_kept, moves_table

_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || '.read tables', 0))"
"""Writers come one after the other, as on SQLite: what one reads still holds when it writes."""
_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; LOCK TABLE ledger_gate IN ACCESS SHARE MODE"
_ALONE = "LOCK TABLE ledger_gate IN ACCESS EXCLUSIVE MODE"

_WRITER, _KEEPER = "ledger_writer", "ledger_keeper"
_ROLE = "SELECT current_setting('role')"
_TO_ROLE = "SELECT set_config('role', $1, true)"
_MAY_KEEP = (
    "SELECT COALESCE(bool_or(pg_has_role(session_user, oid, 'MEMBER') "
    "AND has_schema_privilege(oid, current_schema(), 'CREATE')), false) FROM pg_roles WHERE rolname = $1"
)
_LAZILY = "SELECT set_config('synchronous_commit', 'off', true)"
_SESSION = (
    "SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' "
    "ELSE current_setting('synchronous_commit') END, false), "
    # Who may act for the writers does: then each of them may rename what another has made.
    # Who may act for keepers alone does that.
    "set_config('role', (SELECT rolname::text FROM pg_roles WHERE rolname::text = ANY($1::text[]) "
    "AND pg_has_role(oid, 'MEMBER') ORDER BY array_position($1::text[], rolname::text) LIMIT 1), false)"
)


def set_up_read_tables(connection: Conn) -> None:
    """What a connection for read tables needs."""
    connection.execute(_SESSION, ([_WRITER, _KEEPER],))


class PostgresStatements:
    """Runs statements in one transaction. See ledger.store.port.Statements."""

    def __init__(self, connection: Conn) -> None:
        self._connection = connection
        self._alone = False

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        self._stand_alone_for(sql)
        if is_kept(sql):
            self._make_for_keepers(sql)
            return []
        # Without parameters the driver would take several statements for one, which SQLite does not.
        cursor = self._connection.execute(for_postgres(sql).encode(), parameters)
        return cursor.fetchall() if cursor.description else []

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        self._stand_alone_for(sql)
        self._connection.cursor().executemany(for_postgres(sql).encode(), rows)

    def _make_for_keepers(self, sql: str) -> None:
        """Make a table that keepers write too: theirs whoever makes it, where this ledger has them."""
        ((role,),) = self._connection.execute(_ROLE).fetchall()
        ((may,),) = self._connection.execute(_MAY_KEEP, (_KEEPER,)).fetchall()
        self._connection.execute(_TO_ROLE, (_KEEPER if may else role,))
        self._connection.execute(for_postgres(sql).encode())
        self._connection.execute(_TO_ROLE, (role,))

    def _stand_alone_for(self, sql: str) -> None:
        if not self._alone and moves_table(sql):
            self._connection.execute(_ALONE)
            self._alone = True


class PostgresReadTables:
    """The projections' tables. See ledger.store.port.ReadTables."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    @contextmanager
    def transaction(self) -> Iterator[PostgresStatements]:
        with self._connections.connection() as connection, connection.transaction():
            connection.execute(_LOCK)
            yield PostgresStatements(connection)

    def lazily(self) -> Lazily:
        """The same tables, whose transactions are not waited for."""
        return Lazily(self._unawaited, self.snapshot)

    @contextmanager
    def _unawaited(self) -> Iterator[PostgresStatements]:
        with self._connections.connection() as connection, connection.transaction():
            connection.execute(_LAZILY)
            connection.execute(_LOCK)
            yield PostgresStatements(connection)

    @contextmanager
    def snapshot(self) -> Iterator[PostgresStatements]:
        with self._connections.connection() as connection:
            if connection.info.transaction_status != TransactionStatus.IDLE:
                with connection.transaction():  # inside one that is open: see OneTransaction
                    yield PostgresStatements(connection)
                return
            connection.execute(_SNAPSHOT, prepare=False)
            try:
                yield PostgresStatements(connection)
            finally:
                if not connection.closed:
                    connection.execute("ROLLBACK")

    def close(self) -> None:
        """Give the connections back."""
        self._connections.close()


def open_read_tables(url: str) -> PostgresReadTables:
    """The read tables at this address."""
    return PostgresReadTables(Connections(url, set_up_read_tables))
