"""Running the command: in this process where only what it says matters, else in one of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import structlog

from ops.cli.main import main

SCRIPT = Path(sys.executable).parent / "baccarat-ledger"
"""The console script as it was installed."""
PATIENCE_SECONDS = 120
_OURS = ("BACCARAT_LEDGER_DB", "BACCARAT_LEDGER_LOG", "COLUMNS")


class Done(NamedTuple):
    """How a command ended and what it said."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """What it said, as one JSON value."""
        return json.loads(self.out)

    def lines(self) -> list[Any]:
        """What it said, as NDJSON."""
        return [json.loads(line) for line in self.out.splitlines()]


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    """This process's environment without our own variables, and with these."""
    return {name: value for name, value in os.environ.items() if name not in _OURS} | dict(settings)


def run(
    *arguments: str | Path,
    said: bytes = b"",
    settings: Mapping[str, str] | None = None,
    encoding: str = "utf-8",
) -> Done:
    """The command in this process: `said` on its standard input, `settings` in its environment."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True) for _ in range(2))
    code: Any = None
    try:
        with (
            patch.object(sys, "argv", ["baccarat-ledger", *map(str, arguments)]),
            patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(said))),
            patch.dict(os.environ, environment(settings or {}), clear=True),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            main()
    except SystemExit as end:
        code = end.code
    finally:
        structlog.reset_defaults()
    return Done(int(code or 0), *(stream.buffer.getvalue().decode() for stream in (out, err)))


def start(*arguments: str | Path, said: Any = subprocess.DEVNULL, **settings: str) -> subprocess.Popen[bytes]:
    """The command in a process of its own, what it says in pipes."""
    pipe = subprocess.PIPE
    program = [str(SCRIPT), *map(str, arguments)]
    return subprocess.Popen(program, stdin=said, stdout=pipe, stderr=pipe, env=environment(settings))


def ended(process: subprocess.Popen[bytes], said: bytes | None = None) -> Done:
    """What a process that was started came to."""
    out, err = process.communicate(said, timeout=PATIENCE_SECONDS)
    return Done(process.returncode, out.decode(), err.decode())
