"""Who may see a page: the same roles as in the service's own table, by a session instead of a header."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from fastapi import Depends, Request

from ledger.terms.access import Role
from ops.console.context import Console
from ops.console.refusals import SessionEnded
from ops.console.session import Session
from ops.service.guard import SCOPE, check
from ops.service.problems import note

COOKIE, COOKIE_HTTPS = "console", "__Host-console"
"""The second can be set over https alone, and for this host alone."""


def console_of(request: Request) -> Console:
    """The console that a request has come to."""
    found: Console = request.app.state.console
    return found


def cookie_name(request: Request) -> str:
    """What the session's cookie is called."""
    return COOKIE_HTTPS if is_https(request) else COOKIE


def is_https(request: Request) -> bool:
    """Whether the browser speaks https, to us or to a proxy before us."""
    return console_of(request).settings.https or request.url.scheme == "https"


def allow(roles: Collection[Role]) -> Any:
    """A dependency of a page: lets those pass who are signed in and hold one of these roles there."""
    wanted = frozenset(roles)

    def admitted(request: Request) -> None:
        check(principal_in(request), wanted, request.path_params.get("premises"))

    setattr(admitted, SCOPE, wanted)
    return Depends(admitted)


def principal_in(request: Request) -> Any:
    """Who is signed in. Raises: SessionEnded, NotAuthenticated, TooManyRequests."""
    console = console_of(request)
    session = console.sessions.read(request.cookies.get(cookie_name(request)))
    principal = session.principal
    if principal is None:
        raise SessionEnded("nobody is signed in here")
    note(request, person=principal.person, credential=principal.credential)
    console.service.rates.take(principal.credential)
    request.state.console_session = session
    if (
        request.headers.get("sec-fetch-dest", "document") == "document"
    ):  # what a page fetches is no sign of life
        in_use = console.sessions.seen(session)
        if in_use is not None:
            keep(request, in_use)
    return principal


def session_of(request: Request) -> Session:
    """The session that was let pass; on a page that is open to all, the visitor's."""
    found: Session | None = getattr(request.state, "console_session", None)
    if found is None:
        found = _visit(request)
        request.state.console_session = found
    return found


def _visit(request: Request) -> Session:
    """Whoever comes to a page that is open to all: signed in or not, with a session for its forms."""
    sessions = console_of(request).sessions
    try:
        return sessions.read(request.cookies.get(cookie_name(request)))
    except SessionEnded:
        begun = sessions.begin()
        keep(request, begun)
        return begun


def keep(request: Request, session: Session | None) -> None:
    """Set the session's cookie with the response; None: take it away. See `ops.console.headers`."""
    name, secure = cookie_name(request), "; Secure" if is_https(request) else ""
    text = "" if session is None else console_of(request).sessions.written(session)
    ending = "; Max-Age=0" if session is None else ""
    request.state.console_cookie = f"{name}={text}; Path=/; HttpOnly; SameSite=Lax{secure}{ending}"
