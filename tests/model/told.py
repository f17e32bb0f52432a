"""A house in a file with two processes at it, whose every command is told to the oracle too."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ledger.aggregates.table import Table
from ledger.answer import Answer
from ledger.application import Ledger
from ledger.events.coup import WagersReversed, WagersSettled
from ledger.store.sqlite_read_tables import SQLiteReadTables
from ops.verification import verify
from ops.wiring import House
from projections.cage.views import cage
from projections.pnl.views import PnlFilter, Span
from tests.oracle import cage as oracle_cage
from tests.oracle.night import pnl
from tests.oracle.notebook import Coup, CoupKey, coup_key
from tests.projections.houses import COUNTED, Line, Row, in_contract, read
from tests.tabletalk import command, events_of, open_ledger
from tests.verify.sealed import KEY, sign

LATER = datetime(2027, 4, 30, tzinfo=UTC)
"""When the ledger's clock stands: after every night."""
PROCESSES = 2
OBEYED_OR_NOT = {
    *("open-table", "close-table", "change-shift", "start-shoe", "end-shoe"),
    *("take-bank", "pass-bank", "retire-bank", "unseat-player"),
    *("record-coup", "open-coup", "call-banco", "cancel-wagers", "close-wagers", "deal-hands"),
    *("settle-coup", "correct-hands", "correct-coup", "void-coup"),
}
"""Commands that the oracle obeys by changing something and refuses by changing nothing."""


