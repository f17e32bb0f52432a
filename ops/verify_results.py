"""What `verify` said, kept beside the ledger (`--keep-result`) for whoever looks when it last did.

A note of a result is no proof: whoever can write the ledger's file can write this one too. It says when
somebody last looked, how far, and with what; to know, one runs `verify` oneself.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, NamedTuple

from ledger.seal.checkpoint import Checkpoint
from ledger.store.port import ReadTables
from ledger.verify.sealed import exists
from ops.findings import Verified

VERIFY_RESULTS = """
    CREATE TABLE IF NOT EXISTS verify_results (
        ended_at TEXT NOT NULL,
        ran_by TEXT NOT NULL,
        result TEXT NOT NULL,
        PRIMARY KEY (ended_at, ran_by)
    )"""
FINDINGS_MAX = 20
"""So many findings are kept of a run; how many there were is kept anyway."""


class VerifyResult(NamedTuple):
    """A run of `verify`.

    Attributes:
        ended_at: UTC, ISO 8601.
        ran_by: the account and the machine, as the machine says.
        events: in the record when it began.
        signed: events under the checkpoints that it found.
        signatures_checked: with the public keys named in `keys`.
        compared_with: the size of a checkpoint from elsewhere that it was held against; None: of none.
        findings: how many; `told` has the first of them, with code and detail.
        first_bad: the first bad event that is named.
    """

    ended_at: str
    ran_by: str
    events: int
    signed: int
    signatures_checked: bool
    keys: list[str]
    compared_with: int | None
    findings: int
    told: list[dict[str, str]]
    first_bad: int | None

    @property
    def held(self) -> bool:
        """Whether nothing was found."""
        return not self.findings


def keep_result(
    tables: ReadTables, verified: Verified, kept: Checkpoint | None, ran_by: str, now: datetime
) -> None:
    """Keep what a run came to.

    Args:
        kept: the checkpoint from elsewhere that it was held against.
        now: aware UTC.

    Raises:
        PersistenceError: the ledger cannot be written to.
    """
    told = verified.as_json()
    content = {
        **{name: told[name] for name in ("events", "signed", "signatures_checked", "keys", "first_bad")},
        "compared_with": kept.size if kept is not None else None,
        "findings": len(verified.findings),
        "told": [{"code": one.code, "detail": str(one)} for one in verified.findings[:FINDINGS_MAX]],
    }
    with tables.transaction() as statements:
        statements.execute(VERIFY_RESULTS)
        sql = "INSERT INTO verify_results VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        statements.execute(sql, (now.isoformat(), ran_by, json.dumps(content)))


def last_result(tables: ReadTables) -> VerifyResult | None:
    """The last run that was kept; None where none ever was."""
    if not exists(tables, "verify_results"):
        return None
    with tables.snapshot() as statements:
        sql = "SELECT ended_at, ran_by, result FROM verify_results ORDER BY ended_at DESC LIMIT 1"
        rows = statements.execute(sql)
    if not rows:
        return None
    ended_at, ran_by, result = rows[0]
    content: dict[str, Any] = json.loads(result)
    return VerifyResult(ended_at, ran_by, **content)
