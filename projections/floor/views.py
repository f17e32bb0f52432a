"""The floor as it stands, and the coups of a night or a shoe. Plain queries, each along a primary key.

What they read does not grow with the ledger: the tables of a premises, a shoe's coups, a night's. Amounts in
minor units.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from ledger.store.port import Statements
from projections.floor.floor import COUPS, TABLES
from projections.pnl.table_pnl import WAGERS


class TableNow(NamedTuple):
    """A table's last gaming day, as `floor_tables` has it."""

    premises: str
    table: str
    gaming_day: str
    shift: str
    format: str
    currency: str
    opened_at: str
    closed_at: str | None
    shoe: str | None
    shoe_ended: int
    holder: str | None
    bank: int | None
    must_pass: int


class KindSums(NamedTuple):
    """What the wagers of one kind and tender that ended alike came to in a coup. Minor units."""

    kind: str
    tender: str
    outcome: str
    wagers: int
    stakes: int
    winnings: int

    @classmethod
    def of(cls, text: str) -> KindSums:
        """As `floor_coups` has them."""
        kind, tender, outcome, wagers, stakes, winnings = text.split(" ")
        return cls(kind, tender, outcome, int(wagers), int(stakes), int(winnings))


class CoupRow(NamedTuple):
    """A coup, as `floor_coups` has it."""

    premises: str
    table: str
    gaming_day: str
    shoe: str
    number: int
    sequence: int
    dealt_at: str
    occurred_at: str
    shift: str
    state: str
    results: str
    banked_by: str
    banker: str | None
    currency: str
    profile: str
    decks: int
    banker_on_draw: str
    wagers: int
    stakes: int
    win: int
    totals: str

    def results_by_hand(self) -> Mapping[str, str]:
        """Each opposing hand's result, `W`, `L` or `D` against the banker; none where nothing stands."""
        return by_hand(self.results)

    def sums(self) -> list[KindSums]:
        """The coup's totals."""
        return [KindSums.of(part) for part in self.totals.split(";") if part]


class Dealt(NamedTuple):
    """What the roads want to know of a coup."""

    table: str
    shoe: str
    number: int
    dealt_at: str
    state: str
    results: str

    def results_by_hand(self) -> Mapping[str, str]:
        """Each opposing hand's result, `W`, `L` or `D` against the banker; none where nothing stands."""
        return by_hand(self.results)


@lru_cache(maxsize=256)
def by_hand(results: str) -> Mapping[str, str]:
    """Results as `floor_coups` has them, by hand."""
    return dict(pair.split("=") for pair in results.split())


_DEALT = "coup.table_name, coup.shoe, coup.number, coup.dealt_at, coup.state, coup.results"
_COLUMNS = ", ".join(f"coup.{column}" for column in COUPS.columns)
_THEN = "CROSS JOIN"
"""A join in this order: SQLite takes this one as it is written, and begins with the few tables there are."""
_SAME_NIGHT = " AND ".join(
    f"{{0}}.{column} = t.{column}" for column in ("premises", "table_name", "gaming_day")
)


def _some(table: str | None) -> tuple[str, list[str]]:
    return ("", []) if table is None else (" AND t.table_name = ?", [table])


def tables_now(statements: Statements, premises: str, table: str | None = None) -> list[TableNow]:
    """The tables of a premises, or one of them, by name."""
    one, named = _some(table)
    sql = (
        f"SELECT {', '.join(TABLES.columns)} FROM {TABLES.name} AS t "
        f"WHERE t.premises = ?{one} ORDER BY t.table_name"
    )
    return [TableNow(*row) for row in statements.execute(sql, [premises, *named])]


def coups_of_last_shoes(statements: Statements, premises: str, table: str | None = None) -> list[Dealt]:
    """The coups of each table's last shoe, by table and number."""
    one, named = _some(table)
    sql = (
        f"SELECT {_DEALT} FROM {TABLES.name} AS t {_THEN} {COUPS.name} AS coup "
        f"WHERE t.premises = ?{one} AND {_SAME_NIGHT.format('coup')} AND coup.shoe = t.shoe "
        "ORDER BY coup.table_name, coup.number"
    )
    return [Dealt(*row) for row in statements.execute(sql, [premises, *named])]


def wins_of_last_days(
    statements: Statements, premises: str, table: str | None = None
) -> dict[tuple[str, str], tuple[int, int]]:
    """Each table's win and handle on its last gaming day, by table and whose bank it was (house, player)."""
    one, named = _some(table)
    sql = (
        "SELECT wager.table_name, wager.banked_by, "
        "CAST(SUM(CASE wager.outcome WHEN 'lost' THEN wager.stakes ELSE 0 END - wager.winnings) AS BIGINT), "
        "CAST(SUM(wager.stakes) AS BIGINT) "
        f"FROM {TABLES.name} AS t {_THEN} {WAGERS.name} AS wager "
        f"WHERE t.premises = ?{one} AND {_SAME_NIGHT.format('wager')} "
        "GROUP BY wager.table_name, wager.banked_by"
    )
    rows = statements.execute(sql, [premises, *named])
    return {(name, side): (win, handle) for name, side, win, handle in rows}


def coups_of_night(statements: Statements, premises: str, table: str, gaming_day: str) -> list[CoupRow]:
    """The coups of a table's gaming day, in the order in which they were dealt."""
    sql = (
        f"SELECT {_COLUMNS} FROM {COUPS.name} AS coup "
        "WHERE coup.premises = ? AND coup.table_name = ? AND coup.gaming_day = ? "
        "ORDER BY coup.dealt_at, coup.shoe, coup.number"
    )
    return [CoupRow(*row) for row in statements.execute(sql, [premises, table, gaming_day])]
