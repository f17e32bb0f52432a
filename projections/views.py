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
from typing import Any

from ledger.regulation.house_edge import house_edge
from ledger.regulation.profiles import profile_named
from ledger.store.port import Statements
from ledger.terms.house import BankedBy, BankerOnDraw, Terms
from ledger.terms.wagers import Kind, Outcome


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
        coups, voided, held: settled; void by ruling; irregular and waiting for a ruling.
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


_ROW_KEY = "premises, table_name, gaming_day, shift, banked_by, format, currency"


def pnl(statements: Statements, wanted: PnlFilter, span: Span = Span.SHIFT) -> list[PnlRow]:
    """Profit and loss, house-banked and player-banked apart, ordered by day, table and shift."""
    where, parameters = wanted.where()
    coups = statements.execute(
        f"SELECT {_ROW_KEY}, settled, voided, held, voided_stakes, drops, drop_amount "
        f"FROM table_pnl_coups {where}",
        parameters,
    )
    wagers = statements.execute(
        f"SELECT {_ROW_KEY}, profile, decks, banker_on_draw, kind, tender, outcome, "
        f"wagers, stakes, winnings FROM table_pnl_wagers {where}",
        parameters,
    )
    wagers_of: defaultdict[tuple[Any, ...], list[tuple[Any, ...]]] = defaultdict(list)
    for record in wagers:
        wagers_of[_row_key(record, span)].append(record[7:])
    coups_of: defaultdict[tuple[Any, ...], list[tuple[Any, ...]]] = defaultdict(list)
    for record in coups:
        coups_of[_row_key(record, span)].append(record[7:])
    rows = [_row(key, counts, wagers_of[key]) for key, counts in coups_of.items()]
    rows.sort(key=lambda row: (row.gaming_day, row.premises, row.table, row.shift or "", row.banked_by))
    return rows


def _row_key(record: Sequence[Any], span: Span) -> tuple[Any, ...]:
    premises, table, day, shift, *rest = record[:7]
    if span is Span.SHIFT:
        return (premises, table, day, shift, *rest)
    return (premises, table, day if span is Span.DAY else day[:7], None, *rest)


def _row(key: tuple[Any, ...], coups: Sequence[Sequence[int]], wagers: Sequence[Sequence[Any]]) -> PnlRow:
    premises, table, day, shift, banked_by, format, currency = key
    settled, voided, held, voided_stakes, _drops, drop = (sum(column) for column in zip(*coups, strict=True))
    stakes_of: defaultdict[str, int] = defaultdict(int)
    remainder = theoretical = Fraction(0)
    count = winnings = promotional = 0
    for profile, decks, banker_on_draw, kind, tender, outcome, number, stakes, paid in wagers:
        count += number
        stakes_of[outcome] += stakes
        winnings += paid
        promotional += stakes if tender == "promotional" else 0
        rules = profile_named(profile)
        if outcome == Outcome.WON:
            remainder += paid - rules.odds[Kind(kind)].on(stakes)
        if format == "punto-banco":
            terms = Terms(banker_on_draw=BankerOnDraw(banker_on_draw))
            theoretical += stakes * house_edge(Kind(kind), decks, rules, terms)
    result = stakes_of[Outcome.LOST] - winnings
    return PnlRow(
        premises=premises,
        table=table,
        gaming_day=day,
        shift=shift,
        format=format,
        currency=currency,
        banked_by=banked_by,
        coups=settled,
        voided=voided,
        held=held,
        wagers=count,
        handle=sum(stakes_of.values()),
        lost_stakes=stakes_of[Outcome.LOST],
        winnings=winnings,
        win=result if banked_by == BankedBy.HOUSE else 0,
        banker_win=result if banked_by == BankedBy.PLAYER else 0,
        void_stakes=stakes_of[Outcome.VOID],
        stand_off_stakes=stakes_of[Outcome.STAND_OFF],
        voided_coup_stakes=voided_stakes,
        promotional_stakes=promotional,
        remainder=remainder,
        theoretical_win=theoretical if format == "punto-banco" else None,
        drop=drop if all(record[4] for record in coups) else None,
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
    drops = [row.drop for row in rows if row.drop is not None]
    return replace(
        rows[0],
        premises="",
        table="all",
        gaming_day="",
        shift=None,
        format="",
        # A sum is given only where every part of it is known.
        theoretical_win=sum(theoretical, Fraction(0)) if len(theoretical) == len(rows) else None,
        drop=sum(drops) if len(drops) == len(rows) else None,
        **{name: sum(getattr(row, name) for row in rows) for name in _ADDED},
    )
