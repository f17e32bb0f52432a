"""Where coups are found by a patron's token: an index, as a read table has its primary key and no other.

What the floor and the cage keep is found along their own keys; see `views`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ledger.events.coup import CoupOpened, DisputeRaised, WagerRefused, WagersPlaced
from ledger.events.table import ShoeStarted
from projections.nights import night_of
from projections.read_table import TEXT, ReadTable, Writes

SHOES = ReadTable(
    "search_shoes", dict.fromkeys(("premises", "table_name", "shoe"), TEXT), {"gaming_day": TEXT}
)
"""The gaming day of each shoe: a wager's event only names its coup."""

PATRONS = ReadTable(
    "search_patrons",
    dict.fromkeys(("premises", "patron", "gaming_day", "table_name", "shoe"), TEXT),
    {"numbers": TEXT},
)
"""The coups of a shoe in which a patron staked, held the bank or disputed: their numbers with blanks between,
as often as the record names them, so that it does not matter in what batches it was read."""

_MORE = f"""
    ON CONFLICT ({", ".join(PATRONS.key)})
    DO UPDATE SET numbers = {{search_patrons}}.numbers || ' ' || excluded.numbers"""
_NAMED = f"INSERT INTO {{search_patrons}} VALUES (?, ?, ?, ?, ?, ?) {_MORE}"
_NAMED_LATER = f"""
    INSERT INTO {{search_patrons}}
    SELECT shoe.premises, CAST(? AS TEXT), shoe.gaming_day, shoe.table_name, shoe.shoe, CAST(? AS TEXT)
    FROM {{search_shoes}} AS shoe WHERE shoe.premises = ? AND shoe.table_name = ? AND shoe.shoe = ? {_MORE}"""
"""Of a shoe that an earlier batch started. Parameters: patron, numbers, premises, table, shoe."""


class _Batch:
    """What one batch adds, by table."""

    def __init__(self) -> None:
        self._days: dict[tuple[str, ...], str] = {}
        """Of the shoes that started in it."""
        self._named: defaultdict[tuple[str, ...], defaultdict[str, list[str]]] = defaultdict(
            lambda: defaultdict(list)
        )
        """By shoe and patron."""

    def take(self, _: int, event: Any) -> None:
        _FOLD[event.TOPIC](self, event)

    def started(self, event: ShoeStarted) -> None:
        premises, table, gaming_day = night_of(event.stream)
        self._days[premises, table, event.shoe] = gaming_day

    def opened(self, event: CoupOpened) -> None:
        self._name(event.stream, (event.conditions.banker,))

    def placed(self, event: WagersPlaced) -> None:
        self._name(event.stream, dict.fromkeys([wager.patron for wager in event.wagers]))

    def refused(self, event: WagerRefused) -> None:
        self._name(event.stream, (event.wager.patron,))

    def disputed(self, event: DisputeRaised) -> None:
        self._name(event.stream, (event.patron,))

    def _name(self, coup: str, patrons: Iterable[str | None]) -> None:
        _, *shoe, number = coup.split("/")
        named = self._named[tuple(shoe)]
        for patron in patrons:
            if patron is not None:
                named[patron].append(number)

    def write(self, into: Writes) -> None:
        """Shoes first: who staked is placed by them."""
        into.executemany(SHOES.put, [(*shoe, day) for shoe, day in self._days.items()])
        placed, later = [], []
        for shoe, named in self._named.items():
            premises, *at = shoe
            day = self._days.get(shoe)
            for patron, numbers in named.items():
                if day is None:
                    later.append((patron, " ".join(numbers), *shoe))
                else:
                    placed.append((premises, patron, day, *at, " ".join(numbers)))
        into.executemany(_NAMED, sorted(placed))
        into.executemany(_NAMED_LATER, sorted(later))


_FOLD: Mapping[str, Callable[[_Batch, Any], None]] = {
    ShoeStarted.TOPIC: _Batch.started,
    CoupOpened.TOPIC: _Batch.opened,
    WagersPlaced.TOPIC: _Batch.placed,
    WagerRefused.TOPIC: _Batch.refused,
    DisputeRaised.TOPIC: _Batch.disputed,
}


class Search:
    """The projection; see `projections.projection.Projection`."""

    name = "search"
    version = 1
    topics = tuple(_FOLD)
    tables = (SHOES, PATRONS)

    def batch(self) -> _Batch:
        """Sorted by shoe and patron in memory, then written, a statement for each table."""
        return _Batch()
