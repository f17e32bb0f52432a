"""What the seal, its keys, notes, proofs and bundles refuse."""

from __future__ import annotations

from dataclasses import dataclass

from ledger.errors.malformed import MalformedInput
from ledger.errors.root import LedgerError


@dataclass(eq=False)
class KeyMalformed(MalformedInput):
    """The text of a key cannot be read. The text is no fact of this error: it may hold a secret."""

    reason: str
    code = "key-malformed"
    template = "not a key of a signed note: {reason}"


@dataclass(eq=False)
class NoteMalformed(MalformedInput):
    reason: str
    code = "note-malformed"
    template = "not a signed note: {reason}"


@dataclass(eq=False)
class CheckpointMalformed(MalformedInput):
    reason: str
    code = "checkpoint-malformed"
    template = "not a checkpoint: {reason}"


class SealError(LedgerError):
    """What was sealed does not hold, or is not shown to hold."""

    code = "seal-error"


@dataclass(eq=False)
class LeafUnreadable(SealError):
    """A column of a stored event holds what no event has."""

    sequence: int
    reason: str
    code = "leaf-unreadable"
    template = "event {sequence} has no leaf: {reason}"


@dataclass(eq=False)
class LeafDiffers(SealError):
    """The stored event is not the one that was sealed."""

    sequence: int
    sealed: str
    found: str
    code = "leaf-differs"
    template = "event {sequence} is not what was sealed: leaf hash {found}, sealed {sealed}"


@dataclass(eq=False)
class RecordGap(SealError):
    """The sequence of the record has a hole, or its end is missing."""

    expected: int
    found: int | None
    code = "record-gap"
    template = "event {expected} is missing from the record; the next there is {found}"


@dataclass(eq=False)
class SealDamaged(SealError):
    """The seal's own tables do not hold together."""

    place: str
    reason: str
    code = "seal-damaged"
    template = "{place} of the seal is damaged: {reason}"


@dataclass(eq=False)
class SealMoved(SealError):
    """Another sealer was first: nothing of the page was written."""

    expected_size: int
    code = "seal-moved"
    template = "the seal is no longer at size {expected_size}"


@dataclass(eq=False)
class NotSealed(SealError):
    """What is asked for lies beyond the sealed tree, or beyond the smaller tree named with it."""

    asked: int
    sealed: int
    code = "not-sealed"
    template = "asked for {asked} where {sealed} events are sealed"


@dataclass(eq=False)
class TreeShrunk(SealError):
    """Something sealed has fewer leaves than before: a tree only grows."""

    old_size: int
    new_size: int
    code = "tree-shrunk"
    template = "{old_size} events were sealed, and now there are {new_size}"


@dataclass(eq=False)
class RootDiffers(SealError):
    """Two trees of one size that are not the same."""

    size: int
    expected: str
    found: str
    code = "root-differs"
    template = "the root over {size} events is {found}, and should be {expected}"


@dataclass(eq=False)
class ProofInvalid(SealError):
    """An inclusion or a consistency proof that proves nothing."""

    proof: str
    reason: str
    code = "proof-invalid"
    template = "the {proof} proof does not hold: {reason}"


@dataclass(eq=False)
class SignatureInvalid(SealError):
    """The note names a key that we trust, and that key did not sign this text."""

    key: str
    code = "signature-invalid"
    template = "the signature said to be by {key} does not fit the note"


@dataclass(eq=False)
class KeyNotPinned(SealError):
    """Nobody whom we trust has signed."""

    signed_by: str
    pinned: str
    code = "key-not-pinned"
    template = "the note is signed by {signed_by}; trusted is {pinned}"


@dataclass(eq=False)
class OriginDiffers(SealError):
    """A checkpoint of another ledger."""

    expected: str
    found: str
    code = "origin-differs"
    template = "the checkpoint is of {found}, not of {expected}"


@dataclass(eq=False)
class BundleMalformed(MalformedInput):
    reason: str
    code = "bundle-malformed"
    template = "not a bundle of a coup: {reason}"


@dataclass(eq=False)
class BundleTooLarge(LedgerError):
    """A coup that no bundle can hold: whoever reads it would stop at his limit."""

    stream: str
    found: str
    limit: str
    code = "bundle-too-large"
    template = "a bundle of {stream} would have {found}, and a bundle has {limit} at most"


@dataclass(eq=False)
class BundleAltered(SealError):
    """A bundle that can be read, and that nobody made as it is."""

    reason: str
    code = "bundle-altered"
    template = "the bundle is not as it was made: {reason}"


@dataclass(eq=False)
class ExtensionMalformed(MalformedInput):
    """A file that is no proof of extension, or not as it was made: cut short, or changed."""

    reason: str
    code = "extension-malformed"
    template = "not a proof of extension: {reason}"


@dataclass(eq=False)
class ExtensionOfAnother(MalformedInput):
    """The proof goes on from another checkpoint of the ledger than the one that is held."""

    kept_size: int
    size: int
    code = "extension-of-another"
    template = "the proof goes on from {size} events, and the checkpoint held is of {kept_size}"


@dataclass(eq=False)
class CoupNotWhole(SealError):
    """A bundle's events are not those of one coup from its first on."""

    stream: str
    reason: str
    code = "coup-not-whole"
    template = "the events are not those of {stream} from its first on: {reason}"


@dataclass(eq=False)
class CoupNotCovered(SealError):
    """Nobody has signed a checkpoint since the coup's last event."""

    stream: str
    sequence: int
    code = "coup-not-covered"
    template = (
        "no checkpoint has the last event of {stream} in it yet (event {sequence} of the record); "
        "`baccarat-ledger seal` signs one"
    )
