"""Bytes that somebody might send: any at all, and good ones with something wrong in them."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

PIECES = [
    b"",
    b'"',
    b"\x00",
    b"\xff",
    b"\xed\xa0\x80",
    b"\n",
    b"\r",
    b"{",
    b"}",
    b"[" * 300,
    b"9" * 400,
    b"-",
    b"1e9",
]
ODD_TEXT = st.text(max_size=40) | st.sampled_from(
    ["", " ", "\x00", "٣", "NaN", "\uff19 K", "-0", "1e400", "A" * 300]
)
ODD_NUMBER = st.integers() | st.sampled_from([2**63, -(2**63), 10**400, 0]) | st.floats()
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | ODD_NUMBER | ODD_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ODD_TEXT, inner, max_size=4),
    max_leaves=8,
)
"""Any value that Python writes as JSON, NaN and infinities among them."""


@st.composite
def spoilt(draw: st.DrawFn, good: bytes) -> bytes:
    """Good bytes with up to three pieces of them replaced, doubled or taken out."""
    content = good
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(content)))
        gone = draw(st.sampled_from([0, 1, 1, 2, 7, 60]))
        piece = draw(st.sampled_from(PIECES) | st.binary(max_size=8) | st.just(content[at : at + gone] * 2))
        content = content[:at] + piece + content[at + gone :]
    return content


@st.composite
def misstated(draw: st.DrawFn, good: Any) -> bytes:
    """A good JSON value with some value in it replaced by any other, or some key added."""
    value = json.loads(json.dumps(good))
    place = value
    while isinstance(place, dict | list) and place and draw(st.integers(0, 3)):
        step = draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        inner = place[step]
        if not isinstance(inner, dict | list) or not draw(st.integers(0, 2)):
            place[step] = draw(JSON)
            break
        place = inner
    if isinstance(place, dict) and draw(st.booleans()):
        place[draw(ODD_TEXT)] = draw(JSON)
    return json.dumps(value).encode()


def any_of(*goods: bytes) -> st.SearchStrategy[bytes]:
    """Any bytes, or these spoilt."""
    return st.binary(max_size=300) | st.sampled_from(goods).flatmap(spoilt)
