"""What the cage's tables say, as rows. Plain queries, whole numbers; amounts in minor units."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from ledger.store.port import Statements
from ledger.terms.books import ADJUSTMENT
from projections.cage.cage import ADJUSTMENTS, NIGHTS
from projections.cage.findings import (
    CageFinding,
    ChainBroken,
    SlipFinding,
    SlipsMissing,
    SlipTwice,
    SlipUse,
    chain,
    slip_gaps,
)
from projections.cage.nights import CageNight, Stretch, nights
from projections.pnl.views import PnlFilter, Span

__all__ = [
    "CageFinding",
    "CageRow",
    "ChainBroken",
    "SlipFinding",
    "SlipTwice",
    "SlipUse",
    "SlipsMissing",
    "cage",
    "chain",
    "slip_gaps",
]


@dataclass(frozen=True, slots=True)
class CageRow:
    """One table's one shift, or its gaming day.

    Attributes:
        shift: None when the row covers the day; `adjustment` where it is what was booked on this day about
            sealed ones, which is a row of its own also by day. Its figures are signed, and are all known.
        format: None for an adjustment to a day that the ledger does not know.
        opener, closer: the float; None while not counted. Of a shift that was in force more than once, those
            of each time added up.
        fills, credits: what the slips that are not void have moved.
        drop: the cash boxes; None while one of the row's shifts has none counted.
        charges: taken for taking part.
        fill_slips, credit_slips, void_slips: serial numbers. A void slip is in none of the other figures; it
            stands in the shift that it was of.
        opened, closed: whether the table has, for this gaming day.
    """

    premises: str
    table: str
    gaming_day: str
    shift: str | None
    currency: str
    format: str | None
    opener: int | None = None
    closer: int | None = None
    fills: int = 0
    credits: int = 0
    drop: int | None = None
    charges: int = 0
    fill_slips: tuple[str, ...] = ()
    credit_slips: tuple[str, ...] = ()
    void_slips: tuple[str, ...] = ()
    opened: bool = True
    closed: bool = False

    @property
    def win_by_inventory(self) -> int | None:
        """The drop + closer + credits - opener - fills (domain §4.1); None while one of them is unknown."""
        if self.drop is None or self.closer is None or self.opener is None:
            return None
        return self.drop + self.closer + self.credits - self.opener - self.fills

    def as_json(self) -> dict[str, Any]:
        """The row for programs."""
        figures = {each.name: getattr(self, each.name) for each in fields(self)}
        return figures | {"win_by_inventory": self.win_by_inventory}


def cage(statements: Statements, wanted: PnlFilter, span: Span = Span.SHIFT) -> list[CageRow]:
    """Floats, slips and boxes, by day, premises and table; shifts as they came, adjustments last.

    Args:
        statements: a transaction on the read tables of `cage`.
        wanted: which tables and days.
        span: a row a shift, or a row a day.

    Raises:
        ValueError: of a month there is no float.
    """
    if span is Span.MONTH:
        msg = "a float is counted by shift and day, not by month"
        raise ValueError(msg)
    rows = [
        row
        for night in nights(statements, wanted)
        for row in ([_row(night, None)] if span is Span.DAY else _rows_of_shifts(night))
    ]
    rows += _adjustments(statements, wanted)
    rows.sort(key=lambda row: (row.gaming_day, row.premises, row.table))  # shifts keep their order
    return rows


def _rows_of_shifts(night: CageNight) -> list[CageRow]:
    """A row for each shift, as they came; last those that only a slip or a box speaks of."""
    named = [stretch.shift for stretch in night.stretches]
    others = {slip.shift for slip in night.slips} | {box.shift for box in night.boxes}
    return [_row(night, shift) for shift in dict.fromkeys([*named, *sorted(others)])]


def _row(night: CageNight, shift: str | None) -> CageRow:
    """One shift of a night, or all of it."""
    stretches = [stretch for stretch in night.stretches if shift in (None, stretch.shift)]
    slips = sorted(slip for slip in night.slips if shift in (None, slip.shift))
    boxes = [box for box in night.boxes if shift in (None, box.shift)]
    fills = [slip for slip in slips if slip.moved == "fill" and not slip.void]
    taken = [slip for slip in slips if slip.moved == "credit" and not slip.void]
    whole = [Stretch("", night.opener, night.closer)]
    floats = whole if shift is None else stretches
    counted = {box.shift for box in boxes if box.drops}
    uncounted = {stretch.shift for stretch in stretches} - counted
    return CageRow(
        premises=night.premises,
        table=night.table,
        gaming_day=night.gaming_day,
        shift=shift,
        currency=night.currency,
        format=night.format,
        opener=_known_sum(stretch.opener for stretch in floats),
        closer=_known_sum(stretch.closer for stretch in floats),
        fills=sum(slip.amount for slip in fills),
        credits=sum(slip.amount for slip in taken),
        drop=sum(box.drop_amount for box in boxes) if counted and not uncounted else None,
        charges=sum(box.charges for box in boxes),
        fill_slips=tuple(slip.slip for slip in fills),
        credit_slips=tuple(slip.slip for slip in taken),
        void_slips=tuple(slip.slip for slip in slips if slip.void),
        opened=True,
        closed=night.closer is not None,
    )


def _known_sum(parts: Iterable[int | None]) -> int | None:
    """The sum, where there is something to add up and all of it is known."""
    added = list(parts)
    known = [part for part in added if part is not None]
    return sum(known) if added and len(known) == len(added) else None


def _adjustments(statements: Statements, wanted: PnlFilter) -> list[CageRow]:
    """What was booked on these days about sealed ones, a row a table and day."""
    where, parameters = wanted.where()
    figures: defaultdict[tuple[str, ...], dict[str, Any]] = defaultdict(
        lambda: dict.fromkeys(("opener", "closer", "fills", "credits", "drop", "charges"), 0)
    )
    formats: dict[tuple[str, ...], str | None] = {}
    # The night adjusted is the table's own, of another day.
    sql = (
        f"SELECT {', '.join(ADJUSTMENTS.columns)}, (SELECT format FROM {NIGHTS.name} AS night WHERE "
        f"night.premises = {ADJUSTMENTS.name}.premises AND night.gaming_day = adjusts AND "
        f"night.table_name = {ADJUSTMENTS.name}.table_name) FROM {ADJUSTMENTS.name} {where} ORDER BY adjusts"
    )
    for premises, day, table, _, currency, account, amount, format in statements.execute(sql, parameters):
        key = (premises, day, table, currency)
        figures[key][account] += amount
        formats[key] = format
    return [
        CageRow(
            premises=premises,
            table=table,
            gaming_day=day,
            shift=ADJUSTMENT,
            currency=currency,
            format=formats[premises, day, table, currency],
            opened=False,
            **amounts,
        )
        for (premises, day, table, currency), amounts in figures.items()
    ]
