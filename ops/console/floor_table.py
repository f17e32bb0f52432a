"""The floor as a table: to sort, to print, to download."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from ops.console.desk import Desk
from ops.console.door import allow
from ops.console.floor import FLOOR, SEES_HOLDERS, TableCard, cards_of
from ops.console.listing import Shown, Shows, download, listing
from ops.console.pages import Page
from ops.service.permissions import READ_PNL

_COLUMNS = (
    Shown("table", "Table"),
    Shown("format", "Game"),
    Shown("gaming_day", "Gaming day", Shows.DAY),
    Shown("shift", "Shift"),
    Shown("state", "State", Shows.MARK),
    Shown("shoe", "Shoe"),
    Shown("coup", "Coup", Shows.NUMBER),
    Shown("dealt_at", "Last coup", Shows.MOMENT),
    Shown("holder", "Bank"),
)
_MONEY = (Shown("win", "Win", Shows.WIN), Shown("handle", "Handle", Shows.MONEY))


def _row(card: TableCard, *, sees_holders: bool) -> dict[str, Any]:
    now, last = card.now, card.last
    return {
        "table": now.table,
        "format": now.format,
        "gaming_day": now.gaming_day,
        "shift": now.shift,
        "state": "closed" if now.closed_at else "open",
        "shoe": now.shoe,
        "coup": last and last.number,
        "dealt_at": last and last.dealt_at,
        "holder": "the house" if card.by_house else now.holder if sees_holders else "a player",
        "win": card.win,
        "handle": card.handle,
        "currency": now.currency,
    }


def _add(routes: APIRouter) -> None:
    @routes.get(PAGE.path, dependencies=[allow(PAGE.roles)])
    def floor_table(request: Request) -> Response:
        desk = Desk(request)
        sees_holders = desk.has(SEES_HOLDERS)
        rows = [_row(card, sees_holders=sees_holders) for card in cards_of(desk)]
        table = listing(
            desk,
            "tables",
            "Every table, on its last gaming day",
            (*_COLUMNS, *(_MONEY if desk.has(READ_PNL) else ())),
            rows,
            empty="No table was ever opened here. Open one, or import a tape.",
        )
        return download(desk, table) or desk.page("floor_table.html", PAGE.title, table=table)


PAGE = Page(
    "floor-table", "Floor as a table", FLOOR, "/at/{premises}/floor/tables", _add, in_navigation=False
)
