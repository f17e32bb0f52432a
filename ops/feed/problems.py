"""Refusals of the feed as RFC 9457 problems."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from eventsourcing.persistence import PersistenceError
from fastapi import Request
from fastapi.responses import JSONResponse

from ledger import errors

STATUSES: Mapping[type[Exception], HTTPStatus] = {
    errors.ResumePointMalformed: HTTPStatus.BAD_REQUEST,
    errors.ResumePointBeyondEnd: HTTPStatus.CONFLICT,
    errors.ResumePointDiffers: HTTPStatus.CONFLICT,
    errors.FeedQueryMalformed: HTTPStatus.BAD_REQUEST,
    errors.TopicNotInCatalogue: HTTPStatus.BAD_REQUEST,
    errors.TopicNotReadable: HTTPStatus.FORBIDDEN,
    errors.FormatNotServed: HTTPStatus.NOT_ACCEPTABLE,
    errors.FeedFull: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.ConsumerUnknown: HTTPStatus.NOT_FOUND,
    errors.ConsumerMoved: HTTPStatus.CONFLICT,
    errors.ConsumerOfAnother: HTTPStatus.FORBIDDEN,
    errors.NotJson: HTTPStatus.BAD_REQUEST,
    errors.MalformedInput: HTTPStatus.UNPROCESSABLE_ENTITY,
    PersistenceError: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.RecordError: HTTPStatus.INTERNAL_SERVER_ERROR,
}
"""Each refusal that a route of the feed makes, or family of them, and its status."""

MEDIA_TYPE = "application/problem+json"
STORE_AWAY = "store-unavailable"
TYPE_PREFIX = "urn:baccarat-ledger:problem:"


def status_of(error: Exception) -> HTTPStatus:
    """The status that an error is answered with."""
    return next(
        (status for kind, status in STATUSES.items() if isinstance(error, kind)), HTTPStatus.BAD_REQUEST
    )


def problem(_request: Request, error: Exception, status: int) -> JSONResponse:
    """What the client is told. Of the store's own errors only that there was one: they may quote rows."""
    if isinstance(error, errors.LedgerError):
        code, detail, facts = error.code, str(error), error.facts()
    else:
        code, detail, facts = STORE_AWAY, "the record cannot be read at this moment; ask again", {}
    if status == HTTPStatus.INTERNAL_SERVER_ERROR:
        detail, facts = "the record cannot be told beyond this position; it needs looking after", {}
    content = {
        "type": TYPE_PREFIX + code,
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
        **{name: value for name, value in facts.items() if isinstance(value, int | str)},
    }
    return JSONResponse(content, status_code=status, media_type=MEDIA_TYPE)
