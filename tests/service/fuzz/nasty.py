"""What nobody should send: values, texts, and bytes that are nearly JSON."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

NUMBERS = ("1" + "0" * 400, "9" * 5_000, "-1", "0", "-0", "9223372036854775807", "9223372036854775808",
           "18446744073709551616", "1e999", "-1e999", "1e400", "1.0", "0.1", "1e2", "NaN", "Infinity",
           "2147483648", "01", "+1", "0x10", "1_000")  # fmt: skip
"""Numbers as they are written, also those that are none."""
TEXTS = ("", " ", "\x00", "a\x00b", "\ud800", "\u202e", "\ufeff", "é" * 40, "x" * 65, "x" * 129, "x" * 20_000,
         "../..", "%2e%2e%2f", "coup/main/PB1/S1/1", "' OR 1=1 --", "$1", "?", "{}", "\r\nX-Evil: 1",
         "\u0663", "²", "null", "2026-02-30", "0000-00-00", "9999-12-31", "2026-11-27T19:00:00",
         "2026-11-27T25:00:00Z", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "1e999",
         "A A A A A A", "10♠", "-")  # fmt: skip
VALUES: tuple[Any, ...] = (None, True, False, [], {}, [[]], [None], {"": None}, {"a" * 70: 1}, 1.5, -1, 0,
                           2**31, 2**63, 2**64, 10**400, "1", "-5", ["x"] * 3_000,
                           {"x": {"x": {"x": 1}}})  # fmt: skip
DEPTH = 60_000
_MARK = "@@number@@"


def pick(rng: Random, among: Sequence[Any]) -> Any:
    """One of them."""
    return among[rng.randrange(len(among))]


def value(rng: Random) -> Any:
    """Anything: of a wrong type, too large, or a text that is no name; or a number to be written badly."""
    kind = rng.random()
    if kind < 0.3:
        return f"{_MARK}{pick(rng, NUMBERS)}{_MARK}"
    return pick(rng, TEXTS) if kind < 0.6 else copy.deepcopy(pick(rng, VALUES))


def places(whole: Any) -> list[tuple[Any, Any]]:
    """Every place in a JSON value: what holds it, and under which name or number."""
    found: list[tuple[Any, Any]] = []
    ahead = [whole]
    while ahead:
        holder = ahead.pop()
        inside = holder.items() if isinstance(holder, dict) else enumerate(holder)
        for name, inner in inside:
            found.append((holder, name))
            if isinstance(inner, dict | list):
                ahead.append(inner)
    return found


def spoilt(rng: Random, line: Mapping[str, Any], times: int) -> dict[str, Any]:
    """The line with so many things wrong in it: another value, one left out, one more."""
    changed = copy.deepcopy(dict(line))
    for _ in range(times):
        found = places(changed)
        if not found:
            break
        holder, name = pick(rng, found)
        how = rng.random()
        if how < 0.6:
            holder[name] = value(rng)
        elif how < 0.75:
            del holder[name]
        elif isinstance(holder, dict):
            holder[pick(rng, (*holder, *TEXTS))] = value(rng)
        else:
            holder.extend([copy.deepcopy(holder[name])] * pick(rng, (1, 2, 600)))
    return changed


def written(line: Any) -> bytes:
    """A line as bytes; numbers that were marked are written as they are."""
    text = json.dumps(line).replace(f'"{_MARK}', "").replace(f'{_MARK}"', "")
    return text.replace(_MARK, "").encode()


def _twice(rng: Random, content: bytes) -> bytes:
    end = content.rfind(b"}")
    return content[:end] + b', "id": "twice", "id": "twice"' + content[end:] if end > 1 else content


def _at(rng: Random, content: bytes, piece: bytes) -> bytes:
    at = rng.randrange(len(content) + 1)
    return content[:at] + piece + content[at:]


CORRUPTIONS: tuple[Callable[[Random, bytes], bytes], ...] = (
    _twice,
    lambda rng, content: _at(rng, content, b"\xff"),
    lambda rng, content: _at(rng, content, b"\xc0\xaf"),
    lambda rng, content: _at(rng, content, b"\xed\xa0\x80"),
    lambda rng, content: _at(rng, content, b"\x00"),
    lambda rng, content: _at(rng, content, b"\\u0000"),
    lambda rng, content: _at(rng, content, b"\\ud800"),
    lambda rng, content: _at(rng, content, b"\n"),
    lambda rng, content: _at(rng, content, b"[" * DEPTH),
    lambda rng, content: content[: rng.randrange(len(content) + 1)],
    lambda rng, content: content + content,
    lambda rng, content: b"[" + content + b"]",
    lambda rng, content: b"{}",
    lambda rng, content: b"",
    lambda rng, content: b'{"a":' * DEPTH,
    lambda rng, content: b"[" * DEPTH + b"]" * DEPTH,
    lambda rng, content: b"\xef\xbb\xbf" + content,
    lambda rng, content: content.decode("utf-8", "replace").encode("utf-16"),
    lambda rng, content: bytes(rng.randrange(256) for _ in range(rng.randrange(200))),
)


def body(rng: Random, line: Mapping[str, Any]) -> bytes:
    """A body that began as a good one: a third of them still are."""
    content = written(spoilt(rng, line, pick(rng, (0, 0, 1, 1, 2, 4))))
    return pick(rng, CORRUPTIONS)(rng, content) if rng.random() < 0.2 else content
