"""What a process was told by the ledger, written down before it goes on: what it has seen, it may rely on."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Ack = dict[str, Any]


class Acks:
    """A file of them. One that was cut short by death was never seen."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def add(self, **facts: Any) -> None:
        """One more; it is in the file when this returns."""
        os.write(self._file, b"\n" + json.dumps(facts).encode() + b";")


def read_acks(content: bytes) -> Iterator[Ack]:
    """The whole ones, in order."""
    for line in content.splitlines():
        if line.endswith(b";"):
            yield json.loads(line.removesuffix(b";"))


def acks_at(path: Path) -> list[Ack]:
    """Those in a file; none where there is no file."""
    return list(read_acks(path.read_bytes())) if path.exists() else []
