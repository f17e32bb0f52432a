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


def consistency(m: int, n: int, hashes: list[bytes], old_root: bytes) -> tuple[bytes, bytes]:
    """The roots of D[m] and D[n] that PROOF(m, D[n]) leads to, for 0 < m <= n: §2.1.2 read backwards."""
    rest = list(hashes)
    roots = _subroots(m, n, rest, old_root)
    assert not rest, "more hashes than the definition has"
    return roots


def _subroots(m: int, n: int, rest: list[bytes], known: bytes | None) -> tuple[bytes, bytes]:
    """`known` where SUBPROOF's b is true: the verifier has that root, so it is not in the proof."""
    if m == n:
        found = rest.pop() if known is None else known
        return found, found
    k = _k(n)
    beside = rest.pop()
    if m <= k:
        old, new = _subroots(m, k, rest, known)
        return old, sha256(b"\x01" + new + beside).digest()
    old, new = _subroots(m - k, n - k, rest, None)
    return sha256(b"\x01" + beside + old).digest(), sha256(b"\x01" + beside + new).digest()


def _k(n: int) -> int:
    """The largest power of two smaller than n."""
    k = 1
    while k * 2 < n:
        k *= 2
    return k
