"""An environment for each contestant that needs one: made once in a cache folder, from pinned versions.

`environments/` has the pins, each with its hashes. A contestant of this project's own environment needs none.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

PINS = Path(__file__).with_name("environments")
NPM = ("package.json", "package-lock.json")
_BUILT = {"hordak": ("--no-binary", "django-hordak")}
"""What is published without wheels."""
_STAMP = "made"
_MAKE_SECONDS = 900


class NotMade(RuntimeError):
    """An environment cannot be had here; the reason is what the installer said last."""


def cache_folder() -> Path:
    """Where environments are kept."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "baccarat-ledger" / "bench"


def python_environment(name: str) -> Path:
    """The interpreter of a virtual environment with what `NAME.txt` pins.

    Raises:
        NotMade: it cannot be installed.
    """
    pins = PINS / f"{name}.txt"
    folder = cache_folder() / f"{name}-{_digest([pins], sys.version)}"
    python = folder / "bin" / "python"
    if not (folder / _STAMP).exists():
        shutil.rmtree(folder, ignore_errors=True)
        _run([sys.executable, "-m", "venv", str(folder)])
        how = ("--require-hashes", "--only-binary", ":all:", *_BUILT.get(name, ()), "--quiet")
        _run([str(python), "-m", "pip", "install", *how, "--requirement", str(pins)])
        (folder / _STAMP).touch()
    return python


def npm_environment() -> Path:
    """A folder with what `package-lock.json` pins in its `node_modules`.

    Raises:
        NotMade: there is no npm, or it cannot be installed.
    """
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise NotMade("there is no node or no npm")
    pins = [PINS / name for name in NPM]
    folder = cache_folder() / f"npm-{_digest(pins, '')}"
    if not (folder / _STAMP).exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for path in pins:
            shutil.copy(path, folder)
        _run([npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder)])
        (folder / _STAMP).touch()
    return folder


def _digest(files: Sequence[Path], also: str) -> str:
    digest = sha256(also.encode())
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _run(arguments: Sequence[str]) -> None:
    try:
        done = subprocess.run(  # noqa: S603 – our own arguments
            arguments, capture_output=True, text=True, timeout=_MAKE_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise NotMade(f"{Path(arguments[0]).name} took more than {_MAKE_SECONDS} s") from None
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise NotMade(said[-1] if said else f"exit code {done.returncode}")
