"""The feed's routes, for a service to mount: `app.include_router(feed_router(deps))`."""

# No postponed annotations here: FastAPI reads them, and those of the routes name what the router was given.

from collections.abc import Awaitable, Callable, Coroutine
from typing import Annotated, Any, NamedTuple

import structlog
from anyio.to_thread import run_sync
from eventsourcing.persistence import PersistenceError
from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.responses import StreamingResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel, Field, TypeAdapter
from starlette.types import Receive, Scope, Send

from ledger.errors import FeedQueryMalformed, LedgerError
from ledger.terms.access import Role
from ledger.terms.identifiers import Name
from ops.feed.consumers import Consumer, Consumers
from ops.feed.formats import MEDIA_TYPES, Format, negotiated
from ops.feed.page import PAGE_EVENTS, position_message
from ops.feed.problems import MEDIA_TYPE, STATUSES, problem, status_of
from ops.feed.resume import BEGINNING, ResumePoint, check_exists, resume_point
from ops.feed.roles import Reader
from ops.feed.selection import Selection, select
from ops.feed.streams import Feed, Kept, Places, as_array, ndjson, poll, sse
from ops.tape.reader import read

log = structlog.get_logger()

WAIT_SECONDS_MAX = 60
STREAMS_MAX = 200
"""Open at once in one process, where no setting says another."""
POSITION_HEADER = "Ledger-Position"
END_HEADER = "Ledger-End"
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
SEES_ALL = frozenset({Role.AUDITOR, Role.ADMIN})
"""Who sees the consumers of others."""


class FeedDeps(NamedTuple):
    """What the routes need.

    Attributes:
        feed: the record and its tail. Close the tail to end every stream: a server that waits for its answers
            to end needs that before it stops.
        consumers: the named consumers.
        reader: a dependency of FastAPI that says who asks, or refuses.
        places: how many streams may be open.
        problem: a refusal (of ours, or an error of the store) as an answer of this status.
        body: reads a request's body, within whatever bounds the service sets.
    """

    feed: Feed
    consumers: Consumers
    reader: Callable[..., Reader | Awaitable[Reader]]
    places: Places
    problem: Callable[[Request, Exception, int], Response] = problem
    body: Callable[[Request], Awaitable[bytes]] = Request.body


class Move(BaseModel, extra="forbid"):
    """A named consumer is to go from where it stands to where it has read."""

    expected: Annotated[int, Field(strict=True, ge=0, le=2**63 - 1)]
    position: Annotated[int, Field(strict=True, ge=0, le=2**63 - 1)]


_MOVE = TypeAdapter(Move)
MODELS: tuple[type[BaseModel], ...] = (Move,)
"""Bodies that are read here, and not by the framework, which takes a key of JSON twice and any length."""


class ConsumerOut(BaseModel):
    """A named consumer: `lag` is how many events it has not read."""

    name: str
    position: int
    moved_at: str
    lag: int


class _ClosingStream(StreamingResponse):
    """Closes what it reads from also where the client goes in the middle."""

    def __init__(self, content: Kept, media_type: str) -> None:
        super().__init__(content, media_type=media_type, headers=_HEADERS)
        self._content = content

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._content.aclose()


class _Asked(NamedTuple):
    """A request for events, understood."""

    media_type: str
    format: Format
    selection: Selection
    after: ResumePoint


def feed_router(deps: FeedDeps) -> APIRouter:
    """`/v1/events` and `/v1/consumers`."""

    class Route(APIRoute):
        """Answers refusals as problems."""

        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            handle = super().get_route_handler()

            async def answered(request: Request) -> Response:
                try:
                    return await handle(request)
                except (LedgerError, PersistenceError) as error:
                    status = int(status_of(error))
                    if status >= 500:  # a traceback would quote rows
                        log.error(  # noqa: TRY400
                            "feed not served", code=getattr(error, "code", ""), reason=str(error)
                        )
                    return deps.problem(request, error, status)

            return answered

    router = APIRouter(route_class=Route, tags=["feed"])
    _add_events(router, deps)
    _add_consumers(router, deps)
    return router


def _responses(*families: str) -> dict[int | str, dict[str, Any]]:
    """How routes may refuse, for their description: by what the names of the refusals begin with."""
    statuses = {status for kind, status in STATUSES.items() if kind.__name__.startswith(families)}
    return {
        int(status): {"description": status.phrase, "content": {MEDIA_TYPE: {}}}
        for status in sorted(statuses)
    }


