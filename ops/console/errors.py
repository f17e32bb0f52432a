"""What a person sees when something cannot be shown: what it is, and what to do now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from eventsourcing.persistence import PersistenceError
from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse, Response
from starlette.exceptions import HTTPException

from ledger.errors import LedgerError
from ops.console.desk import Desk
from ops.console.door import keep
from ops.console.refusals import SessionEnded
from ops.console.sign_in import SIGN_IN
from ops.service.problems import RETRY_SECONDS, note, request_id_of, status_of
from ops.service.refusals import NotAuthenticated, NotFound, ParameterUnreadable, StoreUnavailable

ADVICE: Mapping[int, tuple[str, str]] = {
    400: ("This cannot be read", "Go back, and follow a link or a form of these pages."),
    401: ("Sign in", "Sign in again with your key or token."),
    403: (
        "This is not for your role",
        "Ask an administrator for a key with the role, or somebody who has one.",
    ),
    404: ("There is nothing here", "Check the address, or search for what you are looking for."),
    405: ("That cannot be done here", "Go back, and use the buttons of the page."),
    408: ("That took too long", "Send it again."),
    409: ("Not as the record stands", "Go back, load the page anew, and look at what has changed."),
    413: ("That is too much", "Send less at once."),
    415: ("That is no form of ours", "Go back, and send the form of the page."),
    422: ("This cannot be understood", "Correct what is named above."),
    429: ("Too many requests", "Wait a moment, then load the page again."),
    500: (
        "A fault of ours",
        "Tell whoever runs the ledger; the log has the cause under the request's number.",
    ),
    503: ("Not now", "Nothing is lost. Load the page again in a few seconds."),
}
"""By status: a heading, and what to do."""
_FORM = ("This form is too old", "Go back, load the page anew, and send it again.")


def shown(request: Request, status: int, detail: str, code: str = "") -> Response:
    """The page of an error."""
    note(request, code=code)
    heading, advice = _FORM if code == "form-not-ours" else ADVICE.get(status, ADVICE[500])
    page = Desk(request).page(
        "error.html",
        heading,
        status=status,
        detail=detail,
        advice=advice,
        request_id=request_id_of(request) if status >= 500 else None,
    )
    if status in {429, 503}:
        page.headers["Retry-After"] = RETRY_SECONDS
    return page


async def _of_ours(request: Request, error: Any) -> Response:
    if isinstance(error, SessionEnded | NotAuthenticated):
        return _sign_in(request, error)
    return shown(request, status_of(error), str(error), error.code)


def _sign_in(request: Request, error: LedgerError) -> Response:
    """Whoever asks for a page is asked to sign in, and is then shown it; a script is told."""
    keep(request, None)
    if request.method != "GET" or request.headers.get("sec-fetch-dest", "document") != "document":
        return Response(str(error), 401, media_type="text/plain")
    to = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return RedirectResponse(f"{request.scope['root_path']}{SIGN_IN}?to={quote(to, safe='')}", 303)


async def _of_store(request: Request, error: Any) -> Response:
    note(request, fault=f"{type(error).__name__}: {error}")
    return await _of_ours(request, StoreUnavailable())


async def _of_parameters(request: Request, error: Any) -> Response:
    said = "; ".join(f"{'.'.join(map(str, one['loc'][1:]))}: {one['msg']}" for one in error.errors()[:20])
    return await _of_ours(request, ParameterUnreadable(said))


async def _of_http(request: Request, error: Any) -> Response:
    if error.status_code == 404:
        return await _of_ours(request, NotFound("page at this address"))
    return shown(request, error.status_code, str(error.detail))


async def _of_fault(request: Request, _: Any) -> Response:
    """Anything else; it goes on to the log, and nothing of it to the page."""
    return shown(request, 500, "The page could not be made.")


HANDLERS: Mapping[Any, Any] = {
    LedgerError: _of_ours,
    PersistenceError: _of_store,
    RequestValidationError: _of_parameters,
    HTTPException: _of_http,
    Exception: _of_fault,
}
