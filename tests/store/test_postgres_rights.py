"""Who may do what to a record on PostgreSQL: each role, each statement; and for ever means everybody."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from eventsourcing.persistence import IntegrityError, OperationalError

from ledger.store.postgres import PostgresLedgerRecorder
from ledger.store.postgres_append import COPY_ROWS
from ledger.store.postgres_read_tables import open_read_tables
from ledger.store.postgres_schema import upgrade
from tests import postgres
from tests.contracts.writers import row

from .postgres_records import open_record

WRITER, READER, OWNER = "ledger_writer", "ledger_reader", ""
"""The owner is who the tests' server belongs to: a superuser, whom only the trigger stops."""

FOR_EVER = psycopg.errors.RestrictViolation
DENIED = psycopg.errors.InsufficientPrivilege

_CALL = "SELECT ledger_append('{b}', '{1}', '{t}', '{state}', '{}', '{}', '{}', '{}')"
_INSERT = "INSERT INTO stored_events VALUES (2, 'b', 1, 't', 'state')"
_REPLACE = (
    "INSERT INTO stored_events VALUES (1, 'a', 1, 't', '') ON CONFLICT (sequence) DO UPDATE SET state = ''"
)

RIGHTS: list[tuple[str, dict[str, type[psycopg.Error] | None]]] = [
    ("SELECT * FROM stored_events", {WRITER: None, READER: None, OWNER: None}),
    (_CALL, {WRITER: None, READER: DENIED, OWNER: None}),
    (_INSERT, {WRITER: DENIED, READER: DENIED, OWNER: None}),
    (_REPLACE, {WRITER: DENIED, READER: DENIED, OWNER: FOR_EVER}),
    ("UPDATE stored_events SET state = ''", {WRITER: DENIED, READER: DENIED, OWNER: FOR_EVER}),
    ("UPDATE stored_events SET state = '' WHERE false", {WRITER: DENIED, READER: DENIED, OWNER: FOR_EVER}),
    ("DELETE FROM stored_events", {WRITER: DENIED, READER: DENIED, OWNER: FOR_EVER}),
    ("TRUNCATE stored_events", {WRITER: DENIED, READER: DENIED, OWNER: FOR_EVER}),
    ("COPY stored_events FROM '/dev/null'", {WRITER: DENIED, READER: DENIED, OWNER: None}),
    ("SELECT ledger_next_sequence('{}', '{}', '{}', '{}')", {WRITER: DENIED, READER: DENIED, OWNER: None}),
    ("DROP TABLE stored_events", {WRITER: DENIED, READER: DENIED}),
    ("ALTER TABLE stored_events DISABLE TRIGGER ALL", {WRITER: DENIED, READER: DENIED}),
    ("DROP TRIGGER stored_events_for_ever ON stored_events", {WRITER: DENIED, READER: DENIED}),
    ("CREATE RULE r AS ON INSERT TO stored_events DO INSTEAD NOTHING", {WRITER: DENIED, READER: DENIED}),
    ("DROP FUNCTION ledger_append", {WRITER: DENIED, READER: DENIED}),
    ("INSERT INTO ledger_steps VALUES (99, 'none')", {WRITER: DENIED, READER: DENIED, OWNER: None}),
    ("DELETE FROM ledger_steps", {WRITER: DENIED, READER: DENIED}),
    ("CREATE TABLE takings (win BIGINT)", {WRITER: None, READER: DENIED, OWNER: None}),
    ("LOCK TABLE stored_events IN EXCLUSIVE MODE", {WRITER: DENIED, READER: DENIED}),
]


def _as(url: str, role: str) -> str:
    """The address, for somebody who has this role."""
    return f"{url}%20-crole%3D{role}" if role else url


@pytest.fixture
def record(postgres_url: str) -> str:
    """A record of one event."""
    return with_one_event(postgres_url)


@pytest.fixture(scope="module")
def same_record(postgres_server: str) -> Iterator[str]:
    """A record of one event, for those who leave it as it is."""
    with postgres.schema(postgres_server) as url:
        yield with_one_event(postgres.upgraded(url))


def with_one_event(url: str) -> str:
    recorder = open_record(url)
    recorder.append([row("a", 1, b"1")], {})
    recorder.close()
    return url


@pytest.mark.parametrize(
    ("sql", "role", "refusal"),
    [
        pytest.param(sql, role, refusal, id=f"{role or 'owner'}-{sql}")
        for sql, roles in RIGHTS
        for role, refusal in roles.items()
    ],
)
def test_each_role_may_do_what_it_is_for_and_nothing_else(
    same_record: str, sql: str, role: str, refusal: type[psycopg.Error] | None
) -> None:
    with psycopg.connect(_as(same_record, role)) as connection:
        if refusal is None:
            connection.execute(sql.encode())
        else:
            with pytest.raises(refusal):
                connection.execute(sql.encode())
        connection.rollback()


