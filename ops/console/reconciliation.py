"""Reconciliation: the gaming days, one day's tables with both wins, and its report to print."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, Response

from ledger.commands import CloseDay
from ledger.seal.checkpoint import parse_checkpoint
from ledger.seal.checkpoints import Checkpoints
from ledger.terms.value import GamingDay
from ledger.verify.sealed import exists
from ops.console import sign_off
from ops.console.assets import address
from ops.console.day_sheet import DaySheet, day_sheet
from ops.console.desk import Desk
from ops.console.door import allow
from ops.console.evidence import evidence, lead
from ops.console.headers import POLICY
from ops.console.listing import Shown, Shows, download, listing
from ops.console.pages import Page
from ops.reconcile.job import NoCounts
from ops.reconcile.page import page as printed
from ops.service.permissions import COMMAND_ROLES, CONSENT, READ_CAGE, READ_PNL
from projections.reconciliation.days import GamingDayState, gaming_days

BOTH_WINS = READ_PNL & READ_CAGE
"""Who may read what the wagers say and what the cage counted."""
SIGNING = CONSENT[CloseDay].roles
PROPOSING = COMMAND_ROLES[CloseDay]
DAYS = 31
"""Gaming days a page."""
_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)


def _add(routes: APIRouter) -> None:
    @routes.get(PAGE.path, dependencies=[allow(PAGE.roles)])
    def reconciliation(
        request: Request,
        day: Annotated[GamingDay | None, Query()] = None,
        before: Annotated[GamingDay | None, Query()] = None,
    ) -> Response:
        desk = Desk(request)
        return _days(desk, before) if day is None else shown(desk, day)

    @routes.get(f"{PAGE.path}/report", dependencies=[allow(BOTH_WINS)])
    def report(request: Request, day: Annotated[GamingDay, Query()]) -> Response:
        """The report of a day, a sheet of paper a table."""
        desk = Desk(request)
        sheet = day_sheet(desk, day)
        if not sheet.whole:
            missing = (f"{at.table} shift {', '.join(shifts)}" for at, shifts in sheet.uncounted)
            raise NoCounts("; ".join(missing))
        icon = f'<link rel="icon" href="{desk.root}/{address("mark.svg")}" type="image/svg+xml">'
        text = printed(sheet.report).replace("<title>", f"{icon}\n<title>", 1)
        return HTMLResponse(text, headers={"Content-Security-Policy": _with_styles_of(text)})

    sign_off.add(routes, PAGE.path, shown)


def _with_styles_of(text: str) -> str:
    """The policy of every page, and just this page's own style."""
    digests = (hashlib.sha256(style.encode()).digest() for style in _STYLE.findall(text))
    allowed = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return POLICY.replace("style-src", f"style-src {allowed}")


# --- The days ------------------------------------------------------------------------------------------


def _days(desk: Desk, before: date | None) -> Response:
    signed_for = _signed_for(desk)
    with desk.reading() as statements:
        found = gaming_days(statements, desk.premises, DAYS + 1, before.isoformat() if before else None)
    days = found[:DAYS]
    follows = f"?before={days[-1].gaming_day}" if len(found) > DAYS else None
    table = listing(
        desk,
        "days",
        "Gaming days",
        (
            Shown("gaming_day", "Gaming day", Shows.DAY, link=lambda row: row["page"]),
            Shown("state", "State", Shows.MARK),
            Shown("tables", "Tables", Shows.NUMBER),
            Shown("still_open", "Still open", Shows.NUMBER),
            Shown("shifts", "Shifts", Shows.NUMBER),
            Shown("counted", "Counted", Shows.NUMBER),
            Shown("to_do", "What is next"),
        ),
        [_day_row(desk, day, signed_for) for day in days],
        empty="No table has opened yet. A gaming day appears here with its first table.",
        next=follows,
    )
    return download(desk, table) or desk.page("reconciliation.html", PAGE.title, days=table)


_NEXT = {
    "open": "Its tables are still played at.",
    "to count": "The cage counts what is missing.",
    "counted": "Accounting proposes the close; a second person consents.",
    "closed": "Sealed with the next checkpoint.",
    "sealed": "",
}


def _day_row(desk: Desk, day: GamingDayState, signed_for: int) -> dict[str, Any]:
    state = day.state(signed_for)
    page = lead(desk, PAGE.name, day=day.gaming_day)
    return {**day._asdict(), "state": state, "to_do": _NEXT[state], "page": page}


