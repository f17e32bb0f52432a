"""What patrons staked and won in a gaming day or at one table, against the thresholds of due diligence.

All amounts in minor units, exact. A threshold in another currency than a table's is judged by a rate that is
passed in, or not at all: then the row says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from fractions import Fraction
from typing import Any, NamedTuple

from ledger.store.port import Statements
from ledger.terms.wagers import Tender
from projections.patrons.patrons import BANKS, WAGERS
from projections.patrons.thresholds import THRESHOLDS, Purpose, Rates, Threshold, in_currency, in_force

NOBODY = ""
"""Stands for the token of wagers that have none."""


class Link(StrEnum):
    """What is linked together."""

    DAY = "day"
    """Everything of a patron's gaming day at these premises in one currency."""
    TABLE = "table"
    """A table session: one table's gaming day."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A figure of a patron that is at or over a threshold: which, and how much (minor units)."""

    measure: str
    amount: int


@dataclass(frozen=True, slots=True)
class Judgement:
    """A patron's day against the threshold that applied.

    Attributes:
        threshold: None where none is known for that day.
        limit: it in minor units of the table's currency, exact; None where that takes a rate nobody gave.
        rate: the one it was turned by, if it was.
        reached: figures at or over it.
        doubts: what is not sure about this, in sentences.
    """

    threshold: Threshold | None
    limit: Fraction | None
    rate: Fraction | None
    reached: tuple[Reached, ...]
    doubts: tuple[str, ...]

    @property
    def over(self) -> bool | None:
        """Whether a figure is at or over it; None where that cannot be told."""
        return None if self.limit is None else bool(self.reached)


@dataclass(slots=True)
class PatronRow:
    """What a patron staked and won. Minor units; value and promotional stakes apart.

    Attributes:
        patron: the token; empty for all wagers that have none.
        tables: where.
        stakes, winnings, returned: of value chips: staked, won beside the stake, and stakes handed back.
        promotional_stakes, promotional_winnings: of promotional chips.
        largest_stake, largest_winnings: the largest of one wager; winnings of either tender.
        banks, bank_put_up, largest_bank: banks this patron put up, and the largest of them.
        bank_won: what those banks won, less than 0 when they lost.
        judgement: None until it is judged.
    """

    gaming_day: str
    premises: str
    patron: str
    currency: str
    tables: tuple[str, ...] = ()
    wagers: int = 0
    stakes: int = 0
    winnings: int = 0
    returned: int = 0
    promotional_stakes: int = 0
    promotional_winnings: int = 0
    largest_stake: int = 0
    largest_winnings: int = 0
    banks: int = 0
    bank_put_up: int = 0
    largest_bank: int = 0
    bank_won: int = 0
    judgement: Judgement | None = None

    def as_json(self) -> dict[str, Any]:
        """The row for programs: fractions as `n` or `n/d`."""
        row = {name: getattr(self, name) for name in self.__slots__ if name != "judgement"}
        row["patron"] = self.patron or None
        row["tables"] = list(self.tables)
        return row if self.judgement is None else row | _as_json(self.judgement)


def _as_json(judged: Judgement) -> dict[str, Any]:
    return {
        "over": judged.over,
        "reached": {one.measure: one.amount for one in judged.reached},
        "threshold": judged.threshold.as_json() if judged.threshold else None,
        "limit": None if judged.limit is None else str(judged.limit),
        "rate": None if judged.rate is None else str(judged.rate),
        "doubts": list(judged.doubts),
    }


MEASURES: tuple[tuple[str, str, Any], ...] = (
    ("stakes-linked", "stakes together", lambda row: row.stakes + row.bank_put_up),
    ("stake-single", "one stake", lambda row: max(row.largest_stake, row.largest_bank)),
    (
        "winnings-linked",
        "winnings together",
        lambda row: row.winnings + row.promotional_winnings + max(row.bank_won, 0),
    ),
    ("winnings-single", "winnings of one wager", lambda row: row.largest_winnings),
)
"""What is held against a threshold: its name, its words, and the figure. A bank that a patron puts up is a
stake of theirs. Promotional chips are nobody's money, but what they win is paid in value."""


@dataclass(frozen=True, slots=True)
class PatronFilter:
    """Which rows. None: all. Days both included."""

    first_day: date | None = None
    last_day: date | None = None
    table: str | None = None
    premises: str | None = None
    patron: str | None = None

    def where(self) -> tuple[str, list[str]]:
        """The condition in SQL, and its parameters."""
        wanted = (
            ("gaming_day >= ?", self.first_day),
            ("gaming_day <= ?", self.last_day),
            ("table_name = ?", self.table),
            ("premises = ?", self.premises),
            ("patron = ?", self.patron),
        )
        conditions = [(sql, str(value)) for sql, value in wanted if value is not None]
        sql = " AND ".join(sql for sql, _ in conditions)
        return f"WHERE {sql}" if sql else "", [value for _, value in conditions]


