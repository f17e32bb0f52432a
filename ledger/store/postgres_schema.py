"""The schema on PostgreSQL: made, brought up to date, and known again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import psycopg
from psycopg import Connection

from ledger.errors import NotALedger
from ledger.store.postgres_connections import Conn, library_errors, settings_of
from ledger.store.steps import Step, read

FILES = ("postgres-01-record.sql", "postgres-02-for-ever.sql", "postgres-03-gate.sql")
"""A step each, in order. A new one goes to the end."""
SCHEMA_VERSION = len(FILES)
WRITER, READER, KEEPER = "ledger_writer", "ledger_reader", "ledger_keeper"
RIGHTS = {"postgres-roles.sql": (WRITER, READER), "postgres-keeper.sql": (KEEPER,)}
"""Each file of rights, and the roles that have them by it. Where one cannot be done the others are."""

_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*")
"""So a schema is to be called, that its name needs no quotes anywhere."""
_HERE = "SELECT current_schema(), current_setting('server_encoding'), current_database()"
_DONE = (
    "CREATE TABLE IF NOT EXISTS ledger_steps ("
    'step INTEGER PRIMARY KEY, name TEXT COLLATE "C" NOT NULL, applied_at TIMESTAMPTZ NOT NULL DEFAULT now())'
)
_ALONE = "SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || '.ledger_steps', 0))"


@cache
def steps() -> tuple[Step, ...]:
    """All steps of this release."""
    return tuple(Step(number, file, read(file)) for number, file in enumerate(FILES, 1))


def version_of(connection: Conn) -> int:
    """The last step that was done in the connection's schema; 0 where there is no ledger."""
    ((made,),) = connection.execute("SELECT to_regclass('ledger_steps') IS NOT NULL").fetchall()
    if not made:
        return 0
    ((version,),) = connection.execute("SELECT COALESCE(MAX(step), 0) FROM ledger_steps").fetchall()
    return int(version)


def version_at(url: str) -> int:
    """The last step that was done at this address; 0 where there is no ledger."""
    with library_errors(), _connected(url) as connection:
        return version_of(connection)


def check_upgraded(connection: Conn) -> None:
    """That the schema is the one this release knows.

    Raises:
        NotALedger: there is none, or it is an older or a newer one.
    """
    version = version_of(connection)
    if version != SCHEMA_VERSION:
        raise NotALedger(_place(connection), _why_not(version))


def _why_not(version: int) -> str:
    if version > SCHEMA_VERSION:
        return (
            f"its schema is version {version}, and this release knows version {SCHEMA_VERSION}: it is too old"
        )
    if version:
        return (
            f"its schema is version {version}; `baccarat-ledger db upgrade` makes it version {SCHEMA_VERSION}"
        )
    return "there is no ledger yet; `baccarat-ledger db upgrade` makes one"


def _place(connection: Conn) -> str:
    ((schema, _, database),) = connection.execute(_HERE).fetchall()
    return f"schema {schema} of database {database}"


def upgrade(url: str, to: int = SCHEMA_VERSION) -> tuple[int, int, Sequence[str]]:
    """Do the steps that were not done yet, all or none; several may ask for it at once.

    Args:
        to: the last step to do.

    Returns:
        The version before and after, and the roles that could not be made or given their rights.

    Raises:
        NotALedger: the schema is a newer one, or cannot hold a ledger.
        PersistenceError: the server refuses, say because this user may not make tables.
    """
    with library_errors(), _connected(url) as connection:
        schema = _schema(connection)
        with connection.transaction():
            connection.execute(_ALONE)
            before = version_of(connection)
            if before > SCHEMA_VERSION:
                raise NotALedger(_place(connection), _why_not(before))
            connection.execute(_DONE)
            for step in steps()[before:to]:
                connection.execute(step.sql.replace("{schema}", schema).encode())
                connection.execute("INSERT INTO ledger_steps VALUES ($1, $2)", (step.number, step.name))
        missing = [] if to < SCHEMA_VERSION else _give_rights(connection, schema)
        return before, max(before, to), missing


def _connected(url: str) -> Conn:
    return Connection.connect(**settings_of(url), autocommit=True, cursor_factory=psycopg.RawCursor)


def _schema(connection: Conn) -> str:
    ((schema, encoding, _),) = connection.execute(_HERE).fetchall()
    if schema is None:
        raise NotALedger("the database", "the search_path names no schema that there is")
    if not _PLAIN_NAME.fullmatch(schema):
        raise NotALedger(f"schema {schema}", "call it by small letters, digits and underscores alone")
    if encoding != "UTF8":
        raise NotALedger(_place(connection), f"its encoding is {encoding}; a ledger needs UTF8")
    return str(schema)


def _give_rights(connection: Conn, schema: str) -> list[str]:
    """Make the roles, if they are not there, and say what they may do. Returns those that have not got it."""
    _make_roles(connection)
    missing: list[str] = []
    for file, roles in RIGHTS.items():
        try:
            with connection.transaction():
                connection.execute(_ALONE)
                connection.execute(read(file).replace("{schema}", schema).encode())
        except (psycopg.errors.UndefinedObject, psycopg.errors.InsufficientPrivilege):
            missing.extend(roles)
    return missing


def _make_roles(connection: Conn) -> None:
    makes = [
        statement
        for roles in RIGHTS.values()
        for role in roles
        for statement in (f"CREATE ROLE {role} NOLOGIN", f"GRANT {role} TO CURRENT_USER")
    ]
    for statement in (*makes, f"GRANT {KEEPER} TO {WRITER}"):
        try:
            connection.execute(statement.encode())
        except (psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):
            continue  # they are the server's, for all its ledgers
        except psycopg.Error:
            continue  # not for this user to do; what it leads to shows by the rights
