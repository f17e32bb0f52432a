"""The cage's side of every table: floats, slips, cash boxes, charges, and the numbers of the slips.

What it keeps is what the table said, a row a fact; which count is whose opener or closer is worked out when
the rows are read (`cage_views`). An event of a table says which shift it belongs to or comes after the one
that does, and in a projection nobody can look back.

Amounts in minor units.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ledger.events.coup import CoupCorrected, CoupSettled, CoupVoided
from ledger.events.day import AdjustmentBooked
from ledger.events.table import (
    ChipsCredited,
    ChipsFilled,
    DropCounted,
    FloatCounted,
    ShiftChanged,
    SlipVoided,
    TableChargeTaken,
    TableClosed,
    TableOpened,
)
from ledger.terms.house import value_of
from projections.nights import Night, night_of
from projections.read_table import MAYBE_NUMBER, MAYBE_TEXT, NUMBER, TEXT, Columns, ReadTable, Writes

NIGHT: Columns = dict.fromkeys(("premises", "gaming_day", "table_name"), TEXT)
"""Whose night a row is of. The day stands before the table, because a day is what is mostly asked for."""

NIGHTS = ReadTable(
    "cage_nights",
    NIGHT,
    {"currency": TEXT, "format": TEXT, "shift": TEXT, "opener": NUMBER, "closer": MAYBE_NUMBER},
)
"""A table's opening, the shift it opened in, and its closer once it has closed."""

MOMENTS = ReadTable(
    "cage_moments",
    {**NIGHT, "sequence": NUMBER},
    {"shift": TEXT, "counted": MAYBE_NUMBER, "moved": NUMBER},
)
"""A change of shift (`counted` is null, `shift` the new one) or a count of the float in the shift in force.

`moved` is how often chips had moved by then: between two moments where it is the same, the float was.
"""

MOVED = ReadTable("cage_moved", NIGHT, {"moved": NUMBER})
"""How often chips have moved at a table: coups settled and ruled upon, fills, credits, charges."""

SLIPS = ReadTable(
    "cage_slips",
    {**NIGHT, "slip": TEXT},
    {"shift": TEXT, "moved": MAYBE_TEXT, "amount": NUMBER, "void": NUMBER},
)
"""A slip: "fill", "credit", or null for a number spoiled before chips moved; and whether (1) it is void."""

SERIES = ReadTable(
    "cage_series",
    {
        "premises": TEXT,
        "series": TEXT,
        "number": NUMBER,
        "gaming_day": TEXT,
        "table_name": TEXT,
        "slip": TEXT,
    },
    {},
)
"""Every number used, by its series: see `numbered`."""

BOXES = ReadTable(
    "cage_boxes", {**NIGHT, "shift": TEXT}, dict.fromkeys(("drops", "drop_amount", "charges"), NUMBER)
)
"""The cash boxes counted for a shift, how many and how much; and charges taken in it."""

ADJUSTMENTS = ReadTable(
    "cage_adjustments",
    {**NIGHT, "adjusts": TEXT, "currency": TEXT, "account": TEXT},
    {"amount": NUMBER},
)
"""What was booked on a later day about a sealed one, `adjusts`, added up by account."""

_CLOSES = (
    "UPDATE {cage_nights} SET closer = ? WHERE "  # the columns of NIGHT, in order
    "premises = ? AND gaming_day = ? AND table_name = ?"
)
_COUNTED_FROM = (
    "INSERT INTO {cage_moments} VALUES (?, ?, ?, ?, ?, ?, ? + COALESCE((SELECT moved FROM {cage_moved} "
    "WHERE premises = ? AND gaming_day = ? AND table_name = ?), 0))"
)
_VOIDS = (
    "INSERT INTO {cage_slips} VALUES (?, ?, ?, ?, ?, ?, ?, 1) "
    "ON CONFLICT (premises, gaming_day, table_name, slip) DO UPDATE SET void = 1"
)
"""A slip that is there keeps its shift and its amount: what is void never was, and never was there."""

_ACCOUNTS = frozenset({"drop", "fills", "credits", "opener", "closer", "charges"})
"""The figures of the cage that an adjustment may be booked to."""

Key = tuple[str, str, str]
"""The columns of `NIGHT`."""

NO_NUMBER = -1
_SERIAL = re.compile(r"(.*?)(\d{1,18})", re.ASCII)
"""A text, and as many digits after it as a number of the engines' can hold."""


class Numbered(NamedTuple):
    """A slip's place in its series: the text before its digits, and the number that those are."""

    series: str
    number: int
    """`NO_NUMBER` where it does not end in digits."""


def numbered(slip: str) -> Numbered:
    """The series and number of a slip: `PB1-0007` is number 7 of `PB1-`, and so is `PB1-7`."""
    found = _SERIAL.fullmatch(slip)
    return Numbered(found[1], int(found[2])) if found else Numbered(slip, NO_NUMBER)


