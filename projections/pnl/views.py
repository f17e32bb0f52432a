"""What the read tables say, as rows for people and programs. Plain queries, exact arithmetic.

All amounts in minor units. A fraction stays a fraction until somebody prints it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from fractions import Fraction
from typing import Any, NamedTuple

from ledger.regulation.house_edge import house_edge
from ledger.regulation.profiles import profile_named
from ledger.store.port import Statements
from ledger.terms.books import ADJUSTMENT
from ledger.terms.house import BankedBy, BankerOnDraw, Terms
from ledger.terms.wagers import Kind, Outcome, Tender
from projections.pnl.table_pnl import COUPS, WAGERS, WHERE_AND_WHEN

PUNTO_BANCO = "punto-banco"
"""The format whose house edge is known: nobody has an option."""


class Span(StrEnum):
    """What one row of the P&L covers."""

    SHIFT = "shift"
    DAY = "day"
    MONTH = "month"


@dataclass(frozen=True, slots=True)
class PnlRow:
    """One table's profit and loss over one span. Minor units.

    Attributes:
        gaming_day: the day, as text; of a month only `YYYY-MM`.
        shift: None when the row covers a day or a month.
        coups, voided, held, in_hand: settled; void by ruling; irregular and waiting for a ruling; opened
            and not ended, with stakes that are in no other figure.
        handle: all accepted stakes of settled coups, those handed back included.
        win: stakes lost less winnings paid, where the house held the bank; else 0.
        banker_win: the same, where players held the bank; else 0. Never part of the house's win.
        void_stakes, stand_off_stakes: stakes of settled coups handed back under 6(4); by house rule.
        voided_coup_stakes: stakes handed back because the whole coup was ruled void.
        remainder: what rounding paid beyond the odds, exact.
        theoretical_win: handle times exact house edge; None where the game has an option, so no such edge.
        drop: None until counted.
    """

    premises: str
    table: str
    gaming_day: str
    shift: str | None
    format: str
    currency: str
    banked_by: str
    coups: int = 0
    voided: int = 0
    held: int = 0
    in_hand: int = 0
    wagers: int = 0
    handle: int = 0
    lost_stakes: int = 0
    winnings: int = 0
    win: int = 0
    banker_win: int = 0
    void_stakes: int = 0
    stand_off_stakes: int = 0
    voided_coup_stakes: int = 0
    promotional_stakes: int = 0
    remainder: Fraction = Fraction(0)
    theoretical_win: Fraction | None = None
    drop: int | None = None

    @property
    def hold(self) -> Fraction | None:
        """Win over drop; None while the drop is not counted, or is nothing."""
        return Fraction(self.win, self.drop) if self.drop else None

    def as_json(self) -> dict[str, Any]:
        """The row for programs: fractions as `n` or `n/d`."""
        figures: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        for name in ("remainder", "theoretical_win"):
            figures[name] = None if figures[name] is None else str(figures[name])
        return figures | {"hold": None if self.hold is None else str(self.hold)}


@dataclass(frozen=True, slots=True)
class PnlFilter:
    """Which rows: of these gaming days (both included), this table, these premises. None: all."""

    first_day: date | None = None
    last_day: date | None = None
    table: str | None = None
    premises: str | None = None

    def where(self) -> tuple[str, list[str]]:
        """The condition in SQL, and its parameters."""
        wanted = (
            ("gaming_day >= ?", self.first_day),
            ("gaming_day <= ?", self.last_day),
            ("table_name = ?", self.table),
            ("premises = ?", self.premises),
        )
        # str() of a date is its ISO form, which is how days are kept and sorts as they do
        conditions = [(sql, str(value)) for sql, value in wanted if value is not None]
        if not conditions:
            return "", []
        return "WHERE " + " AND ".join(sql for sql, _ in conditions), [value for _, value in conditions]


class _Coups(NamedTuple):
    """The sums of one row of `table_pnl_coups`, in its order."""

    in_hand: int
    settled: int
    voided: int
    held: int
    voided_stakes: int
    drops: int
    drop_amount: int


class _Wagers(NamedTuple):
    """One row of `table_pnl_wagers` after what it belongs to, in its order."""

    profile: str
    decks: int
    banker_on_draw: str
    kind: str
    tender: str
    outcome: str
    wagers: int
    stakes: int
    winnings: int


_Key = tuple[Any, ...]
_KEY_COLUMNS = len(WHERE_AND_WHEN)
_SHIFT = COUPS.columns.index("shift")


def pnl(statements: Statements, wanted: PnlFilter, span: Span = Span.SHIFT) -> list[PnlRow]:
    """Profit and loss, house-banked and player-banked apart, ordered by day, table and shift."""
    where, parameters = wanted.where()
    coups: defaultdict[_Key, list[_Coups]] = defaultdict(list)
    uncounted: set[_Key] = set()
    sql = f"SELECT {', '.join(COUPS.columns)} FROM {COUPS.name} {where}"
    for row in statements.execute(sql, parameters):
        key, counted = _row_key(row, span), _Coups._make(row[_KEY_COLUMNS:])
        coups[key].append(counted)
        if not counted.drops and (row[_SHIFT] != ADJUSTMENT or span is Span.SHIFT):
            uncounted.add(key)  # a box not counted yet makes the sum unknown; an adjustment has none
    wagers: defaultdict[_Key, list[_Wagers]] = defaultdict(list)
    sql = f"SELECT {', '.join(WAGERS.columns)} FROM {WAGERS.name} {where}"
    for row in statements.execute(sql, parameters):
        wagers[_row_key(row, span)].append(_Wagers._make(row[_KEY_COLUMNS:]))
    rows = [
        _row(key, counted, wagers[key], drop_known=key not in uncounted) for key, counted in coups.items()
    ]
    rows.sort(key=lambda row: (row.gaming_day, row.premises, row.table, row.shift or "", row.banked_by))
    return rows


def _row_key(row: Sequence[Any], span: Span) -> _Key:
    premises, table, day, shift, *rest = row[:_KEY_COLUMNS]
    if span is Span.SHIFT:
        return (premises, table, day, shift, *rest)
    return (premises, table, day if span is Span.DAY else day[:7], None, *rest)


def _row(key: _Key, coups: Sequence[_Coups], wagers: Sequence[_Wagers], *, drop_known: bool) -> PnlRow:
    premises, table, day, shift, banked_by, format, currency = key
    counted = _Coups._make(sum(column) for column in zip(*coups, strict=True))
    stakes_of: defaultdict[str, int] = defaultdict(int)
    remainder = theoretical = Fraction(0)
    for entry in wagers:
        stakes_of[entry.outcome] += entry.stakes
        rules, kind = profile_named(entry.profile), Kind(entry.kind)
        if entry.outcome == Outcome.WON:
            remainder += entry.winnings - rules.odds[kind].on(entry.stakes)
        if format == PUNTO_BANCO:
            terms = Terms(banker_on_draw=BankerOnDraw(entry.banker_on_draw))
            theoretical += entry.stakes * house_edge(kind, entry.decks, rules, terms)
    winnings = sum(entry.winnings for entry in wagers)
    result = stakes_of[Outcome.LOST] - winnings
    return PnlRow(
        premises=premises,
        table=table,
        gaming_day=day,
        shift=shift,
        format=format,
        currency=currency,
        banked_by=banked_by,
        coups=counted.settled,
        voided=counted.voided,
        held=counted.held,
        in_hand=counted.in_hand,
        wagers=sum(entry.wagers for entry in wagers),
        handle=sum(stakes_of.values()),
        lost_stakes=stakes_of[Outcome.LOST],
        winnings=winnings,
        win=result if banked_by == BankedBy.HOUSE else 0,
        banker_win=result if banked_by == BankedBy.PLAYER else 0,
        void_stakes=stakes_of[Outcome.VOID],
        stand_off_stakes=stakes_of[Outcome.STAND_OFF],
        voided_coup_stakes=counted.voided_stakes,
        promotional_stakes=sum(entry.stakes for entry in wagers if entry.tender == Tender.PROMOTIONAL),
        remainder=remainder,
        theoretical_win=theoretical if format == PUNTO_BANCO else None,
        drop=counted.drop_amount if drop_known else None,
    )


def totals(rows: Sequence[PnlRow]) -> list[PnlRow]:
    """The rows added up by currency and bank, for a foot of the table."""
    return [
        _sum([row for row in rows if (row.currency, row.banked_by) == key])
        for key in sorted({(row.currency, row.banked_by) for row in rows})
    ]


_ADDED = (
    "coups",
    "voided",
    "held",
    "in_hand",
    "wagers",
    "handle",
    "lost_stakes",
    "winnings",
    "win",
    "banker_win",
    "void_stakes",
    "stand_off_stakes",
    "voided_coup_stakes",
    "promotional_stakes",
    "remainder",
)


def _sum(rows: Sequence[PnlRow]) -> PnlRow:
    theoretical = [row.theoretical_win for row in rows if row.theoretical_win is not None]
    counted = [row for row in rows if row.shift != ADJUSTMENT]
    late = sum(row.drop or 0 for row in rows if row.shift == ADJUSTMENT)
    drops = [row.drop for row in counted if row.drop is not None]
    return replace(
        rows[0],
        premises="",
        table="all",
        gaming_day="",
        shift=None,
        format="",
        # A sum is given only where every part of it is known.
        theoretical_win=sum(theoretical, Fraction(0)) if len(theoretical) == len(rows) else None,
        drop=sum(drops) + late if len(drops) == len(counted) else None,
        **{name: sum(getattr(row, name) for row in rows) for name in _ADDED},
    )
