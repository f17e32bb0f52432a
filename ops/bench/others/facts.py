"""What all contestants write: a tape, and the facts that the ledger makes of it, line by line.

The ledger itself is given the tape. The facts of a line are its events, as the ledger stores them; so the
others write the same bytes of fact, and are spared deciding them.
"""

from __future__ import annotations

import json
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from ledger.commands import TAPE_LINE
from ledger.terms.wagers import Outcome
from ops.bench.contest import EVENTS_MAX, by_save
from ops.bench.others.protocol import Pnl, win_of
from ops.cli.screen import progress_bar
from ops.memory import few_collections
from ops.rehearsal.deal import load
from ops.tape.importer import BATCH_COMMANDS
from ops.wiring import open_house

RECORD_COUP = "record-coup"


class Facts(NamedTuple):
    """Two files with as many lines.

    Attributes:
        tape, facts: what the ledger is given, and what the others are.
        coups: of each line the stream of the coup that it is, or nothing.
        wins: of each line that is a coup, where and what the house won.
    """

    tape: Path
    facts: Path
    coups: list[str]
    wins: list[tuple[str, int]]

    def pnl_of(self, lines: int) -> Pnl:
        """What the P&L of the first lines must be: added up here, by nothing that any contestant does."""
        sums: Counter[str] = Counter()
        for place, win in self.wins[:lines]:
            if place:
                sums[place] += win
        return {place: win for place, win in sums.items() if win}

    def coups_of(self, first: int, lines: int) -> int:
        """How many of some lines are coups."""
        return sum(map(bool, self.coups[first : first + lines]))


def prepared(folder: Path, coups: int) -> Facts:
    """Deal a tape, have a ledger decide it, and write down both."""
    made = Facts(folder / "tape.ndjson", folder / "facts.ndjson", [], [])
    lines = load(coups)
    with (
        open_house(str(folder / "deciding.db"), create=True) as house,
        made.tape.open("w") as tape,
        made.facts.open("w") as facts,
        few_collections(),
        progress_bar("dealing") as (bar, task),
    ):
        bar.update(task, total=coups)
        while batch := list(islice(lines, BATCH_COMMANDS)):
            after = house.ledger.record.last_sequence()
            commands = [TAPE_LINE.validate_python(line) for line in batch]
            house.ledger.run_many(commands)
            rows = house.ledger.record.select_rows(after, EVENTS_MAX)
            saves = by_save(rows, [[command] for command in commands])
            for line, save in zip(batch, saves, strict=True):
                tape.write(json.dumps(line, separators=(",", ":")) + "\n")
                events = ",".join(
                    f"[{json.dumps(row.stream)},{json.dumps(row.topic)},{row.state.decode()}]" for row in save
                )
                facts.write(f"[{events}]\n")
                settled = [row for row in save if row.topic.startswith("coup-settled")]
                made.coups.append(settled[0].stream if settled else "")
                made.wins.append(_win(settled[0].state) if settled else ("", 0))
            bar.advance(task, sum(line["command"] == RECORD_COUP for line in batch))
    for path in folder.glob("deciding.db*"):
        path.unlink()
    return made


def _win(state: bytes) -> tuple[str, int]:
    facts = json.loads(state)
    assert {total["outcome"] for total in facts["totals"]} <= {outcome.value for outcome in Outcome}
    return f"{facts['premises']}/{facts['table']}", win_of(facts["totals"])
