"""Writing by turns: some commits of ours, then the very same rows in as many commits by each rival.

Ours decides, checks, encodes and saves; a rival is given what ours has stored. Turns are short, so what else
the machine does is borne by all.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import NamedTuple

from ledger.commands import TAPE_LINE, Command, RecordCoup
from ledger.store.port import Row
from ops.bench.figure import Turn
from ops.memory import few_collections, short_turns
from ops.rehearsal.deal import load
from ops.rehearsal.setting import Line
from ops.wiring import House

EVENTS_MAX = 10_000_000
"""More than one turn ever writes."""

Saves = Sequence[Sequence[Row]]
"""The rows of some commits."""
Rival = Callable[[Saves], Callable[[], object]]
"""Makes ready what it needs, and answers the work that is to be timed."""


class Turns(NamedTuple):
    """One turn: how many coups, our seconds, and each rival's."""

    coups: int
    ours: float
    rivals: Mapping[str, float]

    def against(self, rival: str) -> Turn:
        """The same between ours and one of them."""
        return Turn(self.coups, self.ours, self.rivals[rival])


def dealt(coups: int, seed: int) -> list[Command]:
    """A load as commands, read and checked already."""
    return read(load(coups, seed=seed))


def read(lines: Iterable[Line]) -> list[Command]:
    """The commands of a tape's lines, checked."""
    return [TAPE_LINE.validate_python(line) for line in lines]


def by_turns(
    house: House, lines: Sequence[Line], size: int, commits: int, rivals: Mapping[str, Rival]
) -> Iterator[Turns]:
    """Run the commands of a tape, `size` to a commit and so many commits a turn; then each rival.

    A turn's commands are read just before it, as a service reads what it runs and as the rivals' rows are:
    whatever was made minutes ago is out of the processor's caches.
    """
    with few_collections():
        for start in range(0, len(lines), size * commits):
            commands = read(lines[start : start + size * commits])
            block = [commands[at : at + size] for at in range(0, len(commands), size)]
            after = house.ledger.record.last_sequence()
            ours = seconds(partial(run_all, house, block))
            written = by_save(house.ledger.record.select_rows(after, EVENTS_MAX), block)
            coups = sum(isinstance(command, RecordCoup) for save in block for command in save)
            taken = {name: seconds(ready(written)) for name, ready in rivals.items()}
            if coups:  # what opens tables is no coup
                yield Turns(coups, ours, taken)


def run_all(house: House, saves: Sequence[Sequence[Command]]) -> None:
    """Run commands, a commit a save."""
    if any(len(save) > 1 for save in saves):  # an import goes on; whoever sends one waits for its answer
        with short_turns():
            deque(house.ledger.run_batches(saves), maxlen=0)
        return
    for save in saves:
        house.ledger.run_many(save)


def each(write: Callable[[Sequence[Row]], object], saves: Saves) -> Callable[[], None]:
    """The work of writing one save after the other."""

    def work() -> None:
        for rows in saves:
            write(rows)

    return work


def by_save(rows: Sequence[Row], saves: Sequence[Sequence[Command]]) -> list[list[Row]]:
    """The rows that each save brought about, in order."""
    by_cause: dict[str, list[Row]] = {}
    for row in rows:
        by_cause.setdefault(cause_of(row), []).append(row)
    return [[row for command in save for row in by_cause[command.id]] for save in saves]


def cause_of(row: Row) -> str:
    """The id of the command that an event came of."""
    return str(json.loads(row.state)["cause"])


def seconds(work: Callable[[], object]) -> float:
    """How long it takes."""
    begun = perf_counter()
    work()
    return perf_counter() - begun
