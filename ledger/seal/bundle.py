"""The bundle of a coup: one file with which anybody who has the public key can check the coup elsewhere.

It holds the coup's events as they are stored, a proof for each that it is among the events of one signed
checkpoint, that checkpoint, and the rules that the coup was played under. `BUNDLE.md` says it field by field.
The file has one form only, so no byte of it can be another.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from ledger.errors import BundleAltered, BundleMalformed, BundleTooLarge, CoupNotWhole, ProofInvalid
from ledger.events.catalogue import decode
from ledger.events.coup import CoupOpened
from ledger.regulation.profiles import Profile, profile_named
from ledger.seal.checkpoint import Checkpoint, check_origin, parse_checkpoint
from ledger.seal.keys import VerifierKey, strict_base64
from ledger.seal.leaf import leaf_hash
from ledger.seal.note import Note, parse_note
from ledger.seal.oneform import read_one_form, write_one_form
from ledger.seal.proof import verify_inclusion
from ledger.store.port import Row
from ledger.terms.identifiers import coup_stream
from ledger.terms.value import Value

FORMAT = "baccarat-ledger/coup-bundle/v1"
BUNDLE_BYTES_MAX = 1 << 26
"""A coup of as many wagers as one may have, settled and corrected many times over, is smaller."""
EVENTS_MAX = 20_000
"""A refused wager is an event of its own, and an offer may have 10,000; the rest is for all else."""
_HASHES_MAX = 64
"""A proof has one hash for each level of the tree, and sizes have 64 bits."""

Whole = Annotated[int, Field(strict=True, ge=1, le=2**53 - 1)]
"""A number that every reader of JSON reads exactly."""
Prove = Callable[[int, int], Sequence[bytes]]
"""(index of a leaf, size of the tree) -> its inclusion proof."""


class SealedEvent(Value):
    """An event as it is stored, and the hashes that lead from its leaf to the root of the checkpoint."""

    proof: Annotated[tuple[str, ...], Field(max_length=_HASHES_MAX)]
    sequence: Whole
    state: str
    topic: str
    version: Whole


class ProfileData(Value):
    """What a profile says: its days in force, the odds of each kind, and the paragraphs cited for 6(7)."""

    banker: str
    first: date
    id: str
    last: date
    odds: dict[str, str]
    tie: str


class Bundle(Value):
    """All that stands in the file."""

    checkpoint: str
    coup: str
    digest: str
    events: Annotated[tuple[SealedEvent, ...], Field(min_length=1, max_length=EVENTS_MAX)]
    format: Literal["baccarat-ledger/coup-bundle/v1"]
    profile: ProfileData


@dataclass(frozen=True)
class VerifiedCoup:
    """What a bundle was found to prove.

    Attributes:
        coup: the stream.
        rows: its events from the first on, as they were stored.
        checkpoint: where they are among the leaves.
        signed_by: the trusted keys that signed it.
    """

    coup: str
    rows: tuple[Row, ...]
    checkpoint: Checkpoint
    signed_by: tuple[VerifierKey, ...]


def make_bundle(rows: Sequence[Row], note: Note, prove: Prove) -> bytes:
    """The bundle of a coup.

    Args:
        rows: all events of the coup's stream, in order.
        note: a checkpoint that covers them.
        prove: makes inclusion proofs in the tree of that checkpoint.

    Raises:
        BundleTooLarge: it would have more events or bytes than `verify_bundle` reads.
        CoupNotWhole: they are not the events of a coup from its first on.
        NotSealed, SealDamaged: a proof cannot be made.
        ProofInvalid: the record is not what the checkpoint says.
        CheckpointMalformed, UnknownTopic, EventUnreadable: what is stored cannot be read.
    """
    stream = rows[0].stream if rows else ""
    if len(rows) > EVENTS_MAX:
        raise BundleTooLarge(stream, f"{len(rows):,} events", f"{EVENTS_MAX:,}")
    opened = check_whole(stream, rows)
    proofs = prove_events(rows, parse_checkpoint(note.text), prove)
    content = {
        "checkpoint": str(note),
        "coup": stream,
        "events": [
            {
                "proof": [b64encode(hash_).decode() for hash_ in proof],
                "sequence": row.sequence,
                "state": row.state.decode(),  # it was read, so it is UTF-8
                "topic": row.topic,
                "version": row.version,
            }
            for row, proof in zip(rows, proofs, strict=True)
        ],
        "format": FORMAT,
        "profile": _profile_data(profile_named(opened.conditions.profile)).model_dump(mode="json"),
    }
    bundle = write_one_form(content)
    if len(bundle) > BUNDLE_BYTES_MAX:
        raise BundleTooLarge(stream, f"{len(bundle):,} bytes", f"{BUNDLE_BYTES_MAX:,}")
    return bundle


def prove_events(rows: Sequence[Row], checkpoint: Checkpoint, prove: Prove) -> list[Sequence[bytes]]:
    """Check that stored events are those that were sealed; returns the proof of each.

    Raises:
        NotSealed, SealDamaged: a proof cannot be made.
        ProofInvalid, LeafUnreadable: the record is not what the checkpoint says.
    """
    proofs = [prove(row.sequence - 1, checkpoint.size) for row in rows]
    for row, proof in zip(rows, proofs, strict=True):
        verify_inclusion(leaf_hash(row), row.sequence - 1, checkpoint.size, proof, checkpoint.root)
    return proofs


def verify_bundle(source: bytes, trusted: Iterable[VerifierKey], origin: str | None = None) -> VerifiedCoup:
    """Check everything that a bundle says but the settlement, which is to be made anew from the cards.

    Args:
        trusted: the keys that were pinned beforehand.
        origin: of which ledger it must be, where that is known.

    Raises:
        BundleMalformed, NoteMalformed, CheckpointMalformed: it cannot be read, or was cut short.
        BundleAltered: it is not in its one form, or its digest or its profile is not what it must be.
        SignatureInvalid, KeyNotPinned: no trusted key vouches for the checkpoint.
        OriginDiffers: it is of another ledger.
        ProofInvalid: an event is not among those of the checkpoint.
        CoupNotWhole: the events are not one coup's from its first on.
        UnknownTopic, EventUnreadable, UnknownProfile: sealed by a version that this one does not know.
    """
    bundle = _parse(source)
    note = parse_note(bundle.checkpoint)
    signed_by = note.verified_by(trusted)
    checkpoint = parse_checkpoint(note.text)
    if origin is not None:
        check_origin(checkpoint, origin)
    rows = tuple(
        Row(event.sequence, bundle.coup, event.version, event.topic, event.state.encode())
        for event in bundle.events
    )
    for row, event in zip(rows, bundle.events, strict=True):
        proof = [_hash(text, row.sequence) for text in event.proof]
        verify_inclusion(leaf_hash(row), row.sequence - 1, checkpoint.size, proof, checkpoint.root)
    opened = check_whole(bundle.coup, rows)
    profile = profile_named(opened.conditions.profile)
    if bundle.profile != _profile_data(profile):
        raise BundleAltered(f"what it says of the profile is not what {profile.id} says")
    return VerifiedCoup(bundle.coup, rows, checkpoint, signed_by)


def _parse(source: bytes) -> Bundle:
    if len(source) > BUNDLE_BYTES_MAX:
        raise BundleMalformed(f"it has more than {BUNDLE_BYTES_MAX} bytes")
    return read_one_form(source, Bundle, BundleMalformed, BundleAltered)


def check_whole(stream: str, rows: Sequence[Row]) -> CoupOpened:
    """That these are a coup's events from its first on, each where it says it stands; returns the opening.

    Raises:
        CoupNotWhole: they are not.
        UnknownTopic, EventUnreadable: one cannot be read.
    """
    opened = None
    after = 0
    for version, row in enumerate(rows, start=1):
        if row.version != version:
            raise CoupNotWhole(stream, f"event {row.version} stands where event {version} should")
        if row.sequence <= after:
            raise CoupNotWhole(stream, f"event {version} was stored before the one that it follows")
        after = row.sequence
        event = decode(row.topic, row.state, stream, version)
        if (event.stream, event.version) != (stream, version):
            raise CoupNotWhole(
                stream, f"event {version} says that it is {event.version} of {event.stream[:200]}"
            )
        if isinstance(event, CoupOpened) != (version == 1):
            raise CoupNotWhole(stream, f"event {version} is {row.topic}")
        if isinstance(event, CoupOpened):
            opened = event
    if opened is None:
        raise CoupNotWhole(stream, "there are none")
    if stream != (name := coup_stream(opened.premises, opened.table, opened.shoe, opened.number)):
        raise CoupNotWhole(stream, f"they open {name}")
    return opened


def _profile_data(profile: Profile) -> ProfileData:
    return ProfileData(
        banker=profile.banker,
        first=profile.first,
        id=profile.id,
        last=profile.last,
        odds={kind.value: str(odds) for kind, odds in sorted(profile.odds.items())},
        tie=profile.tie,
    )


def _hash(text: str, sequence: int) -> bytes:
    decoded = strict_base64(text)
    if decoded is None:
        raise ProofInvalid("inclusion", f"a hash for event {sequence} is not Base64")
    return decoded
