"""What patrons staked and won, linked by their tokens: each day, each table, value and promotional apart.

Only tokens are in the record; who a patron is stands outside it (README.md). Wagers without a token are
added up under the empty one, so that the figures say how much nobody can be linked to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ledger.events.coup import CoupCorrected, CoupSettled, CoupVoided, WagersReversed, WagersSettled
from ledger.events.table import BankPassed, BankTaken, TableOpened
from ledger.terms.house import BankedBy
from ledger.terms.wagers import Outcome, SettlementLine, Total
from projections.nights import booked, night_of
from projections.read_table import NUMBER, TEXT, ReadTable, Writes

_BY_PATRON = dict.fromkeys(("gaming_day", "premises", "patron", "table_name", "currency"), TEXT)

WAGERS = ReadTable(
    "patrons_wagers",
    {**_BY_PATRON, "tender": TEXT},
    dict.fromkeys(("wagers", "stakes", "winnings", "returned", "largest_stake", "largest_winnings"), NUMBER),
)
"""Settled wagers. A ruling takes back what it takes back, but the largest stake was staked all the same."""

BANKS = ReadTable(
    "patrons_banks", _BY_PATRON, dict.fromkeys(("banks", "put_up", "coups", "won", "largest_bank"), NUMBER)
)
"""Banks that patrons put up, and what they won with them (less than 0 when they lost)."""

NIGHTS = ReadTable(
    "patrons_nights", dict.fromkeys(("premises", "table_name", "gaming_day"), TEXT), {"currency": TEXT}
)
"""The currency of each table's gaming day, which an event about its bank does not repeat."""


def _summing(table: ReadTable) -> str:
    """SQL that adds a row to what is there under its key; of the columns called largest, the larger stays."""
    name = f"{{{table.name}}}"
    sets = []
    for column in table.values:
        there, new = f"{name}.{column}", f"excluded.{column}"
        larger = f"CASE WHEN {new} > {there} THEN {new} ELSE {there} END"
        sets.append(f"{column} = {larger if column.startswith('largest') else f'{there} + {new}'}")
    return f"ON CONFLICT ({', '.join(table.key)}) DO UPDATE SET {', '.join(sets)}"


def _insert(table: ReadTable) -> str:
    return f"INSERT INTO {{{table.name}}} VALUES ({', '.join('?' * len(table.columns))}) {_summing(table)}"


ADD_WAGERS = _insert(WAGERS)
ADD_BANKS = _insert(BANKS)
ADD_BANK_OF_NIGHT = f"""
    INSERT INTO {{patrons_banks}}
    SELECT night.gaming_day, night.premises, CAST(? AS TEXT), night.table_name, night.currency,
        1, CAST(? AS BIGINT), 0, 0, CAST(? AS BIGINT)
    FROM {{patrons_nights}} AS night
    WHERE night.premises = ? AND night.table_name = ? AND night.gaming_day = ?
    {_summing(BANKS)}"""
"""A bank was put up. Parameters: patron, sum, sum, premises, table, day."""


class _At(NamedTuple):
    """Where and when wagers are counted."""

    gaming_day: str
    premises: str
    table: str
    currency: str


Sums = dict[tuple[str | None, str], list[int]]
"""By patron and tender: what the values of `WAGERS` are, in their order."""


def _add(lines: Sequence[SettlementLine], sums: Sums) -> None:
    """Add settlement lines up. The one loop over every wager there is."""
    for line in lines:
        stake, winnings = line.stake, line.winnings
        key = (line.patron, line.tender)
        entry = sums.get(key)
        if entry is None:
            sums[key] = [1, stake, winnings, line.returned, stake, winnings]
            continue
        entry[0] += 1
        entry[1] += stake
        entry[2] += winnings
        entry[3] += line.returned
        if stake > entry[4]:  # noqa: PLR1730 a call for each wager costs more than all the rest
            entry[4] = stake
        if winnings > entry[5]:  # noqa: PLR1730
            entry[5] = winnings


def _amend(lines: Sequence[SettlementLine], sign: int, sums: Sums) -> None:
    """Take settlement lines back by a ruling (`sign` -1), or settle them anew: no stake is made by that."""
    for line in lines:
        entry = sums.setdefault((line.patron, line.tender), [0, 0, 0, 0, 0, 0])
        entry[0] += sign
        entry[1] += sign * line.stake
        entry[2] += sign * line.winnings
        entry[3] += sign * line.returned
        entry[5] = max(entry[5], sign * line.winnings)


