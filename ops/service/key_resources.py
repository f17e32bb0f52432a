"""Keys over HTTP: what `baccarat-ledger access keys` does, for administrators of a premises."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import Field, TypeAdapter

from ledger.commands.base import Reason
from ledger.terms.access import Role
from ledger.terms.identifiers import Name
from ledger.terms.value import Moment, Value
from ops.service.context import Service
from ops.service.guard import allow, principal_of
from ops.service.keys import KeyRefused, NewKey
from ops.service.limits import body_of, check_media_type
from ops.service.paging import LIMIT_DEFAULT, Cursor, Limit, Page
from ops.service.permissions import ADMIN, AUDITOR
from ops.service.problems import RESPONSES, note, of_answer
from ops.service.resources import Premises
from ops.tape.reader import read

_KEYS = "/v1/premises/{premises}/keys"
_QUERY = "keys"


class KeyAsked(Value):
    """A key for a person or a system."""

    key: Name
    person: Name
    roles: Annotated[tuple[Role, ...], Field(min_length=1, max_length=len(Role))]
    expires_at: Moment | None = None


class RevocationAsked(Value):
    """Why a key is revoked."""

    reason: Reason


class KeyShown(Value):
    """A new key. `text` is its secret, and is shown this once."""

    key: str
    text: str


_ASKED = TypeAdapter(KeyAsked)
_REVOKED = TypeAdapter(RevocationAsked)


def _body(model: type[Value]) -> dict[str, Any]:
    schema = {"$ref": f"#/components/schemas/{model.__name__}"}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def router(service: Service) -> APIRouter:
    """Keys."""
    routes = APIRouter(tags=["keys"], responses=RESPONSES)

    @routes.get(_KEYS, operation_id="list-keys", dependencies=[allow(ADMIN | AUDITOR)], response_model=Page)
    def list_keys(
        premises: Premises,
        limit: Limit = LIMIT_DEFAULT,
        cursor: Cursor = None,
    ) -> dict[str, Any]:
        """The keys of a premises: whose, for what, and when last used."""
        asked = {"premises": premises}
        (after,) = service.cursors.read(_QUERY, asked, cursor) if cursor is not None else ("",)
        found = [key for key in service.keys.every(premises) if key.key > after]
        rows = [key.as_json() for key in found[:limit]]
        following = [rows[-1]["key"]] if len(found) > limit else None
        return {"rows": rows, "next": following and service.cursors.make(_QUERY, asked, following)}

    @routes.post(
        _KEYS,
        operation_id="issue-key",
        dependencies=[allow(ADMIN)],
        response_model=KeyShown,
        status_code=201,
        openapi_extra=_body(KeyAsked),
    )
    async def issue_key(request: Request, premises: Premises) -> Response:
        """Issue a key. Its text is shown this once; what an administrator did is in the record."""
        check_media_type(request, "application/json")
        asked = read(await body_of(request, service.settings), _ASKED)
        new = NewKey(premises, asked.key, asked.person, asked.roles, asked.expires_at)
        note(request, key=f"{premises}/{asked.key}")
        try:
            text = await asyncio.to_thread(service.keys.issue, new, principal_of(request).person)
        except KeyRefused as refused:
            return of_answer(request, refused.answer)
        return JSONResponse({"key": asked.key, "text": text}, 201, {"Cache-Control": "no-store"})

    @routes.post(
        _KEYS + "/{key}/revoke",
        operation_id="revoke-key",
        dependencies=[allow(ADMIN)],
        status_code=204,
        response_class=Response,
        openapi_extra=_body(RevocationAsked),
    )
    async def revoke_key(request: Request, premises: Premises, key: Name) -> Response:
        """Revoke a key: it opens nothing from here on."""
        check_media_type(request, "application/json")
        asked = read(await body_of(request, service.settings), _REVOKED)
        note(request, key=f"{premises}/{key}")
        try:
            await asyncio.to_thread(
                service.keys.revoke, premises, key, asked.reason, principal_of(request).person
            )
        except KeyRefused as refused:
            return of_answer(request, refused.answer)
        return Response(status_code=204)

    return routes


MODELS: tuple[type[Value], ...] = (KeyAsked, RevocationAsked)
"""Bodies that are read here, and not by the framework, which takes a key of JSON twice."""
