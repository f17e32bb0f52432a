"""The record on PostgreSQL: one table, one function that adds to it, every commit on the disk.

The schema's steps and the reasons for them are in `ledger/store/sql`. A live coup is one call of the server.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from time import monotonic, sleep
from typing import Any, NoReturn, TypeVar

from eventsourcing.persistence import (
    AggregateRecorder,
    ApplicationRecorder,
    InfrastructureFactory,
    IntegrityError,
    Notification,
    OperationalError,
    ProcessRecorder,
    StoredEvent,
    Subscription,
    TrackingRecorder,
)

from ledger.errors import RecordMoved
from ledger.store.port import ANY_TIME, NOTHING, NewRow, Row
from ledger.store.postgres_append import (
    COPY_ROWS,
    NOTHING_EXPECTED,
    Expected,
    append,
    may_copy,
    value_of,
)
from ledger.store.postgres_connections import Conn, ConnectionLost, Connections, OneTransaction
from ledger.store.postgres_read_tables import PostgresReadTables
from ledger.store.postgres_schema import check_upgraded
from ledger.store.postgres_values import Numbers, Texts

RECONNECT_SECONDS = 5
"""How long a save whose connection was lost looks for the server, to learn what became of it."""
_BETWEEN_TRIES_SECONDS = 0.2

_AFTER_EVERY_NAME = "\U0010ffff"
_COLUMNS = "sequence, originator_id, originator_version, topic, state"
_LAST_STREAM = (
    "SELECT originator_id FROM stored_events "
    "WHERE originator_id >= $1 AND originator_id < $2 ORDER BY originator_id DESC LIMIT 1"
)
_MOVED = (
    "SELECT originator_id FROM stored_events WHERE sequence > $1 "
    "AND originator_id >= $2 AND originator_id < $3 ORDER BY sequence LIMIT 1"
)
_LAST_SEQUENCE = "SELECT COALESCE(MAX(sequence), 0) FROM stored_events"
_SESSION = (
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
)
_Answer = TypeVar("_Answer")


def set_up_record(connection: Conn) -> None:
    """What a connection for the record needs.

    Raises:
        NotALedger: the record is not there, or is of another release.
    """
    connection.execute(_SESSION)
    check_upgraded(connection)


class PostgresLedgerRecorder(ApplicationRecorder):
    """Keeps the record in the table `stored_events` of the connection's schema."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._copies: bool | None = None

    def close(self) -> None:
        """Give the connections back."""
        self._connections.close()

    # --- The library's port --------------------------------------------------------------------------

    def insert_events(self, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int]:
        rows = [
            NewRow(str(event.originator_id), event.originator_version, event.topic, event.state)
            for event in stored_events
        ]
        return list(self.append(rows, {}))

    def select_events(
        self,
        originator_id: Any,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        rows = [
            row
            for row in self.select_stream(str(originator_id))
            if (gt is None or row.version > gt) and (lte is None or row.version <= lte)
        ]
        return [
            StoredEvent(row.stream, row.version, row.topic, row.state)
            for row in (rows[::-1] if desc else rows)[:limit]
        ]

    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[Notification]:
        after = 0 if start is None else start - 1 if inclusive_of_start else start
        return [
            Notification(row.stream, row.version, row.topic, row.state, row.sequence)
            for row in self.select_rows(after, limit, topics)
            if stop is None or row.sequence <= stop
        ]

    def max_notification_id(self) -> int | None:
        return self.last_sequence() or None

    def subscribe(
        self, gt: int | None = None, topics: Sequence[str] = ()
    ) -> Subscription[ApplicationRecorder]:
        """Not as the library has it: who follows the record reads on, at a notice or by a timer."""
        raise NotImplementedError

    # --- The ledger's port: see ledger.store.port.LedgerRecorder ---------------------------------------

    def append(
        self,
        rows: Sequence[NewRow],
        guards: Mapping[str, int],
        latest: Mapping[str, str | None] = NOTHING,
        unmoved: Mapping[str, int] = ANY_TIME,
    ) -> range:
        expected = (
            Texts([*guards]),
            Numbers([*guards.values()]),
            Texts([*latest]),
            Texts([*latest.values()]),
        )
        try:
            first = self._append(rows, expected, unmoved)
        except ConnectionLost:
            first = self._append_again(rows, expected, unmoved)
        return range(first, first + len(rows))

    def _append(self, rows: Sequence[NewRow], expected: Expected, unmoved: Mapping[str, int]) -> int:
        with self._connections.connection() as connection:
            copies = len(rows) >= COPY_ROWS and self._may_copy(connection)
            if not unmoved:
                return append(connection, rows, expected, copies=copies)
            with connection.transaction():
                append(connection, (), expected, copies=False)  # takes the writers' lock
                for prefix, position in unmoved.items():
                    moved = value_of(connection, _MOVED, (position, prefix, prefix + _AFTER_EVERY_NAME))
                    if moved is not None:
                        raise RecordMoved(moved, position)
                return append(connection, rows, NOTHING_EXPECTED, copies=copies)

    def _append_again(self, rows: Sequence[NewRow], expected: Expected, unmoved: Mapping[str, int]) -> int:
        """Save once more what may have been saved already: the connection was lost before the answer.

        Whatever is left of the first try has the writers' lock, or comes after this one and is refused: what
        refuses this one (a version taken, a guard that moved on) is never undone. So after a refusal
        it can be seen whose the rows are that stand in its place. Events say when and by which command they
        came about: nobody else writes the same ones.
        """
        patience = monotonic() + RECONNECT_SECONDS
        while True:
            try:
                return self._append(rows, expected, unmoved)
            except (IntegrityError, RecordMoved):
                first = self._stored_already(rows)
                if first is None:
                    raise
                return first
            except OperationalError:
                if monotonic() > patience:
                    raise
                sleep(_BETWEEN_TRIES_SECONDS)

    def _stored_already(self, rows: Sequence[NewRow]) -> int | None:
        """The sequence of the first of these rows, if all stand in the record, one after the other."""
        if not rows:
            return None
        found = self._rows(
            "WHERE originator_id = $1 AND originator_version = $2", (rows[0].stream, rows[0].version)
        )
        if not found:
            return None
        first = found[0].sequence
        stored = self.select_rows(first - 1, len(rows))
        same = [NewRow(*row[1:]) for row in stored] == [NewRow(*row) for row in rows]
        return first if same and stored[-1].sequence == first + len(rows) - 1 else None

    def _may_copy(self, connection: Conn) -> bool:
        if self._copies is None:
            self._copies = may_copy(connection)
        return self._copies

    def select_stream(self, stream: str) -> list[Row]:
        return self._rows("WHERE originator_id = $1 ORDER BY originator_version", (stream,))

    def select_first(self, streams: Sequence[str]) -> dict[str, Row]:
        rows = self._rows(
            "WHERE originator_id = ANY($1) AND originator_version = 1 ORDER BY sequence", (Texts(streams),)
        )
        return {row.stream: row for row in rows}

    def last_stream(self, prefix: str) -> str | None:
        found = self._ask(
            lambda connection: connection.execute(
                _LAST_STREAM, (prefix, prefix + _AFTER_EVERY_NAME)
            ).fetchone()
        )
        return found[0] if found else None

    def select_rows(self, after: int, limit: int, topics: Sequence[str] = ()) -> list[Row]:
        if topics:
            clause = "WHERE sequence > $1 AND topic = ANY($3) ORDER BY sequence LIMIT $2"
            return self._rows(clause, (after, limit, Texts(topics)))
        return self._rows("WHERE sequence > $1 ORDER BY sequence LIMIT $2", (after, limit))

    def last_sequence(self) -> int:
        return int(self._ask(lambda connection: value_of(connection, _LAST_SEQUENCE)))

    def _rows(self, clause: str, parameters: Sequence[Any]) -> list[Row]:
        query = f"SELECT {_COLUMNS} FROM stored_events {clause}".encode()  # noqa: S608 – clauses of this module

        def read(connection: Conn) -> list[Row]:
            return list(map(Row._make, connection.execute(query, parameters, binary=True)))

        return self._ask(read)

    def _ask(self, question: Callable[[Conn], _Answer]) -> _Answer:
        """Ask the server; a second time where the connection was lost, since a question changes nothing."""
        try:
            with self._connections.connection() as connection:
                return question(connection)
        except ConnectionLost:
            with self._connections.connection() as connection:
                return question(connection)


@contextmanager
def in_one_transaction(url: str) -> Iterator[tuple[PostgresLedgerRecorder, PostgresReadTables]]:
    """The record and the read tables at this address, for one transaction of everything in the block.

    Nobody else may write meanwhile. Raises: NotALedger: see `set_up_record`.
    """
    connections = OneTransaction(url, set_up_record)
    with closing(connections), connections.begun():
        yield PostgresLedgerRecorder(connections), PostgresReadTables(connections)


class LedgerFactory(InfrastructureFactory[TrackingRecorder]):
    """Makes the recorder. The library finds it by `PERSISTENCE_MODULE`; `LEDGER_POSTGRES` is the address."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self._connections = Connections(self.env.get("LEDGER_POSTGRES") or "", set_up_record)

    def application_recorder(self) -> PostgresLedgerRecorder:
        with self._connections.connection():  # that the server answers, and has a record of ours
            return PostgresLedgerRecorder(self._connections)

    def aggregate_recorder(self, purpose: str = "events") -> AggregateRecorder:
        """Snapshots are not kept: every stream of the ledger is bounded."""
        raise NotImplementedError(purpose)

    def tracking_recorder(self, tracking_recorder_class: Any = None) -> NoReturn:
        """Positions are kept by the projections."""
        raise NotImplementedError

    def process_recorder(self) -> ProcessRecorder:
        """Nothing of ours is one of the library's processes."""
        raise NotImplementedError

    def close(self) -> None:
        """Give the connections back."""
        self._connections.close()
