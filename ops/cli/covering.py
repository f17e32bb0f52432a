"""The checkpoint that covers events of the record, and whether it vouches for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ledger.errors import KeyNotPinned, SealError, SignatureInvalid
from ledger.seal.bundle import prove_events
from ledger.seal.checkpoint import parse_checkpoint
from ledger.seal.checkpoints import Checkpoints
from ledger.seal.keys import VerifierKey
from ledger.seal.note import Note
from ledger.seal.tiles import SealedTree
from ledger.store.port import Row
from ledger.verify.sealed import exists
from ops.wiring import House
from projections.story.telling import Covering


def note_covering(house: House, sequence: int) -> Note | None:
    """The smallest checkpoint with this event in it, not verified; None where there is none."""
    if not exists(house.tables, "seal_checkpoints"):
        return None
    return Checkpoints(house.tables, origin="", trusted=()).covering(sequence)


def covering_of(
    house: House,
    rows: Sequence[Row],
    trusted: Sequence[VerifierKey],
    check: Callable[[str, Sequence[Row]], object] | None = None,
) -> Covering | None:
    """The checkpoint that covers the events of one stream; None where there is none.

    Args:
        check: what else must hold of the stream and its events; raises a SealError where it does not.
    """
    note = note_covering(house, rows[-1].sequence)
    if note is None:
        return None
    checkpoint = parse_checkpoint(note.text)
    signed_by = tuple(signature.label for signature in note.signatures)
    fault = None
    try:
        if trusted:
            signed_by = tuple(key.label for key in note.verified_by(trusted))
        with SealedTree(house.tables).view() as view:
            prove_events(rows, checkpoint, view.inclusion_proof)
        if check is not None:
            check(rows[0].stream, rows)
    except (SignatureInvalid, KeyNotPinned) as error:
        fault = f"the checkpoint that covers it proves nothing: {error}"
    except SealError as error:
        fault = f"the record is not what was sealed: {error}"
    root = checkpoint.root.hex()
    return Covering(checkpoint.origin, checkpoint.size, root, signed_by, bool(trusted), fault)
