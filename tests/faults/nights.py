"""The tapes that are played while things fail, and what they must come to."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ledger.events.command import CommandRecorded
from ledger.seal.keys import new_key
from ledger.store.port import LedgerRecorder
from ops.rehearsal.deal import load, write
from tests.oracle import cage
from tests.projections.houses import evening, house_in_memory
from tests.reconcile.sheets import HEADING
from tests.tabletalk import command

Line = dict[str, Any]

KEY = new_key("house", bytes(range(32)))
CLOSING = ("--signed-by", "accounts-1", "--counted-by", "cashier-4")
WAGERS = 3
_CLOSED_DAY = "2008-01-01"


def read_tape(path: Path) -> list[Line]:
    """The lines of a tape."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def loaded(seed: int, coups: int, tables: int = 2) -> list[Line]:
    """A plain night at premises of its own."""
    return list(load(coups, WAGERS, seed, tables))


def lay_out(folder: Path, seed: int, coups: int, live: Sequence[Line] | None = None) -> dict[str, list[Line]]:
    """Write the tapes that are played into a folder, with all that closing the imported day takes."""
    tapes = {"live": list(live) if live is not None else evening(), "import": loaded(seed, coups)}
    for name, lines in tapes.items():
        with (folder / f"{name}.ndjson").open("wb") as file:
            write(lines, file)
    counts = folder / "counts.csv"
    counts.write_text(count_sheet(tapes["import"]))
    (folder / "close.json").write_text(json.dumps([f"load-{seed}", _CLOSED_DAY, str(counts)]))
    key = folder / "house.key"
    key.write_text(f"{KEY}\n")
    key.chmod(0o600)
    return tapes


def count_sheet(lines: Iterable[Line]) -> str:
    """The count sheet of a tape's night, with the oracle's figures: they come out to the penny."""
    said = [HEADING]
    for row in cage.rows(lines):
        figures = [row[name] for name in ("opener", "closer", "fills", "credits", "drop")]
        slips = [" ".join(row[name]) for name in ("fill_slips", "credit_slips")]
        said.append(",".join(map(str, [row["table"], row["shift"], *figures, *slips])))
    return "\n".join([*said, ""])


def brought_about(record: LedgerRecorder) -> dict[str, list[str]]:
    """What each command brought about: the places and kinds of its events, in order."""
    found: dict[str, list[str]] = {}
    for row in record.select_rows(0, 10_000_000):
        found.setdefault(json.loads(row.state)["cause"], []).append(f"{row.stream}:{row.topic}")
    return found


def undisturbed(lines: Iterable[Line]) -> dict[str, list[str]]:
    """What each command brings about where nothing fails."""
    with house_in_memory() as house:
        for line in lines:
            house.ledger.run(command(line))
        return brought_about(house.ledger.record)


def recorded(record: LedgerRecorder) -> Counter[str]:
    """How often each command is recorded."""
    rows = record.select_rows(0, 10_000_000, (CommandRecorded.TOPIC,))
    return Counter(json.loads(row.state)["cause"] for row in rows)
