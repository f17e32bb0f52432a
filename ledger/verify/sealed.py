"""The record against its seal, the seal against its checkpoints, and both against one kept elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from eventsourcing.persistence import PersistenceError

from ledger.errors import (
    CheckpointBad,
    LedgerError,
    NoCheckpoint,
    NotSigned,
    RootDiffers,
    SealDamaged,
    StorageDamaged,
    TreeShrunk,
)
from ledger.seal.checkpoint import Checkpoint, check_origin, origin_of, parse_checkpoint
from ledger.seal.checkpoints import Checkpoints
from ledger.seal.identity import ledger_id
from ledger.seal.keys import VerifierKey
from ledger.seal.note import parse_note
from ledger.seal.tiles import SealedTree
from ledger.seal.tree import Frontier
from ledger.store.port import ReadTables

LEDGER_TABLE = "seal_ledger"
"""Who the ledger is: it is there once a consumer has asked, sealed or not."""
SEAL_TABLES = (LEDGER_TABLE, "seal_size", "seal_tiles", "seal_checkpoints")


class KeptCheckpoint:
    """A checkpoint from elsewhere: the record must still begin with exactly what it was signed over.

    Its root is made anew from the leaves of the record; nothing that the ledger keeps of its seal is asked.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint
        self._head = Frontier()

    def feed_leaves(self, leaves: Sequence[bytes]) -> None:
        """The leaf hashes of the next events."""
        self._head = self._head.extended(leaves[: self.checkpoint.size - self._head.size])

    def finish(self) -> None:
        """All events were fed.

        Raises:
            TreeShrunk: there were fewer than the checkpoint signs for.
            RootDiffers: they are others.
        """
        size, found = self.checkpoint.size, self._head
        if found.size < size:
            raise TreeShrunk(size, found.size)
        if found.root() != self.checkpoint.root:
            raise RootDiffers(size, self.checkpoint.root.hex(), found.root().hex())


@dataclass
class Signed:
    """What the checkpoints come to.

    Attributes:
        checkpoints: how many hold.
        size: of the greatest that holds; events up to it are signed for.
        signatures: whether signatures were checked, or only sizes and roots.
        finding: the first thing wrong.
    """

    signatures: bool
    checkpoints: int = 0
    size: int = 0
    finding: LedgerError | None = field(default=None)


def seal_tables(tables: ReadTables) -> bool:
    """Whether there is a seal.

    Raises:
        StorageDamaged: there is, in part: the table named is not there.
    """
    missing = [name for name in SEAL_TABLES if not exists(tables, name)]
    if {*SEAL_TABLES} <= {*missing, LEDGER_TABLE}:
        return False
    if missing:
        raise StorageDamaged(missing[0], "this table of the seal is not there")
    return True


def exists(tables: ReadTables, name: str) -> bool:
    """Whether there is a table of this name (one of ours, never from outside)."""
    try:
        with tables.snapshot() as statements:
            statements.execute(f"SELECT 1 FROM {name} LIMIT 1")  # noqa: S608
    except PersistenceError:
        return False
    return True


def origin(tables: ReadTables) -> str:
    """The origin of this ledger's checkpoints.

    Raises:
        SealDamaged: its id, or its size, is not one row as it should be.
    """
    with tables.snapshot() as statements:
        ((sizes,),) = statements.execute("SELECT COUNT(*) FROM seal_size")
    if sizes != 1:
        raise SealDamaged("the size", f"it stands in {sizes} rows")
    return origin_of(ledger_id(tables))


def check_checkpoints(tables: ReadTables, origin: str, keys: Sequence[VerifierKey], sealed: int) -> Signed:
    """Check every checkpoint that is kept.

    Args:
        tables: where they are.
        origin: of this ledger.
        keys: one of which must have signed each; without any, no signature is checked.
        sealed: events that were sealed at the beginning, and so must be signed for by now.
    """
    kept = Checkpoints(tables, origin, keys)
    signed = Signed(signatures=bool(keys))
    size: object = None
    try:
        for size, note in kept.every():
            checkpoint = kept.check(size, note) if keys else _check_unsigned(tables, origin, size, note)
            signed.checkpoints += 1
            signed.size = checkpoint.size
    except LedgerError as error:
        signed.finding = CheckpointBad(str(size), error.code, str(error))
    except (PersistenceError, TypeError) as error:  # TypeError: sizes that are not all numbers
        signed.finding = StorageDamaged("seal_checkpoints", str(error))
    if signed.finding is None:
        if not signed.checkpoints:
            signed.finding = NoCheckpoint()
        elif signed.size < sealed:
            signed.finding = NotSigned(signed.size + 1, sealed)
    return signed


def _check_unsigned(tables: ReadTables, origin: str, size: int, note: str) -> Checkpoint:
    if not isinstance(note, str):
        raise SealDamaged(f"the checkpoint of size {size}", "it is no text")
    checkpoint = parse_checkpoint(parse_note(note).text)
    check_origin(checkpoint, origin)
    if checkpoint.size != size:
        raise SealDamaged(f"the checkpoint of size {size}", f"it says {checkpoint.size}")
    with SealedTree(tables).view() as view:
        root = view.root(size)
    if root != checkpoint.root:
        raise RootDiffers(size, root.hex(), checkpoint.root.hex())
    return checkpoint


def guarded(place: str, work: Iterator[LedgerError]) -> Iterator[LedgerError]:
    """What this work finds, or raises: of the ledger's own, or because the store cannot give it."""
    try:
        yield from work
    except LedgerError as error:
        yield error
    except PersistenceError as error:
        yield StorageDamaged(place, str(error))
