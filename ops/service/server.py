"""The server: uvicorn, told when to stop, and patient with nobody who sends half a request."""

from __future__ import annotations

import logging
import signal
from types import FrameType
from typing import Any

import structlog
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from ops.service import faults
from ops.service.context import Service

log = structlog.get_logger()

HEAD_SECONDS = 10.0
"""Between the beginning of a connection and the end of its first request's head."""
CONNECTIONS_MAX = 1_000
IDLE_SECONDS = 15


class _Patient(H11Protocol):
    """Closes a connection whose first request's head does not come."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.loop.call_later(HEAD_SECONDS, self._lose_patience)

    def _lose_patience(self) -> None:
        begun: Any = self.cycle
        if begun is None and not self.transport.is_closing():
            self.transport.close()


class _Relayed(logging.Handler):
    """What uvicorn says goes into our log."""

    def emit(self, record: logging.LogRecord) -> None:
        level = log.error if record.levelno >= logging.ERROR else log.info
        error = record.exc_info[1] if record.exc_info else None
        level("server", said=record.getMessage(), **(faults.told(error) if error else {}))


class Server(uvicorn.Server):
    """Serves one application, and finishes what it accepted when it is told to stop."""

    def __init__(self, app: FastAPI, host: str, port: int, **more: Any) -> None:
        self._service: Service = app.state.service
        config = uvicorn.Config(
            app,
            host=host,
            port=port,
            http=_Patient,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=CONNECTIONS_MAX,
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=self._service.settings.stop_seconds,
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


def relay_logs() -> None:
    """Send uvicorn's own log into ours."""
    for name in ("uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [_Relayed()] if name == "uvicorn" else []
        logger.propagate = name != "uvicorn"
        logger.setLevel(logging.INFO)