class _Wagers(NamedTuple):
    """A row of `patrons_wagers`, in its order."""

    gaming_day: str
    premises: str
    patron: str
    table: str
    currency: str
    tender: str
    wagers: int
    stakes: int
    winnings: int
    returned: int
    largest_stake: int
    largest_winnings: int


class _Banks(NamedTuple):
    """A row of `patrons_banks`, in its order."""

    gaming_day: str
    premises: str
    patron: str
    table: str
    currency: str
    banks: int
    put_up: int
    coups: int
    won: int
    largest_bank: int


def patron_rows(statements: Statements, wanted: PatronFilter, link: Link = Link.DAY) -> list[PatronRow]:
    """What each patron staked and won, by day (and table), premises, patron and currency."""
    rows = _Rows(link)
    where, parameters = wanted.where()
    for row in statements.execute(f"SELECT * FROM {WAGERS.name} {where}", parameters):
        rows.add_wagers(_Wagers._make(row))
    for row in statements.execute(f"SELECT * FROM {BANKS.name} {where}", parameters):
        rows.add_banks(_Banks._make(row))
    return list(rows.in_order())


@dataclass(slots=True)
class _Rows:
    """Rows while they are added up."""

    link: Link
    _rows: dict[tuple[str, ...], PatronRow] = field(default_factory=dict)
    _tables: defaultdict[tuple[str, ...], set[str]] = field(default_factory=lambda: defaultdict(set))

    def _row(self, part: _Wagers | _Banks) -> PatronRow:
        session = part.table if self.link is Link.TABLE else ""
        key = (part.gaming_day, part.premises, part.patron, part.currency, session)
        self._tables[key].add(part.table)
        if key not in self._rows:
            self._rows[key] = PatronRow(part.gaming_day, part.premises, part.patron, part.currency)
        return self._rows[key]

    def add_wagers(self, part: _Wagers) -> None:
        row = self._row(part)
        row.wagers += part.wagers
        row.largest_winnings = max(row.largest_winnings, part.largest_winnings)
        if part.tender == Tender.PROMOTIONAL:
            row.promotional_stakes += part.stakes
            row.promotional_winnings += part.winnings
            return
        row.stakes += part.stakes
        row.winnings += part.winnings
        row.returned += part.returned
        row.largest_stake = max(row.largest_stake, part.largest_stake)

    def add_banks(self, part: _Banks) -> None:
        row = self._row(part)
        row.banks += part.banks
        row.bank_put_up += part.put_up
        row.bank_won += part.won
        row.largest_bank = max(row.largest_bank, part.largest_bank)

    def in_order(self) -> Iterator[PatronRow]:
        for key in sorted(self._rows):
            self._rows[key].tables = tuple(sorted(self._tables[key]))
            yield self._rows[key]


# --- Judging -------------------------------------------------------------------------------------------


def judge(rows: Sequence[PatronRow], rates: Rates, thresholds: tuple[Threshold, ...] = THRESHOLDS) -> None:
    """Hold each row against the threshold of due diligence that applied on its day."""
    for row in rows:
        row.judgement = _judgement(row, rates, thresholds)


def _judgement(row: PatronRow, rates: Rates, thresholds: tuple[Threshold, ...]) -> Judgement:
    threshold = in_force(Purpose.DUE_DILIGENCE, date.fromisoformat(row.gaming_day), thresholds)
    if threshold is None:
        return Judgement(None, None, None, (), ("no threshold is known for that day",))
    limit = in_currency(threshold, row.currency, rates)
    doubts = [threshold.doubt] if threshold.doubt else []
    if limit is None:
        pair = f"{threshold.currency}/{row.currency}"
        doubts.insert(0, f"the threshold is in {threshold.currency} and no rate {pair} was given")
        return Judgement(threshold, None, None, (), tuple(doubts))
    rate = None if threshold.currency == row.currency else rates[threshold.currency, row.currency]
    if row.patron == NOBODY:
        doubts.insert(0, "these wagers have no token: they may be of one patron or of many")
    figures = [Reached(name, figure(row)) for name, _, figure in MEASURES]
    reached = tuple(one for one in figures if one.amount >= limit)
    return Judgement(threshold, limit, rate, reached, tuple(doubts))