def _signed_for(desk: Desk) -> int:
    """The size of the last checkpoint; 0 where there is none."""
    tables = desk.console.service.house.tables
    note = Checkpoints(tables, "", ()).last() if exists(tables, "seal_checkpoints") else None
    return parse_checkpoint(note.text).size if note is not None else 0


# --- A day ---------------------------------------------------------------------------------------------


def shown(
    desk: Desk,
    day: date,
    *,
    said: Sequence[tuple[str, str]] = (),
    typed: dict[str, str] | None = None,
    status: int = 200,
) -> Response:
    """The page of a day.

    Args:
        said: what came of a form, if it did not go through: what it is, and what to do.
        typed: what stood in the form.
    """
    sheet = day_sheet(desk, day)
    table = listing(
        desk,
        "tables",
        "What the wagers and charges say, less what the cage counted",
        (
            Shown("table", "Table", link=lambda row: row["night"]),
            Shown("format", "Game"),
            Shown("win_by_wagers", "Win by wagers", Shows.WIN),
            Shown("charges", "Charges", Shows.MONEY),
            Shown("win_by_inventory", "Win by inventory", Shows.WIN),
            Shown("variance", "Variance", Shows.WIN),
            Shown("verdict", "Verdict", Shows.MARK),
            Shown("cause", "Likely cause"),
            Shown("explanation", "Explained"),
        ),
        [*(_reconciled(desk, sheet)), *(_uncounted(desk, sheet))],
        empty="No table is counted yet.",
    )
    figures = desk.has(BOTH_WINS)
    page = download(desk, table) if figures else None
    return page or desk.page(
        "reconciliation_day.html",
        f"Reconciliation of {day:%-d %b %Y}",
        status=status,
        day=day,
        sheet=sheet,
        state=_state(sheet),
        way=[(one, one.stream and evidence(desk, one.stream)) for one in sheet.in_the_way()],
        currencies={table.table: table.currency for table in sheet.books.tables},
        tables=table if figures else None,
        findings=sheet.report.findings if figures else (),
        proposal=f"close-{day}-{secrets.token_hex(8)}",
        said=said,
        typed=typed or {},
        may_propose=desk.has(PROPOSING),
        may_sign=desk.has(SIGNING),
        report=desk.address(PAGE) + f"/report?day={day}" if figures and sheet.whole else None,
        act=desk.address(PAGE),
    )


def _state(sheet: DaySheet) -> str:
    if sheet.report.closed is not None:
        return "sealed" if sheet.report.closed.checkpoint is not None else "closed"
    if sheet.books.still_open:
        return "open"
    return "counted" if sheet.whole else "to count"


def _reconciled(desk: Desk, sheet: DaySheet) -> list[dict[str, Any]]:
    day = sheet.report.gaming_day
    return [
        {
            "table": table.at.books.table,
            "night": lead(desk, "table", table=table.at.books.table, day=day),
            "format": table.at.books.format.replace("-", " "),
            "currency": table.at.books.currency,
            "win_by_wagers": table.at.win_by_wagers,
            "charges": table.at.charges,
            "win_by_inventory": table.at.win_by_inventory,
            "variance": table.at.variance,
            "verdict": "above threshold"
            if table.at.above
            else "within"
            if table.at.variance
            else "no variance",
            "cause": f"{table.cause.code.replace('-', ' ')}: {table.cause.evidence}" if table.cause else None,
            "explanation": table.explanation,
        }
        for table in sheet.report.tables
    ]


def _uncounted(desk: Desk, sheet: DaySheet) -> list[dict[str, Any]]:
    day = sheet.report.gaming_day
    return [
        {
            "table": books.table,
            "night": lead(desk, "table", table=books.table, day=day),
            "format": books.format.replace("-", " "),
            "currency": books.currency,
            "win_by_wagers": sum(shift.win for shift in books.shifts),
            "charges": sum(shift.charges for shift in books.shifts),
            "win_by_inventory": None,
            "variance": None,
            "verdict": "still open" if books.table in sheet.books.still_open else "not counted",
            "cause": None,
            "explanation": None,
        }
        for books, _ in sheet.uncounted
    ]


PAGE = Page(
    "reconciliation",
    "Reconciliation",
    BOTH_WINS | SIGNING,
    "/at/{premises}/reconciliation",
    _add,
    "b",
)
