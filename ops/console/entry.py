"""The way in: puts the console before a service, where what it stands on is installed."""

from __future__ import annotations

import structlog
from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, Response
from starlette.exceptions import HTTPException

from ops.console.settings import ConsoleSettings
from ops.service.context import Service

log = structlog.get_logger()

CONSOLE = "/console"
_EXTRA = frozenset({"itsdangerous", "plotly"})


def show(app: FastAPI, service: Service, settings: ConsoleSettings) -> None:
    """Mount the console at `/console`, and send browsers there that ask for `/`.

    Without the extra `console` the service is as it was, and the log says so.
    """
    try:
        from ops.console.app import console  # noqa: PLC0415 – it imports what may not be installed

        pages = console(service, settings)
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in _EXTRA:
            raise
        log.info("no console: install baccarat-ledger[console] to see it", missing=library)
        return
    app.mount(CONSOLE, pages)
    app.add_route("/", _home, include_in_schema=False)


async def _home(request: Request) -> Response:
    """A browser is shown the console; a program is told that there is nothing here."""
    if "text/html" not in request.headers.get("accept", ""):
        raise HTTPException(404)
    return RedirectResponse(CONSOLE, 303)
