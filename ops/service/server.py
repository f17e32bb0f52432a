"""The server: uvicorn, told when to stop, and patient with nobody who sends or takes half of something."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import structlog
import uvicorn
from fastapi import FastAPI, Request
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from ops.service import faults
from ops.service.context import Service
from ops.service.observe import Observed
from ops.service.problems import of_error
from ops.service.refusals import ConnectionsFull
from ops.service.settings import ServiceSettings

log = structlog.get_logger()

IDLE_SECONDS = 15


class _Full:
    """What is served where a connection is one too many: a problem, and the end of that connection."""

    def __init__(self, connections_max: int) -> None:
        self._refusal = ConnectionsFull(connections_max)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        told = of_error(Request(scope), self._refusal)
        told.headers["Connection"] = "close"
        await told(scope, receive, send)


class _Patient(H11Protocol):
    """Closes a connection on which a request was begun and its head does not come, or an answer lies unread.

    What bounds a body is elsewhere; here is what the application never sees. Also how many connections there
    may be is seen to here: uvicorn's own limit is answered in plain text, and nobody counts it.
    """

    service_settings: ServiceSettings
    full: Any
    """The application for one connection too many."""

    def __init__(self, *known: Any, **named: Any) -> None:
        super().__init__(*known, **named)
        self._whole: Any = self.app
        self.app = self._serve

    async def _serve(self, scope: Any, receive: Any, send: Any) -> None:
        most = self.service_settings.connections_max
        # as uvicorn counts, but for the task that this is
        is_full = len(self.connections) >= most or len(self.tasks) > most
        await (type(self).full if is_full else self._whole)(scope, receive, send)

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._heard = self.loop.time()
        self._head_due: asyncio.TimerHandle | None = None
        self._taken_due: asyncio.TimerHandle | None = None
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        self._heard = self.loop.time()
        super().data_received(data)
        if self._is_between():
            self._expect_head()
        elif self._head_due is not None:
            self._head_due.cancel()
            self._head_due = None

    def connection_lost(self, exc: Exception | None) -> None:
        for due in (self._head_due, self._taken_due):
            if due is not None:
                due.cancel()
        super().connection_lost(exc)

    def _unsupported_upgrade_warning(self) -> None:
        """It is answered as if nothing had been said, and not worth more than that in the log."""
        log.debug("an upgrade is not served")

    def _is_between(self) -> bool:
        """Whether no request is being served; what comes then is a head, or a body that nobody wants."""
        cycle: Any = self.cycle
        return cycle is None or cycle.response_complete

    def _expect_head(self) -> None:
        if self._head_due is None:
            seconds = self.service_settings.head_seconds
            self._head_due = self.loop.call_later(seconds, self._miss_head)

    def _miss_head(self) -> None:
        self._head_due = None
        if self._is_between() and not self.transport.is_closing():
            self.transport.close()

    def pause_writing(self) -> None:
        """More lies ready than is being taken."""
        super().pause_writing()
        self._expect_taken()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._taken_due is not None:
            self._taken_due.cancel()
            self._taken_due = None

    def _expect_taken(self) -> None:
        lying = self.transport.get_write_buffer_size()
        seconds = self.service_settings.send_seconds
        self._taken_due = self.loop.call_later(seconds, self._miss_taken, lying, self.loop.time())

    def _miss_taken(self, lay: int, since: float) -> None:
        """Whoever takes some of it is slow; whoever goes on sending a tape will read later."""
        lying = self.transport.get_write_buffer_size()
        if lying < lay or self._heard > since:
            self._expect_taken()
            return
        log.info("a client takes nothing of its answer", bytes=lying)
        self.transport.abort()


class _Relayed(logging.Handler):
    """What libraries say goes into our log: the first line of it, since more quotes what they had in hand."""

    def emit(self, record: logging.LogRecord) -> None:
        level = log.error if record.levelno >= logging.ERROR else log.info
        error = record.exc_info[1] if record.exc_info else None
        said = record.getMessage().partition("\n")[0]
        level("server", by=record.name, said=said, **(faults.told(error) if error else {}))


class Server(uvicorn.Server):
    """Serves one application, and finishes what it accepted when it is told to stop."""

    def __init__(self, app: FastAPI, host: str, port: int, **more: Any) -> None:
        self._service: Service = app.state.service
        settings = self._service.settings
        full = Observed(_Full(settings.connections_max), self._service)
        config = uvicorn.Config(
            app,
            host=host,
            port=port,
            http=type("Patient", (_Patient,), {"service_settings": settings, "full": full}),
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=settings.stop_seconds,
            **more,
        )
        super().__init__(config)

    def end(self) -> None:
        """Finish what was accepted, where the lifespan did not come to it."""
        self._service.close()

    def handle_exit(self, sig: int, _frame: FrameType | None) -> None:
        """A signal to stop: whatever takes long ends at the next line."""
        self._service.stop()
        if self.should_exit and sig == signal.SIGINT:  # somebody is in a hurry
            self.force_exit = True
        self.should_exit = True  # and not the signal once more, as uvicorn has it: this is no death


@contextmanager
def relayed_logs() -> Iterator[None]:
    """Send what libraries log into our log while the block runs: uvicorn all of it, others their warnings.

    Else Python writes it to standard error as it is, between our lines.
    """
    root, uvicorns = logging.getLogger(), logging.getLogger("uvicorn")
    handler, level = _Relayed(), uvicorns.level
    root.addHandler(handler)
    uvicorns.setLevel(logging.INFO)
    try:
        yield
    finally:
        uvicorns.setLevel(level)
        root.removeHandler(handler)
