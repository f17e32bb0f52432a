"""A table's gaming day as the cage's tables have it: its shifts, its slips, its boxes. Minor units.

A shift's opener and closer are counts made at its change, with no chips moved in between: the last count of
the shift that ends closes it, the first of the one that begins opens it, and where one of the two was not
made the other stands for both. Where neither was, they are unknown, and those of the day are not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ledger.store.port import Statements
from projections.cage.cage import BOXES, MOMENTS, NIGHTS, SLIPS, Key
from projections.pnl.views import PnlFilter


@dataclass(slots=True)
class Stretch:
    """A time during which one shift was in force at a table."""

    shift: str
    opener: int | None = None
    closer: int | None = None


class Slip(NamedTuple):
    slip: str
    shift: str
    moved: str | None
    amount: int
    void: int


class Box(NamedTuple):
    shift: str
    drops: int
    drop_amount: int
    charges: int


@dataclass(slots=True)
class CageNight:
    """A table's one gaming day, from opener to closer."""

    premises: str
    gaming_day: str
    table: str
    currency: str
    format: str
    opener: int
    closer: int | None
    stretches: list[Stretch]
    slips: list[Slip] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)


def nights(statements: Statements, wanted: PnlFilter) -> list[CageNight]:
    """Every night wanted, with its stretches, slips and boxes, by day, premises and table."""
    where, parameters = wanted.where()
    found: dict[Key, CageNight] = {}
    sql = f"SELECT {', '.join(NIGHTS.columns)} FROM {NIGHTS.name} {where}"
    for premises, day, table, currency, format, shift, opener, closer in statements.execute(sql, parameters):
        first = [Stretch(shift, opener)]
        found[premises, day, table] = CageNight(premises, day, table, currency, format, opener, closer, first)
    sql = f"SELECT {', '.join(MOMENTS.columns)} FROM {MOMENTS.name} {where} ORDER BY sequence"
    moments: defaultdict[Key, list[_Moment]] = defaultdict(list)
    for premises, day, table, _, *moment in statements.execute(sql, parameters):
        moments[premises, day, table].append(_Moment._make(moment))
    for key, night in found.items():
        night.stretches = _stretches(night, moments.get(key, ()))
    sql = f"SELECT {', '.join(SLIPS.columns)} FROM {SLIPS.name} {where}"
    for premises, day, table, *slip in statements.execute(sql, parameters):
        found[premises, day, table].slips.append(Slip._make(slip))
    sql = f"SELECT {', '.join(BOXES.columns)} FROM {BOXES.name} {where}"
    for premises, day, table, *box in statements.execute(sql, parameters):
        found[premises, day, table].boxes.append(Box._make(box))
    return [found[key] for key in sorted(found, key=lambda key: (key[1], key[0], key[2]))]


class _Moment(NamedTuple):
    """A change to another shift, where nothing is counted; or a count."""

    shift: str
    counted: int | None
    moved: int


def _stretches(night: CageNight, moments: Sequence[_Moment]) -> list[Stretch]:
    """Which shift was in force from when to when, and what was counted at each change."""
    stretches = night.stretches
    for at, moment in enumerate(moments):
        if moment.counted is None and moment.shift != stretches[-1].shift:
            before = next(_counts_at(moment, reversed(moments[:at])), None)
            after = next(_counts_at(moment, moments[at + 1 :]), None)
            stretches[-1].closer = after if before is None else before
            stretches.append(Stretch(moment.shift, before if after is None else after))
    stretches[-1].closer = night.closer
    return stretches


def _counts_at(change: _Moment, moments: Iterable[_Moment]) -> Iterator[int]:
    """What was counted between a change and its neighbours, the nearest first, while no chips moved."""
    for moment in moments:
        if moment.counted is None or moment.moved != change.moved:
            return
        yield moment.counted