@pytest.mark.parametrize("sql", ["UPDATE stored_events SET state = ''", "TRUNCATE stored_events"])
def test_who_says_that_he_replicates_changes_no_event_either(same_record: str, sql: str) -> None:
    with psycopg.connect(same_record) as connection:
        connection.execute("SET session_replication_role = replica")
        with pytest.raises(FOR_EVER):
            connection.execute(sql.encode())


# --- The product under each role -----------------------------------------------------------------------


@pytest.fixture
def writer(record: str) -> Iterator[PostgresLedgerRecorder]:
    """The record, for who may only write."""
    recorder = open_record(_as(record, WRITER))
    yield recorder
    recorder.close()


@pytest.mark.parametrize("events", [1, 3 * COPY_ROWS])
def test_a_writer_saves_with_one_right(writer: PostgresLedgerRecorder, events: int) -> None:
    """Also what its owner would have copied."""
    rows = [row("b", version) for version in range(1, events + 1)]
    assert writer.append(rows, {"a": 1}) == range(2, events + 2)
    with pytest.raises(IntegrityError):
        writer.append([row("c"), *rows], {})
    assert writer.last_sequence() == events + 1


def test_what_one_writer_has_made_another_may_rename(record: str) -> None:
    """Read tables belong to the role: whoever rebuilds replaces what somebody else made."""
    for url in (record, _as(record, WRITER)):
        tables = open_read_tables(url)
        with tables.transaction() as statements:
            statements.execute("CREATE TABLE fresh (win BIGINT)")
            statements.execute('DROP TABLE IF EXISTS "takings"')
            statements.execute('ALTER TABLE "fresh" RENAME TO "takings"')
        tables.close()


def test_a_reader_reads_everything_and_is_told_that_it_may_only_read(record: str) -> None:
    made = open_read_tables(record)
    with made.transaction() as statements:
        statements.execute("CREATE TABLE takings (win BIGINT)")
        statements.execute("INSERT INTO takings VALUES (1)")
    made.close()
    recorder, tables = open_record(_as(record, READER)), open_read_tables(_as(record, READER))
    assert [found.stream for found in recorder.select_rows(0, 10)] == ["a"]
    with tables.snapshot() as statements:
        assert statements.execute("SELECT win FROM takings") == [(1,)]
    with pytest.raises(OperationalError, match="readonly"):
        recorder.append([row("b")], {})
    with pytest.raises(OperationalError, match="readonly"), tables.transaction() as statements:
        statements.execute("UPDATE takings SET win = 2")
    recorder.close()
    tables.close()


# --- Who makes the ledger ------------------------------------------------------------------------------


@pytest.mark.parametrize(("may", "missing"), [("CREATEROLE", []), ("NOCREATEROLE", [WRITER, READER])])
def test_who_is_no_superuser_may_make_a_ledger(postgres_schema: str, may: str, missing: list[str]) -> None:
    """The roles too, if it may make roles; else whoever may is to upgrade again."""
    owner = f"owner_{may.lower()}"
    ((schema,),) = postgres.change(postgres_schema, "SELECT current_schema()")
    roles = postgres.change(postgres_schema, "SELECT rolname FROM pg_roles WHERE rolname LIKE 'ledger_%'")
    postgres.change(postgres_schema, f"CREATE ROLE {owner} {may}")
    postgres.change(postgres_schema, f"ALTER SCHEMA {schema} OWNER TO {owner}")
    if may == "CREATEROLE":
        for (role,) in roles:
            postgres.change(postgres_schema, f"GRANT {role} TO {owner} WITH ADMIN OPTION")
    before, after, without = upgrade(_as(postgres_schema, owner))
    assert (before, after > 0, list(without)) == (0, True, missing)
    recorder = open_record(_as(postgres_schema, owner))
    assert recorder.append([row("a")], {}) == range(1, 2)
    recorder.close()
    assert upgrade(postgres_schema) == (after, after, [])
    writer = open_record(_as(postgres_schema, WRITER))
    assert writer.append([row("b")], {"a": 1}) == range(2, 3)
    writer.close()
    with psycopg.connect(_as(postgres_schema, owner)) as connection, pytest.raises(FOR_EVER):
        connection.execute("DELETE FROM stored_events")
    postgres.change(postgres_schema, f"DROP OWNED BY {owner} CASCADE")
    postgres.change(postgres_schema, f"DROP ROLE {owner}")
