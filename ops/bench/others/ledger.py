"""This ledger: it is given commands, decides what the others are given as facts, and stores that."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ledger.commands import TAPE_LINE
from ops import logs
from ops.bench.contest import run_all
from ops.bench.others.protocol import Pnl, in_saves, serve
from ops.memory import few_collections
from ops.wiring import House, open_house
from projections.pnl.table_pnl import COUPS, WAGERS, TablePnl
from projections.runner import rebuild


class OurLedger:
    """See `ops.bench.others.protocol.Contestant`. Its lines are a tape's."""

    def __init__(self, given: dict[str, Any]) -> None:
        logs.configure()
        self._opened = open_house(given["db"], create=True)
        self._few = few_collections()
        self._house: House = self._opened.__enter__()
        self._few.__enter__()

    def prepare(self, lines: Sequence[str], size: int) -> Callable[[], object]:
        commands = [TAPE_LINE.validate_python(json.loads(line)) for line in lines]

        return partial(run_all, self._house, in_saves(commands, size))

    def project(self, coups: int, seconds: float) -> int:
        del coups, seconds  # it does all, and is never long
        self._house.pnl_runner().catch_up()
        return self._settled()

    def rebuild(self, coups: int, seconds: float) -> int:
        del coups, seconds
        rebuild(self._house.ledger.record, self._house.tables, (TablePnl(),))
        return self._settled()

    def _settled(self) -> int:
        with self._house.tables.snapshot() as statements:
            ((settled,),) = statements.execute(f"SELECT SUM(settled) FROM {COUPS.name}")
        return int(settled or 0)

    def replay(self, stream: str) -> int:
        return self._house.ledger.load(stream).version

    def pnl(self) -> Pnl:
        sql = (
            "SELECT premises, table_name, SUM(CASE outcome WHEN 'lost' THEN stakes ELSE -winnings END) "
            f"FROM {WAGERS.name} GROUP BY premises, table_name"
        )
        with self._house.tables.snapshot() as statements:
            return {f"{premises}/{table}": int(win) for premises, table, win in statements.execute(sql)}

    def close(self) -> None:
        self._few.__exit__(None, None, None)
        self._opened.__exit__(None, None, None)


if __name__ == "__main__":
    serve(OurLedger)
