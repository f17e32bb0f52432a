"""Every table as it stands now, and an index of coups: what each came to, by where it was dealt.

A coup is one row, whose totals say everything that figures of single coups are made from. All amounts in
minor units.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from ledger.events.coup import CoupCorrected, CoupSettled, CoupVoided, IrregularityFound
from ledger.events.table import (
    BankPassed,
    BankRetired,
    BankSettled,
    BankTaken,
    ShiftChanged,
    ShoeEnded,
    ShoeStarted,
    TableClosed,
    TableOpened,
)
from ledger.terms.hands import Result
from ledger.terms.house import Conditions
from ledger.terms.wagers import Outcome, Total
from projections.nights import night_of
from projections.read_table import MAYBE_NUMBER, MAYBE_TEXT, NUMBER, TEXT, ReadTable, Writes

TABLES = ReadTable(
    "floor_tables",
    {"premises": TEXT, "table_name": TEXT},
    {
        "gaming_day": TEXT,
        "shift": TEXT,
        "format": TEXT,
        "currency": TEXT,
        "opened_at": TEXT,
        "closed_at": MAYBE_TEXT,
        "shoe": MAYBE_TEXT,
        "shoe_ended": NUMBER,
        "holder": MAYBE_TEXT,
        "bank": MAYBE_NUMBER,
        "must_pass": NUMBER,
    },
)
"""A table's last gaming day: its last shoe, and the player who holds the bank, if one does."""

COUPS = ReadTable(
    "floor_coups",
    {"premises": TEXT, "table_name": TEXT, "gaming_day": TEXT, "shoe": TEXT, "number": NUMBER},
    {
        "sequence": NUMBER,
        "dealt_at": TEXT,
        "occurred_at": TEXT,
        "shift": TEXT,
        "state": TEXT,
        "results": TEXT,
        "banked_by": TEXT,
        "banker": MAYBE_TEXT,
        "currency": TEXT,
        "profile": TEXT,
        "decks": NUMBER,
        "banker_on_draw": TEXT,
        "wagers": NUMBER,
        "stakes": NUMBER,
        "win": NUMBER,
        "totals": TEXT,
    },
)
"""A coup, as the last word on it stands.

`state` is settled, corrected, void or held; `sequence` and `occurred_at` are of the event that said so, and
`dealt_at` is when the first one did. `results` are pairs as
`player=W`, with blanks between them, empty where none stand. `win` is the bank's, whoever holds it. `totals`
are `kind tender outcome wagers stakes winnings`, with a semicolon between them.
"""

_OF_NIGHT = "WHERE premises = ? AND table_name = ? AND gaming_day = ?"
_SHIFT = f"UPDATE {{floor_tables}} SET shift = ? {_OF_NIGHT}"
_SHOE = f"UPDATE {{floor_tables}} SET shoe = ?, shoe_ended = ? {_OF_NIGHT}"
_BANK = f"UPDATE {{floor_tables}} SET holder = ?, bank = ?, must_pass = ? {_OF_NIGHT}"
_BANK_MOVED = f"UPDATE {{floor_tables}} SET bank = ?, must_pass = ? {_OF_NIGHT}"
_CLOSED = f"UPDATE {{floor_tables}} SET closed_at = ? {_OF_NIGHT}"

COUP = COUPS.put.replace("dealt_at = excluded.dealt_at, ", "")
"""A later word on a coup takes the place of an earlier one, but for when it was dealt."""

Written = tuple[str, tuple[Any, ...]]
"""A statement and its parameters."""

_LETTERS = {Result.WINS: "W", Result.LOSES: "L", Result.DRAW: "D"}


def _opened(event: TableOpened) -> Written:
    row = (
        event.premises,
        event.table,
        event.gaming_day.isoformat(),
        event.shift,
        event.format,
        event.currency,
    )
    return TABLES.put, (*row, event.occurred_at.isoformat(), None, None, 0, None, None, 0)


def _of_table(sql: str, *members: Callable[[Any], Any]) -> Callable[[Any], Written]:
    """Sets columns of the table's row to what these say of an event."""

    def written(event: Any) -> Written:
        return sql, (*(member(event) for member in members), *night_of(event.stream))

    return written


