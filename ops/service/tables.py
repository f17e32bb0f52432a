"""The tables of access, which lie beside the read tables: digests, proposals, consents. In nobody's way.

They are no projections: nothing in the record can make them anew, and a rebuild leaves them alone. A ledger
that is copied to another engine leaves them behind: keys are issued anew there.
"""

from __future__ import annotations

import secrets

from ledger.store.port import ReadTables

KEYS = """
    CREATE TABLE IF NOT EXISTS access_keys (
        premises TEXT NOT NULL,
        key_name TEXT NOT NULL,
        digest TEXT NOT NULL,
        cut_off BIGINT NOT NULL,
        last_used TEXT,
        PRIMARY KEY (premises, key_name)
    )"""

CURSOR_SIGNING = """
    CREATE TABLE IF NOT EXISTS access_secret (
        one INTEGER PRIMARY KEY,
        secret TEXT NOT NULL
    )"""
"""One row, with `one` = 1: what the services of this ledger sign their cursors with."""

PROPOSALS = """
    CREATE TABLE IF NOT EXISTS access_proposals (
        premises TEXT NOT NULL,
        command_id TEXT NOT NULL,
        digest TEXT NOT NULL,
        content TEXT NOT NULL,
        proposed_by TEXT NOT NULL,
        proposed_at TEXT NOT NULL,
        done BIGINT NOT NULL,
        PRIMARY KEY (premises, command_id)
    )"""

CONSENTS = """
    CREATE TABLE IF NOT EXISTS access_consents (
        premises TEXT NOT NULL,
        command_id TEXT NOT NULL,
        person TEXT NOT NULL,
        credential TEXT NOT NULL,
        consented_at TEXT NOT NULL,
        PRIMARY KEY (premises, command_id, person)
    )"""

WITHDRAWALS = """
    CREATE TABLE IF NOT EXISTS access_withdrawals (
        premises TEXT NOT NULL,
        command_id TEXT NOT NULL,
        reason TEXT NOT NULL,
        withdrawn_at TEXT NOT NULL,
        PRIMARY KEY (premises, command_id)
    )"""

SIGNED_OUT = """
    CREATE TABLE IF NOT EXISTS console_signed_out (
        session_id TEXT PRIMARY KEY,
        ends_at BIGINT NOT NULL
    )"""
"""Sessions that were ended before their time, until they would have ended anyway (seconds since 1970)."""

ACCESS_TABLES = (KEYS, CURSOR_SIGNING, PROPOSALS, CONSENTS, WITHDRAWALS, SIGNED_OUT)
SECRET_BYTES = 32


def create_tables(tables: ReadTables) -> None:
    """Make them, if they are not there."""
    with tables.transaction() as statements:
        for sql in ACCESS_TABLES:
            statements.execute(sql)
        secret = secrets.token_hex(SECRET_BYTES)
        statements.execute("INSERT INTO access_secret VALUES (1, ?) ON CONFLICT DO NOTHING", (secret,))


def cursor_secret(tables: ReadTables) -> bytes:
    """What cursors are signed with."""
    with tables.snapshot() as statements:
        ((secret,),) = statements.execute("SELECT secret FROM access_secret WHERE one = 1")
    return bytes.fromhex(secret)
