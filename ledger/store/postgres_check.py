"""Is a ledger's schema on PostgreSQL as the ledger makes it?

The record is read in its order, so what only another way in would show (a trigger that is gone, a rule that
swallows what is written, a policy that hides rows) has to be asked of the server itself. It is compared with
what the steps say (`ledger/store/sql`): a later step that changes the record changes it here too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from psycopg import Error

from ledger.errors import LedgerError, StorageDamaged
from ledger.store.postgres_connections import Conn, Connections, translated
from ledger.store.postgres_schema import check_upgraded, steps

_RECORD = "stored_events"

_OF_THE_RECORD = "FROM pg_class AS record WHERE record.oid = 'stored_events'::regclass"
_COLUMNS = (
    "SELECT attname, format_type(atttypid, atttypmod), attnotnull, attcollation = '\"C\"'::regcollation, "
    "atthasdef OR attidentity <> '' OR attgenerated <> '' "
    "FROM pg_attribute WHERE attrelid = 'stored_events'::regclass AND attnum > 0 AND NOT attisdropped "
    "ORDER BY attnum"
)
_COLUMNS_MADE = [
    ("sequence", "bigint", 1, 0, 0),
    ("originator_id", "text", 1, 1, 0),
    ("originator_version", "bigint", 1, 0, 0),
    ("topic", "text", 1, 1, 0),
    ("state", "bytea", 1, 0, 0),
]
_KEYS = (
    "SELECT pg_get_constraintdef(constraint_.oid), index_.indisvalid AND index_.indisready "
    "FROM pg_constraint AS constraint_ JOIN pg_index AS index_ ON index_.indexrelid = constraint_.conindid "
    "WHERE conrelid = 'stored_events'::regclass AND contype IN ('p', 'u') ORDER BY contype"
)
_KEYS_MADE = [("PRIMARY KEY (sequence)", 1), ("UNIQUE (originator_id, originator_version)", 1)]
_TRIGGERS = (
    "SELECT tgname, tgenabled::text, tgtype::integer, proname, tgqual IS NULL AND tgattr::text = '' "
    "FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid "
    "WHERE tgrelid = 'stored_events'::regclass AND NOT tgisinternal ORDER BY tgname"
)
_BEFORE, _DELETE, _UPDATE, _TRUNCATE = 2, 8, 16, 32
_TRIGGERS_MADE = [
    ("stored_events_for_ever", "A", _BEFORE + _DELETE + _UPDATE + _TRUNCATE, "ledger_refuse", 1),
]
"""For the statement, of any column, without a condition, and always (`A`)."""
_FUNCTIONS = (
    "SELECT proname, prosrc, prosecdef, COALESCE(array_to_string(proconfig, '; '), '') FROM pg_proc "
    "WHERE pronamespace = current_schema()::regnamespace AND proname LIKE 'ledger\\_%' ORDER BY proname"
)
_SOURCE = re.compile(r"CREATE FUNCTION \{schema\}\.(\w+).*?\$body\$(.*?)\$body\$", re.DOTALL)
_AS_ITS_OWNER = {"ledger_append": "search_path=pg_catalog, pg_temp; enable_seqscan=off"}
_OTHERWISE = {
    "its rows are kept": f"SELECT relkind = 'r' AND relpersistence = 'p' {_OF_THE_RECORD}",
    "nothing hides its rows": f"SELECT NOT (relrowsecurity OR relforcerowsecurity) {_OF_THE_RECORD}",
    "no rule changes what is asked of it": f"SELECT NOT relhasrules {_OF_THE_RECORD}",
    "no other table's rows are read with it": (
        "SELECT NOT EXISTS (SELECT FROM pg_inherits WHERE 'stored_events'::regclass IN (inhparent, inhrelid))"
    ),
    "nobody but its owner may change it": (
        "SELECT NOT EXISTS (SELECT FROM pg_class AS record, aclexplode(record.relacl) AS granted "
        "WHERE record.oid = 'stored_events'::regclass AND granted.grantee <> record.relowner "
        "AND granted.privilege_type NOT IN ('SELECT', 'MAINTAIN'))"
    ),
}
"""What must be true of the record besides, and how to ask for it."""


def storage_faults(url: str) -> Iterator[LedgerError]:
    """What is wrong with how the record is kept at this address."""
    connections = Connections(url, check_upgraded)
    try:
        with connections.connection() as connection:
            ((schema,),) = connection.execute("SELECT current_schema()").fetchall()
            yield from _faults(connection, str(schema))
    finally:
        connections.close()


def _faults(connection: Conn, schema: str) -> Iterator[LedgerError]:
    for what, query, made in (
        ("the columns", _COLUMNS, _COLUMNS_MADE),
        ("the keys", _KEYS, _KEYS_MADE),
        ("the triggers", _TRIGGERS, _TRIGGERS_MADE),
    ):
        if connection.execute(query.encode()).fetchall() != made:
            yield StorageDamaged(_RECORD, f"{what} are not as the ledger makes them")
    yield from _function_faults(connection, schema)
    for truth, query in _OTHERWISE.items():
        try:
            ((holds,),) = connection.execute(query.encode()).fetchall()
        except Error as error:
            yield StorageDamaged(_RECORD, str(translated(error)))
        else:
            if not holds:
                yield StorageDamaged(_RECORD, f"it does not hold that {truth}")


def _function_faults(connection: Conn, schema: str) -> Iterator[LedgerError]:
    """Functions that are not there, or do something else, or as somebody else."""
    made = {}
    for step in steps():
        for name, source in _SOURCE.findall(step.sql):
            settings = _AS_ITS_OWNER.get(name)
            made[name] = (source.replace("{schema}", schema), int(settings is not None), settings or "")
    found = {name: tuple(rest) for name, *rest in connection.execute(_FUNCTIONS.encode())}
    for name in sorted(made.keys() | found.keys()):
        if name not in found:
            yield StorageDamaged(name, "this function is not there")
        elif name not in made:
            yield StorageDamaged(name, "the ledger has no such function")
        elif made[name] != found[name]:
            yield StorageDamaged(name, "this function is not as the ledger makes it")