class _Batch:
    """What one batch adds, by table."""

    def __init__(self) -> None:
        self.nights: list[tuple[Any, ...]] = []
        self.closers: list[tuple[Any, ...]] = []
        self.moments: list[tuple[Any, ...]] = []
        self.slips: list[tuple[Any, ...]] = []
        self.voids: list[tuple[Any, ...]] = []
        self.series: list[tuple[Any, ...]] = []
        self.moved: Counter[Key] = Counter()
        self.boxes: defaultdict[tuple[Any, ...], Counter[str]] = defaultdict(Counter)
        self.adjustments: Counter[tuple[Any, ...]] = Counter()

    def take(self, sequence: int, event: Any) -> None:
        _FOLD[event.TOPIC](self, sequence, event)

    def write(self, into: Writes) -> None:
        """Moments before what has moved: theirs is what had, before this batch, and since in it."""
        into.executemany(NIGHTS.put, self.nights)
        into.executemany(_CLOSES, self.closers)
        into.executemany(_COUNTED_FROM, self.moments)
        into.executemany(MOVED.add, [(*key, times) for key, times in self.moved.items()])
        into.executemany(SLIPS.put, self.slips)
        into.executemany(_VOIDS, self.voids)
        into.executemany(SERIES.put, self.series)
        boxes = [(*key, *(sums[name] for name in BOXES.values)) for key, sums in self.boxes.items()]
        into.executemany(BOXES.add, boxes)
        into.executemany(ADJUSTMENTS.add, [(*key, amount) for key, amount in self.adjustments.items()])


def _key(night: Night) -> Key:
    return night.premises, night.gaming_day, night.table


def _opened(batch: _Batch, _: int, event: TableOpened) -> None:
    batch.nights.append(
        (
            event.premises,
            event.gaming_day.isoformat(),
            event.table,
            event.currency,
            event.format,
            event.shift,
            value_of(event.opener),
            None,
        )
    )


def _closed(batch: _Batch, _: int, event: TableClosed) -> None:
    batch.closers.append((event.amount, *_key(night_of(event.stream))))


def _moment(batch: _Batch, sequence: int, event: ShiftChanged | FloatCounted, counted: int | None) -> None:
    key = _key(night_of(event.stream))
    batch.moments.append((*key, sequence, event.shift, counted, batch.moved[key], *key))


def _shift_changed(batch: _Batch, sequence: int, event: ShiftChanged) -> None:
    _moment(batch, sequence, event, None)


def _counted(batch: _Batch, sequence: int, event: FloatCounted) -> None:
    _moment(batch, sequence, event, event.amount)


def _slip(batch: _Batch, event: ChipsFilled | ChipsCredited | SlipVoided) -> Key:
    key = premises, gaming_day, table = _key(night_of(event.stream))
    batch.series.append((premises, *numbered(event.slip), gaming_day, table, event.slip))
    return key


def _filled(batch: _Batch, _: int, event: ChipsFilled) -> None:
    key = _slip(batch, event)
    batch.slips.append((*key, event.slip, event.shift, "fill", event.amount, 0))
    batch.moved[key] += 1


def _credited(batch: _Batch, _: int, event: ChipsCredited) -> None:
    key = _slip(batch, event)
    batch.slips.append((*key, event.slip, event.shift, "credit", event.amount, 0))
    batch.moved[key] += 1


def _voided(batch: _Batch, _: int, event: SlipVoided) -> None:
    key = _slip(batch, event)
    batch.voids.append((*key, event.slip, event.shift, event.voids, event.amount))


def _dropped(batch: _Batch, _: int, event: DropCounted) -> None:
    sums = batch.boxes[event.premises, event.gaming_day.isoformat(), event.table, event.shift]
    sums["drops"] += 1
    sums["drop_amount"] += event.amount


def _charged(batch: _Batch, _: int, event: TableChargeTaken) -> None:
    key = event.premises, event.gaming_day.isoformat(), event.table
    batch.boxes[*key, event.shift]["charges"] += event.amount
    batch.moved[key] += 1


def _played(batch: _Batch, _: int, event: CoupSettled | CoupCorrected | CoupVoided) -> None:
    batch.moved[event.premises, event.conditions.gaming_day.isoformat(), event.table] += 1


def _adjusted(batch: _Batch, _: int, event: AdjustmentBooked) -> None:
    if event.account.value in _ACCOUNTS:
        key = event.premises, event.gaming_day.isoformat(), event.table
        adjusts = event.adjusts.isoformat()
        batch.adjustments[*key, adjusts, event.currency, event.account.value] += event.amount


_FOLD: Mapping[str, Callable[[_Batch, int, Any], None]] = {
    TableOpened.TOPIC: _opened,
    ShiftChanged.TOPIC: _shift_changed,
    FloatCounted.TOPIC: _counted,
    ChipsFilled.TOPIC: _filled,
    ChipsCredited.TOPIC: _credited,
    SlipVoided.TOPIC: _voided,
    DropCounted.TOPIC: _dropped,
    TableChargeTaken.TOPIC: _charged,
    TableClosed.TOPIC: _closed,
    CoupSettled.TOPIC: _played,
    CoupCorrected.TOPIC: _played,
    CoupVoided.TOPIC: _played,
    AdjustmentBooked.TOPIC: _adjusted,
}


class Cage:
    """The projection; see `projections.projection.Projection`."""

    name = "cage"
    version = 1
    topics = tuple(_FOLD)
    tables = (NIGHTS, MOMENTS, MOVED, SLIPS, SERIES, BOXES, ADJUSTMENTS)

    def batch(self) -> _Batch:
        """Sorted by table in memory, then written, a statement for each."""
        return _Batch()
