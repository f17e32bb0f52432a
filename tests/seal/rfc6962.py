"""RFC 6962 §2.1 written down as it stands there: recursive, slow, over the leaves themselves."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

Leaves = Sequence[bytes]


def mth(d: Leaves) -> bytes:
    """§2.1: MTH(D[n])."""
    n = len(d)
    if n == 0:
        return sha256(b"").digest()
    if n == 1:
        return sha256(b"\x00" + d[0]).digest()
    k = _k(n)
    return sha256(b"\x01" + mth(d[:k]) + mth(d[k:])).digest()


def path(m: int, d: Leaves) -> list[bytes]:
    """§2.1.1: PATH(m, D[n])."""
    n = len(d)
    if n == 1:
        return []
    k = _k(n)
    if m < k:
        return [*path(m, d[:k]), mth(d[k:])]
    return [*path(m - k, d[k:]), mth(d[:k])]


def proof(m: int, d: Leaves) -> list[bytes]:
    """§2.1.2: PROOF(m, D[n]), for 0 < m <= n."""
    return _subproof(m, d, b=True)


def _subproof(m: int, d: Leaves, *, b: bool) -> list[bytes]:
    n = len(d)
    if m == n:
        return [] if b else [mth(d)]
    k = _k(n)
    if m <= k:
        return [*_subproof(m, d[:k], b=b), mth(d[k:])]
    return [*_subproof(m - k, d[k:], b=False), mth(d[:k])]


def _k(n: int) -> int:
    """The largest power of two smaller than n."""
    k = 1
    while k * 2 < n:
        k *= 2
    return k
