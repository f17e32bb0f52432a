"""Who may do what to a record on PostgreSQL: each role, each statement; and for ever means everybody."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from os import getpid

import psycopg
import pytest
from eventsourcing.persistence import IntegrityError, OperationalError, PersistenceError

from ledger.seal.identity import ensure_ledger_id
from ledger.seal.sealer import Sealer
from ledger.store.postgres import PostgresLedgerRecorder
from ledger.store.postgres_append import COPY_ROWS
from ledger.store.postgres_read_tables import open_read_tables
from ledger.store.postgres_schema import upgrade
from ops.relay.position import Positions, Relayed
from tests import postgres
from tests.contracts.writers import row

from .postgres_records import open_record

WRITER, READER, KEEPER, OWNER = "ledger_writer", "ledger_reader", "ledger_keeper", ""
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


MAY_KEEP = {"SELECT * FROM stored_events", "CREATE TABLE takings (win BIGINT)"}
"""Of all these statements what a keeper may; the seal and the positions are its own, and below."""


@pytest.mark.parametrize("sql", [sql for sql, _ in RIGHTS])
def test_a_keeper_reads_the_record_and_adds_and_changes_nothing_of_it(same_record: str, sql: str) -> None:
    with psycopg.connect(_as(same_record, KEEPER)) as connection:
        if sql in MAY_KEEP:
            connection.execute(sql.encode())
        else:
            with pytest.raises(DENIED):
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


@pytest.mark.parametrize("first", [KEEPER, WRITER, OWNER])
def test_keepers_and_writers_keep_one_seal_and_one_position_whoever_begins(record: str, first: str) -> None:
    """Also read by readers; and of what a writer has made besides a keeper sees nothing."""
    second = KEEPER if first != KEEPER else WRITER
    for number, role in enumerate((first, second), start=1):
        with closing(open_record(_as(record, OWNER))) as owners:
            owners.append([row("a", 1 + number)], {})
        with (
            closing(open_record(_as(record, role))) as recorder,
            closing(open_read_tables(_as(record, role))) as tables,
        ):
            ensure_ledger_id(tables, "0f8fad5b-d9cb-469f-a165-70867728950e")
            Sealer(recorder, tables).catch_up()
            Positions(tables).put(Relayed("LEDGER", "2026-11-28", number))
    with closing(open_read_tables(_as(record, READER))) as tables, tables.snapshot() as statements:
        assert statements.execute("SELECT size FROM seal_size") == [(3,)]
        assert statements.execute("SELECT position FROM relay_positions") == [(2,)]
    with closing(open_read_tables(_as(record, WRITER))) as tables, tables.transaction() as statements:
        statements.execute("CREATE TABLE takings (win BIGINT)")
    with psycopg.connect(_as(record, KEEPER)) as connection, pytest.raises(DENIED):
        connection.execute("SELECT * FROM takings")


def test_who_logs_in_as_a_keeper_and_who_as_a_writer_take_turns(record: str) -> None:
    """As in a deployment: neither is a superuser who acts for a role; the service begins."""
    logins = {f"login_{role}_{getpid()}": role for role in (WRITER, KEEPER)}
    for login, role in logins.items():
        postgres.change(record, f"CREATE ROLE {login} LOGIN IN ROLE {role}")
    try:
        for position, login in enumerate((*logins, *logins), start=1):
            url = re.sub(r"//[^@/]*@", f"//{login}@", record)
            with closing(open_record(url)) as recorder, closing(open_read_tables(url)) as tables:
                ensure_ledger_id(tables, "0f8fad5b-d9cb-469f-a165-70867728950e")
                Sealer(recorder, tables).catch_up()
                Positions(tables).put(Relayed("LEDGER", "2026-11-28", position))
                if logins[login] == WRITER:
                    assert recorder.append([row("b", position)], {})
                else:
                    with pytest.raises(PersistenceError):
                        recorder.append([row("c", position)], {})
        owners = (
            "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = current_schema() AND tablename ~ "
        )
        assert postgres.change(record, owners + "'^(seal|relay)_'") == [(KEEPER,)]
    finally:
        for login in logins:
            postgres.change(record, f"DROP ROLE {login}")


def test_a_keeper_saves_no_event(record: str) -> None:
    with closing(open_record(_as(record, KEEPER))) as recorder:
        assert [found.stream for found in recorder.select_rows(0, 10)] == ["a"]
        with pytest.raises(PersistenceError):
            recorder.append([row("b")], {})
        assert recorder.last_sequence() == 1


def test_what_writers_kept_before_there_were_keepers_is_handed_on_by_an_upgrade(record: str) -> None:
    with psycopg.connect(record, autocommit=True) as connection:
        connection.execute("CREATE TABLE seal_size (id INTEGER PRIMARY KEY, size BIGINT NOT NULL)")
        connection.execute("CREATE TABLE takings (win BIGINT)")
        for table in ("seal_size", "takings"):
            connection.execute(f"ALTER TABLE {table} OWNER TO {WRITER}".encode())
    for _ in range(2):
        assert list(upgrade(record)[2]) == []
    owners = (
        "SELECT tablename, tableowner FROM pg_tables "
        "WHERE schemaname = current_schema() AND tablename IN ('seal_size', 'takings')"
    )
    found = dict(postgres.change(record, owners))
    assert found == {"seal_size": KEEPER, "takings": WRITER}


# --- Who makes the ledger ------------------------------------------------------------------------------


@pytest.mark.parametrize(("may", "missing"), [("CREATEROLE", []), ("NOCREATEROLE", [WRITER, READER, KEEPER])])
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
