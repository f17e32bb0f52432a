"""Sealed and signed ledgers, their bundles, and what somebody might make of a bundle."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

from ledger.seal.bundle import make_bundle
from ledger.seal.checkpoint import Checkpoint
from ledger.seal.checkpoints import Checkpoints
from ledger.seal.keys import SigningKey, new_key
from ledger.seal.leaf import leaf_hashes
from ledger.seal.proof import inclusion_proof
from ledger.seal.sealer import Sealer
from ledger.seal.tiles import SealedTree
from ledger.seal.tree import root_of
from ledger.store.port import Row
from ops.wiring import House

COUP = "coup/main/T1/S1/1"
ORIGIN = "baccarat-ledger/test-house"
Content = dict[str, Any]


def key(name: str = ORIGIN, seed: str = "the house's") -> SigningKey:
    """A signing key, the same for the same words."""
    return new_key(name, sha256(seed.encode()).digest())


PINNED = key().verifier


def seal(house: House, *signers: SigningKey, origin: str = ORIGIN) -> None:
    """Seal all there is, and sign a checkpoint of it."""
    signing = signers or (key(),)
    Sealer(house.ledger.record, house.tables).catch_up()
    Checkpoints(house.tables, origin, [signer.verifier for signer in signing]).sign(*signing)


def bundle_of(house: House, coup: str) -> bytes:
    """The bundle of a coup that is sealed."""
    rows = house.ledger.record.select_stream(coup)
    return bundle_from(house, rows)


def bundle_from(house: House, rows: list[Row]) -> bytes:
    """A bundle of these rows, by the first checkpoint that covers the last of them."""
    note = Checkpoints(house.tables, ORIGIN, [PINNED]).covering(rows[-1].sequence)
    assert note is not None
    with SealedTree(house.tables).view() as view:
        return make_bundle(rows, note, view.inclusion_proof)


def put_together(house: House, rows: Sequence[Row]) -> bytes:
    """A bundle of any rows that are sealed, with proofs that hold: all but what a coup must be."""
    note = Checkpoints(house.tables, ORIGIN, [PINNED]).last()
    assert note is not None
    with SealedTree(house.tables).view() as view:
        size = view.size()
        return _put_together(rows, str(note), lambda index: view.inclusion_proof(index, size))


def sealed_as(rows: Sequence[Row], places: Sequence[int] | None = None) -> bytes:
    """A bundle of whatever a dishonest house seals and signs: these rows and no others, at these places."""
    places = places or range(1, len(rows) + 1)
    told = [row._replace(sequence=place) for row, place in zip(rows, places, strict=True)]
    leaves = leaf_hashes(sorted(told))

    def roots(height: int, index: int) -> bytes:
        return root_of(leaves[index << height : (index + 1) << height])

    note = Checkpoint(ORIGIN, len(rows), root_of(leaves)).signed(key())
    return _put_together(told, str(note), lambda index: inclusion_proof(index, len(rows), roots))


def _put_together(rows: Sequence[Row], note: str, prove: Callable[[int], list[bytes]]) -> bytes:
    profile = {"id": "si-1994-2899", "first": "1995-01-01", "last": "2000-03-31"}
    odds = dict.fromkeys(("player", "hand-1", "hand-2", "both-hands"), "1/1")
    return redone(
        {
            "checkpoint": note,
            "coup": rows[0].stream,
            "events": [
                {
                    "proof": [b64encode(hash_).decode() for hash_ in prove(row.sequence - 1)],
                    "sequence": row.sequence,
                    "state": row.state.decode(),
                    "topic": row.topic,
                    "version": row.version,
                }
                for row in rows
            ],
            "format": "baccarat-ledger/coup-bundle/v1",
            "profile": profile
            | {"banker": "6(7)(i)", "tie": "6(7)(ii)", "odds": odds | {"banker": "19/20", "tie": "8/1"}},
        }
    )


def written(content: Any) -> bytes:
    """JSON as a bundle has it."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def redone(content: Content) -> bytes:
    """A bundle of this content, with a digest that fits it."""
    rest = {name: value for name, value in content.items() if name != "digest"}
    return written(rest | {"digest": sha256(written(rest)).hexdigest()}) + b"\n"


def changed(bundle: bytes, change: Callable[[Content], object]) -> bytes:
    """The bundle as somebody makes it who knows what they do."""
    content = json.loads(bundle)
    change(content)
    return redone(content)
