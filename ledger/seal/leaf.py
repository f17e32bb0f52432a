"""The leaf of a stored event: its bytes, and their hash (RFC 6962 §2.1).

    bytes 0 to 7      sequence, unsigned, the most significant byte first, as all numbers here
    bytes 8 to 15     version
    bytes 16 to 19    length of the stream's name in bytes
    bytes 20 to 23    length of the topic in bytes
    bytes 24 to 27    length of the state in bytes
    then              the stream's name (UTF-8), the topic (UTF-8), the state as it is stored

Fixed widths and lengths make the encoding reversible: no two events share a leaf. The state is never
serialised again, so a leaf can be made without knowing any event type. The leaf of the event with
sequence N has index N - 1. Its hash is SHA-256 of one zero byte and the leaf.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from hashlib import sha256

from ledger.errors import LeafUnreadable
from ledger.store.port import Row

_HASHED_HEADER = struct.Struct(">BQQIII")
"""The zero byte of a leaf hash, and the header of the leaf."""
_LEAF_PREFIX = 0


def leaf_hash(row: Row) -> bytes:
    """The hash of an event's leaf. Raises as `leaf_hashes` does."""
    return leaf_hashes((row,))[0]


def leaf_hashes(rows: Iterable[Row]) -> list[bytes]:
    """The leaf hashes of many events: one call of the hash function each.

    Raises:
        LeafUnreadable: a column holds what no event has (a negative version, text for bytes).
    """
    pack = _HASHED_HEADER.pack
    hashes = []
    sequence = 0
    try:
        for sequence, stream, version, topic, state in rows:
            name, kind = stream.encode(), topic.encode()
            header = pack(_LEAF_PREFIX, sequence, version, len(name), len(kind), len(state))
            hashes.append(sha256(header + name + kind + state).digest())
    except (AttributeError, TypeError, UnicodeEncodeError, struct.error) as error:
        raise LeafUnreadable(sequence, str(error)) from error
    return hashes
