"""Live updates: the feed as server-sent events, for whoever is signed in, within their role's rights.

A page says which events concern it; when one comes, our script asks for the part of the page anew. What is
sent are the messages of `ops.feed`, to the byte.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from ops.console.desk import Desk
from ops.console.door import allow
from ops.feed.resume import ResumePoint, resume_point
from ops.feed.roles import Reader
from ops.feed.selection import EVERY_TOPIC, select
from ops.feed.streams import Kept, sse
from ops.service.permissions import EVERYBODY


class _Stream(StreamingResponse):
    """Closes what it reads from also where the browser goes in the middle."""

    def __init__(self, content: Kept) -> None:
        super().__init__(content, media_type="text/event-stream")
        self._content = content

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._content.aclose()


def add(routes: APIRouter) -> None:
    """Add the route."""

    @routes.get("/live", dependencies=[allow(EVERYBODY)])
    async def live(
        request: Request,
        types: str,
        after: Annotated[int, Query(ge=0)],
        last_event_id: Annotated[str | None, Header()] = None,
    ) -> Response:
        """Events of these types, as far as they are for this reader, from a position on."""
        desk = Desk(request)
        feed, places = desk.console.service.feed, desk.console.places
        assert desk.principal is not None, "the door let nobody through who is not signed in"
        reader = Reader(desk.principal.person, desk.principal.roles)
        wanted = frozenset(types.split(",")) & EVERY_TOPIC & reader.topics()
        if feed is None or not wanted:
            return Response(status_code=204)  # by which a browser knows not to ask again
        start = resume_point(last_event_id) if last_event_id else ResumePoint(after)
        return _Stream(places.keep(sse(feed, select(reader, sorted(wanted)), start, None)))
