"""Pages: what the console shows, to whom, and how one finds another."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple
from urllib.parse import quote

from fastapi import APIRouter

from ledger.terms.access import Role


class Page(NamedTuple):
    """A page, or a kind of pages.

    Attributes:
        name: what other pages call it by: `link("coup", …)`.
        title: what it is called in the navigation.
        roles: for whom it is; from `ops.service.permissions`, which is the one table.
        path: from the console's root, with names in braces: `/at/{premises}/…` is of one premises.
        add: adds its routes; each says `allow(PAGE.roles)`.
        shortcut: the letter that leads there after a `g`.
        in_navigation: whether it stands on every page; one that needs more than a premises cannot.
    """

    name: str
    title: str
    roles: Collection[Role]
    path: str
    add: Callable[[APIRouter], None]
    shortcut: str = ""
    in_navigation: bool = True

    def address(self, **names: object) -> str:
        """Where it is, from the console's root; names that its path does not have become its query."""
        held = {
            name: quote(str(value), safe="") for name, value in names.items() if f"{{{name}}}" in self.path
        }
        query = "&".join(
            f"{name}={quote(str(value), safe='')}"
            for name, value in names.items()
            if name not in held and value is not None
        )
        return self.path.format_map(held) + (f"?{query}" if query else "")
