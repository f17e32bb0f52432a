"""Consumers and integrity: who has read how far, what is sealed and signed, when it was last verified."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from typing import Any, NamedTuple

from fastapi import APIRouter, Request
from fastapi.responses import Response

from ledger.errors import NoCheckpoint
from ledger.events.catalogue import decode
from ledger.seal.checkpoint import parse_checkpoint
from ledger.seal.checkpoints import Checkpoints
from ledger.seal.note import Note
from ledger.store.port import Statements
from ledger.verify.sealed import exists
from ops.console.desk import Desk
from ops.console.door import allow
from ops.console.listing import Listing, Shown, Shows, download, listing
from ops.console.pages import Page
from ops.feed.consumers import Consumers
from ops.feed.routes import SEES_ALL
from ops.relay.position import Positions
from ops.service.context import Service
from ops.service.permissions import READ_PROOF
from ops.verify_results import last_result


class Sealed(NamedTuple):
    """The last checkpoint, as it is kept. Its signatures are not checked here: that takes the public key.

    Attributes:
        recorded_at: when the last event that it covers was recorded, UTC.
    """

    origin: str
    size: int
    root: str
    signed_by: tuple[str, ...]
    recorded_at: Any
    text: str


def _add(routes: APIRouter) -> None:
    @cache
    def readers(service: Service) -> tuple[Consumers, Positions]:
        """Once: each makes its table before it first reads."""
        house = service.house
        return Consumers(house.tables, house.ledger.record, service.clock), Positions(house.tables)

    @routes.get(PAGE.path, dependencies=[allow(PAGE.roles)])
    def integrity(request: Request) -> Response:
        desk = Desk(request)
        service = desk.console.service
        with desk.reading() as statements:
            projections = _projections(desk, statements, desk.position)
        end = service.house.ledger.record.last_sequence()
        tables = [projections]
        if desk.has(SEES_ALL):
            tables = [*_readers(desk, end, *readers(service)), projections]
        return download(desk, *tables) or desk.page(
            "integrity.html",
            PAGE.title,
            end=end,
            lags={name: lag() for name, lag in service.lags.items()},
            tables=tables,
            sealed=_sealed(service),
            last=last_result(service.house.tables),
            checkpoint=desk.address(PAGE) + "/checkpoint",
        )

    @routes.get(f"{PAGE.path}/checkpoint", dependencies=[allow(PAGE.roles)])
    def checkpoint(request: Request) -> Response:
        """The last checkpoint as a file: a signed note, to keep elsewhere."""
        note = _last(Desk(request).console.service)
        if note is None:
            raise NoCheckpoint
        headers = {"Content-Disposition": 'attachment; filename="checkpoint.txt"'}
        return Response(str(note), media_type="text/plain; charset=utf-8", headers=headers)


def _last(service: Service) -> Note | None:
    tables = service.house.tables
    return Checkpoints(tables, "", ()).last() if exists(tables, "seal_checkpoints") else None


def _sealed(service: Service) -> Sealed | None:
    note = _last(service)
    if note is None:
        return None
    found = parse_checkpoint(note.text)
    covered = service.house.ledger.record.select_rows(found.size - 1, 1) if found.size else []
    events = [decode(row.topic, row.state, row.stream, row.version) for row in covered]
    return Sealed(
        found.origin,
        found.size,
        b64encode(found.root).decode(),
        tuple(signature.label for signature in note.signatures),
        events[0].recorded_at if events else None,
        str(note),
    )


def _projections(desk: Desk, statements: Statements, end: int) -> Listing:
    sql = "SELECT projection, version, position FROM projection_positions ORDER BY projection"
    rows = [
        {"projection": name, "version": version, "position": position, "lag": max(0, end - position)}
        for name, version, position in statements.execute(sql)
        if "__" not in name  # one that is being built beside it
    ]
    return listing(
        desk,
        "projections",
        "Read tables",
        (
            Shown("projection", "Read tables of"),
            Shown("position", "Up to event", Shows.NUMBER),
            Shown("lag", "Behind", Shows.NUMBER),
            Shown("version", "Version", Shows.NUMBER),
        ),
        rows,
        empty="None is built yet: baccarat-ledger project rebuild.",
    )


def _readers(desk: Desk, end: int, consumers: Consumers, relays: Positions) -> list[Listing]:
    named = listing(
        desk,
        "consumers",
        "Consumers",
        (
            Shown("name", "Consumer"),
            Shown("owner", "Whose"),
            Shown("position", "Has read up to", Shows.NUMBER),
            Shown("lag", "Behind", Shows.NUMBER),
            Shown("moved_at", "Last moved", Shows.MOMENT),
        ),
        consumers.every(),
        empty="None keeps its position here. A consumer does so by PUT /v1/consumers/NAME.",
    )
    relayed = listing(
        desk,
        "relays",
        "Relays",
        (
            Shown("target", "Stream"),
            Shown("position", "Acknowledged up to", Shows.NUMBER),
            Shown("lag", "Behind", Shows.NUMBER),
            Shown("created", "Stream made", Shows.MOMENT),
        ),
        [{**one._asdict(), "lag": end - one.position} for one in relays.every()],
        empty="Nothing is relayed. baccarat-ledger relay sends the record to NATS JetStream.",
    )
    return [named, relayed]


PAGE = Page("integrity", "Integrity", READ_PROOF, "/at/{premises}/integrity", _add, "i")