def _banker_win(totals: Sequence[Total]) -> int:
    """What the bank won of these wagers, minor units; less than 0 when it lost."""
    return sum(total.stakes if total.outcome == Outcome.LOST else -total.winnings for total in totals)


Ending = CoupSettled | CoupCorrected | CoupVoided


def _where(event: Ending) -> _At:
    if event.TOPIC == CoupSettled.TOPIC:
        gaming_day = event.conditions.gaming_day.isoformat()
    else:
        gaming_day, _ = booked(event)  # type: ignore[arg-type]  # the topic says so
    premises, table = event.premises, event.table
    return _At(gaming_day, premises, table, event.conditions.currency)


class _Batch:
    """What a batch adds up to."""

    def __init__(self) -> None:
        self._pending: list[tuple[int, Sequence[SettlementLine]]] = []
        self._wagers: defaultdict[_At, Sums] = defaultdict(dict)
        self._banked: defaultdict[tuple[_At, str], list[int]] = defaultdict(lambda: [0, 0])
        self._put_up: list[tuple[Any, ...]] = []
        self._nights: list[tuple[str, ...]] = []

    def take(self, _: int, event: Any) -> None:
        _FOLD[event.TOPIC](self, event)

    def settled(self, event: WagersSettled) -> None:
        self._pending.append((1, event.lines))

    def reversed(self, event: WagersReversed) -> None:
        self._pending.append((-1, event.lines))

    def ended(self, event: Ending) -> None:
        """The lines before it are its own: they come in the same command, and say neither table nor day."""
        at = _where(event)
        if self._pending:
            sums = self._wagers[at]
            for sign, lines in self._pending:
                if event.TOPIC == CoupSettled.TOPIC:
                    _add(lines, sums)
                else:
                    _amend(lines, sign, sums)
            self._pending.clear()
        if event.conditions.banked_by == BankedBy.PLAYER:
            self._banker(event, at)

    def _banker(self, event: Ending, at: _At) -> None:
        if event.conditions.banker is None:
            return
        coups, won = _BANKED[event.TOPIC](event)
        entry = self._banked[at, event.conditions.banker]
        entry[0] += coups
        entry[1] += won

    def opened(self, event: TableOpened) -> None:
        self._nights.append((*night_of(event.stream), event.currency))

    def bank(self, event: BankTaken | BankPassed) -> None:
        self._put_up.append((event.holder, event.sum, event.sum, *night_of(event.stream)))

    def write(self, into: Writes) -> None:
        into.executemany(NIGHTS.put, self._nights)
        into.executemany(
            ADD_WAGERS,
            sorted(
                (at.gaming_day, at.premises, patron or "", at.table, at.currency, str(tender), *entry)
                for at, sums in self._wagers.items()
                for (patron, tender), entry in sums.items()
            ),
        )
        into.executemany(
            ADD_BANKS,
            [
                (at.gaming_day, at.premises, banker, at.table, at.currency, 0, 0, coups, won, 0)
                for (at, banker), (coups, won) in self._banked.items()
            ],
        )
        into.executemany(ADD_BANK_OF_NIGHT, self._put_up)


def _of_settled(event: CoupSettled) -> tuple[int, int]:
    return 1, event.banker_win or 0


def _of_corrected(event: CoupCorrected) -> tuple[int, int]:
    return 0, (event.banker_win or 0) - _banker_win(event.reversed_totals)


def _of_voided(event: CoupVoided) -> tuple[int, int]:
    return (0, 0) if event.reversed_totals is None else (-1, -_banker_win(event.reversed_totals))


_BANKED: Mapping[str, Any] = {
    CoupSettled.TOPIC: _of_settled,
    CoupCorrected.TOPIC: _of_corrected,
    CoupVoided.TOPIC: _of_voided,
}
"""How many coups a banker has settled more, and what he has won more (minor units)."""

_FOLD: Mapping[str, Any] = {
    WagersSettled.TOPIC: _Batch.settled,
    WagersReversed.TOPIC: _Batch.reversed,
    CoupSettled.TOPIC: _Batch.ended,
    CoupCorrected.TOPIC: _Batch.ended,
    CoupVoided.TOPIC: _Batch.ended,
    TableOpened.TOPIC: _Batch.opened,
    BankTaken.TOPIC: _Batch.bank,
    BankPassed.TOPIC: _Batch.bank,
}


class Patrons:
    """The projection; see `projections.projection.Projection`."""

    name = "patrons"
    version = 1
    topics = tuple(_FOLD)
    tables = (WAGERS, BANKS, NIGHTS)

    def batch(self) -> _Batch:
        """Added up in memory, then added to the tables, a statement for each."""
        return _Batch()
