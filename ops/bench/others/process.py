"""A contestant's process: started with what it needs, asked a line at a time, and ended."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from select import select
from signal import SIGKILL
from typing import Any

ENDS_SECONDS = 30


class Unable(RuntimeError):
    """A contestant does not have this, and says why."""


class Broken(RuntimeError):
    """A contestant went wrong: what it was asked, and the end of what it said."""


class Process:
    """One contestant at work."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        """Start it.

        Args:
            log: where its standard error goes.
        """
        self._log = log
        with log.open("ab") as errors:
            self._process = subprocess.Popen(  # noqa: S603 – our own arguments
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=dict(environment),
                start_new_session=True,  # what it starts itself ends with it
            )

    def ask(self, do: str, patience_seconds: float, **asked: Any) -> dict[str, Any]:
        """What it answers.

        Raises:
            Unable: it cannot do that.
            Broken: it ended, failed, or took longer than that.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps({"do": do, **asked}) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise Broken(f"{do}: {self._last()}") from None
        ready, _, _ = select([self._process.stdout], [], [], patience_seconds)
        if not ready:
            raise Broken(f"{do}: no answer in {patience_seconds:.0f} s")
        said = self._process.stdout.readline()
        if not said:
            raise Broken(f"{do}: {self._last()}")
        answer: dict[str, Any] = json.loads(said)
        if "cannot" in answer:
            raise Unable(answer["cannot"])
        if "failed" in answer:
            raise Broken(f"{do}: {answer['failed'].splitlines()[0]}")
        return answer

    def end(self) -> None:
        """Let it end by itself, or end it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdout.close()
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(ENDS_SECONDS)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, SIGKILL)
        self._process.wait()

    def _last(self) -> str:
        lines = self._log.read_text(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it ended without a word"
