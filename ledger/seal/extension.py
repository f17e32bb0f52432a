"""A proof of extension: a file that shows that one checkpoint goes on from an older one.

Whoever kept a checkpoint can ask for one at any time, and check it with the ledger's public key alone: of
what the older signed for, nothing was altered, taken out or moved. `README.md` says the file in full.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from ledger.errors import ExtensionMalformed, ExtensionOfAnother, ProofInvalid, RootDiffers
from ledger.seal.checkpoint import (
    Checkpoint,
    check_consistent,
    check_origin,
    open_checkpoint,
    parse_checkpoint,
)
from ledger.seal.keys import VerifierKey, strict_base64
from ledger.seal.note import Note, parse_note
from ledger.seal.oneform import read_one_form, write_one_form
from ledger.seal.tiles import SealedView
from ledger.terms.value import Value

FORMAT = "baccarat-ledger/extension/v1"
EXTENSION_BYTES_MAX = 1 << 22
"""Two notes of the greatest size, and a proof."""
_HASHES_MAX = 128
"""Two paths through a tree whose size has 64 bits."""


class ExtensionFile(Value):
    """All that stands in the file."""

    digest: str
    format: Literal["baccarat-ledger/extension/v1"]
    newer: str
    older: str
    proof: Annotated[tuple[str, ...], Field(max_length=_HASHES_MAX)]


@dataclass(frozen=True)
class Extension:
    """What was shown: `newer` begins with exactly the events of `older`.

    Attributes:
        older_signed_by, newer_signed_by: the trusted keys that signed each.
    """

    older: Checkpoint
    newer: Checkpoint
    older_signed_by: tuple[VerifierKey, ...]
    newer_signed_by: tuple[VerifierKey, ...]


def prove_extension(
    older: Note, newer: Note, origin: str, trusted: Iterable[VerifierKey], view: SealedView
) -> tuple[Extension, bytes]:
    """Prove that a ledger's checkpoint goes on from an older one, by its sealed tree. Returns the file too.

    Args:
        older: kept elsewhere.
        newer: the ledger's own.
        origin: of the ledger.

    Raises:
        SignatureInvalid, KeyNotPinned, CheckpointMalformed: one of them cannot be read, or not be trusted.
        OriginDiffers: one of them is of another ledger.
        TreeShrunk: the older has more events.
        RootDiffers, ProofInvalid: the tree is not that of both: what was sealed then is not what stands now.
        NotSealed, SealDamaged: the tree cannot be read.
    """
    pinned = tuple(trusted)
    old, new = (open_checkpoint(note, origin, pinned) for note in (older, newer))
    proof = view.consistency_proof(old.size, new.size)
    if (root := view.root(old.size)) != old.root:
        raise RootDiffers(old.size, old.root.hex(), root.hex())
    check_consistent(old, new, proof)
    content = {
        "format": FORMAT,
        "newer": str(newer),
        "older": str(older),
        "proof": [b64encode(hash_).decode() for hash_ in proof],
    }
    shown = Extension(old, new, older.verified_by(pinned), newer.verified_by(pinned))
    return shown, write_one_form(content)


def verify_extension(
    source: bytes, trusted: Iterable[VerifierKey], kept: Checkpoint | None = None
) -> Extension:
    """Check a proof of extension.

    Args:
        trusted: the keys that were pinned beforehand.
        kept: the checkpoint that it must go on from, where one is held.

    Raises:
        ExtensionMalformed, NoteMalformed, CheckpointMalformed: it cannot be read, was cut short or changed.
        SignatureInvalid, KeyNotPinned: no trusted key vouches for one of the checkpoints.
        OriginDiffers: they are not of one ledger, or not of that of `kept`.
        ExtensionOfAnother: it goes on from a checkpoint of another size than `kept`.
        TreeShrunk: the newer has fewer events.
        RootDiffers, ProofInvalid: it does not go on from the older, or not from `kept`.
    """
    if len(source) > EXTENSION_BYTES_MAX:
        raise ExtensionMalformed(f"it has more than {EXTENSION_BYTES_MAX} bytes")
    file = read_one_form(source, ExtensionFile, ExtensionMalformed, ExtensionMalformed)
    pinned = tuple(trusted)
    older, newer = parse_note(file.older), parse_note(file.newer)
    shown = Extension(
        parse_checkpoint(older.text),
        parse_checkpoint(newer.text),
        older.verified_by(pinned),
        newer.verified_by(pinned),
    )
    if kept is not None:
        _check_kept(shown.older, kept)
    check_consistent(shown.older, shown.newer, [_hash(text) for text in file.proof])
    return shown


def _check_kept(older: Checkpoint, kept: Checkpoint) -> None:
    check_origin(older, kept.origin)
    if older.size != kept.size:
        raise ExtensionOfAnother(kept.size, older.size)
    if older.root != kept.root:
        raise RootDiffers(kept.size, kept.root.hex(), older.root.hex())


def _hash(text: str) -> bytes:
    decoded = strict_base64(text)
    if decoded is None:
        raise ProofInvalid("consistency", "a hash in it is not Base64")
    return decoded
