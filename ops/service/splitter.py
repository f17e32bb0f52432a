"""Lines out of chunks that end anywhere."""

from __future__ import annotations

from ledger.errors import LineTooLong
from ops.tape.lines import Line

_BOM = b"\xef\xbb\xbf"


class Splitter:
    """Cuts chunks into lines. Holds one line that is not whole, and not more of it than may be."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self._number = 0
        self._partial = bytearray()
        self._too_long = False

    def feed(self, chunk: bytes) -> list[Line]:
        """The lines that end in this chunk, without blank ones."""
        *ends, rest = chunk.split(b"\n")
        found = [line for end in ends if (line := self._end(end)) is not None]
        self._keep(rest)
        return found

    def finish(self) -> list[Line]:
        """The last line, where nothing ends it."""
        line = self._end(b"") if self._partial or self._too_long else None
        return [] if line is None else [line]

    def _keep(self, piece: bytes) -> None:
        if not self._too_long:
            self._partial += piece
            if len(self._partial) > self._limit:
                self._too_long = True
                self._partial.clear()

    def _end(self, piece: bytes) -> Line | None:
        self._keep(piece)
        self._number += 1
        content, too_long = bytes(self._partial), self._too_long
        self._partial.clear()
        self._too_long = False
        if too_long:
            return Line(self._number, b"", LineTooLong(self._limit))
        if self._number == 1:
            content = content.removeprefix(_BOM)
        content = content.strip()
        return Line(self._number, content) if content else None
