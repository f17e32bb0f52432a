"""The feed as it is sent: page after page, read in a thread, written as the format wants it.

Nothing is kept between pages but the position, so a stream takes the memory of a page, and a client that
reads slowly holds up only its own.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from time import monotonic
from typing import NamedTuple

import structlog
from anyio.to_thread import run_sync
from eventsourcing.persistence import PersistenceError

from ledger.errors import FeedFull, LedgerError
from ledger.store.port import RecordReader
from ops.feed.page import PAGE_EVENTS, Kind, Message, Page, position_message, read_page
from ops.feed.resume import ResumePoint
from ops.feed.selection import Selection
from ops.feed.tail import Tail

log = structlog.get_logger()

HEARTBEAT_SECONDS = 15.0
"""So often is something sent, so that a client that has gone is found out and no proxy gives up."""
STREAM_SECONDS = 900.0
"""So long does a stream last at most. Whoever resumes it is asked again who he is."""
RECONNECT_MILLISECONDS = 2_000
_STILL_HERE = b": still here\n\n"


class Feed(NamedTuple):
    """The record of one ledger, as the feed tells it."""

    record: RecordReader
    source: str
    tail: Tail

    async def page(self, selection: Selection, after: ResumePoint, limit: int) -> Page:
        """One page. Raises as `ops.feed.page.read_page` does, and the store's errors."""
        return await run_sync(read_page, self.record, self.source, selection, after, limit)


def as_sse(messages: Iterable[Message]) -> bytes:
    """Server-sent events: the markers are named, events are not."""
    return b"".join(
        b"id: %b\n%bdata: %b\n\n"
        % (
            str(message.resume).encode(),
            b"" if message.kind is Kind.EVENT else b"event: %b\n" % message.kind.encode(),
            message.body,
        )
        for message in messages
    )


def as_ndjson(messages: Iterable[Message]) -> bytes:
    """A message a line."""
    return b"".join(message.body + b"\n" for message in messages)


def as_array(messages: Iterable[Message]) -> bytes:
    """A JSON array of them."""
    return b"[" + b",\n".join(message.body for message in messages) + b"]\n"


async def poll(feed: Feed, selection: Selection, after: ResumePoint, limit: int, wait_seconds: float) -> Page:
    """A page; where there is nothing to tell, the first one within so many seconds that has something."""
    until = monotonic() + wait_seconds
    while True:
        page = await feed.page(selection, after, limit)
        left = until - monotonic()
        if page.messages or left <= 0 or feed.tail.closed:
            return page
        after = page.reached
        if page.is_last:
            await feed.tail.beyond(after.sequence, left)


async def ndjson(
    feed: Feed, selection: Selection, after: ResumePoint, limit: int | None, wait_seconds: float
) -> AsyncGenerator[bytes, None]:
    """Everything up to the end of the record, and what comes in the seconds after that.

    The last line is a position. Where it is missing the stream was cut short: resume it from the last line.
    """
    until: float | None = None
    left = limit
    try:
        while True:
            page = await feed.page(selection, after, PAGE_EVENTS if left is None else left)
            after = page.reached
            if page.messages:
                yield as_ndjson(page.messages)
            if left is not None and not (left := left - page.events):
                break
            if page.is_last:
                until = until or monotonic() + wait_seconds
                if (remaining := until - monotonic()) <= 0 or feed.tail.closed:
                    break
                await feed.tail.beyond(after.sequence, remaining)
    except (LedgerError, PersistenceError) as error:
        _cut_short(after, error)
        return
    yield as_ndjson([position_message(feed.source, after)])


async def sse(
    feed: Feed, selection: Selection, after: ResumePoint, limit: int | None
) -> AsyncGenerator[bytes, None]:
    """Everything, and then whatever is recorded, until the client goes or it has lasted `STREAM_SECONDS`."""
    yield b"retry: %d\n\n" % RECONNECT_MILLISECONDS
    until = monotonic() + STREAM_SECONDS
    left = limit
    try:
        while monotonic() < until and not feed.tail.closed:
            page = await feed.page(selection, after, PAGE_EVENTS if left is None else left)
            moved, after = page.reached.sequence > after.sequence, page.reached
            messages = page.messages
            if moved and (not messages or messages[-1].resume.sequence < after.sequence):
                messages = [
                    *messages,
                    position_message(feed.source, after),
                ]  # a resume does not read it again
            if messages:
                yield as_sse(messages)
            if left is not None and not (left := left - page.events):
                return
            if page.is_last and not await feed.tail.beyond(after.sequence, HEARTBEAT_SECONDS):
                yield _STILL_HERE
    except (LedgerError, PersistenceError) as error:
        _cut_short(after, error)


def _cut_short(after: ResumePoint, error: Exception) -> None:
    code = getattr(error, "code", "")
    log.error("stream of events cut short", after=after.sequence, code=code, reason=str(error))


class Places:
    """How many streams are open, and that they are not too many."""

    def __init__(self, most: int) -> None:
        """None is open.

        Args:
            most: that may be.
        """
        self.most, self.open = most, 0

    def keep(self, stream: AsyncGenerator[bytes, None]) -> Kept:
        """The same stream with a place of its own, from now until it is closed.

        The place is taken before anything of the stream is asked for: of many who come together none finds a
        place free that is given to another already.

        Raises:
            FeedFull: there is none.
        """
        if self.open >= self.most:
            raise FeedFull(self.most)
        self.open += 1
        return Kept(stream, self)


class Kept:
    """A stream that has a place. Whoever has it closes it, also where nothing of it was ever asked for."""

    def __init__(self, stream: AsyncGenerator[bytes, None], places: Places) -> None:
        self._stream = stream
        self._places: Places | None = places

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._stream

    async def aclose(self) -> None:
        """End the stream and give its place back, once however often it is called."""
        places, self._places = self._places, None
        try:
            await self._stream.aclose()
        finally:
            if places is not None:
                places.open -= 1
