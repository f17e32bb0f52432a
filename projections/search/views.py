"""What is looked for, along the indexes: a patron's coups, a table's around a moment, a slip's night.

Each is one query along primary keys, so that it costs the same on a ledger of any age. Minor units.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from ledger.store.port import Statements
from projections.cage.cage import NIGHTS, NO_NUMBER, SERIES, SLIPS, numbered
from projections.floor.floor import COUPS, TABLES
from projections.search.search import PATRONS

IN_HAND = "open"
"""The state of a coup that has not ended."""


class Found(NamedTuple):
    """A coup that was looked for.

    Attributes:
        at: when it was dealt; None: it has not ended.
        state: as in `floor_coups`, or `open`.
    """

    gaming_day: str
    table: str
    shoe: str
    number: int
    at: str | None
    state: str
    results: str


class SlipFound(NamedTuple):
    """Where a slip number was used. `moved`: fill, credit; None: it was spoiled before chips moved."""

    gaming_day: str
    table: str
    slip: str
    moved: str | None
    amount: int
    void: int
    currency: str


_SAME_NIGHT = " AND ".join(
    f"{{0}}.{column} = used.{column}" for column in ("premises", "gaming_day", "table_name")
)
_NIGHT = timedelta(days=2)
"""No table is open for longer before a coup of its gaming day is dealt."""
_ZONE = timedelta(days=1)
"""A gaming day may have the name of tomorrow in UTC."""


def coups_of_patron(
    statements: Statements, premises: str, patron: str, shoes_max: int, skip: int = 0
) -> tuple[list[Found], bool]:
    """The coups in which a patron staked, held the bank or disputed, the last gaming day first.

    Args:
        shoes_max: of how many shoes, after the `skip` latest.

    Returns:
        Them, and whether there are more.
    """
    sql = (
        "WITH played AS ("
        f"SELECT premises, gaming_day, table_name, shoe, numbers FROM {PATRONS.name} "
        "WHERE premises = ? AND patron = ? "
        "ORDER BY gaming_day DESC, table_name DESC, shoe DESC LIMIT ? OFFSET ?) "
        "SELECT played.gaming_day, played.table_name, played.shoe, played.numbers, "
        "ended.number, ended.dealt_at, ended.state, ended.results "
        f"FROM played LEFT JOIN {COUPS.name} AS ended ON ended.premises = played.premises "
        "AND ended.table_name = played.table_name AND ended.gaming_day = played.gaming_day "
        "AND ended.shoe = played.shoe "
        "ORDER BY played.gaming_day DESC, played.table_name DESC, played.shoe DESC, ended.number DESC"
    )
    numbers: dict[tuple[str, str, str], list[int]] = {}
    told: dict[tuple[str, str, str, int], tuple[str, str, str]] = {}
    for day, table, shoe, named, number, *ending in statements.execute(
        sql, [premises, patron, shoes_max + 1, skip]
    ):
        numbers.setdefault((day, table, shoe), sorted({int(one) for one in named.split()}, reverse=True))
        if number is not None:
            told[day, table, shoe, number] = (ending[0], ending[1], ending[2])
    shoes = list(numbers)[:shoes_max]
    found = [
        Found(*shoe, number, *told.get((*shoe, number), (None, IN_HAND, "")))
        for shoe in shoes
        for number in numbers[shoe]
    ]
    return found, len(numbers) > shoes_max


def coups_around(
    statements: Statements, premises: str, table: str | None, first: datetime, last: datetime, *, limit: int
) -> list[Found]:
    """The coups dealt from `first` on and before `last` (aware UTC), at one table or all, by time."""
    one, named = ("", []) if table is None else (" AND t.table_name = ?", [table])
    sql = (
        "SELECT coup.gaming_day, coup.table_name, coup.shoe, coup.number, coup.dealt_at, coup.state, "
        f"coup.results FROM {TABLES.name} AS t CROSS JOIN {COUPS.name} AS coup WHERE t.premises = ?{one} "
        "AND coup.premises = t.premises AND coup.table_name = t.table_name "
        "AND coup.gaming_day >= ? AND coup.gaming_day <= ? AND coup.dealt_at >= ? AND coup.dealt_at < ? "
        "ORDER BY coup.dealt_at, coup.table_name, coup.number LIMIT ?"
    )
    days = [(first - _NIGHT).date().isoformat(), (last + _ZONE).date().isoformat()]
    span = [first.isoformat(), last.isoformat()]
    return [Found(*row) for row in statements.execute(sql, [premises, *named, *days, *span, limit])]


def slip_uses(statements: Statements, premises: str, slip: str, limit: int) -> list[SlipFound]:
    """Where a slip of this number was used, the last gaming day first. `PB1-7` is `PB1-00007` as well."""
    series, number = numbered(slip)
    exact, told = (" AND used.slip = ?", [slip]) if number == NO_NUMBER else ("", [])
    sql = (
        "SELECT used.gaming_day, used.table_name, used.slip, slip.moved, slip.amount, slip.void, "
        f"night.currency FROM {SERIES.name} AS used "
        f"JOIN {SLIPS.name} AS slip ON {_SAME_NIGHT.format('slip')} AND slip.slip = used.slip "
        f"JOIN {NIGHTS.name} AS night ON {_SAME_NIGHT.format('night')} "
        f"WHERE used.premises = ? AND used.series = ? AND used.number = ?{exact} "
        "ORDER BY used.gaming_day DESC, used.table_name LIMIT ?"
    )
    rows = statements.execute(sql, [premises, series, number, *told, limit])
    return [SlipFound(*row) for row in rows]


def nights_beside(
    statements: Statements, premises: str, table: str, gaming_day: str
) -> tuple[str | None, str | None]:
    """The table's gaming days before and after this one on which coups were dealt, if there are."""
    of_table = (
        f"SELECT {{}}(gaming_day) FROM {COUPS.name} WHERE premises = ? AND table_name = ? AND gaming_day"
    )
    sql = f"SELECT ({of_table.format('MAX')} < ?), ({of_table.format('MIN')} > ?)"
    table_and_day = [premises, table, gaming_day]
    ((before, after),) = statements.execute(sql, [*table_and_day, *table_and_day])
    return before, after
