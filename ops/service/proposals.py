"""What waits for consents: looking at it, consenting, and withdrawing it."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from fastapi.responses import JSONResponse, Response
from pydantic import Field, TypeAdapter

from ledger.commands.base import Reason
from ledger.terms.identifiers import CommandId
from ledger.terms.value import Value
from ops.service.commands import Ran, agreed, facts_of
from ops.service.consents import Consents, Outstanding
from ops.service.context import Service
from ops.service.guard import allow, principal_of
from ops.service.limits import body_of, check_media_type
from ops.service.paging import LIMIT_DEFAULT, Cursor, Limit, Page
from ops.service.permissions import CONSENTING, READ_PROOF
from ops.service.problems import RESPONSES, note
from ops.service.resources import Premises
from ops.tape.reader import read

ProposalId = Annotated[CommandId, Path(description="The command's id.")]
_QUERY = "proposals"


class Consenting(Value):
    """Consent to a proposal as it was shown, under this digest."""

    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Withdrawing(Value):
    """Why a proposal is withdrawn."""

    reason: Reason


_CONSENTING = TypeAdapter(Consenting)
_WITHDRAWING = TypeAdapter(Withdrawing)
BODIES: tuple[type[Value], ...] = (Consenting, Withdrawing)
"""Bodies that are read here, and not by the framework, which takes a key of JSON twice."""


def _body(model: type[Value]) -> dict[str, Any]:
    schema = {"$ref": f"#/components/schemas/{model.__name__}"}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


_BASE = "/v1/premises/{premises}/proposals"


def router(service: Service) -> APIRouter:
    """Proposals."""
    routes = APIRouter(tags=["rulings"], responses=RESPONSES)
    consents = Consents(service)
    _looking(routes, service, consents)
    _consenting(routes, service, consents)
    _withdrawing(routes, service, consents)
    return routes


def _looking(routes: APIRouter, service: Service, consents: Consents) -> None:
    @routes.get(
        _BASE,
        operation_id="list-proposals",
        dependencies=[allow(CONSENTING | READ_PROOF)],
        response_model=Page,
    )
    def list_proposals(
        premises: Premises,
        limit: Limit = LIMIT_DEFAULT,
        cursor: Cursor = None,
    ) -> dict[str, Any]:
        """What waits for consents, by id."""
        asked = {"premises": premises}
        (after,) = service.cursors.read(_QUERY, asked, cursor) if cursor is not None else ("",)
        found = consents.waiting(premises, after, limit + 1)
        rows = [one.as_json() for one in found[:limit]]
        following = [rows[-1]["proposal"]] if len(found) > limit else None
        return {"rows": rows, "next": following and service.cursors.make(_QUERY, asked, following)}

    @routes.get(
        f"{_BASE}/{{proposal}}",
        operation_id="show-proposal",
        dependencies=[allow(CONSENTING | READ_PROOF)],
        response_model=Outstanding.Told,
    )
    def show_proposal(premises: Premises, proposal: ProposalId) -> dict[str, Any]:
        """One proposal, with the digest that a consent names; also one that was run or withdrawn."""
        return consents.one(premises, proposal).as_json()


def _consenting(routes: APIRouter, service: Service, consents: Consents) -> None:
    @routes.post(
        f"{_BASE}/{{proposal}}/consents",
        operation_id="consent",
        dependencies=[allow(CONSENTING)],
        response_model=Ran,
        responses={202: {"model": Outstanding.Told, "description": "Others have not consented yet"}},
        openapi_extra=_body(Consenting),
    )
    async def consent(request: Request, premises: Premises, proposal: ProposalId) -> Response:
        """Consent to a proposal; with the last consent it runs, and this is its answer."""
        check_media_type(request, "application/json")
        given = read(await body_of(request, service.settings), _CONSENTING)
        note(request, command_id=proposal)
        found = await asyncio.to_thread(
            consents.consent, premises, proposal, given.digest, principal_of(request)
        )
        if isinstance(found, Outstanding):
            note(request, outcome="consented")
            return JSONResponse(found.as_json(), 202)
        note(request, **facts_of(found))
        return await agreed(request, service, consents, found)


def _withdrawing(routes: APIRouter, service: Service, consents: Consents) -> None:
    @routes.post(
        f"{_BASE}/{{proposal}}/withdraw",
        operation_id="withdraw-proposal",
        dependencies=[allow(CONSENTING)],
        response_model=Outstanding.Told,
        openapi_extra=_body(Withdrawing),
    )
    async def withdraw(request: Request, premises: Premises, proposal: ProposalId) -> Response:
        """Withdraw what you proposed, as long as somebody has not consented. Its id is used up."""
        check_media_type(request, "application/json")
        asked = read(await body_of(request, service.settings), _WITHDRAWING)
        note(request, command_id=proposal)
        found = await asyncio.to_thread(
            consents.withdraw, premises, proposal, asked.reason, principal_of(request)
        )
        note(request, **facts_of(found.command), outcome="withdrawn")
        return JSONResponse(found.as_json())
