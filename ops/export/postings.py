"""The books: a row for each account that an entry moves; the rows of an entry sum to 0."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from ops.export.sheet import Column, Holds, Row, Sheet, Source
from projections.pnl.views import PnlFilter
from projections.postings.views import entries

COLUMNS = (
    Column("premises", Holds.TEXT),
    Column("gaming_day", Holds.DAY, "on which it is booked"),
    Column("shift", Holds.TEXT, "`adjustment`: of an earlier, sealed day; `close`: of the whole day"),
    Column("table", Holds.TEXT),
    Column("sequence", Holds.NUMBER, "of the event, in the record"),
    Column("leg", Holds.NUMBER, "counts the entries of one event"),
    Column("entry", Holds.TEXT, "what moved the value: `fill`, `coup-settled`, …"),
    Column("about", Holds.TEXT, "a coup, a slip, a banker or a reason"),
    Column("adjusts", Holds.DAY, "the sealed day that it is a late fact of"),
    Column("account", Holds.TEXT),
    Column("tender", Holds.TEXT),
    Column("amount", Holds.MONEY, "debit; credit is less than 0"),
    Column("parts", Holds.PARTS, "to add to the amount: `winnings` and `remainder` are no whole numbers"),
    Column("currency", Holds.TEXT),
)


def rows(source: Source, wanted: PnlFilter) -> Iterator[Row]:
    """The postings in the order of the books."""
    for entry in entries(source.statements, wanted):
        for posting in entry.postings:
            yield (
                entry.premises,
                date.fromisoformat(entry.gaming_day),
                entry.shift,
                entry.table,
                entry.sequence,
                entry.leg,
                entry.entry,
                entry.about,
                None if entry.adjusts is None else date.fromisoformat(entry.adjusts),
                posting.account.value,
                entry.tender,
                posting.amount,
                posting.parts,
                entry.currency,
            )


POSTINGS = Sheet("postings", COLUMNS, rows)
