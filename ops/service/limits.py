"""How much, how fast, how long: the bounds of what comes in."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from time import monotonic

from fastapi import Request

from ops.service.refusals import (
    BodyTooLarge,
    BodyTooSlow,
    ContentCodingUnknown,
    MediaTypeUnknown,
    TooManyRequests,
)
from ops.service.settings import ServiceSettings

CREDENTIALS_MAX = 10_000
"""Buckets kept; whoever was not seen for so long has a full one anyway."""
_LENGTH_DIGITS_MAX = 12


class Rates:
    """A token bucket for each credential."""

    def __init__(self, per_second: float, burst: int, now: Callable[[], float] = monotonic) -> None:
        self._per_second = per_second
        self._burst = burst
        self._now = now
        self._lock = Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, credential: str) -> None:
        """One request. Raises: TooManyRequests."""
        with self._lock:
            now = self._now()
            left, since = self._buckets.pop(credential, (float(self._burst), now))
            left = min(float(self._burst), left + (now - since) * self._per_second)
            enough = left >= 1
            self._buckets[credential] = (left - 1 if enough else left, now)
            if len(self._buckets) > CREDENTIALS_MAX:
                self._buckets.popitem(last=False)
        if not enough:
            raise TooManyRequests(self._per_second)


def check_media_type(request: Request, *wanted: str) -> None:
    """That the body is of one of these types, where it says, and not compressed.

    Raises: MediaTypeUnknown, ContentCodingUnknown.
    """
    said = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if said and said not in wanted:
        raise MediaTypeUnknown(" or ".join(wanted))
    coding = request.headers.get("content-encoding", "").strip().lower()
    if coding not in {"", "identity"}:
        raise ContentCodingUnknown(coding[:40])


async def body_of(request: Request, settings: ServiceSettings) -> bytes:
    """The whole body.

    Raises:
        BodyTooLarge, BodyTooSlow; starlette's ClientDisconnect.
    """
    limit = settings.body_bytes_max
    length = request.headers.get("content-length", "")
    if length.isdigit() and (len(length) > _LENGTH_DIGITS_MAX or int(length) > limit):
        raise BodyTooLarge(limit)
    body = bytearray()
    try:
        async with asyncio.timeout(settings.body_seconds):
            async for chunk in request.stream():
                body += chunk
                if len(body) > limit:
                    raise BodyTooLarge(limit)
    except TimeoutError:
        raise BodyTooSlow(settings.body_seconds) from None
    return bytes(body)
