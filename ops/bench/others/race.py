"""The race: everybody writes the same lines by turns, then reads them back; what that says as figures.

Live, bulk, P&L from nothing, replay of single coups, and a cold rebuild by a new process, its start included.
A turn is the same lines for each. Who has used up his time does no more turns, and is measured on what he
did; who cannot do something, or goes wrong, is left out of it and named. Whatever P&L somebody has in the
end must be to the penny what his coups come to.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import NamedTuple, Self

from ops.bench.figure import Figure, Sort, Turn
from ops.bench.others.contestants import OTHERS, OURS, Contestant, Place, Setup
from ops.bench.others.environments import NotMade
from ops.bench.others.facts import Facts
from ops.bench.others.process import Broken, Process, Unable
from ops.cli.screen import progress_bar

BULK_LINES = 100
LIVE_TURN, BULK_TURN = 100, 1_000
REPLAYS_A_TURN, REPLAY_TURNS = 40, 5
PATIENCE_SECONDS = 120
"""Beyond what somebody was given: then he hangs."""


class Wanted(NamedTuple):
    """How large the race is.

    Attributes:
        live: lines with a commit each.
        seconds: that one contestant may take for one kind of work.
        repeat: how often the reading back is measured.
    """

    live: int
    seconds: float
    repeat: int


@dataclass
class Runner:
    """A contestant at work, and what he has done."""

    contestant: Contestant
    setup: Setup
    log: Path
    process: Process
    lines: int = 0
    coups: int = 0
    used: dict[str, float] = field(default_factory=dict)
    turns: dict[str, list[Turn]] = field(default_factory=dict)
    """By work: done, and his own seconds as `ours`; who is compared with whom comes later."""
    left_out: dict[str, str] = field(default_factory=dict)

    def may(self, work: str, seconds: float) -> bool:
        """Whether he still takes part in it."""
        return work not in self.left_out and self.used.get(work, 0.0) < seconds

    def end(self) -> None:
        """End the process that he has now."""
        self.process.end()

    def note(self, work: str, done: int, seconds: float) -> None:
        """One turn of his."""
        self.turns.setdefault(work, []).append(Turn(done, seconds, 0.0))
        self.used[work] = self.used.get(work, 0.0) + seconds


LIVE, BULK = "live: a commit a coup", f"bulk: {BULK_LINES} coups a commit"
PROJECTION, REPLAY, REBUILD = "P&L, from nothing", "replay of a coup", "cold rebuild of the P&L"
FILLING = "writing the rest"
WORKS: Sequence[tuple[str, str]] = (
    (LIVE, "coups"),
    (BULK, "coups"),
    (PROJECTION, "coups"),
    (REPLAY, "coups"),
    (REBUILD, "coups"),
)


class Race:
    """Everybody, from the start to the figures."""

    def __init__(self, facts: Facts, place: Place, wanted: Wanted, names: Sequence[str]) -> None:
        self.facts, self.wanted = facts, wanted
        self.runners: dict[str, Runner] = {}
        self.left_out: dict[str, str] = {}
        self._open = ExitStack()
        for contestant in (*OURS.values(), *(OTHERS[name] for name in names)):
            self._enter(contestant, place)

    def _enter(self, contestant: Contestant, place: Place) -> None:
        folder = place.folder / contestant.name
        folder.mkdir()
        try:
            setup = self._open.enter_context(contestant.set_up(place._replace(folder=folder)))
            log = folder / "stderr.log"
            process = self._start(setup, log)
            runner = Runner(contestant, setup, log, process)
            self._open.callback(runner.end)
            process.ask("ready", PATIENCE_SECONDS)
        except (NotMade, Broken) as error:
            self.left_out[contestant.label] = str(error)
            return
        self.runners[contestant.name] = runner

    def _start(self, setup: Setup, log: Path) -> Process:
        lines = self.facts.tape if setup.takes_commands else self.facts.facts
        given = json.dumps({**setup.given, "lines": str(lines)})
        return Process((*setup.command, given), os.environ, log)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def run(self) -> None:
        """All of it."""
        total = len(self.facts.coups)
        live = min(self.wanted.live, total)
        self._write(LIVE, 0, live, LIVE_TURN, 1)
        self._write(BULK, live, total, BULK_TURN, BULK_LINES)
        self._fill(total)
        self._read_back()

    def _write(self, work: str, first: int, last: int, turn: int, size: int) -> None:
        with progress_bar(work) as (bar, task):
            bar.update(task, total=last - first)
            for start in range(first, last, turn):
                lines = min(turn, last - start)
                for runner in self.runners.values():
                    self._turn(runner, work, start, lines, size)
                bar.advance(task, lines)

    def _turn(self, runner: Runner, work: str, start: int, lines: int, size: int) -> None:
        if runner.lines != start or not runner.may(work, self.wanted.seconds):
            return  # whoever left a line out writes no later one: it would not be the same work

        def done() -> None:
            runner.process.ask("read", PATIENCE_SECONDS, lines=lines, size=size)
            answer = runner.process.ask("write", self.wanted.seconds + PATIENCE_SECONDS)
            coups = self.facts.coups_of(start, lines)
            runner.note(work, coups, answer["seconds"])
            runner.lines += lines
            runner.coups += coups

        self._careful(runner, work, done)

    def _fill(self, total: int) -> None:
        """Who has no bulk writes the rest a commit a line, unmeasured, so that he has it to read."""
        for runner in self.runners.values():
            if BULK not in runner.left_out:
                continue
            with progress_bar(f"{runner.contestant.label}: the rest") as (bar, task):
                bar.update(task, total=total, completed=runner.lines)
                while runner.lines < total and runner.may(FILLING, self.wanted.seconds):
                    lines = min(LIVE_TURN, total - runner.lines)
                    self._turn(runner, FILLING, runner.lines, lines, 1)
                    bar.advance(task, lines)

    def _read_back(self) -> None:
        for runner in self.runners.values():
            with progress_bar(f"{runner.contestant.label}: reading back") as (bar, task):
                bar.update(task, total=2 + self.wanted.repeat)
                for work, does in (
                    (PROJECTION, self._project),
                    (REPLAY, self._replay),
                    *((REBUILD, self._rebuild) for _ in range(self.wanted.repeat)),
                ):
                    self._careful(runner, work, partial(does, runner))
                    bar.advance(task)

    def _project(self, runner: Runner) -> None:
        self._fold(runner, PROJECTION, "project")

    def _fold(self, runner: Runner, work: str, do: str, started: float = 0.0) -> None:
        seconds = self.wanted.seconds
        answer = runner.process.ask(do, seconds + PATIENCE_SECONDS, coups=runner.coups, seconds=seconds)
        runner.note(work, answer["done"], started + answer["seconds"])
        if answer["done"] == runner.coups:
            self._check(runner)

    def _check(self, runner: Runner) -> None:
        found = runner.process.ask("pnl", PATIENCE_SECONDS)["pnl"]
        found = {place: win for place, win in found.items() if win}
        if found != self.facts.pnl_of(runner.lines):
            raise Broken("its P&L is not what its coups come to")

    def _replay(self, runner: Runner) -> None:
        chance = random.Random(1)  # noqa: S311 – which coups are looked at is no secret
        coups = [stream for stream in self.facts.coups[: runner.lines] if stream]
        for _ in range(REPLAY_TURNS):
            streams = [chance.choice(coups) for _ in range(REPLAYS_A_TURN)]
            answer = runner.process.ask("replay", PATIENCE_SECONDS, streams=streams)
            runner.note(REPLAY, len(streams), answer["seconds"])

    def _rebuild(self, runner: Runner) -> None:
        runner.process.end()
        begun = perf_counter()
        runner.process = self._start(runner.setup, runner.log)
        runner.process.ask("ready", PATIENCE_SECONDS)
        self._fold(runner, REBUILD, "rebuild", perf_counter() - begun)

    def _careful(self, runner: Runner, work: str, does: Callable[[], None]) -> None:
        if work in runner.left_out:
            return
        try:
            does()
        except (Unable, Broken) as error:
            runner.left_out[work] = str(error)

    def figures(self) -> Iterator[tuple[str, list[Figure]]]:
        """A list for each kind of work: ours against each, on the kind of store that is his."""
        for work, unit in WORKS:
            found = []
            for runner in self.runners.values():
                ours = self.runners.get(runner.contestant.beside)
                if ours and work in runner.turns and work in ours.turns:
                    turns = list(_paired(ours.turns[work], runner.turns[work]))
                    if not turns:
                        continue
                    found.append(
                        Figure(
                            ours.contestant.label,
                            runner.contestant.label,
                            unit,
                            turns,
                            Sort.RATE,
                            _goal(work, runner),
                        )
                    )
            yield work, found

    def missing(self) -> dict[str, str]:
        """Who did not take part in what, and why."""
        found = dict(self.left_out)
        for runner in self.runners.values():
            for work, reason in runner.left_out.items():
                found[f"{runner.contestant.label}, {work}"] = reason
        return found


GOALS = {LIVE: 0.7, BULK: 0.5, PROJECTION: 0.4}
"""Of the bare driver and the bare loop; of the others, to be faster."""


def _goal(work: str, runner: Runner) -> float | None:
    return GOALS.get(work) if runner.contestant.name.startswith("bare") else 1.0


def _paired(ours: Sequence[Turn], theirs: Sequence[Turn]) -> Iterator[Turn]:
    """The turns that both did, one to one. Where one did less in his, ours is taken in proportion."""
    for our, their in zip(ours, theirs, strict=False):
        if our.done and their.done:
            yield Turn(their.done, our.ours * their.done / our.done, their.ours)
