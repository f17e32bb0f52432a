"""The checkpoints that a ledger has signed, kept beside its sealed tree.

One is added only if the tree has its root, and it goes on from the last. So whoever holds an old one can be
shown that everything in it still stands. A checkpoint that leaves the house is the real anchor: what is kept
here can be replaced by somebody who owns the file and the key.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ledger.errors import RootDiffers, SealDamaged
from ledger.seal.checkpoint import Checkpoint, check_consistent, open_checkpoint
from ledger.seal.keys import SigningKey, VerifierKey
from ledger.seal.note import Note, parse_note
from ledger.seal.tiles import SealedTree, SealedView
from ledger.store.port import ReadTables, Statements

_PAGE_NOTES = 256


class Checkpoints:
    """The kept checkpoints of one ledger, by size."""

    def __init__(self, tables: ReadTables, origin: str, trusted: Sequence[VerifierKey]) -> None:
        """What is kept in `tables`; `ledger.seal.tables.create_tables` makes them.

        Args:
            tables: where the sealed tree lies too.
            origin: of this ledger, see `origin_of`.
            trusted: the ledger's keys, retired ones too, which old checkpoints are verified with.
        """
        self._tables = tables
        self._origin = origin
        self._trusted = tuple(trusted)

    def sign(self, *signers: SigningKey) -> Note:
        """Sign the tree as far as it is sealed now, and keep that. Returns the note kept.

        Where the last is of that size, its signatures stay and these are added.

        Raises:
            KeyNotPinned: the signers are none of the trusted keys, or the last is signed by none of them.
            NoteMalformed: there would be more signatures than a note can have.
            OriginDiffers, SignatureInvalid, CheckpointMalformed: the last is not this ledger's.
            TreeShrunk, RootDiffers, ProofInvalid: the tree does not go on from the last.
            SealDamaged: what is kept cannot be.
        """
        with self._tables.transaction() as statements:
            view = _locked(statements)
            size = view.size()
            checkpoint = Checkpoint(self._origin, size, view.root(size))
            note = checkpoint.signed(*signers)
            note.verified_by(self._trusted)
            last = _parsed(statements.execute(f"{_SELECT} ORDER BY size DESC LIMIT 1"))
            if last is not None:
                older = open_checkpoint(last, self._origin, self._trusted)
                check_consistent(older, checkpoint, view.consistency_proof(older.size, size))
                if older.size == size:
                    note = parse_note(str(last.with_signatures(note.signatures)))
            statements.execute(_WRITE, (size, str(note)))
            return note

    def last(self) -> Note | None:
        """The checkpoint of the greatest size, not verified; None before the first."""
        with self._tables.snapshot() as statements:
            return _parsed(statements.execute(f"{_SELECT} ORDER BY size DESC LIMIT 1"))

    def covering(self, sequence: int) -> Note | None:
        """The smallest checkpoint that has the event with this sequence in it, not verified; or None."""
        with self._tables.snapshot() as statements:
            return _parsed(
                statements.execute(f"{_SELECT} WHERE size >= ? ORDER BY size LIMIT 1", (sequence,))
            )

    def every(self) -> Iterator[tuple[int, str]]:
        """All that are kept as (size, note), neither read nor verified, in order."""
        after = -1
        while True:
            with self._tables.snapshot() as statements:
                rows = statements.execute(
                    f"{_SELECT} WHERE size > ? ORDER BY size LIMIT ?", (after, _PAGE_NOTES)
                )
            yield from ((size, note) for size, note in rows)
            if len(rows) < _PAGE_NOTES:
                return
            after = rows[-1][0]

    def check(self, size: int, note: str) -> Checkpoint:
        """Verify one that is kept, as `every` gave it, against keys, origin and tree.

        Two with roots of the one tree are consistent, so that is not asked again.

        Raises:
            NoteMalformed, CheckpointMalformed, SignatureInvalid, KeyNotPinned, OriginDiffers: see
                `open_checkpoint`.
            RootDiffers, NotSealed: the tree has another root at this size, or does not reach so far.
            SealDamaged: what is kept cannot be.
        """
        if not isinstance(note, str):
            raise SealDamaged(f"the checkpoint of size {size}", "it is no text")
        checkpoint = open_checkpoint(note, self._origin, self._trusted)
        if checkpoint.size != size:
            raise SealDamaged(f"the checkpoint of size {size}", f"it says {checkpoint.size}")
        with SealedTree(self._tables).view() as view:
            root = view.root(size)
        if checkpoint.root != root:
            raise RootDiffers(size, root.hex(), checkpoint.root.hex())
        return checkpoint


_SELECT = "SELECT size, note FROM seal_checkpoints"
_WRITE = (
    "INSERT INTO seal_checkpoints (size, note) VALUES (?, ?) "
    "ON CONFLICT (size) DO UPDATE SET note = excluded.note"
)


def _locked(statements: Statements) -> SealedView:
    """The tree, which nobody else seals or checkpoints until this transaction ends: its row is taken."""
    statements.execute("UPDATE seal_size SET size = size WHERE id = 1")
    return SealedView(statements)


def _parsed(rows: Sequence[tuple[int, str]]) -> Note | None:
    return parse_note(rows[0][1]) if rows else None
