"""Under what licences the dependencies come: `python -m tests.security.licences`; `--json` for programs.

Read from what is installed, by the metadata that its makers gave it. What production installs (the extras
console, parquet, postgres and relay) must be permissive; tools of the development group may be anything.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import Annotated, NamedTuple

import typer
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from ops.cli.screen import Exit, out, print_json

ROOT = "baccarat-ledger"
EXTRAS = ("console", "parquet", "postgres", "relay")
PERMISSIVE = frozenset(
    {
        *(
            "0BSD",
            "Apache-2.0",
            "BSD-2-Clause",
            "BSD-3-Clause",
            "ISC",
            "MIT",
            "MIT-0",
            "PSF-2.0",
            "Unlicense",
        ),
        *("Apache Software License", "BSD License", "MIT License", "ISC License (ISCL)"),
        *("Python Software Foundation License", "The Unlicense (Unlicense)"),
    }
)
"""Names by SPDX, and by the classifiers of the package index."""
ALLOWED = {
    "psycopg": "LGPL-3.0-only, of the extra postgres: imported unchanged, and replaceable",
    "psycopg-binary": "LGPL-3.0-only, as psycopg is",
}
"""Of what production installs, what is not permissive, and why it may be there all the same."""


class Dependency(NamedTuple):
    """A package, and under what it comes."""

    name: str
    version: str
    licence: str
    permissive: bool


def needed(extras: Sequence[str] = EXTRAS) -> list[str]:
    """Names of all that an installation with these extras has on this platform, but the ledger itself."""
    found: set[tuple[str, str]] = set()
    waiting = [(ROOT, extra) for extra in ("", *extras)]
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) in found:
            continue
        found.add((name, extra))
        for line in distribution(name).requires or ():
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                needs = canonicalize_name(requirement.name)
                waiting += [(needs, each) for each in ("", *requirement.extras)]
    return sorted({name for name, _ in found} - {ROOT})


def licence_of(package: Distribution) -> str:
    """Its licence: its SPDX expression; else its classifiers; else what its makers wrote."""
    told = package.metadata.json
    if expression := told.get("license_expression"):
        return str(expression)
    lines = [str(line) for line in told.get("classifier", ())]
    classifiers = [line.rpartition(" :: ")[2] for line in lines if "License ::" in line]
    written = str(told.get("license") or "").strip().partition("\n")[0]
    return " AND ".join(classifiers) or written or "not said"


def is_permissive(licence: str) -> bool:
    """Whether every licence that must be kept is permissive; of those to choose from, whether one is."""
    return all(
        any(
            choice.strip(" ()") in PERMISSIVE or choice.strip() in PERMISSIVE for choice in each.split(" OR ")
        )
        for each in re.split(r" AND ", licence)
    )


def dependencies(extras: Sequence[str] = EXTRAS) -> Iterator[Dependency]:
    """What production installs, by name. Raises: PackageNotFoundError: not all of it is installed here."""
    for name in needed(extras):
        package = distribution(name)
        licence = licence_of(package)
        yield Dependency(name, package.version, licence, is_permissive(licence))


def main(as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False) -> None:
    """List what production installs; exit 1 where a licence is not permissive and not allowed for."""
    try:
        found = list(dependencies())
    except PackageNotFoundError as missing:
        out().print(f"licences: {missing.name} is not installed here")
        sys.exit(Exit.BAD_INPUT)
    refused = [each.name for each in found if not each.permissive and each.name not in ALLOWED]
    if as_json:
        print_json([each._asdict() for each in found])
    else:
        for each in found:
            out().print(
                f"{each.name:24} {each.version:12} {ALLOWED.get(each.name, each.licence)}", soft_wrap=True
            )
        answer = f"NOT ALLOWED: {', '.join(refused)}" if refused else "all allowed"
        out().print(f"licences: {len(found)} dependencies of production, {answer}.")
    sys.exit(Exit.FINDINGS if refused else Exit.GOOD)


if __name__ == "__main__":
    typer.run(main)
