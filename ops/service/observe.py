"""One line in the log and one count for every request; and nothing of what went wrong inside gets out."""

from __future__ import annotations

import re
from time import perf_counter
from typing import Any
from uuid import uuid4

import structlog
from fastapi import Request
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ops.service import faults
from ops.service.context import Service
from ops.service.problems import problem

log = structlog.get_logger()

HEADER = "X-Request-Id"
_GIVEN = re.compile(r"[A-Za-z0-9._\-]{1,64}", re.ASCII)
_CLIENT_GONE = 499
_CACHE = b"cache-control"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Observed:
    """Wraps the whole service.

    The log has a route's template and never a query: a patron's token may be asked for there.
    """

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _request_id(scope)
        told: dict[str, Any] = {}
        scope["state"] = {**scope.get("state", {}), "request_id": request_id, "told": told}
        status = 0
        begun = perf_counter()

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = [*message["headers"], (HEADER.lower().encode(), request_id.encode())]
                if not any(name.lower() == _CACHE for name, _ in headers):
                    headers.append((_CACHE, b"no-store"))  # it is for whoever asked, and nobody between
                message["headers"] = headers
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self._app(scope, receive, sending)
            except ClientDisconnect:
                status = _CLIENT_GONE
            except Exception as error:  # noqa: BLE001 – whatever it is, it stays in here
                log.error(  # noqa: TRY400 – a traceback has values in it
                    "a request failed", route=_route(scope), **faults.told(error)
                )
                if not status:
                    response = problem(
                        request_id, 500, "fault", "the log of the service says why, under this id"
                    )
                    await response(scope, receive, sending)
            self._note(scope, status, perf_counter() - begun, told)

    def _note(self, scope: Scope, status: int, seconds: float, told: dict[str, Any]) -> None:
        route = _route(scope)
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._service.metrics.requests.labels(method, route, str(status)).inc()
        self._service.metrics.seconds.labels(route).observe(seconds)
        level = log.warning if status >= 500 else log.info
        level("request", method=method, route=route, status=status, ms=round(seconds * 1000, 1), **told)


def _route(scope: Scope) -> str:
    """The template that a path has matched; what was mistyped may be anything, so it is not said."""
    route = scope.get("route")
    return getattr(route, "path", "(none)")


def _request_id(scope: Scope) -> str:
    """What the client calls its request, if it could be a name; else one is made."""
    given = Request(scope).headers.get(HEADER, "")
    return given if _GIVEN.fullmatch(given) else uuid4().hex
