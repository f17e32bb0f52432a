"""Pages: so many rows at a time, and a cursor for the rest."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, Field

from ops.service.cursors import CURSOR_LENGTH_MAX

LIMIT_DEFAULT = 100
LIMIT_MAX = 1_000

Limit = Annotated[int, Query(ge=1, le=LIMIT_MAX, description="Rows a page, about.")]
Cursor = Annotated[
    str | None, Query(max_length=CURSOR_LENGTH_MAX, description="`next` of the page before, and its query.")
]


class Page(BaseModel):
    """Some rows, and where the next page begins."""

    rows: list[dict[str, Any]]
    next: str | None = None
    """Send it as `cursor` with the same query; absent or null on the last page."""


class FigurePage(Page):
    """Figures, and the record that they are of."""

    position: int = Field(ge=0)
    """The sequence of the last event that is in them."""
