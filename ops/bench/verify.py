"""`verify` against a bare loop that selects the same rows and hashes them.

Ours reads, hashes, validates and folds every event, compares seal and checkpoint, and has SQLite check its
file; that first, on a ledger whose read tables were never made, and then with all of them made anew and
compared. It uses every processor that it may; the bare loop uses one. Starting the processes takes a third of
a second, which is most of it in a small ledger.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from time import perf_counter

from ledger.seal.checkpoint import origin_of
from ledger.seal.checkpoints import Checkpoints
from ledger.seal.identity import ensure_ledger_id
from ledger.seal.keys import KEY_BYTES, SigningKey, new_key
from ledger.seal.sealer import Sealer
from ops.memory import few_collections
from ops.verification import verify
from ops.wiring import open_house


def verifying(path: Path) -> Iterator[tuple[str, str, int, float, float]]:
    """Seal a ledger, and verify it all: the fields of two `Measure`s, in order (seconds)."""
    key = new_key("bench", bytes(range(KEY_BYTES)))
    with open_house(str(path)) as house:
        house.runner().drop_tables()
        origin = origin_of(ensure_ledger_id(house.tables, "bench"))
        Sealer(house.ledger.record, house.tables).catch_up()
        Checkpoints(house.tables, origin, (key.verifier,)).sign(key)
    yield _verified("verify: read, hash, fold", path, key)
    with open_house(str(path)) as house, few_collections():
        house.runner().catch_up()
    yield _verified("verify, and all read tables", path, key)


def _verified(name: str, path: Path, key: SigningKey) -> tuple[str, str, int, float, float]:
    bare = _bare(path)
    start_seconds = perf_counter()
    verified = verify(str(path), (key.verifier,))
    ours = perf_counter() - start_seconds
    if verified.findings:
        msg = f"findings in a ledger that nobody has touched: {verified.findings}"
        raise AssertionError(msg)
    return name, "events", verified.events, ours, bare


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
