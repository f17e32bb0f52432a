"""Which ledger this is: an id that lies beside its seal and names it in every checkpoint.

Kept where copies, restores and moves of the ledger take it along. Chance is the caller's: this room has none.
"""

from __future__ import annotations

from ledger.errors import SealDamaged
from ledger.seal.keys import is_key_name
from ledger.store.port import ReadTables

LEDGER = """
    CREATE TABLE IF NOT EXISTS seal_ledger (
        one INTEGER PRIMARY KEY,
        id TEXT NOT NULL
    )"""
"""One row, with `one` = 1."""


def ledger_id(tables: ReadTables) -> str:
    """The id of this ledger.

    Raises:
        SealDamaged: there is not exactly one, or it cannot be one.
    """
    with tables.snapshot() as statements:
        rows = statements.execute("SELECT one, id FROM seal_ledger LIMIT 2")
    if len(rows) != 1 or rows[0][0] != 1:
        raise SealDamaged("the ledger's id", "there is not exactly one")
    found = rows[0][1]
    if not isinstance(found, str) or not is_key_name(found):
        raise SealDamaged("the ledger's id", f"it is {found!r}")
    return found


def ensure_ledger_id(tables: ReadTables, fresh: str) -> str:
    """The id of this ledger; `fresh` from now on, if it has none yet. Raises as `ledger_id` does."""
    with tables.transaction() as statements:
        statements.execute(LEDGER)
        statements.execute("INSERT INTO seal_ledger VALUES (1, ?) ON CONFLICT DO NOTHING", (fresh,))
    return ledger_id(tables)
