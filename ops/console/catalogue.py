"""Every page there is, in the order of the navigation. Another page is another line here."""

from __future__ import annotations

from collections.abc import Mapping

from ops.console import (
    compliance,
    coup,
    floor,
    floor_table,
    guide,
    integrity,
    night,
    reconciliation,
    regulation,
    search,
)
from ops.console.pages import Page

PAGES: tuple[Page, ...] = (
    floor.PAGE,
    floor_table.PAGE,
    night.PAGE,
    coup.PAGE,
    search.PAGE,
    compliance.PAGE,
    reconciliation.PAGE,
    integrity.PAGE,
    regulation.PAGE,
    guide.PAGE,
)
BY_NAME: Mapping[str, Page] = {page.name: page for page in PAGES}
