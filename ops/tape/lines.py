"""Lines of a file of unknown size and honesty: bounded memory, every line numbered, none lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from ledger.errors import LineTooLong

LINE_BYTES_MAX = 8 * 1024 * 1024
"""A coup of ten thousand wagers is under two megabytes."""
_BOM = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """A line and where it stands. `error` when it was too long to be kept; then `content` is empty."""

    number: int
    content: bytes
    error: LineTooLong | None = None


def lines(stream: BinaryIO, limit_bytes: int = LINE_BYTES_MAX) -> Iterator[Line]:
    """Every line that is not blank, numbered from 1 with the blank ones counted.

    A line over the limit is passed over piece by piece and reported, so it costs no more memory than one
    that is not.
    """
    number = 0
    while piece := stream.readline(limit_bytes + 1):
        number += 1
        if len(piece) > limit_bytes and not piece.endswith(b"\n"):
            while piece and not piece.endswith(b"\n"):
                piece = stream.readline(limit_bytes)
            yield Line(number, b"", LineTooLong(limit_bytes))
            continue
        if number == 1:
            piece = piece.removeprefix(_BOM)
        content = piece.strip()
        if content:
            yield Line(number, content)