def _always(value: Any) -> Callable[[Any], Any]:
    return lambda _: value


def _name(member: str) -> Callable[[Any], Any]:
    return lambda event: getattr(event, member)


def _coup(event: Any, state: str, results: Mapping[str, Result], totals: Sequence[Total]) -> Written:
    _, premises, table, shoe, number = event.stream.split("/")
    pinned: Conditions = event.conditions
    at = event.occurred_at.isoformat()
    wagers = stakes = win = 0
    told = []
    for one in totals:  # once through: this is done for every coup there ever was
        wagers += one.wagers
        stakes += one.stakes
        win += (one.stakes if one.outcome is Outcome.LOST else 0) - one.winnings
        told.append(f"{one.kind} {one.tender} {one.outcome} {one.wagers} {one.stakes} {one.winnings}")
    return COUP, (
        premises,
        table,
        pinned.gaming_day.isoformat(),
        shoe,
        int(number),
        0,  # its sequence: whoever takes the event knows it
        at,
        at,
        pinned.shift,
        state,
        " ".join([f"{name}={_LETTERS[result]}" for name, result in results.items()]),
        pinned.banked_by.value,
        pinned.banker,
        pinned.currency,
        pinned.profile,
        pinned.decks,
        pinned.terms.banker_on_draw.value,
        wagers,
        stakes,
        win,
        ";".join(told),
    )


_FOLD: Mapping[str, Callable[[Any], Written]] = {
    TableOpened.TOPIC: _opened,
    ShiftChanged.TOPIC: _of_table(_SHIFT, _name("shift")),
    ShoeStarted.TOPIC: _of_table(_SHOE, _name("shoe"), _always(0)),
    ShoeEnded.TOPIC: _of_table(_SHOE, _name("shoe"), _always(1)),
    BankTaken.TOPIC: _of_table(_BANK, _name("holder"), _name("sum"), _always(0)),
    BankPassed.TOPIC: _of_table(_BANK, _name("holder"), _name("sum"), _always(0)),
    BankRetired.TOPIC: _of_table(_BANK, _always(None), _always(None), _always(0)),
    BankSettled.TOPIC: _of_table(_BANK_MOVED, _name("sum"), lambda event: int(event.must_pass)),
    TableClosed.TOPIC: _of_table(_CLOSED, lambda event: event.occurred_at.isoformat()),
    CoupSettled.TOPIC: lambda event: _coup(event, "settled", event.results, event.totals),
    CoupCorrected.TOPIC: lambda event: _coup(event, "corrected", event.results, event.totals),
    CoupVoided.TOPIC: lambda event: _coup(event, "void", {}, ()),
    IrregularityFound.TOPIC: lambda event: _coup(event, "held", {}, ()),
}
_SEQUENCE, _DEALT = (COUPS.columns.index(name) for name in ("sequence", "dealt_at"))


class _Batch:
    """What each event says. The two tables are independent, so each keeps its own order."""

    def __init__(self) -> None:
        self._tables: list[Written] = []
        self._coups: dict[tuple[Any, ...], tuple[Any, ...]] = {}

    def take(self, sequence: int, event: Any) -> None:
        sql, row = _FOLD[event.TOPIC](event)
        if sql is not COUP:
            self._tables.append((sql, row))
            return
        key = row[: len(COUPS.key)]
        before = self._coups.get(key, row)
        self._coups[key] = (*row[:_SEQUENCE], sequence, before[_DEALT], *row[_DEALT + 1 :])

    def write(self, into: Writes) -> None:
        for statement, written in groupby(self._tables, itemgetter(0)):
            into.executemany(statement, [row for _, row in written])
        into.executemany(COUP, list(self._coups.values()))


class Floor:
    """The projection; see `projections.projection.Projection`."""

    name = "floor"
    version = 1
    topics = tuple(_FOLD)
    tables = (TABLES, COUPS)

    def batch(self) -> _Batch:
        """Rows by what each event says."""
        return _Batch()
