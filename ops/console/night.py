"""A table's one night: what it won against what was to be expected, who held the bank, what the cage saw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from ledger.events.table import BankTaken, DropCounted, InterestDeclared
from ledger.store.port import Statements
from ledger.terms.formats import format_named
from ledger.terms.house import BankedBy
from ledger.terms.identifiers import table_stream
from ledger.terms.value import GamingDay
from ops.console.desk import Desk
from ops.console.door import allow
from ops.console.floor import FLOOR
from ops.console.listing import Listing, download, listing
from ops.console.night_columns import BANK, CAGE, COUPS, INTERESTS, KINDS, MOVES, SHIFTS, SO_FAR, without
from ops.console.night_figures import Side, by_kind, figure, moments, result_words, running, total_of
from ops.console.pages import Page
from ops.feed.roles import READERS
from ops.service.permissions import READ_CAGE, READ_COUP, READ_PNL
from ops.service.refusals import NotFound
from ops.service.resources import TableName
from projections.cage.views import CageRow, cage
from projections.floor.views import CoupRow, coups_of_night
from projections.nights import Night
from projections.pnl.expectation import deviation
from projections.pnl.views import PUNTO_BANCO, PnlFilter, PnlRow, Span, pnl
from projections.pnl.views import totals as pnl_totals
from projections.search.views import nights_beside
from projections.story.nights import NightStory, tell_night

SEES_BANK = READERS[BankTaken.TOPIC]
SEES_INTERESTS = READERS[InterestDeclared.TOPIC]
SEES_DROP = READERS[DropCounted.TOPIC]
_STANDS = frozenset({"settled", "corrected"})
_SIDES = {BankedBy.HOUSE: "house", BankedBy.PLAYER: "players’ banks"}


def _coup_rows(coups: Sequence[CoupRow], *, has_edge: bool) -> list[dict[str, Any]]:
    return [
        {
            **coup._asdict(),
            **({} if coup.state in _STANDS else dict.fromkeys(("wagers", "stakes", "win"))),
            "result": result_words(coup.results),
            "bank": coup.banked_by if coup.banked_by == BankedBy.HOUSE else "players",
            "expected": moments(coup).mean if has_edge else None,
        }
        for coup in coups
    ]


def _so_far(sides: Sequence[Side]) -> list[dict[str, Any]]:
    return [
        {
            "nth": side.nth,
            "shoe": side.coup.shoe,
            "number": side.coup.number,
            "win": side.win,
            "expected": side.expected and side.expected.mean,
            "deviation": side.expected and deviation(side.expected.variance),
            "currency": side.coup.currency,
        }
        for side in sides
    ]


def _summary(sides: Sequence[Side]) -> dict[str, Any]:
    """What the chart says in figures; the template makes the sentence."""
    last = sides[-1]
    told: dict[str, Any] = {"coups": len(sides), "win": last.win, "expected": None}
    if last.expected is not None:
        off, one = abs(last.win - last.expected.mean), deviation(last.expected.variance)
        within = next((times for times in (1, 2) if off <= times * one), None)
        told |= {"expected": last.expected.mean, "deviation": one, "within": within}
    return told


def _of_cage(row: CageRow) -> dict[str, Any]:
    return {**asdict(row), "win_by_inventory": row.win_by_inventory}


def _night(row: PnlRow) -> dict[str, Any]:
    """The foot of the shifts: what they come to together."""
    return {**asdict(row), "shift": "night", "hold": row.hold}


class _Panels:
    """What the page is made from, each of it for those who may see it."""

    def __init__(self, desk: Desk, statements: Statements, night: Night, story: NightStory) -> None:
        self.desk, self.table, self.story = desk, night.table, story
        table, day = night.table, date.fromisoformat(night.gaming_day)
        opened = story.opened
        assert opened is not None, "a table's stream begins with its opening"
        self.currency = opened.currency
        self.has_edge = opened.format == PUNTO_BANCO
        self.coups = coups_of_night(statements, *night)
        wanted = PnlFilter(day, day, table, desk.premises)
        self.pnl = pnl(statements, wanted) if desk.has(READ_PNL) else []
        self.cage = cage(statements, wanted) if desk.has(READ_CAGE) else []
        self.cage_day = cage(statements, wanted, Span.DAY) if desk.has(READ_CAGE) else []
        self.beside = nights_beside(statements, *night)
        self.sides = {
            side: running(self.coups, side, has_edge=self.has_edge and side is BankedBy.HOUSE)
            for side in BankedBy
        }

    def listings(self) -> dict[str, Listing]:
        """The page's tables, by name; those that this person may not see are not made."""
        desk = self.desk
        made = [self._coups(), self._moves()]
        if desk.has(READ_PNL):
            made += [self._kinds(), self._shifts(), *self._running()]
        if desk.has(SEES_BANK):
            made += [self._bank()]
        if desk.has(SEES_INTERESTS):
            made += [self._interests()]
        if desk.has(READ_CAGE):
            made += [self._cage()]
        return {one.name: one for one in made}

    def _listing(
        self, name: str, caption: str, columns: Any, rows: Sequence[Any], empty: str, *, totals: Any = None
    ) -> Listing:
        return listing(self.desk, name, caption, columns, rows, empty=empty, totals=totals)

    def _coups(self) -> Listing:
        from ops.console.coup import PAGE as COUP  # noqa: PLC0415 – it is linked to from here alone

        desk = self.desk

        def to_coup(row: Any) -> str | None:
            names = {"table": self.table, "shoe": row["shoe"], "number": row["number"]}
            return desk.address(COUP, **names) if desk.has(READ_COUP) else None

        hidden = set() if desk.has(READ_PNL) else {"stakes", "win", "expected"}
        hidden |= set() if self.has_edge else {"expected"}
        hidden |= set() if all(self.sides.values()) else {"bank"}
        rows = _coup_rows(self.coups, has_edge=self.has_edge)
        return self._listing(
            "coups", "Coup by coup", without(COUPS(to_coup), hidden), rows, "No coup has ended here yet."
        )

    def _running(self) -> list[Listing]:
        made = []
        for side, so_far in self.sides.items():
            hidden = set() if so_far and so_far[-1].expected else {"expected", "deviation"}
            caption = f"Win so far, {_SIDES[side]}"
            rows = _so_far(so_far)
            made.append(
                self._listing(f"so-far-{side.value}", caption, without(SO_FAR, hidden), rows, "No coup yet.")
            )
        return made

    def _kinds(self) -> Listing:
        hidden = set() if self.has_edge else {"expected"}
        rows = by_kind(self.coups, has_edge=self.has_edge)
        empty = "No wager has been settled yet."
        columns = without(KINDS, hidden)
        all_kinds = total_of(rows) if len(rows) > 1 else None
        return self._listing("kinds", "Handle by kind of wager", columns, rows, empty, totals=all_kinds)

    def _shifts(self) -> Listing:
        hidden = {"banker_win"} if not self.story.players_hold else {"win", "hold"}
        hidden |= set() if self.has_edge else {"theoretical_win"}
        hidden |= set() if self.desk.has(SEES_DROP) else {"drop", "hold"}
        empty = "Nothing has been booked yet; a shift's figures begin with its first coup."
        columns, added = without(SHIFTS, hidden), pnl_totals(self.pnl)
        night = _night(added[0]) if len(added) == 1 and len(self.pnl) > 1 else None
        return self._listing("shifts", "Shifts: by the wagers", columns, self.pnl, empty, totals=night)

    def _cage(self) -> Listing:
        rows = [_of_cage(row) for row in self.cage]
        days = [_of_cage(row) for row in self.cage_day if row.shift is None]
        night = {**days[0], "shift": "night"} if len(days) == 1 and len(rows) > 1 else None
        empty = "The cage knows nothing of this night yet."
        return self._listing("cage", "Shifts: by the cage’s count", CAGE, rows, empty, totals=night)

    def _moves(self) -> Listing:
        seen = self.desk.has(SEES_DROP)
        rows = [
            {**asdict(move), "currency": self.currency}
            for move in self.story.moves
            if seen or move.what != "drop"
        ]
        caption = "Fills, credits, counts and boxes" if seen else "Fills, credits and counts"
        return self._listing("moves", caption, MOVES, rows, "No chips have been counted or moved yet.")

    def _bank(self) -> Listing:
        rows = [
            {
                **asdict(one),
                "mark": "must pass" if one.must_pass and one.until is None else None,
                "currency": self.currency,
            }
            for one in self.story.tenures
        ]
        hidden = (
            set() if self.story.players_hold else {"seat", "put_up", "coups", "won", "taken_away", "lost"}
        )
        for row in rows:
            row["lost"] = "6(6)" if row["must_pass"] else None
        empty = "Nobody has taken the bank yet; no coup can open before somebody does."
        return self._listing("bank", "Who held the bank", without(BANK, hidden), rows, empty)

    def _interests(self) -> Listing:
        rows = [{**asdict(one), "bars": one.paragraph} for one in self.story.interests]
        empty = "Nobody has declared a share or interest in the bank."
        return self._listing("interests", "Interests in the bank", INTERESTS, rows, empty)


