"""A sealed ledger, and what somebody who owns its file can do to it."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from ledger.commands import TAPE_LINE, OpenTable
from ledger.errors import LedgerError
from ledger.seal.checkpoint import Checkpoint, origin_of, parse_checkpoint
from ledger.seal.checkpoints import Checkpoints
from ledger.seal.identity import ensure_ledger_id
from ledger.seal.keys import SigningKey, new_key
from ledger.seal.note import Note, parse_note
from ledger.seal.sealer import Sealer
from ops.findings import Verified
from ops.verification import STANDING, create_everything, verify
from ops.wiring import House, open_house
from tests.projections.houses import evening, house_at
from tests.verify.annexe import beside

LEDGER = "PB-evening"
KEY = new_key("house", bytes(range(32)))
OTHER_KEY = new_key("house", bytes(range(1, 33)))


def sign(house: House, *keys: SigningKey) -> Note:
    """Seal what is new and sign it."""
    Sealer(house.ledger.record, house.tables).catch_up()
    pinned = [key.verifier for key in (KEY, *keys)]
    origin = origin_of(ensure_ledger_id(house.tables, LEDGER))
    return Checkpoints(house.tables, origin, pinned).sign(*(keys or (KEY,)))


def seal_evening(folder: Path) -> None:
    """Play the evening, sealing once in the middle and once at the end."""
    lines = [*(TAPE_LINE.validate_python(line) for line in evening()), *beside(evening())]
    with house_at(folder / "ledger.db") as house:
        house.ledger.run_many(lines[:200])
        (folder / "middle.checkpoint").write_text(str(sign(house)), encoding="utf-8")
        house.ledger.run_many(lines[200:])
    shutil.copy(folder / "ledger.db", folder / "unsealed.db")
    with changed(folder / "unsealed.db") as connection:
        for table in ("seal_tiles", "seal_size", "seal_checkpoints", "seal_ledger"):
            connection.execute(f"DROP TABLE {table}")
    with house_at(folder / "ledger.db") as house:
        house.runner().catch_up()
        (folder / "last.checkpoint").write_text(str(sign(house)), encoding="utf-8")


def kept(folder: Path, name: str) -> Checkpoint:
    """A checkpoint that was kept elsewhere."""
    note = parse_note((folder / f"{name}.checkpoint").read_text(encoding="utf-8"))
    return parse_checkpoint(note.text)


def verified(db: Path, kept: Checkpoint | None = None) -> Verified:
    """What `verify` says, with the house's public key."""
    return verify(str(db), (KEY.verifier,), kept)


def codes(db: Path, kept: Checkpoint | None = None) -> list[str]:
    """The codes of its findings."""
    return [finding.code for finding in verified(db, kept).findings]


def open_another() -> OpenTable:
    """A table opens that was not open that evening."""
    line = next(line for line in evening() if line["command"] == "open-table")
    return OpenTable.model_validate({**line, "id": "after-the-evening", "table": "PB-99"})


# --- Behind the ledger's back ------------------------------------------------------------------------------


@contextmanager
def changed(db: Path) -> Iterator[sqlite3.Connection]:
    """The file, with the triggers out of the way, and all as it was before but for what is done here."""
    with closing(sqlite3.connect(db)) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        yield connection
        for _, sql in triggers:
            connection.execute(sql)
        connection.commit()


def change(db: Path, sql: str, parameters: Sequence[Any] = ()) -> None:
    """One statement behind the ledger's back, which must do something."""
    with changed(db) as connection:
        assert connection.execute(sql, parameters).rowcount != 0


class Column(NamedTuple):
    """A column of a table of the database."""

    table: str
    name: str
    type: str


def every_column() -> list[Column]:
    """All columns of all tables that the record, its seal and its projections have, as SQLite lists them."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "empty.db"
        with open_house(str(path), create=True) as house:
            create_everything(house)
        with closing(sqlite3.connect(path)) as connection:
            tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            return [
                Column(table, column[1], column[2])
                for (table,) in tables
                if not any(f"EXISTS {table} " in standing for standing in STANDING)
                for column in connection.execute(f"PRAGMA table_info({table})")
            ]


def flip(db: Path, column: Column, bit: int) -> Any:
    """Flip a bit of the value of one row: of a byte in the middle, or of a number. Returns the row's rowid.

    Where a value with that bit flipped is taken already, the next higher bit; where no row has a value, it
    gets one.
    """
    table, name, _ = column
    with changed(db) as connection:
        rowids = connection.execute(
            f"SELECT rowid FROM {table} WHERE {name} IS NOT NULL ORDER BY rowid"
        ).fetchall()
        if not rowids:
            assert connection.execute(f"UPDATE {table} SET {name} = 1").rowcount
            return None
        (rowid,) = rowids[len(rowids) // 2]
        ((value, kind),) = connection.execute(
            f"SELECT CAST({name} AS BLOB), typeof({name}) FROM {table} WHERE rowid = ?", (rowid,)
        )
        at = len(value) // 2
        for higher in range(bit, 8 if kind != "integer" else 60):
            if kind == "integer":
                flipped: int | bytes = int(value) ^ 1 << higher
            else:
                flipped = bytes([*value[:at], value[at] ^ 1 << higher, *value[at + 1 :]])
            cast = "CAST(? AS TEXT)" if kind == "text" else "?"
            with suppress(sqlite3.IntegrityError):
                connection.execute(f"UPDATE {table} SET {name} = {cast} WHERE rowid = ?", (flipped, rowid))
                break
    return rowid


def names_a_place(finding: LedgerError) -> bool:
    """Does it say where to look: a position, a table, a projection or a checkpoint?"""
    facts = finding.facts()
    return any(
        facts.get(name) is not None
        for name in ("sequence", "expected", "place", "table", "projection", "size", "sealed", "old_size")
    )
