"""The console's application: its pages, its files, its live updates, behind its own door."""

from __future__ import annotations

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import RedirectResponse, Response

from ops.console import assets, live, sign_in
from ops.console.catalogue import PAGES
from ops.console.context import Console
from ops.console.desk import Desk
from ops.console.door import allow
from ops.console.errors import HANDLERS
from ops.console.headers import Dressed
from ops.console.refusals import NothingToShow
from ops.console.settings import ConsoleSettings
from ops.service.context import Service
from ops.service.guard import check_routes, open_to_all
from ops.service.permissions import EVERYBODY


def console(service: Service, settings: ConsoleSettings) -> FastAPI:
    """The console of a service, to be mounted.

    Raises:
        RouteWithoutScope: a page does not say for whom it is.
    """
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, exception_handlers={**HANDLERS})
    app.state.service = service
    app.state.console = Console(service, settings)
    app.router.redirect_slashes = False
    routes = APIRouter()
    for add in (_home, _files, sign_in.add, live.add, *(page.add for page in PAGES)):
        add(routes)
    app.router.routes.extend(routes.routes)
    check_routes(app)
    app.add_middleware(Dressed, https=settings.https)
    return app


def _home(routes: APIRouter) -> None:
    @routes.get("", dependencies=[allow(EVERYBODY)])
    @routes.get("/", dependencies=[allow(EVERYBODY)])
    def home(request: Request) -> Response:
        """The first page that this person may see."""
        desk = Desk(request)
        first = next((page for page in PAGES if page.in_navigation and desk.may(page)), None)
        if first is None:
            raise NothingToShow
        return RedirectResponse(desk.address(first), 303)

    @routes.get("/go", dependencies=[allow(EVERYBODY)])
    def go(request: Request, premises: str) -> Response:
        """Another premises: its first page."""
        desk = Desk(request)
        desk.premises = premises
        first = next((page for page in PAGES if page.in_navigation and desk.may(page)), None)
        if first is None:
            raise NothingToShow
        return RedirectResponse(desk.address(first), 303)


def _files(routes: APIRouter) -> None:
    @routes.get("/static/{digest}/{name}", dependencies=[open_to_all()])
    def file(request: Request, digest: str, name: str) -> Response:
        """A script, a style, a picture."""
        return assets.answer(request, digest, name)
