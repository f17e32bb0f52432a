"""Help: the keyboard, the words, and what each mark stands for."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from ops.console.desk import Desk
from ops.console.door import allow
from ops.console.pages import Page
from ops.service.permissions import EVERYBODY


def _add(routes: APIRouter) -> None:
    @routes.get(PAGE.path, dependencies=[allow(PAGE.roles)])
    def guide(request: Request) -> Response:
        return Desk(request).page("help.html", PAGE.title)


PAGE = Page("help", "Help", EVERYBODY, "/help", _add, "h")