class Told:
    """What the ledger says and what the oracle says, of the same commands.

    Attributes:
        lines: what the oracle was told, in order.
        answered: every command with its first answer.
        frozen: the P&L rows of each sealed gaming day, as they were when it was sealed.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "ledger.db"
        self.writers = [open_ledger(self.path, lambda: LATER) for _ in range(PROCESSES)]
        self.at_work = 0
        self.tables = SQLiteReadTables(str(self.path))
        self.books = oracle_cage.Cage()
        self.lines: list[Line] = []
        self.answered: list[tuple[Line, Answer]] = []
        self.frozen: dict[str, list[Row]] = {}

    @property
    def ledger(self) -> Ledger:
        """The process at work."""
        return self.writers[self.at_work]

    @property
    def house(self) -> House:
        """The process at work, and the read tables."""
        return House(self.ledger, self.tables)

    def close(self) -> None:
        """Close every file."""
        self.tables.close()
        for writer in self.writers:
            writer.close()

    def restart(self) -> None:
        """The process at work ends, and another begins with nothing remembered."""
        self.ledger.close()
        self.writers[self.at_work] = open_ledger(self.path, lambda: LATER)
        self.tables.close()
        self.tables = SQLiteReadTables(str(self.path))

    # --- Saying ----------------------------------------------------------------------------------------

    def say(self, line: Line) -> Answer:
        """Both are told, and obey alike."""
        before = self._picture()
        answer = self._runs(line)
        self.lines.append(line)
        self.books.obey(line)
        if line["command"] in OBEYED_OR_NOT:
            assert answer.applied == (self._picture() != before), (line, answer)
        coup = self.coups.get(coup_key(line)) if "number" in line else None
        if coup is not None and answer.applied:
            assert answer.stage == coup.state, (line, answer)
            if coup.state == "settled":
                assert self.standing_lines(line) == oracles_lines(coup), line
        return answer

    def say_beside(self, line: Line) -> Answer:
        """The ledger alone is told: the oracle knows nothing of this."""
        return self._runs(line)

    def _runs(self, line: Line) -> Answer:
        answer = self.ledger.run(command(line))
        assert not answer.repeat
        if answer.outcome != "rejected":  # of which nothing is recorded, as of hands that are not the coup's
            self.answered.append((line, answer))
        return answer

    def say_again(self, at: int) -> None:
        """A command that was told before gives its first answer, whoever is at work; other content none."""
        line, first = self.answered[at]
        events = self.ledger.record.last_sequence()
        assert self.ledger.run(command(line)) == replace_repeat(first)
        other = self.ledger.run(command({**line, "actor": f"{line['actor']}-too"}))
        assert (other.outcome, other.code) == ("rejected", "command-id-used")
        assert self.ledger.record.last_sequence() == events

    # --- What the oracle has ---------------------------------------------------------------------------

    @property
    def coups(self) -> dict[CoupKey, Coup]:
        """The oracle's coups."""
        return self.books.night.coups

    def _picture(self) -> str:
        night = self.books.night
        return repr((night.nights, night.shoes, night.coups))

    # --- Comparing -------------------------------------------------------------------------------------

    def standing_lines(self, line: Line) -> list[tuple[Any, ...]]:
        """The settlement that stands, by the record: what came after the last reversal."""
        name = "/".join(map(str, coup_key(line)))
        standing: list[tuple[Any, ...]] = []
        for event in events_of(self.ledger, f"coup/{name}"):
            if isinstance(event, WagersReversed):
                standing.clear()
            if isinstance(event, WagersSettled):
                standing += [
                    (each.wager, each.kind, each.stake, each.outcome, each.winnings, each.paragraph)
                    for each in event.lines
                ]
        return standing

    def check_banks(self) -> None:
        """Who holds each open table's bank, for how much, and whether it must pass."""
        for (premises, name, day), table in self.books.night.nights.items():
            if not table.is_open:
                continue
            state = self.ledger.load(f"table/{premises}/{name}/{day}").state
            assert isinstance(state, Table)
            held = state.bank and (state.bank.holder, state.bank.sum, state.bank.must_pass)
            assert held == (table.bank and (table.bank.holder, table.bank.sum, table.bank.must_pass))
            assert state.banco_lost_by == table.suivi

    def check_pnl(self) -> None:
        """Open days are the oracle's; sealed ones are as they were; corrections make up the difference."""
        self.house.pnl_runner().catch_up()
        rows, expected = self._rows(), pnl(self.lines)
        for day, frozen in self.frozen.items():
            assert [row for row in rows if row["gaming_day"] == day] == frozen
        of_open_days = [row for row in rows if row["gaming_day"] not in self.frozen]
        of_shifts = [row for row in of_open_days if row["shift"] != "adjustment"]
        still_open = [row for row in expected if row["gaming_day"] not in self.frozen]
        assert of_shifts == still_open, (of_shifts, still_open)
        apart = [row for row in rows if row["gaming_day"] in self.frozen or row["shift"] == "adjustment"]
        assert _added(apart) == _added([row for row in expected if row["gaming_day"] in self.frozen])

    def freeze(self, day: str) -> None:
        """The day was sealed: from now on its rows stay."""
        self.house.pnl_runner().catch_up()
        self.frozen[day] = [row for row in self._rows() if row["gaming_day"] == day]

    def _rows(self) -> list[Row]:
        """The P&L in the contract's words, without shifts in which wagers were refused and no coup ended."""
        return [row for row in in_contract(read(self.house)) if _has_ended(row)]

    def check_cage(self) -> None:
        """Floats, slips, boxes and the win by inventory of every table's every day."""
        self.house.runner().catch_up()
        with self.tables.snapshot() as statements:
            told = [row.as_json() for row in cage(statements, PnlFilter(), Span.DAY)]
        plain = [
            {name: list(value) if isinstance(value, tuple) else value for name, value in row.items()}
            for row in told
        ]
        assert plain == oracle_cage.rows(self.lines, by_day=True)

    def seal_record(self) -> None:
        """Seal what is new, and sign it."""
        sign(self.house)

    def check_record(self) -> None:
        """`verify` finds nothing, by a process of its own."""
        self.house.runner().catch_up()
        self.seal_record()
        found = verify(str(self.path), [KEY.verifier])
        assert found.findings == []
        assert found.understood == found.events == self.ledger.record.last_sequence()


def oracles_lines(coup: Coup) -> list[tuple[Any, ...]]:
    """The oracle's settlement lines of a coup."""
    return [
        (line["wager"], line["kind"], line["covered"], line["outcome"], line["winnings"], line["paragraph"])
        for line in coup.lines
    ]


def replace_repeat(first: Answer) -> Answer:
    """An answer as it is given again."""
    return Answer(**{**{name: getattr(first, name) for name in first.__struct_fields__}, "repeat": True})


def _has_ended(row: Row) -> bool:
    coups = row["coups"] or row["voided"] or row["held"]
    return bool(coups) or row["drop"] is not None or row["shift"] == "adjustment"


def _added(rows: list[Row]) -> dict[str, int]:
    added: defaultdict[str, int] = defaultdict(int)
    for row in rows:
        for name in COUNTED:
            if row[name]:
                added[f"{row['table']} {name}"] += row[name]
    return {name: amount for name, amount in added.items() if amount}
