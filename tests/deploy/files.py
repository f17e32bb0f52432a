"""The files of `ops/deploy`, as their readers read them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import typer
import yaml

from ops.cli.main import application

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "ops" / "deploy"
PROGRAM = "baccarat-ledger"


def read_yaml(name: str) -> dict[str, Any]:
    """A file of `ops/deploy`."""
    parsed: dict[str, Any] = yaml.safe_load((DEPLOY / name).read_text())
    return parsed


def compose() -> dict[str, Any]:
    """The compose file."""
    return read_yaml("compose.yaml")


def units(pattern: str = "*.service") -> list[Path]:
    """The units' files."""
    return sorted(DEPLOY.glob(pattern))


def lines_of(unit: Path, name: str) -> list[str]:
    """What a unit's file says under a name."""
    found = (line.partition("=") for line in unit.read_text().splitlines())
    return [value for key, _, value in found if key == name]


def options_of(command: Sequence[str]) -> tuple[set[str], set[str]]:
    """The options that a command line of ours has, and those that its command knows.

    Raises:
        KeyError: there is no such command.
    """
    known: Any = typer.main.get_command(application())
    words = list(command)
    while hasattr(known, "commands"):
        known = known.commands[words.pop(0)]
    knows = {option for parameter in known.params for option in parameter.opts}
    return {word for word in words if word.startswith("-")}, knows


def ours() -> Iterator[tuple[str, list[str]]]:
    """Each command line of ours in units and the compose file, without the program; and where it is."""
    for unit in units():
        for line in lines_of(unit, "ExecStart"):
            program, *words = shlex.split(line)
            if program.endswith(f"/{PROGRAM}"):
                yield unit.name, words
    for name, service in compose()["services"].items():
        if PROGRAM in service["image"] and service["command"]:
            yield f"compose: {name}", service["command"]
        for script in service.get("entrypoint", ()):
            for part in script.replace(";", "||").split("||"):
                _, found, words = part.partition(f"{PROGRAM} ")
                if found:
                    yield f"compose: {name}", shlex.split(words)
