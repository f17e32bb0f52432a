"""The read tables on PostgreSQL, in the record's schema."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from psycopg.pq import TransactionStatus

from ledger.store.port import Lazily
from ledger.store.postgres_connections import Conn, Connections
from ledger.store.postgres_sql import for_postgres, moves_table

_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || '.read tables', 0))"
"""Writers come one after the other, as on SQLite: what one reads still holds when it writes."""
_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; LOCK TABLE ledger_gate IN ACCESS SHARE MODE"
_ALONE = "LOCK TABLE ledger_gate IN ACCESS EXCLUSIVE MODE"

_WRITER = "ledger_writer"
_LAZILY = "SELECT set_config('synchronous_commit', 'off', true)"
_SESSION = (
    "SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' "
    "ELSE current_setting('synchronous_commit') END, false), "
    # Who may act for the writers does: then each of them may rename what another has made.
    "set_config('role', role.rolname, false) FROM (SELECT 1) AS one LEFT JOIN pg_roles AS role "
    "ON role.rolname = $1 AND pg_has_role(role.oid, 'MEMBER')"
)


def set_up_read_tables(connection: Conn) -> None:
    """What a connection for read tables needs."""
    connection.execute(_SESSION, (_WRITER,))


class PostgresStatements:
    """Runs statements in one transaction. See ledger.store.port.Statements."""

    def __init__(self, connection: Conn) -> None:
        self._connection = connection
        self._alone = False

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        self._stand_alone_for(sql)
        # Without parameters the driver would take several statements for one, which SQLite does not.
        cursor = self._connection.execute(for_postgres(sql).encode(), parameters)
        return cursor.fetchall() if cursor.description else []

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        self._stand_alone_for(sql)
        self._connection.cursor().executemany(for_postgres(sql).encode(), rows)

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
