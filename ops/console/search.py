"""Search: by coup, time, slip number or patron's token. One exact hit goes straight there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response

from ledger.store.port import Statements
from ledger.terms.identifiers import coup_stream
from ops.console import coup as coup_page
from ops.console import night as night_page
from ops.console.asked import Asked, AskedCoup, AskedName, AskedNight, AskedSpan, read_asked
from ops.console.desk import Desk
from ops.console.door import allow
from ops.console.floor import FLOOR
from ops.console.listing import Listing, Shown, Shows, download, listing
from ops.console.night_figures import result_words
from ops.console.pages import Page
from ops.service.permissions import READ_COUP
from ops.service.veil import SEES_TOKENS
from projections.floor.views import tables_now
from projections.search.views import Found, SlipFound, coups_around, coups_of_patron, slip_uses

COUPS_MAX = 200
SHOES_MAX = 10
SLIPS_MAX = 20


@dataclass(slots=True)
class Answer:
    """What was found.

    Attributes:
        straight: the address of the one thing that it can only be.
        said: what there is to say where nothing was.
        about: what the coups are.
        next_skip: there is more than is shown, from here on.
    """

    coups: Sequence[Found] = ()
    slips: Sequence[SlipFound] = ()
    straight: str | None = None
    said: str = ""
    about: str = ""
    next_skip: int | None = None


def _find_coup(desk: Desk, asked: AskedCoup, _: int) -> Answer:
    premises = asked.premises or desk.premises
    if premises != desk.premises:
        if desk.principal is None or not desk.principal.roles.get(premises):
            return Answer(said=f"You hold no role at {premises}, so what was dealt there is not for you.")
        desk.premises = premises
    stream = coup_stream(premises, asked.table, asked.shoe, asked.number)
    if not desk.console.service.house.ledger.record.select_first([stream]):
        return Answer(
            said=f"There is no coup {asked.number} of shoe {asked.shoe} at table {asked.table}. "
            "Look at the table’s night for the coups that there are: write the table and its day."
        )
    if not desk.has(READ_COUP):
        return Answer(said="There is such a coup; single coups are not for your role.")
    return Answer(
        straight=desk.address(coup_page.PAGE, table=asked.table, shoe=asked.shoe, number=asked.number)
    )


def _find_span(desk: Desk, asked: AskedSpan, _: int) -> Answer:
    with desk.reading() as statements:
        found = coups_around(
            statements, desk.premises, asked.table, asked.first, asked.last, limit=COUPS_MAX + 1
        )
    at = f"at {asked.table}" if asked.table else "at any table"
    zone = desk.console.settings.zone_of(desk.premises)
    first, last = (moment.astimezone(zone) for moment in (asked.first, asked.last))
    span = f"from {first:%-d %b %Y, %H:%M} to {last:%H:%M %Z}"
    if not found:
        return Answer(
            said=f"No coup was dealt {at} {span}. Write a longer span, such as 21:00-22:00, or the day too."
        )
    about = f"Coups dealt {at} {span}" + (f"; the first {COUPS_MAX}" if len(found) > COUPS_MAX else "")
    hits = found
    if asked.exact is not None:  # of a moment, what was dealt in it; what is around it is no hit
        begins, ends = (moment.isoformat() for moment in asked.exact)
        hits = [one for one in found if begins <= (one.at or "") < ends] or found
    straight = _to_coup(desk, hits[0]) if len(hits) == 1 else None
    return Answer(coups=found[:COUPS_MAX], about=about, straight=straight)


def _find_night(desk: Desk, asked: AskedNight, _: int) -> Answer:
    day = asked.day
    with desk.reading() as statements:
        now = tables_now(statements, desk.premises, asked.table)
    if not now:
        return Answer(said=f"There is no table {asked.table} here.")
    address = desk.address(night_page.PAGE, table=asked.table, day=day or now[0].gaming_day)
    return Answer(straight=address)


def _find_name(desk: Desk, asked: AskedName, skip: int) -> Answer:
    """A table by its name; else a slip by its number and a patron by their token, which may both be."""
    with desk.reading() as statements:
        if tables_now(statements, desk.premises, asked.name):
            return _find_night(desk, AskedNight(asked.name, None), 0)
        slips = slip_uses(statements, desk.premises, asked.name, SLIPS_MAX)
        coups, more = _of_patron(desk, statements, asked.name, skip)
    if not slips and not coups:
        tokens = " or token" if desk.has(SEES_TOKENS) else ""
        return Answer(said=f"No table, slip{tokens} {asked.name} is in the record of {desk.premises}.")
    straight = _to_slip(desk, slips[0].table, slips[0].gaming_day) if len(slips) == 1 and not coups else None
    if len(coups) == 1 and not slips and not more and not skip:
        straight = _to_coup(desk, coups[0])
    following = skip + SHOES_MAX if more else None
    return Answer(coups, slips, straight, about=f"Coups of {asked.name}", next_skip=following)


def _of_patron(desk: Desk, statements: Statements, patron: str, skip: int) -> tuple[list[Found], bool]:
    if not desk.has(SEES_TOKENS):
        return [], False
    return coups_of_patron(statements, desk.premises, patron, SHOES_MAX, skip)


_FINDERS: Mapping[type[Asked], Callable[[Desk, Any, int], Answer]] = {
    AskedCoup: _find_coup,
    AskedSpan: _find_span,
    AskedNight: _find_night,
    AskedName: _find_name,
}


def _to_coup(desk: Desk, found: Any) -> str | None:
    if not desk.has(READ_COUP):
        return None
    names = {"table": found.table, "shoe": found.shoe, "number": found.number}
    return desk.address(coup_page.PAGE, **names)


def _to_slip(desk: Desk, table: str, gaming_day: str) -> str:
    return desk.address(night_page.PAGE, table=table, day=gaming_day) + "#moves"


@dataclass(frozen=True, slots=True)
class _Hit:
    """A coup as a row."""

    number: int
    table: str
    shoe: str
    gaming_day: str
    at: str | None
    state: str
    result: str | None


def _coup_listing(desk: Desk, answer: Answer) -> Listing:
    columns = (
        Shown("number", "Coup", Shows.NUMBER, link=lambda row: _to_coup(desk, row)),
        Shown("table", "Table"),
        Shown("shoe", "Shoe"),
        Shown("gaming_day", "Gaming day", Shows.DAY, link=lambda row: _to_night(desk, row)),
        Shown("at", "Dealt", Shows.MOMENT),
        Shown("state", "State", Shows.MARK),
        Shown("result", "Result"),
    )
    rows = [
        _Hit(one.number, one.table, one.shoe, one.gaming_day, one.at, one.state, result_words(one.results))
        for one in answer.coups
    ]
    following = None
    if answer.next_skip is not None:
        text = desk.request.query_params.get("q", "")
        following = desk.address(PAGE, q=text, skip=answer.next_skip)
    return listing(desk, "coups", answer.about, columns, rows, empty="None.", next=following)


def _slip_listing(desk: Desk, answer: Answer) -> Listing:
    columns = (
        Shown("slip", "Slip", link=lambda row: _to_slip(desk, row["table"], row["gaming_day"])),
        Shown("table", "Table"),
        Shown("gaming_day", "Gaming day", Shows.DAY),
        Shown("moved", "What"),
        Shown("amount", "Amount", Shows.MONEY),
        Shown("void", "Void", Shows.MARK),
    )
    rows = [
        {**one._asdict(), "moved": one.moved or "spoiled", "void": "void" if one.void else None}
        for one in answer.slips
    ]
    return listing(desk, "slips", "Slips of this number", columns, rows, empty="None.")


def _to_night(desk: Desk, row: Any) -> str:
    return desk.address(night_page.PAGE, table=row.table, day=row.gaming_day)


def _add(routes: APIRouter) -> None:
    @routes.get(PAGE.path, dependencies=[allow(PAGE.roles)])
    def search(
        *,
        request: Request,
        q: Annotated[str, Query(max_length=200)] = "",
        skip: Annotated[int, Query(ge=0, le=10_000)] = 0,
    ) -> Response:
        desk = Desk(request)
        answer = Answer()
        if q.strip():
            zone = desk.console.settings.zone_of(desk.premises)
            asked = read_asked(q, zone, desk.console.service.clock())
            if asked is None:
                answer = Answer(said="That is not in one of the forms below. Write it as one of them.")
            else:
                answer = _FINDERS[type(asked)](desk, asked, skip)
        if answer.straight is not None:
            return RedirectResponse(answer.straight, 303)
        coups = _coup_listing(desk, answer) if answer.coups else None
        slips = _slip_listing(desk, answer) if answer.slips else None
        shown = [one for one in (coups, slips) if one is not None]
        return download(desk, *shown) or desk.page(
            "search.html",
            PAGE.title,
            q=q,
            said=answer.said,
            tables=shown,
            tokens=desk.has(SEES_TOKENS),
        )


PAGE = Page("search", "Search", FLOOR, "/at/{premises}/search", _add, "s", in_navigation=False)
