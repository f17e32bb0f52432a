"""How a contestant is spoken to: a JSON value a line, on its standard input and output.

It is a process of its own, mostly in an environment of its own, so nothing of ours is imported here. It times
itself: what is read from files, and made of that, is made before.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any, Protocol

Fact = tuple[str, str, dict[str, Any]]
"""Of one event: its stream, its topic, its JSON as the ledger stores it."""
Pnl = dict[str, int]
"""What the house has won of wagers, minor units, by `premises/table`."""


class Contestant(Protocol):
    """Does the work. What it cannot do raises NotImplementedError with the reason."""

    def prepare(self, lines: Sequence[str], size: int) -> Callable[[], object]:
        """The work of writing some lines of its file, `size` lines a commit."""

    def project(self, coups: int, seconds: float) -> int:
        """Bring the P&L up to so many coups, giving up after so long. Returns how many it is of."""

    def rebuild(self, coups: int, seconds: float) -> int:
        """Make the P&L anew, likewise."""

    def replay(self, stream: str) -> int:
        """Read one coup and fold it. Returns how many events it has."""

    def pnl(self) -> Pnl:
        """The P&L as it has it."""

    def close(self) -> None:
        """Give back what it holds."""


def win_of(totals: Sequence[Mapping[str, Any]]) -> int:
    """What the house wins of a settled coup, by its totals."""
    return sum(total["stakes"] if total["outcome"] == "lost" else -total["winnings"] for total in totals)


def where(facts: Mapping[str, Any]) -> str:
    """The key of a P&L."""
    return f"{facts['premises']}/{facts['table']}"


def facts_of(line: str) -> list[Fact]:
    """One line of the facts: the events of a command."""
    return [(stream, topic, facts) for stream, topic, facts in json.loads(line)]


def in_saves(items: Sequence[Any], size: int) -> list[Sequence[Any]]:
    """So many to a commit."""
    return [items[start : start + size] for start in range(0, len(items), size)]


def serve(open_: Callable[[dict[str, Any]], Contestant]) -> None:
    """Do what is asked until there is nothing more. The first argument of the process says with what."""
    given = json.loads(sys.argv[1])
    answers = sys.stdout
    sys.stdout = sys.stderr  # what libraries print is no answer
    contestant = open_(given)
    with open(given["lines"], encoding="utf-8") as lines:  # noqa: PTH123 – a text of an argument
        work: list[Callable[[], object]] = []

        def read(asked: dict[str, Any]) -> dict[str, Any]:
            work.append(contestant.prepare([next(lines) for _ in range(asked["lines"])], asked["size"]))
            return {}

        does: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "ready": lambda _: {},
            "read": read,
            "write": lambda _: _timed(work.pop()),
            "project": lambda asked: _timed(lambda: contestant.project(asked["coups"], asked["seconds"])),
            "rebuild": lambda asked: _timed(lambda: contestant.rebuild(asked["coups"], asked["seconds"])),
            "replay": lambda asked: _timed(lambda: sum(map(contestant.replay, asked["streams"]))),
            "pnl": lambda _: {"pnl": contestant.pnl()},
        }
        for said in sys.stdin:
            asked = json.loads(said)
            try:
                answer = does[asked["do"]](asked)
            except NotImplementedError as error:
                answer = {"cannot": str(error)}
            answers.write(json.dumps(answer) + "\n")
            answers.flush()
    contestant.close()


def _timed(work: Callable[[], object]) -> dict[str, Any]:
    begun = perf_counter()
    done = work()
    return {"seconds": perf_counter() - begun, "done": done if isinstance(done, int) else 0}
