"""The desk: one request for a page, by somebody at a premises. What a page is made with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, Response

from ledger.store.port import Statements
from ledger.terms.access import Role
from ops.console.context import Console
from ops.console.door import console_of, session_of
from ops.console.pages import Page
from ops.service.permissions import EVERYBODY
from ops.service.principal import Principal

FRAGMENT = "x-fragment"
"""The header by which our script asks for a part of a page alone."""


class Desk:
    """One request for a page.

    Attributes:
        console, request: what it came to and with.
        principal: who is signed in; None: nobody.
        premises: which one the page is about; of a page about none, the first where something is held.
        position: of the read tables, once something was read.
    """

    def __init__(self, request: Request) -> None:
        self.request = request
        self.console: Console = console_of(request)
        self._session = session_of(request)
        self.principal: Principal | None = self._session.principal
        self.premises: str = request.path_params.get("premises") or next(iter(self.every_premises), "")
        self.position = 0

    @cached_property
    def every_premises(self) -> list[str]:
        """Where this person holds a role."""
        return self.principal.premises_with(EVERYBODY) if self.principal else []

    @property
    def roles(self) -> frozenset[Role]:
        """What is held at this premises."""
        return self.principal.roles.get(self.premises, frozenset()) if self.principal else frozenset()

    def has(self, roles: frozenset[Role]) -> bool:
        """Whether one of these roles is held at this premises: for a part of a page."""
        return not self.roles.isdisjoint(roles)

    def may(self, page: Page) -> bool:
        """Whether this person may see that page here."""
        return bool(set(page.roles) & self.roles)

    @contextmanager
    def reading(self) -> Iterator[Statements]:
        """The read tables at one moment, level with the record. One query a panel.

        Raises:
            ReadTablesBehind: they are far behind it.
        """
        self.position = self.console.service.upkeep.fresh()
        with self.console.service.house.tables.snapshot() as statements:
            yield statements

    def page(self, template: str, title: str, *, status: int = 200, **shown: Any) -> Response:
        """A page from a template, which extends `base.html`."""
        return HTMLResponse(self._rendered(template, {"title": title, **shown}), status)

    def part(self, template: str, **shown: Any) -> Response:
        """A part of a page, for our script to put in its place."""
        return HTMLResponse(self._rendered(template, shown))

    @property
    def root(self) -> str:
        """What addresses of the console begin with."""
        return str(self.request.scope.get("root_path", ""))

    def address(self, page: Page, **names: Any) -> str:
        """Where a page is, at this premises."""
        here = {"premises": self.premises} if "{premises}" in page.path else {}
        return self.root + page.address(**here, **names)

    def _rendered(self, template: str, shown: Mapping[str, Any]) -> str:
        from ops.console.catalogue import BY_NAME, PAGES  # noqa: PLC0415 – pages import this module

        def link(name: str, **names: Any) -> str | None:
            page = BY_NAME.get(name)
            return self.address(page, **names) if page is not None and self.may(page) else None

        return self.console.templates.get_template(template).render(
            desk=self,
            root=self.root,
            zone=self.console.settings.zone_of(self.premises),
            premises=self.premises,
            form_token=self.console.sessions.form_token(self._session),
            here=self.request.url.path,
            here_with_query=self.request.url.path
            + (f"?{self.request.url.query}" if self.request.url.query else ""),
            query=dict(self.request.query_params),
            theme=self.request.cookies.get("console-theme", ""),
            navigation=[page for page in PAGES if page.in_navigation and self.may(page)],
            link=link,
            **shown,
        )
