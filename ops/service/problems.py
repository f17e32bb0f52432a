"""What is answered to what cannot be done: RFC 9457 problems, each with a stable code.

A problem says what its error says, which names no patron; never where in the program it came from.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from eventsourcing.persistence import PersistenceError
from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from ledger import errors
from ledger.answer import Answer
from ledger.errors import LedgerError
from ops.service.refusals import ParameterUnreadable, ServiceError, StoreUnavailable

MEDIA_TYPE = "application/problem+json"
TYPE = "urn:baccarat-ledger:problem:{}"
RETRY_SECONDS = "1"


class Problem(BaseModel):
    """A problem as RFC 9457 has it, with what the ledger knows of it."""

    type: str = Field(examples=["urn:baccarat-ledger:problem:table-not-open"])
    title: str
    status: int
    detail: str
    code: str
    """Stable, for programs."""
    paragraph: str | None = None
    """Of the regulation, or the term of the table, that decides, where one does."""
    outcome: str | None = None
    """Of a command: `refused`, which is in the record, or `rejected`, which is not."""
    command_id: str | None = None
    request_id: str | None = None


_STATUS: Mapping[type[LedgerError], int] = {
    errors.NotJson: 400,
    errors.LineTooLong: 413,
    errors.MalformedInput: 422,
    errors.LedgerBusy: 503,
    errors.Conflict: 409,
    errors.Refusal: 409,
    errors.CoupNotCovered: 409,
    errors.NoCheckpoint: 404,
}
"""By the class of an error, or the nearest above it; any other is the ledger's own trouble: 503."""
STATUS_BY_CODE: Mapping[str, int] = {
    errors.CommandIdUsed.code: 409,
    errors.LedgerBusy.code: 503,
}
"""Of what is rejected; any other is 422."""
_TITLES: Mapping[int, str] = {
    400: "Cannot be read",
    401: "Not authenticated",
    403: "Not allowed",
    404: "Not found",
    405: "Not a method of this resource",
    408: "Too slow",
    409: "Not as the record stands",
    413: "Too large",
    415: "Not a media type that is read here",
    422: "Cannot be understood",
    429: "Too many requests",
    500: "A fault of the service",
    503: "Not now",
}


def status_of(error: LedgerError) -> int:
    """The HTTP status of an error."""
    if isinstance(error, ServiceError):
        return error.status
    return next((_STATUS[each] for each in type(error).__mro__ if each in _STATUS), 503)


def problem(
    request_id: str | None,
    status: int,
    code: str,
    detail: str,
    *,
    headers: Mapping[str, str] | None = None,
    **more: Any,
) -> Response:
    """A problem as a response; members that are None are left out."""
    members = {
        "type": TYPE.format(code),
        "title": _TITLES.get(status, "Not served"),
        "status": status,
        "detail": detail,
        "code": code,
        **more,
        "request_id": request_id,
    }
    told = {name: value for name, value in members.items() if value is not None}
    extra = dict(headers or {})
    if status in {429, 503}:
        extra["Retry-After"] = RETRY_SECONDS
    if status in {408, 413}:  # what is left of the body is not waited for
        extra["Connection"] = "close"
    if status == 401:
        extra["WWW-Authenticate"] = "Bearer"
    return Response(json.dumps(told), status, extra, MEDIA_TYPE)


def request_id_of(request: Request) -> str | None:
    """What this request goes by in the log."""
    found: str | None = request.scope.get("state", {}).get("request_id")
    return found


def note(request: Request, **facts: Any) -> None:
    """Facts for the request's line in the log; never what could name a patron."""
    request.scope.setdefault("state", {}).setdefault("told", {}).update(
        {name: fact for name, fact in facts.items() if fact is not None}
    )


def of_error(request: Request, error: LedgerError) -> Response:
    """The response to one of our errors."""
    note(request, code=error.code)
    return problem(
        request_id_of(request), status_of(error), error.code, str(error), paragraph=error.paragraph
    )


async def _of_ours(request: Request, error: Any) -> Response:
    return of_error(request, error)


async def _of_store(request: Request, error: Any) -> Response:
    """The response when the store failed: why, the log says."""
    note(request, fault=f"{type(error).__name__}: {error}")
    return of_error(request, StoreUnavailable())


def of_answer(request: Request, answer: Answer) -> Response:
    """The response to a command that was not applied."""
    code = answer.code or ""
    status = 409 if answer.outcome == "refused" else STATUS_BY_CODE.get(code, 422)
    note(request, code=code)
    return problem(
        request_id_of(request),
        status,
        code,
        answer.detail or "",
        paragraph=answer.paragraph,
        outcome=answer.outcome,
        command_id=answer.command_id,
    )


async def _of_parameters(request: Request, error: Any) -> Response:
    """The response to parameters that cannot be read."""
    said = "; ".join(f"{'.'.join(map(str, one['loc'][1:]))}: {one['msg']}" for one in error.errors()[:20])
    return of_error(request, ParameterUnreadable(said))


async def _of_http(request: Request, error: Any) -> Response:
    """The response to no such path, or no such method on it."""
    codes = {404: "not-found", 405: "method-not-allowed"}
    code = codes.get(error.status_code, "not-served")
    note(request, code=code)
    return problem(request_id_of(request), error.status_code, code, error.detail, headers=error.headers)


HANDLERS: Mapping[int | type[Exception], Callable[[Request, Any], Coroutine[Any, Any, Response]]] = {
    LedgerError: _of_ours,
    PersistenceError: _of_store,
    RequestValidationError: _of_parameters,
    HTTPException: _of_http,
}
"""Each kind of error, and what makes a response of it."""

RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {
        "description": title,
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for status, title in _TITLES.items()
    if status not in {405, 500}
}
"""What any resource may answer besides what it is for."""
