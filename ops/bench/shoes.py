"""The coups of a load, shoe by shoe: what comes before them, and they."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ops.rehearsal.deal import load

RECORD_COUP = "record-coup"
_FOREVER = 10**9
Line = dict[str, Any]


class Shoe(NamedTuple):
    """What comes before a shoe's coups, and the coups."""

    before: list[Line]
    coups: list[Line]


def shoes_of(table: int) -> Iterator[Shoe]:
    """One table's tape, at a premises of its own, for as long as anybody asks."""
    shoe = Shoe([], [])
    for line in load(_FOREVER, seed=table, tables=1):
        if line["command"] == RECORD_COUP:
            shoe.coups.append(line)
            continue
        if shoe.coups:
            yield shoe
            shoe = Shoe([], [])
        shoe.before.append(line)
