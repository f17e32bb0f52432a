"""One coup, from its own stream: shown, told, and proved; and the checkpoint that proofs are held against."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, Response

from ledger.errors import CoupNotCovered, LedgerError, NoCheckpoint
from ledger.seal.bundle import check_whole, make_bundle
from ledger.seal.checkpoints import Checkpoints
from ledger.seal.tiles import SealedTree
from ledger.store.port import Row
from ledger.terms.identifiers import coup_stream
from ledger.verify.sealed import exists
from ops.cli.covering import covering_of, note_covering
from ops.service.context import Service
from ops.service.guard import allow, principal_of
from ops.service.permissions import (
    READ_CHECKPOINT,
    READ_COUP,
    READ_PROOF,
)
from ops.service.problems import RESPONSES, note
from ops.service.refusals import NotFound
from ops.service.resources import CoupNumberInPath, Premises, ShoeName, TableName
from ops.service.veil import SEES_TOKENS, without_tokens
from projections.story.coups import tell
from projections.story.replay import as_json as story_as_json
from projections.story.replay import replay

_COUP = "/v1/premises/{premises}/tables/{table}/shoes/{shoe}/coups/{number}"


def router(service: Service) -> APIRouter:
    """Coups and proofs."""
    routes = APIRouter(responses=RESPONSES)
    for add in (_coups, _bundles, _checkpoint):
        add(routes, service)
    return routes


def _rows_of(
    service: Service, request: Request, *, premises: str, table: str, shoe: str, number: int
) -> list[Row]:
    """A coup's events; the log says which coup was asked for. Raises: NotFound."""
    note(request, coup=f"{premises}/{table}/{shoe}/{number}")
    stream = coup_stream(premises, table, shoe, number)
    rows = service.house.ledger.record.select_stream(stream)
    if not rows:
        raise NotFound(stream)
    return rows


def _coups(routes: APIRouter, service: Service) -> None:
    @routes.get(
        _COUP,
        dependencies=[allow(READ_COUP)],
        operation_id="show-coup",
        response_model=dict[str, Any],
        tags=["coups"],
    )
    def show_coup(
        *,
        request: Request,
        premises: Premises,
        table: TableName,
        shoe: ShoeName,
        number: CoupNumberInPath,
    ) -> dict[str, Any]:
        """One coup: its cards as dealt, the rules, each wager's arithmetic and paragraph.

        Who staked what is for those alone to whom the feed gives it.
        """
        rows = _rows_of(service, request, premises=premises, table=table, shoe=shoe, number=number)
        story = tell(rows[0].stream, rows)
        sees = principal_of(request).may(SEES_TOKENS, premises)
        return (story if sees else without_tokens(story)).as_json()

    @routes.get(
        f"{_COUP}/replay",
        dependencies=[allow(READ_PROOF)],
        operation_id="replay-coup",
        response_model=dict[str, Any],
        tags=["coups"],
    )
    def replay_coup(
        *,
        request: Request,
        premises: Premises,
        table: TableName,
        shoe: ShoeName,
        number: CoupNumberInPath,
    ) -> dict[str, Any]:
        """One coup as a story to read to a patron; `checkpoint` says whether the seal vouches for it."""
        rows = _rows_of(service, request, premises=premises, table=table, shoe=shoe, number=number)
        covering = covering_of(service.house, rows, (), check_whole)
        try:
            story = tell(rows[0].stream, rows)
            return story_as_json(story, replay(story, service.clock(), covering), covering)
        except (LedgerError, LookupError, StopIteration, AssertionError):
            if covering is None or covering.holds:
                raise
            return {"coup": rows[0].stream, "checkpoint": covering.as_json(), "told": None}


def _bundles(routes: APIRouter, service: Service) -> None:
    @routes.get(
        f"{_COUP}/bundle",
        dependencies=[allow(READ_PROOF)],
        operation_id="bundle-coup",
        response_class=Response,
        responses={200: {"content": {"application/json": {"schema": {"type": "object"}}}}},
        tags=["coups"],
    )
    def bundle_coup(
        *,
        request: Request,
        premises: Premises,
        table: TableName,
        shoe: ShoeName,
        number: CoupNumberInPath,
    ) -> Response:
        """A file with which anybody who has the public key can check this coup: `bundle verify`."""
        rows = _rows_of(service, request, premises=premises, table=table, shoe=shoe, number=number)
        checkpoint = note_covering(service.house, rows[-1].sequence)
        if checkpoint is None:
            raise CoupNotCovered(rows[-1].stream, rows[-1].sequence)
        with SealedTree(service.house.tables).view() as view:
            bundle = make_bundle(rows, checkpoint, view.inclusion_proof)
        return Response(bundle, media_type="application/json")


def _checkpoint(routes: APIRouter, service: Service) -> None:
    @routes.get(
        "/v1/checkpoint",
        dependencies=[allow(READ_CHECKPOINT)],
        operation_id="read-checkpoint",
        response_class=PlainTextResponse,
        tags=["proof"],
    )
    def checkpoint() -> str:
        """The last checkpoint, a C2SP signed note: keep it elsewhere."""
        tables = service.house.tables
        last = Checkpoints(tables, "", ()).last() if exists(tables, "seal_checkpoints") else None
        if last is None:
            raise NoCheckpoint
        return str(last)
