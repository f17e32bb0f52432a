"""The feed behind the service's door: `ops.feed` says what is told, this who asks."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from ledger.errors import LedgerError
from ops.feed.consumers import Consumers
from ops.feed.opening import source_in
from ops.feed.roles import Reader
from ops.feed.routes import FeedDeps, feed_router
from ops.feed.streams import Feed, Places
from ops.feed.tail import Tail
from ops.relay.position import Positions
from ops.service.context import Service
from ops.service.guard import SCOPE, admit
from ops.service.limits import body_of, check_media_type
from ops.service.permissions import EVERYBODY
from ops.service.problems import note, problem, request_id_of
from ops.service.refusals import ServiceError, StoreUnavailable


def router(service: Service) -> APIRouter:
    """`/v1/events` and `/v1/consumers`."""
    record, tables = service.house.ledger.record, service.house.tables
    feed = service.feed = service.feed or Feed(record, source_in(tables), Tail(record))
    service.after_commit.append(feed.tail.hint)
    service.at_stop.append(feed.tail.close)
    service.at_end.append(feed.tail.join)
    consumers, relayed = Consumers(tables, record, service.clock), Positions(tables)
    service.lags["consumers"] = lambda: max((one.lag for one in consumers.every()), default=0)
    service.lags["relay"] = lambda: max(
        (record.last_sequence() - one.position for one in relayed.every()), default=0
    )

    async def body(request: Request) -> bytes:
        check_media_type(request, "application/json")
        return await body_of(request, service.settings)

    places = Places(service.settings.streams_max)
    return feed_router(FeedDeps(feed, consumers, _reader, places, _refusal, body))


async def _reader(request: Request) -> Reader:
    """Whoever holds a role; which events are for whom, the feed knows."""
    principal = await admit(request, EVERYBODY)
    return Reader(principal.person, principal.roles)


setattr(_reader, SCOPE, EVERYBODY)


def _refusal(request: Request, error: Exception, status: int) -> Response:
    if not isinstance(error, LedgerError):
        note(request, fault=f"{type(error).__name__}: {error}")
        error = StoreUnavailable()
    if isinstance(error, ServiceError):
        status = error.status
    note(request, code=error.code)
    return problem(request_id_of(request), 503 if status == 500 else status, error.code, str(error))
