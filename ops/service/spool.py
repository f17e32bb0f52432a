"""Results on their way from who makes them to who sends them, on the disk and not in memory."""

from __future__ import annotations

import asyncio
import json
import tempfile
from typing import Any, BinaryIO, cast

_SEND_BYTES = 64 * 1024


class Spool:
    """A file that one task writes to and another reads behind it."""

    def __init__(self) -> None:
        self._file = cast("BinaryIO", tempfile.TemporaryFile())  # noqa: SIM115 – closed by `close`
        self._read = self._written = 0
        self._more = asyncio.Event()
        self.ended = False

    def write(self, results: list[dict[str, Any]]) -> None:
        content = b"".join(json.dumps(result, separators=(",", ":")).encode() + b"\n" for result in results)
        self._file.seek(self._written)
        self._file.write(content)
        self._written += len(content)
        self._more.set()

    def end(self) -> None:
        self.ended = True
        self._more.set()

    async def next(self) -> bytes:
        """What comes next; nothing at the end."""
        while self._read == self._written and not self.ended:
            self._more.clear()
            await self._more.wait()
        self._file.seek(self._read)
        content = self._file.read(_SEND_BYTES)
        self._read += len(content)
        return content

    def close(self) -> None:
        self._file.close()
