"""Profit and loss, a row for each table, gaming day, shift and side that holds the bank."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from ops.export.sheet import Cell, Column, Holds, Row, Sheet, Source
from ops.export.wagers import parts_of
from projections.pnl.table_pnl import COUPS
from projections.pnl.views import PnlFilter, PnlRow, pnl

COLUMNS = (
    Column("premises", Holds.TEXT),
    Column("gaming_day", Holds.DAY),
    Column("shift", Holds.TEXT, "`adjustment`: rulings on coups of a day that was sealed before"),
    Column("table", Holds.TEXT),
    Column("format", Holds.TEXT),
    Column("banked_by", Holds.TEXT, "`house` or `player`"),
    Column("coups", Holds.NUMBER, "settled"),
    Column("voided", Holds.NUMBER, "coups"),
    Column("held", Holds.NUMBER, "coups that wait for a ruling"),
    Column("in_hand", Holds.NUMBER, "coups that have not ended; their stakes are in no figure"),
    Column("wagers", Holds.NUMBER, "settled"),
    Column("handle", Holds.MONEY, "all stakes of settled coups, those handed back too"),
    Column("lost_stakes", Holds.MONEY),
    Column("winnings", Holds.MONEY, "as paid"),
    Column("win", Holds.MONEY, "the house's; 0 where players hold the bank"),
    Column("banker_win", Holds.MONEY, "the players' who held the bank"),
    Column("void_stakes", Holds.MONEY, "handed back under 6(4)"),
    Column("stand_off_stakes", Holds.MONEY, "handed back by house rule"),
    Column("voided_coup_stakes", Holds.MONEY, "handed back because the coup was ruled void"),
    Column("promotional_stakes", Holds.MONEY, "of the handle"),
    Column("remainder_parts", Holds.PARTS, "what rounding paid beyond the odds"),
    Column("theoretical_win", Holds.MONEY, "to the nearest minor unit; `pnl --json` has it exactly"),
    Column("drop", Holds.MONEY, "empty until every box is counted"),
    Column("currency", Holds.TEXT),
)


def rows(source: Source, wanted: PnlFilter) -> Iterator[Row]:
    """The rows of `pnl`, a gaming day at a time."""
    where, parameters = wanted.where()
    sql = f"SELECT DISTINCT gaming_day FROM {COUPS.name} {where} ORDER BY gaming_day"  # noqa: S608 only our own names
    for (day,) in source.statements.execute(sql, parameters):
        on = date.fromisoformat(day)
        for row in pnl(source.statements, replace(wanted, first_day=on, last_day=on)):
            yield [_cell(row, column) for column in COLUMNS]


def _cell(row: PnlRow, column: Column) -> Cell:
    if column.holds is Holds.DAY:
        return date.fromisoformat(row.gaming_day)
    if column.holds is Holds.PARTS:
        return parts_of(row.remainder)
    if column.name == "theoretical_win":
        return None if row.theoretical_win is None else round(row.theoretical_win)
    value: Cell = getattr(row, column.name)
    return value


PNL = Sheet("pnl", COLUMNS, rows)