def _add(routes: APIRouter) -> None:
    @routes.get(PAGE.path, dependencies=[allow(PAGE.roles)])
    def night(*, request: Request, table: TableName, day: GamingDay) -> Response:
        desk = Desk(request)
        rows = desk.console.service.house.ledger.record.select_stream(table_stream(desk.premises, table, day))
        if not rows:
            raise NotFound(f"gaming day {day} at table {table}")
        story = tell_night(rows)
        with desk.reading() as statements:
            panels = _Panels(desk, statements, Night(desk.premises, table, day.isoformat()), story)
        tables = panels.listings()
        assert story.opened is not None, "a table's stream begins with its opening"
        charts = [
            {
                "name": side.value,
                "words": _summary(sides),
                "figure": figure(sides, panels.currency, f"win, {_SIDES[side]}"),
                "by_house": side is BankedBy.HOUSE,
                "table": tables[f"so-far-{side.value}"],
            }
            for side, sides in panels.sides.items()
            if sides and desk.has(READ_PNL)
        ]
        return download(desk, *tables.values()) or desk.page(
            "night.html",
            f"Table {table}, {day:%a} {day.day} {day:%b %Y}",
            table=table,
            day=day,
            story=story,
            has_edge=panels.has_edge,
            option=format_named(story.opened.format).drawing_option,
            coups=panels.coups,
            currency=panels.currency,
            beside=panels.beside,
            tables=tables,
            charts=charts,
        )


PAGE = Page(
    "table",
    "Table, one night",
    FLOOR,
    "/at/{premises}/tables/{table}/nights/{day}",
    _add,
    in_navigation=False,
)
