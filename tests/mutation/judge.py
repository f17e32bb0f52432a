"""Holds what mutmut found against `SURVIVORS.md`: every survivor explained, and nothing explained that died.

`python -m tests.mutation.judge MUTMUT FOLDER`, where mutmut has run in that folder; `run` does both.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from ops.cli.screen import Exit, out

SURVIVORS = Path(__file__).parent / "SURVIVORS.md"
_EXPLAINED = re.compile(r"^- `(?P<where>[\w.]+)`: `(?P<was>.*)` → `(?P<is>.*)`: (?P<why>.+)$")
_RESULT = re.compile(r"^\s*(?P<name>\S+): (?P<end>.+)$")
_MANGLED = re.compile(r"\.(?:x_|xǁ)(?P<function>.+)__mutmut_\d+$")
ALIVE = ("survived", "no tests", "suspicious", "segfault")
NOT_TRIED = "not checked"


class Mutant(NamedTuple):
    """A change of the code that no test has noticed: where, and which line became which."""

    where: str
    was: str
    now: str

    def __str__(self) -> str:
        return f"- `{self.where}`: `{self.was}` → `{self.now}`: "


def explained(text: str) -> dict[Mutant, str]:
    """The survivors that the list explains, with the reasons."""
    found = [match for line in text.splitlines() if (match := _EXPLAINED.match(line))]
    return {Mutant(each["where"], each["was"], each["is"]): each["why"] for each in found}


def mutant_of(name: str, diff: str) -> Mutant:
    """A mutant by its name and what mutmut shows of it."""
    changed = [line for line in diff.splitlines() if line[:1] in "+-" and line[:3] not in ("---", "+++")]
    was, now = (
        " ".join(line[1:].strip() for line in changed if line.startswith(sign)) for sign in ("-", "+")
    )
    return Mutant(_where(name), was, now)


def _where(name: str) -> str:
    return _MANGLED.sub(lambda match: "." + match["function"].replace("ǁ", "."), name)


def ends_of(results: str) -> dict[str, str]:
    """What became of each mutant, by its name in mutmut's results."""
    return {match["name"]: match["end"] for line in results.splitlines() if (match := _RESULT.match(line))}


def dead(known: Iterable[Mutant], alive: Collection[Mutant], ends: Mapping[str, str]) -> set[Mutant]:
    """Those explained that did not survive. Of a function that was not tried whole nothing can be said."""
    untried = {_where(name) for name, end in ends.items() if end == NOT_TRIED}
    return {mutant for mutant in known if mutant not in alive and mutant.where not in untried}


def _said(folder: Path, *command: str) -> str:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def main(mutmut: str, folder: Path) -> Exit:
    """Say what held."""
    ends = ends_of(_said(folder, mutmut, "results", "--all", "true"))
    alive = {
        mutant_of(name, _said(folder, mutmut, "show", name)) for name, end in ends.items() if end in ALIVE
    }
    known = explained(SURVIVORS.read_text(encoding="utf-8"))
    unexplained, gone = sorted(alive - set(known)), sorted(dead(known, alive, ends))
    for mutant in unexplained:
        out().print(f"not explained: {mutant}", soft_wrap=True)
    for mutant in gone:
        out().print(f"explained, and dead: {mutant}", soft_wrap=True)
    counted = ", ".join(f"{count:,} {end}" for end, count in Counter(ends.values()).most_common())
    answer = f"NOT HELD, {len(unexplained)} not explained" if unexplained or gone else "held"
    out().print(
        f"mutation: {answer}. {len(ends):,} mutants: {counted}; {len(known):,} explained.", soft_wrap=True
    )
    return Exit.FINDINGS if unexplained or gone else Exit.GOOD


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
