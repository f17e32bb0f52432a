"""`verify` against a bare loop that selects the same rows and hashes them.

Ours reads, hashes, validates and folds every event, compares seal, checkpoint and read tables, and has SQLite
check its file. It uses every processor that it may; the bare loop uses one.
"""

from __future__ import annotations

import sqlite3
from hashlib import sha256
from pathlib import Path
from time import perf_counter

from ledger.seal.checkpoint import origin_of
from ledger.seal.checkpoints import Checkpoints
from ledger.seal.identity import ensure_ledger_id
from ledger.seal.keys import KEY_BYTES, new_key
from ledger.seal.sealer import Sealer
from ops.verification import verify
from ops.wiring import open_house


def verifying(path: Path) -> tuple[str, str, int, float, float]:
    """Seal a ledger, and verify it all: the fields of a `Measure`, in order (seconds)."""
    key = new_key("bench", bytes(range(KEY_BYTES)))
    with open_house(str(path)) as house:
        house.runner().catch_up()
        origin = origin_of(ensure_ledger_id(house.tables, "bench"))
        Sealer(house.ledger.record, house.tables).catch_up()
        Checkpoints(house.tables, origin, (key.verifier,)).sign(key)
    bare = _bare(path)
    start_seconds = perf_counter()
    verified = verify(str(path), (key.verifier,))
    ours = perf_counter() - start_seconds
    if verified.findings:
        msg = f"findings in a ledger that nobody has touched: {verified.findings}"
        raise AssertionError(msg)
    return "verify, everything", "events", verified.events, ours, bare


def _bare(path: Path) -> float:
    connection = sqlite3.connect(path)
    columns = "sequence, originator_id, originator_version, topic, state"
    sql = f"SELECT {columns} FROM stored_events ORDER BY sequence"
    start = perf_counter()
    for *_, state in connection.execute(sql):
        sha256(state).digest()
    seconds = perf_counter() - start
    connection.close()
    return seconds