def _add_events(router: APIRouter, deps: FeedDeps) -> None:
    responses = _responses("")
    served: dict[str, Any] = {media_type: {} for media_type in MEDIA_TYPES}

    @router.get(
        "/v1/events",
        summary="The record as CloudEvents, in order",
        response_class=Response,
        responses={**responses, 200: {"description": "Messages, in order", "content": served}},
    )
    async def events(  # noqa: PLR0917 – FastAPI passes them by name
        reader: Annotated[Reader, Depends(deps.reader)],
        accept: Annotated[str | None, Header(include_in_schema=False)] = None,
        last_event_id: Annotated[str | None, Header(description="Goes before `after`.")] = None,
        after: Annotated[
            str | None,
            Query(
                description="The resume point: the sequence of the last message that was read; with `@` and "
                "its time, whether that is still the same event is checked."
            ),
        ] = None,
        consumer: Annotated[
            Name | None, Query(description="Resume where this named consumer stands.")
        ] = None,
        limit: Annotated[int | None, Query(ge=1, le=1_000_000, description="Events at most.")] = None,
        types: Annotated[
            list[str] | None, Query(description="Only these types; commas part several.")
        ] = None,
        wait: Annotated[
            int, Query(ge=0, le=WAIT_SECONDS_MAX, description="Seconds to wait for an event.")
        ] = 0,
    ) -> Response:
        """JSON arrays (long poll with `wait`), NDJSON up to the end of the record, or server-sent events.

        Each message carries `sequence`, the resume point after it. Messages of type
        `baccarat-ledger.feed.withheld` say which events are not for this reader.
        """
        media_type, format_ = negotiated(accept)
        selection = select(reader, types or ())
        resumed = last_event_id or after
        if resumed is not None:
            start = resume_point(resumed)
        elif consumer is not None:
            start = ResumePoint((await run_sync(deps.consumers.get, consumer, reader.name)).position)
        else:
            start = BEGINNING
        await run_sync(check_exists, deps.feed.record, start)
        return await _answer(deps, _Asked(media_type, format_, selection, start), limit, wait)


async def _answer(deps: FeedDeps, asked: _Asked, limit: int | None, wait: int) -> Response:
    feed = deps.feed
    if asked.format is Format.ARRAY:
        if limit is not None and limit > PAGE_EVENTS:
            raise FeedQueryMalformed(
                "limit", f"an array has {PAGE_EVENTS} events at most; NDJSON has no limit"
            )
        page = await poll(feed, asked.selection, asked.after, limit or PAGE_EVENTS, wait)
        body = as_array([*page.messages, position_message(feed.source, page.reached)])
        told = {POSITION_HEADER: str(page.reached), END_HEADER: str(page.end)}
        return Response(body, media_type=asked.media_type, headers={**_HEADERS, **told})
    stream = (
        sse(feed, asked.selection, asked.after, limit)
        if asked.format is Format.SSE
        else ndjson(feed, asked.selection, asked.after, limit, wait)
    )
    return _ClosingStream(deps.places.keep(stream), asked.media_type)


def _add_consumers(router: APIRouter, deps: FeedDeps) -> None:
    responses = _responses("Consumer", "ResumePointBeyond", "Persistence")
    consumers = deps.consumers

    @router.get("/v1/consumers", summary="Named consumers and their lag", responses=responses)
    async def every(reader: Annotated[Reader, Depends(deps.reader)]) -> list[ConsumerOut]:
        """Your own; for an auditor or an admin everybody's."""
        found = await run_sync(consumers.every)
        return [_out(one) for one in found if one.owner == reader.name or reader.has(SEES_ALL)]

    @router.get("/v1/consumers/{name}", summary="One named consumer", responses=responses)
    async def one(name: Name, reader: Annotated[Reader, Depends(deps.reader)]) -> ConsumerOut:
        owner = None if reader.has(SEES_ALL) else reader.name
        return _out(await run_sync(consumers.get, name, owner))

    @router.put(
        "/v1/consumers/{name}",
        summary="Move a named consumer",
        responses=responses,
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Move"}}},
            }
        },
    )
    async def move(
        request: Request, name: Name, reader: Annotated[Reader, Depends(deps.reader)]
    ) -> ConsumerOut:
        """From `expected`, where it must stand, to `position`. A new name stands at 0."""
        to = read(await deps.body(request), _MOVE)
        return _out(await run_sync(consumers.move, name, reader.name, to.expected, to.position))


def _out(consumer: Consumer) -> ConsumerOut:
    return ConsumerOut(
        name=consumer.name, position=consumer.position, moved_at=consumer.moved_at, lag=consumer.lag
    )
