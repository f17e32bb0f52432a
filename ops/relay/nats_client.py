"""Connections to NATS. Needs nats-py: the extra `relay`."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import structlog

from ledger.errors import ExtraMissing
from ops.location import Location

if TYPE_CHECKING:
    from nats.aio.client import Client

log = structlog.get_logger()

CONNECT_SECONDS = 3
AGAIN_SECONDS = 0.1
PING_SECONDS = 10
"""A connection that does not answer two of them is given up."""


class Servers(NamedTuple):
    """Where NATS is, and who asks.

    Attributes:
        urls: any servers of one cluster.
        credentials: a file of NATS credentials, if it wants one.
    """

    urls: tuple[str, ...]
    credentials: str | None = None

    def __str__(self) -> str:
        return ", ".join(str(Location(url)) for url in self.urls)


def nats() -> Any:
    """The library. Raises: ExtraMissing: it is not installed."""
    try:
        import_module("nats.js")
        return import_module("nats")
    except ImportError as error:
        raise ExtraMissing("relay", "nats-py") from error


@asynccontextmanager
async def connected(servers: Servers) -> AsyncGenerator[Client, None]:
    """A connection, which is over when it is lost: nothing waits in it to be sent again by itself.

    Raises:
        ExtraMissing: nats-py is not installed.
        nats.errors.Error, OSError: no server can be reached.
    """
    client: Client = await nats().connect(
        list(servers.urls),
        allow_reconnect=False,
        max_reconnect_attempts=1,  # of each server, before it says that there is none; then patience is ours
        reconnect_time_wait=AGAIN_SECONDS,
        connect_timeout=CONNECT_SECONDS,
        ping_interval=PING_SECONDS,
        name="baccarat-ledger relay",
        user_credentials=servers.credentials,
        error_cb=_told,
    )
    try:
        yield client
    finally:
        with suppress(Exception):  # it is lost already, and that was said
            await client.close()


async def _told(error: Exception) -> None:
    log.debug("nats", error=str(error))
