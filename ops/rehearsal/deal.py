"""Tapes dealt from a seed: an evening with everything that happens at the tables, and plain load.

    write(evening(), stream)
    write(load(1_000_000), stream)

Both stream: a tape of any length takes the memory of a few shoes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import BinaryIO

from ops.rehearsal.evening import EVENING_SEED, evening
from ops.rehearsal.load import load
from ops.rehearsal.setting import Line

__all__ = ["EVENING_SEED", "evening", "load", "write"]

_ENCODER = json.JSONEncoder(separators=(",", ":"))


def write(lines: Iterable[Line], stream: BinaryIO) -> int:
    """Write a tape as compact NDJSON. Returns how many lines it has."""
    count = 0
    for count, line in enumerate(lines, start=1):  # noqa: B007 – what it ends at is the answer
        stream.write(_ENCODER.encode(line).encode() + b"\n")
    return count
