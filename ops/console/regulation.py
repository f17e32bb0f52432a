"""Regulation 6: the words of every paragraph that the record cites."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from ledger.regulation.paragraphs import PARAGRAPHS
from ops.console.desk import Desk
from ops.console.door import allow
from ops.console.pages import Page
from ops.service.permissions import EVERYBODY


def _add(routes: APIRouter) -> None:
    @routes.get(PAGE.path, dependencies=[allow(PAGE.roles)])
    def regulation(request: Request) -> Response:
        return Desk(request).page("regulation.html", PAGE.title, paragraphs=PARAGRAPHS)


PAGE = Page("regulation", "Regulation 6", EVERYBODY, "/regulation", _add, "r")
