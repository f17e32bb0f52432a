"""The layer between a process and its disk (`disk.c`), compiled when it is first asked for."""

from __future__ import annotations

import atexit
import ctypes
import mmap
import os
import random
import shutil
import struct
import subprocess
import tempfile
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).with_name("disk.c")
PRELOAD = "LD_PRELOAD"
_CONTROL = struct.Struct("=qqi4x")
_NEVER = -1
HOWS = ("before", "after", "half way")
"""When a process dies at one of its calls: what `faults_arm` takes is the place in here."""


def obstacle() -> str | None:
    """Why there can be no such layer here, if so."""
    return None if shutil.which("gcc") else "there is no C compiler"


@cache
def library() -> Path:
    """The layer, compiled. Every user may read it: PostgreSQL does not run as root."""
    folder = Path(tempfile.mkdtemp(prefix="baccarat-faults-layer-"))
    folder.chmod(0o755)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    built = folder / "disk.so"
    command = ["gcc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", str(built), str(SOURCE)]
    subprocess.run(command, check=True)
    return built


def under(
    root: Path | None = None, journal: Path | None = None, control: Path | None = None
) -> dict[str, str]:
    """The environment of a process that is to run on the layer.

    Args:
        root: only what lies below it is watched.
        journal: where its changes are written down.
        control: by which its changes fail; see `Control`.
    """
    said = {"FAULTS_ROOT": root, "FAULTS_JOURNAL": journal, "FAULTS_CONTROL": control}
    return {PRELOAD: str(library()), **{name: str(path) for name, path in said.items() if path is not None}}


def arm(rng: random.Random, calls_max: int) -> str:
    """This process dies at one of its next calls to a disk or a server. Returns which, for people."""
    calls, how = rng.randint(1, calls_max), rng.randrange(len(HOWS))
    loaded = ctypes.CDLL(os.environ[PRELOAD])
    loaded.faults_arm(ctypes.c_int64(calls), ctypes.c_int(how))
    return f"{HOWS[how]} call {calls}"


class Control:
    """Makes the changes of all processes under the layer fail, from outside."""

    def __init__(self, path: Path) -> None:
        """Make its file; nothing fails yet."""
        path.write_bytes(_CONTROL.pack(_NEVER, 0, 0))
        path.chmod(0o666)
        self._times = 0
        with path.open("r+b") as file:
            self._block = mmap.mmap(file.fileno(), _CONTROL.size)

    def fail(self, after: int, error: int, times: int = 1) -> None:
        """The change after so many more fails with this errno, and so do as many as `times` says."""
        self._times = times
        self._block[:] = _CONTROL.pack(_NEVER, times, error)
        self._block[:] = _CONTROL.pack(after, times, error)

    def mend(self) -> None:
        """Nothing fails any more."""
        self._block[:] = _CONTROL.pack(_NEVER, 0, 0)

    def has_failed(self) -> bool:
        """Whether a change has failed since it was last told to."""
        _, failing, _ = _CONTROL.unpack(self._block[:])
        return bool(failing < self._times)
