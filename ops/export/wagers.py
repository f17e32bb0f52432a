"""Settled wagers, a row each. What a ruling took back comes again, with its amounts turned round."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from itertools import groupby
from operator import attrgetter
from typing import Any

from ledger.events.coup import CoupCorrected, CoupSettled, CoupVoided, WagersReversed, WagersSettled
from ledger.events.plain import decode_plain
from ledger.store.port import Row as Stored
from ledger.terms.wagers import SettlementLine
from ops.export.sheet import Column, Holds, Row, Sheet, Source
from projections.pnl.views import PnlFilter
from projections.postings.chart import PARTS
from projections.postings.views import BookedEntry, entries

COLUMNS = (
    Column("premises", Holds.TEXT),
    Column("gaming_day", Holds.DAY, "on which it is booked"),
    Column("shift", Holds.TEXT, "`adjustment` where the coup's own day was sealed before a ruling on it"),
    Column("table", Holds.TEXT),
    Column("coup", Holds.TEXT, "as `coup show` takes it"),
    Column("sequence", Holds.NUMBER, "of the event that settled the coup or ruled on it, in the record"),
    Column("settled_at", Holds.MOMENT, "by the table system's clock"),
    Column("entry", Holds.TEXT, "`coup-settled`; of a ruling `settlement-reversed`, `coup-corrected`"),
    Column("adjusts", Holds.DAY, "the sealed day that the coup was played on, where a ruling came later"),
    Column("format", Holds.TEXT),
    Column("banked_by", Holds.TEXT, "`house` or `player`; a player's bank is no part of the house's win"),
    Column("wager", Holds.TEXT),
    Column("patron", Holds.TEXT, "a token"),
    Column("seat", Holds.NUMBER),
    Column("kind", Holds.TEXT),
    Column("tender", Holds.TEXT),
    Column("stake", Holds.MONEY, "less than 0 where it is reversed, as the other amounts are"),
    Column("outcome", Holds.TEXT),
    Column("odds", Holds.TEXT, "as the law writes them: `19 to 20`"),
    Column("winnings", Holds.MONEY),
    Column("returned", Holds.MONEY, "of the stake"),
    Column("remainder_parts", Holds.PARTS, "what rounding paid beyond the odds"),
    Column("paragraph", Holds.TEXT, "that decided it"),
    Column("currency", Holds.TEXT),
)
_ENTRIES = frozenset({"coup-settled", "settlement-reversed", "coup-corrected"})
"""Entries that lines stand behind."""
_LINES = {WagersSettled.TOPIC: 1, WagersReversed.TOPIC: -1}
"""Events with lines, and the sign of their amounts."""


def rows(source: Source, wanted: PnlFilter) -> Iterator[Row]:
    """The wagers in the order of the books, each from its coup's own stream."""
    settling = (entry for entry in entries(source.statements, wanted) if entry.entry in _ENTRIES)
    for _, booked in groupby(settling, key=attrgetter("gaming_day", "premises", "sequence")):
        entry = next(booked)
        stream = source.record.select_stream(f"coup/{entry.premises}/{entry.about}")
        yield from _rows_of(entry, stream)


def _rows_of(entry: BookedEntry, stream: list[Stored]) -> Iterator[Row]:
    """The lines that stand right before the event behind an entry."""
    end = next(at for at, row in enumerate(stream) if row.sequence == entry.sequence)
    start = end
    while stream[start - 1].topic in _LINES:
        start -= 1
    closing: Any = decode_plain(*stream[end][3:])
    for row in stream[start:end]:
        event: Any = decode_plain(*row[3:])
        for line in event.lines:
            yield _row(entry, closing, line, _LINES[row.topic])


def _row(
    entry: BookedEntry, closing: CoupSettled | CoupCorrected | CoupVoided, line: SettlementLine, sign: int
) -> Row:
    settled = "coup-settled" if closing.TOPIC == CoupSettled.TOPIC else "coup-corrected"
    return (
        entry.premises,
        date.fromisoformat(entry.gaming_day),
        entry.shift,
        entry.table,
        entry.about,
        entry.sequence,
        closing.occurred_at,
        settled if sign > 0 else "settlement-reversed",
        None if entry.adjusts is None else date.fromisoformat(entry.adjusts),
        closing.conditions.format,
        closing.conditions.banked_by.value,
        line.wager,
        line.patron,
        line.seat,
        line.kind.value,
        line.tender.value,
        sign * line.stake,
        line.outcome.value,
        line.odds.replace("/", " to "),
        sign * line.winnings,
        sign * line.returned,
        sign * parts_of(line.remainder),
        line.paragraph,
        entry.currency,
    )


def parts_of(remainder: str | Fraction) -> int:
    """A remainder in whole parts: `PARTS` hold what is due at any odds."""
    if remainder == "0":
        return 0
    parts = Fraction(remainder) * PARTS
    if parts.denominator != 1:
        msg = f"{remainder} of a minor unit is not in {PARTS} parts of one"
        raise AssertionError(msg)
    return int(parts)


WAGERS = Sheet("wagers", COLUMNS, rows)
