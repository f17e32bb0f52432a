"""Where a tape comes from: a file, or standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ledger.errors import MalformedInput


class SourceUnreadable(MalformedInput):
    """The file is not there, or cannot be read."""

    code = "source-unreadable"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"cannot read {self.path}: {self.reason}"


class Source(NamedTuple):
    """A stream of bytes, and how many there are if that is known."""

    stream: BinaryIO
    size_bytes: int | None


@contextmanager
def open_source(path: str) -> Iterator[Source]:
    """The file at `path`, or standard input for `-`.

    Raises:
        SourceUnreadable: it cannot be opened.
    """
    if path == "-":
        yield Source(sys.stdin.buffer, None)
        return
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(Path(path).open("rb"))
            size_bytes = Path(path).stat().st_size
        except OSError as error:
            raise SourceUnreadable(path, error.strerror or str(error)) from error
        yield Source(stream, size_bytes)
