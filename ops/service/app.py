"""The application: which parts the service has, and in what they are wrapped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from functools import cache

from fastapi import APIRouter, FastAPI

from ops.console.entry import show
from ops.console.settings import ConsoleSettings
from ops.feed.streams import Feed
from ops.service import command_reads, commands, coup_reads, health, key_resources, proposals, reads, tapes
from ops.service import feed as feeds
from ops.service.context import Service
from ops.service.guard import check_routes
from ops.service.keeper import Keeper
from ops.service.observe import Observed
from ops.service.openapi import interface
from ops.service.problems import HANDLERS
from ops.service.settings import ServiceSettings
from ops.wiring import House

ROUTERS: tuple[Callable[[Service], APIRouter], ...] = (
    health.router,
    commands.router,
    command_reads.router,
    tapes.router,
    proposals.router,
    reads.router,
    coup_reads.router,
    key_resources.router,
    feeds.router,
)
"""Each part of the service: made from what the parts share. Another part is another line here."""


def service(
    house: House,
    settings: ServiceSettings,
    clock: Callable[[], datetime],
    *,
    feed: Feed | None = None,
    keeper: Keeper | None = None,
    more: tuple[APIRouter, ...] = (),
    console: ConsoleSettings | None = None,
) -> FastAPI:
    """The service of an open house. It begins to write and to fold at once, and ends with its lifespan.

    Args:
        house: open as long as the service is.
        clock: aware UTC, as the ledger's.
        feed: as `ops.feed.opening` opens it, which the server of a record in PostgreSQL wakes.
        keeper: who folds into the read tables; None: a thread of this process.
        more: further resources.
        console: how its pages are shown.

    Raises:
        RouteWithoutScope: a resource does not say who may use it.
    """
    shared = Service(house, settings, clock, feed, keeper)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await asyncio.to_thread(shared.close)

    app = FastAPI(
        lifespan=lifespan, openapi_url=None, docs_url=None, redoc_url=None, exception_handlers={**HANDLERS}
    )
    app.state.service = shared
    app.router.redirect_slashes = False
    try:
        for router in (*(make(shared) for make in ROUTERS), *more):
            app.router.routes.extend(router.routes)  # as they are: each then can be asked for its scope
        check_routes(app)
        show(app, shared, console or ConsoleSettings())  # its pages say their own scopes
    except BaseException:
        shared.close()
        raise
    shared.interface = cache(lambda: interface(app))
    app.add_middleware(Observed, service=shared)
    return app
