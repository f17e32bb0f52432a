"""Connections to a PostgreSQL server: a few of them, kept, given out and looked after."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from select import select
from threading import BoundedSemaphore, Lock
from typing import Any

import psycopg
from eventsourcing import persistence
from psycopg import Connection, RawCursor
from psycopg.conninfo import conninfo_to_dict

from ledger.errors import NotALedger
from ledger.store.postgres_values import adapt

Conn = Connection[tuple[Any, ...]]

LOCK_TIMEOUT_SECONDS = 30
"""How long a statement waits for another writer before it gives up."""
CONNECT_TIMEOUT_SECONDS = 10
CONNECTIONS_MAX = 16
"""Of one record, or of one set of read tables, in one process."""

_DEFAULTS = {"connect_timeout": CONNECT_TIMEOUT_SECONDS, "application_name": "baccarat-ledger"}
_ALWAYS = {"client_encoding": "utf8"}
_SESSION = (
    "SELECT set_config('lock_timeout', $1, false), "
    # A save must see what was committed before it had the lock.
    "set_config('default_transaction_isolation', 'read committed', false), "
    "set_config('standard_conforming_strings', 'on', false), "
    # The record is only ever read by an index; a plan made while it was small must not outlive that.
    "set_config('enable_seqscan', 'off', false)"
)

_ERRORS: tuple[tuple[type[psycopg.Error], type[Exception]], ...] = (
    (psycopg.errors.InsufficientPrivilege, persistence.OperationalError),
    (psycopg.errors.ReadOnlySqlTransaction, persistence.OperationalError),
    (psycopg.InterfaceError, persistence.InterfaceError),
    (psycopg.OperationalError, persistence.OperationalError),
    (psycopg.DataError, persistence.DataError),
    (psycopg.IntegrityError, persistence.IntegrityError),
    (psycopg.InternalError, persistence.InternalError),
    (psycopg.ProgrammingError, persistence.ProgrammingError),
    (psycopg.NotSupportedError, persistence.NotSupportedError),
    (psycopg.DatabaseError, persistence.DatabaseError),
    (psycopg.Error, persistence.PersistenceError),
)
_MAY_ONLY_READ = (psycopg.errors.InsufficientPrivilege, psycopg.errors.ReadOnlySqlTransaction)


class ConnectionLost(persistence.OperationalError):
    """The server went away in the middle. Whether what was asked of it was done is not known."""


def translated(error: psycopg.Error) -> Exception:
    """The library's error for one of the driver's.

    Without the server's detail: that quotes the values of a row, and so may say who a patron is.
    """
    said = error.diag.message_primary or str(error)
    if isinstance(error, _MAY_ONLY_READ):
        said += " (a readonly connection, or a role without the right)"
    return next(ours for theirs, ours in _ERRORS if isinstance(error, theirs))(said)


@contextmanager
def library_errors() -> Iterator[None]:
    """Whatever the driver raises comes out as an error of the library."""
    try:
        yield
    except psycopg.Error as error:
        raise translated(error) from None  # a traceback would quote what `translated` leaves out
    except UnicodeEncodeError as error:
        raise persistence.DataError(str(error)) from error


def settings_of(url: str) -> dict[str, Any]:
    """What a `postgresql://` address says, with what the ledger needs.

    Raises:
        NotALedger: it cannot be read. The address is not in the error, for it may hold a password.
    """
    try:
        said = conninfo_to_dict(url)
    except psycopg.Error:
        said = {}
    # A password with a character in it that should have been written %XX may have been taken for a port.
    if not said or not str(said.get("port", "0")).replace(",", "").isdecimal():
        reason = "write postgresql://USER@HOST:PORT/DATABASE; %XX stands for a special character"
        raise NotALedger("the address of the database", reason) from None
    return {**_DEFAULTS, **said, **_ALWAYS}


class Connections:
    """Connections to one database, all set up alike."""

    def __init__(self, url: str, set_up: Callable[[Conn], None] = lambda _: None) -> None:
        """None is opened yet.

        Args:
            set_up: does what a new connection needs besides.
        """
        self._settings = settings_of(url)
        self._set_up = set_up
        self._idle: list[Conn] = []
        self._lock = Lock()
        self._room = BoundedSemaphore(CONNECTIONS_MAX)
        self._closed = False

    @contextmanager
    def connection(self) -> Iterator[Conn]:
        """A connection, in autocommit. Raises: the library's errors, and `ConnectionLost`."""
        if not self._room.acquire(timeout=LOCK_TIMEOUT_SECONDS):
            msg = f"all {CONNECTIONS_MAX} connections are in use"
            raise persistence.OperationalError(msg)
        try:
            with library_errors():
                connection = self._take()
            try:
                with library_errors():
                    yield connection
            except persistence.PersistenceError as error:
                if connection.broken and not isinstance(error, ConnectionLost):
                    raise ConnectionLost(str(error)) from error
                raise
            finally:
                self._give_back(connection)
        finally:
            self._room.release()

    def close(self) -> None:
        """Close those that nobody uses now, and the others when they are given back."""
        with self._lock:
            self._closed, idle, self._idle = True, self._idle, []
        for connection in idle:
            connection.close()

    def __del__(self) -> None:
        """As the library's own do: whoever forgets them does not keep the server's connections."""
        if hasattr(self, "_closed"):
            self.close()

    def _take(self) -> Conn:
        while True:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                return self._open()
            if _is_alive(connection):
                return connection
            connection.close()

    def _open(self) -> Conn:
        connection = Connection.connect(**self._settings, autocommit=True, cursor_factory=RawCursor)
        try:
            adapt(connection)
            connection.execute(_SESSION, (f"{LOCK_TIMEOUT_SECONDS}s",))
            self._set_up(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _give_back(self, connection: Conn) -> None:
        if connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
            connection.close()
        with self._lock:
            if not self._closed and not connection.closed:
                self._idle.append(connection)
                return
        connection.close()


def _is_alive(connection: Conn) -> bool:
    """Whether the server still holds its end: one that has gone left something to read, its last words."""
    if connection.closed:
        return False
    try:
        readable, _, _ = select([connection.fileno()], [], [], 0)
        if readable:
            connection.execute("SELECT 1")
    except (psycopg.Error, OSError, ValueError):
        return False
    return True


class OneTransaction(Connections):
    """One connection for whoever asks, in a transaction that ends with the block: all of it, or none."""

    def __init__(self, url: str, set_up: Callable[[Conn], None] = lambda _: None) -> None:
        super().__init__(url, set_up)
        self._only: Conn | None = None

    @contextmanager
    def begun(self) -> Iterator[None]:
        """The transaction. Raises as `connection` does."""
        with super().connection() as connection, connection.transaction():
            self._only = connection
            try:
                yield
            finally:
                self._only = None

    @contextmanager
    def connection(self) -> Iterator[Conn]:
        if self._only is None:
            with super().connection() as connection:
                yield connection
        else:
            with library_errors():
                yield self._only
