"""Values on their way to PostgreSQL and back, so that they are what they are on SQLite.

Arrays are put into the protocol's bytes here: the driver's own way costs more than the insert.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, ClassVar

from psycopg.abc import AdaptContext, Buffer
from psycopg.adapt import Dumper, Loader
from psycopg.pq import Format

_TEXT, _BYTES, _BIGINT = 25, 17, 20
"""The server's numbers of these types; `pg_type` has them, and they never change."""
_HEADER = struct.Struct(">iiIii")
"""Dimensions, whether there are nulls, the type of the elements, how many, and the first one's index."""
_LENGTH = struct.Struct(">i").pack
_NUMBER = struct.Struct(">iq").pack
_NULL = _LENGTH(-1)


class Array:
    """An array in the protocol's bytes."""

    __slots__ = ("bytes",)

    def __init__(self, of: int, elements: Sequence[bytes]) -> None:
        header = _HEADER.pack(1, 1, of, len(elements), 1) if elements else _HEADER.pack(0, 0, of, 0, 0)[:12]
        self.bytes = b"".join((header, *elements))


class Texts(Array):
    """TEXT[]; None is NULL."""

    def __init__(self, texts: Sequence[str | None]) -> None:
        parts: list[bytes] = []
        for text in texts:
            if text is None:
                parts.append(_NULL)
            else:
                encoded = text.encode()
                parts.append(_LENGTH(len(encoded)) + encoded)
        super().__init__(_TEXT, parts)


class Blobs(Array):
    """BYTEA[]."""

    def __init__(self, blobs: Sequence[bytes]) -> None:
        super().__init__(_BYTES, [_LENGTH(len(blob)) + blob for blob in blobs])


class Numbers(Array):
    """BIGINT[]."""

    def __init__(self, numbers: Sequence[int]) -> None:
        super().__init__(_BIGINT, [_NUMBER(8, number) for number in numbers])


class _ArrayDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: Array) -> Buffer:
        return obj.bytes


class _TextsDumper(_ArrayDumper):
    oid = 1009


class _BlobsDumper(_ArrayDumper):
    oid = 1001


class _NumbersDumper(_ArrayDumper):
    oid = 1016


class _TruthDumper(Dumper):
    """A truth is kept as 1 or 0, as SQLite keeps it."""

    oid = _BIGINT

    def dump(self, obj: bool) -> Buffer:  # noqa: FBT001 – the driver's signature
        return b"1" if obj else b"0"


class _TruthLoader(Loader):
    said: ClassVar[dict[bytes, int]] = {b"t": 1, b"f": 0}

    def load(self, data: Buffer) -> int:
        return self.said[bytes(data)]


class _WholeLoader(Loader):
    """A sum of BIGINT is a NUMERIC on PostgreSQL. Nothing that the ledger keeps has a fraction."""

    def load(self, data: Buffer) -> int:
        return int(bytes(data))


def adapt(context: AdaptContext) -> None:
    """Teach a connection these values."""
    adapters: Any = context.adapters
    if adapters is None:
        raise TypeError(context)
    for kind, dumper in (
        (Texts, _TextsDumper),
        (Blobs, _BlobsDumper),
        (Numbers, _NumbersDumper),
        (bool, _TruthDumper),
    ):
        adapters.register_dumper(kind, dumper)
    adapters.register_loader("bool", _TruthLoader)
    adapters.register_loader("numeric", _WholeLoader)
