"""A checkpoint (C2SP tlog-checkpoint): the head of a ledger's tree, which its operator signs as a note.

    ORIGIN     baccarat-ledger/ and the id of the ledger
    SIZE       leaves, in decimal
    ROOT       Base64 of the root hash

Lines may follow in checkpoints of other logs; they are kept and mean nothing here.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ledger.errors import CheckpointMalformed, OriginDiffers
from ledger.seal.keys import SigningKey, VerifierKey, is_key_name, strict_base64
from ledger.seal.note import Note, parse_note, sign_note
from ledger.seal.proof import verify_consistency
from ledger.seal.tree import HASH_BYTES

_ORIGIN = "baccarat-ledger/"
_SIZE = re.compile(r"0|[1-9][0-9]{0,17}")
"""Up to 18 digits: always within the 64 bits that a database keeps."""


@dataclass(frozen=True)
class Checkpoint:
    """The head of one ledger's tree.

    Attributes:
        origin: which ledger.
        size: leaves, which is the sequence of the last event in it.
        root: 32 bytes.
        extensions: further lines, which a checkpoint of ours never has.
    """

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()

    def text(self) -> str:
        """The text that is signed."""
        lines = (self.origin, str(self.size), b64encode(self.root).decode(), *self.extensions)
        return "".join(f"{line}\n" for line in lines)

    def signed(self, *signers: SigningKey) -> Note:
        """The note of this checkpoint.

        Raises:
            CheckpointMalformed: nobody could read it back.
        """
        text = self.text()
        parse_checkpoint(text)
        return sign_note(text, *signers)


def origin_of(ledger: str) -> str:
    """The origin line of the ledger with this id; also the name for its keys.

    Raises:
        CheckpointMalformed: the id is empty, or has a space, a plus or a control character in it.
    """
    if not is_key_name(ledger):
        raise CheckpointMalformed(f"{ledger!r} cannot be the id of a ledger")
    return _ORIGIN + ledger


def parse_checkpoint(text: str) -> Checkpoint:
    """The checkpoint that the text of a note says. Trust it only if the note was verified.

    Raises:
        CheckpointMalformed: it is none in every character.
    """
    *lines, rest = text.split("\n")
    if rest or len(lines) < 3 or not all(lines):
        raise CheckpointMalformed("it needs three lines or more, none of them empty")
    origin, size, root, *extensions = lines
    if not _SIZE.fullmatch(size):
        raise CheckpointMalformed("its second line is not a number of leaves")
    decoded = strict_base64(root)
    if decoded is None or len(decoded) != HASH_BYTES:
        raise CheckpointMalformed("its third line is not Base64 of a hash")
    return Checkpoint(origin, int(size), decoded, tuple(extensions))


def open_checkpoint(source: str | bytes | Note, origin: str, trusted: Iterable[VerifierKey]) -> Checkpoint:
    """The checkpoint of this ledger that a trusted key signed.

    Raises:
        NoteMalformed, CheckpointMalformed: it cannot be read.
        SignatureInvalid, KeyNotPinned: no trusted key vouches for it.
        OriginDiffers: it is of another ledger.
    """
    note = source if isinstance(source, Note) else parse_note(source)
    note.verified_by(trusted)
    checkpoint = parse_checkpoint(note.text)
    check_origin(checkpoint, origin)
    return checkpoint


def check_origin(checkpoint: Checkpoint, origin: str) -> None:
    """That a checkpoint is of this ledger.

    Raises:
        OriginDiffers: it is of another.
    """
    if checkpoint.origin != origin:
        raise OriginDiffers(origin, checkpoint.origin)


def check_consistent(older: Checkpoint, newer: Checkpoint, proof: Sequence[bytes]) -> None:
    """That the newer checkpoint goes on from the older: nothing in it was altered, all else was appended.

    Raises:
        OriginDiffers: they are of two ledgers.
        TreeShrunk, RootDiffers, ProofInvalid: see `verify_consistency`.
    """
    check_origin(newer, older.origin)
    verify_consistency(older.size, newer.size, proof, older.root, newer.root)
