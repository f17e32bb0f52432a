"""One coup: cards, sums, rulings, and whether the seal vouches for it. It prints on one page."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from ledger.errors import CoupNotCovered, LedgerError
from ledger.seal.bundle import check_whole, make_bundle
from ledger.seal.tiles import SealedTree
from ledger.store.port import Row
from ledger.terms.identifiers import coup_stream
from ledger.terms.wagers import Tender
from ops.cli.covering import covering_of, note_covering
from ops.console.coup_parts import cards_dealt, claim_compared, side_by_side
from ops.console.desk import Desk
from ops.console.door import allow
from ops.console.listing import Listing, Shown, Shows, download, listing
from ops.console.pages import Page
from ops.service.permissions import READ_COUP, READ_PROOF
from ops.service.problems import note
from ops.service.refusals import NotFound
from ops.service.resources import CoupNumberInPath, ShoeName, TableName
from ops.service.veil import SEES_TOKENS, without_tokens
from projections.story.coups import CoupStory, tell
from projections.story.replay import replay
from projections.story.telling import Covering, Telling

_PATH = "/at/{premises}/tables/{table}/shoes/{shoe}/coups/{number}"
_UNTELLABLE = (LedgerError, LookupError, StopIteration, AssertionError)
"""What a record raises that was altered so that it tells no story."""


def _rows_of(desk: Desk, table: str, shoe: str, number: int) -> list[Row]:
    """A coup's events, from its own stream. Raises: NotFound."""
    note(desk.request, coup=f"{desk.premises}/{table}/{shoe}/{number}")
    stream = coup_stream(desk.premises, table, shoe, number)
    rows = desk.console.service.house.ledger.record.select_stream(stream)
    if not rows:
        raise NotFound(f"coup {table}/{shoe}/{number}")
    return rows


def _told(desk: Desk, rows: list[Row], covering: Covering | None) -> tuple[CoupStory, Telling] | None:
    """The story for whoever asks; None where the record was altered so that it tells none."""
    try:
        story = tell(rows[0].stream, rows)
        if not desk.has(SEES_TOKENS):
            story = without_tokens(story)
        return story, replay(story, desk.console.service.clock(), covering)
    except _UNTELLABLE:
        if covering is None or covering.holds:
            raise
        return None


def _wagers(desk: Desk, story: CoupStory, told: Telling) -> Listing:
    """Every accepted wager with its end; as CSV too."""
    lines = {line.wager: line for line in story.lines}
    standing = {wager["id"]: wager for wager in story.standing()}
    rows = []
    for one in told.wagers:
        line, wager = lines.get(one.wager), standing[one.wager]
        rows.append(
            {
                "wager": one.wager,
                "patron": wager.get("patron"),
                "seat": wager.get("seat"),
                "says": one.says,
                "stake": wager["stake"],
                "tender": "promotional" if wager["tender"] == Tender.PROMOTIONAL else "",
                "outcome": one.ending,
                "arithmetic": one.arithmetic,
                "paid": line.winnings + line.returned if line else None,
                "paragraph": one.paragraph or None,
                "currency": story.currency,
            }
        )
    hidden = set() if desk.has(SEES_TOKENS) else {"patron", "seat"}
    hidden |= set() if any(row["tender"] for row in rows) else {"tender"}
    columns = [column for column in _WAGER_COLUMNS if column.name not in hidden]
    empty = "No accepted wager stands. Refused and cancelled ones are told below."
    return listing(desk, "wagers", "Wagers, with what stands now", columns, rows, empty=empty)


def _neighbours(desk: Desk, table: str, shoe: str, number: int) -> dict[str, int | None]:
    """The coups before and after it in its shoe, where they are in the record."""
    streams = {coup_stream(desk.premises, table, shoe, near): near for near in (number - 1, number + 1)}
    there = {streams[name] for name in desk.console.service.house.ledger.record.select_first([*streams])}
    return {
        "before": number - 1 if number - 1 in there else None,
        "after": number + 1 if number + 1 in there else None,
    }


_WAGER_COLUMNS = (
    Shown("wager", "Wager"),
    Shown("patron", "Patron"),
    Shown("seat", "Seat", Shows.NUMBER),
    Shown("says", "Says that"),
    Shown("stake", "Stake", Shows.MONEY),
    Shown("tender", "Chips"),
    Shown("outcome", "Ended", Shows.MARK),
    Shown("arithmetic", "Arithmetic"),
    Shown("paid", "Paid out", Shows.MONEY),
    Shown("paragraph", "Under", Shows.PARAGRAPH),
)


def _add(routes: APIRouter) -> None:
    @routes.get(PAGE.path, dependencies=[allow(PAGE.roles)])
    def coup(*, request: Request, table: TableName, shoe: ShoeName, number: CoupNumberInPath) -> Response:
        desk = Desk(request)
        rows = _rows_of(desk, table, shoe, number)
        covering = covering_of(desk.console.service.house, rows, (), check_whole)
        told = _told(desk, rows, covering)
        title = f"Coup {number} of shoe {shoe} at table {table}"
        if told is None:
            return desk.page("coup_broken.html", title, coup=rows[0].stream, covering=covering)
        story, telling = told
        wagers = _wagers(desk, story, telling)
        return download(desk, wagers) or desk.page(
            "coup.html",
            title,
            story=story,
            told=telling,
            pinned=story.opened.conditions if story.opened else None,
            wagers=wagers,
            near=_neighbours(desk, table, shoe, number),
            cards=cards_dealt(story),
            claims=claim_compared(story),
            changes=list(zip(telling.rulings, story.rulings, side_by_side(story), strict=True)),
            covering=covering,
            place={"table": table, "shoe": shoe, "number": number},
            sees={"tokens": desk.has(SEES_TOKENS), "proof": desk.has(READ_PROOF)},
            bundle=f"{request.url.path}/bundle",
        )

    @routes.get(f"{PAGE.path}/bundle", dependencies=[allow(READ_PROOF)])
    def bundle(*, request: Request, table: TableName, shoe: ShoeName, number: CoupNumberInPath) -> Response:
        """A file with which anybody who has the public key can check this coup."""
        desk = Desk(request)
        rows = _rows_of(desk, table, shoe, number)
        house = desk.console.service.house
        checkpoint = note_covering(house, rows[-1].sequence)
        if checkpoint is None:
            raise CoupNotCovered(rows[-1].stream, rows[-1].sequence)
        with SealedTree(house.tables).view() as view:
            content = make_bundle(rows, checkpoint, view.inclusion_proof)
        headers = {"Content-Disposition": f'attachment; filename="coup-{table}-{shoe}-{number}.json"'}
        return Response(content, media_type="application/json", headers=headers)


PAGE = Page("coup", "Coup", READ_COUP, _PATH, _add, in_navigation=False)
