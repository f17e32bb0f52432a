"""Lines of a stream of unknown size and honesty: numbered, none lost, in bounded memory."""

from __future__ import annotations

import io
import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import LineTooLong
from ops.tape.lines import LINE_BYTES_MAX, Line, lines

BOM = b"\xef\xbb\xbf"
MEGABYTE = 1024 * 1024


def told(content: bytes, limit_bytes: int = LINE_BYTES_MAX) -> list[tuple[int, bytes]]:
    """Number and content of each line; a line that was too long is told as such."""
    return [
        (line.number, b"(too long)" if isinstance(line.error, LineTooLong) else line.content)
        for line in lines(io.BytesIO(content), limit_bytes)
    ]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", []),
        (b"\n\n \n", []),
        (b"a\nb\n", [(1, b"a"), (2, b"b")]),
        (b"a\nb", [(1, b"a"), (2, b"b")]),
        (b"a\r\nb\r\n", [(1, b"a"), (2, b"b")]),
        (b"\na\n \t\n\r\nb\n\n", [(2, b"a"), (5, b"b")]),
        (b" a \n", [(1, b"a")]),
        (BOM + b"a\nb\n", [(1, b"a"), (2, b"b")]),
        (BOM + b"\na\n", [(2, b"a")]),
        (b"a\n" + BOM + b"b\n", [(1, b"a"), (2, BOM + b"b")]),
    ],
    ids=[
        "nothing",
        "only blank lines",
        "two lines",
        "no newline at the end",
        "CRLF",
        "blank lines are counted",
        "blanks around a line",
        "a byte order mark",
        "a byte order mark alone",
        "a byte order mark elsewhere is part of its line",
    ],
)
def test_every_line_that_is_not_blank_comes_with_its_number(
    content: bytes, expected: list[tuple[int, bytes]]
) -> None:
    assert told(content) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"12345678\nb\n", [(1, b"12345678"), (2, b"b")]),
        (b"12345678", [(1, b"12345678")]),
        (b"123456789\nb\n", [(1, b"(too long)"), (2, b"b")]),
        (b"123456789", [(1, b"(too long)")]),
        (b"a\n" + 100 * b"x" + b"\nb", [(1, b"a"), (2, b"(too long)"), (3, b"b")]),
        (100 * b"x" + b"\n" + 100 * b"y" + b"\nb\n", [(1, b"(too long)"), (2, b"(too long)"), (3, b"b")]),
    ],
)
def test_a_line_over_the_limit_is_passed_over_and_reported(
    content: bytes, expected: list[tuple[int, bytes]]
) -> None:
    """The limit of eight bytes is kept to the byte, wherever the pieces fall."""
    assert told(content, 8) == expected


@given(
    parts=st.lists(st.binary(max_size=30).filter(lambda part: b"\n" not in part), max_size=8),
    limit=st.integers(1, 40),
)
def test_no_line_is_lost_and_none_invented(parts: list[bytes], limit: int) -> None:
    expected = []
    for number, part in enumerate(parts, start=1):
        if len(part) > limit:
            expected.append((number, b"(too long)"))
        elif content := (part.removeprefix(BOM) if number == 1 else part).strip():
            expected.append((number, content))
    assert told(b"\n".join(parts) + b"\n", limit) == expected


class LongLine(io.RawIOBase):
    """A good line, one of so many bytes that is made as it is read, and another good one."""

    def __init__(self, size_bytes: int) -> None:
        self._pieces = self._made(size_bytes)
        self._left = b""

    @staticmethod
    def _made(size_bytes: int) -> Iterator[bytes]:
        yield b"before\n"
        for _ in range(0, size_bytes, 1 << 16):
            yield (1 << 16) * b"x"
        yield b"\nafter\n"

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        self._left = self._left or next(self._pieces, b"")
        piece, self._left = self._left[: len(buffer)], self._left[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)


def test_a_line_of_a_hundred_megabytes_costs_no_more_memory_than_one_that_is_kept() -> None:
    """And the line after it is read."""
    stream = io.BufferedReader(LongLine(100 * MEGABYTE), buffer_size=1 << 16)
    tracemalloc.start()
    read = list(lines(stream))
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    before, long, after = read
    assert (before, after) == (Line(1, b"before"), Line(3, b"after"))
    assert (long.number, long.content) == (2, b"")
    assert isinstance(long.error, LineTooLong)
    assert peak_bytes < 4 * LINE_BYTES_MAX
