"""`serve`: the ledger over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from typing import TYPE_CHECKING

import structlog
import typer

from ledger.errors import ExtraMissing, MalformedInput
from ops import logs
from ops.cli import serve_options as options
from ops.cli.screen import err
from ops.console.settings import ConsoleSettings
from ops.service.settings import OidcSettings, ServiceSettings
from ops.settings import Db
from ops.wiring import House, open_house, utc_now

if TYPE_CHECKING:  # it imports the framework, for nothing else
    from ops.service.context import Service

log = structlog.get_logger()

_LIMITS = ServiceSettings()
_LOOPBACK = "127.0.0.1"


class NotServed(MalformedInput):
    """The address is taken, or may not be used."""

    code = "not-served"

    def __init__(self, host: str, port: int) -> None:
        super().__init__(host, port)
        self.host, self.port = host, port

    def __str__(self) -> str:
        return f"nothing can be served at {self.host}:{self.port}; the log says why"


def serve(
    db: Db,
    *,
    host: options.Host = _LOOPBACK,
    port: options.Port = 8080,
    rate: options.Rate = _LIMITS.requests_per_second,
    burst: options.Burst = _LIMITS.burst,
    body_bytes: options.BodyBytes = _LIMITS.body_bytes_max,
    body_seconds: options.BodySeconds = _LIMITS.body_seconds,
    head_seconds: options.HeadSeconds = _LIMITS.head_seconds,
    send_seconds: options.SendSeconds = _LIMITS.send_seconds,
    connections: options.Connections = _LIMITS.connections_max,
    waiting: options.Waiting = _LIMITS.waiting_max,
    streams: options.Streams = _LIMITS.streams_max,
    stop_seconds: options.StopSeconds = _LIMITS.stop_seconds,
    issuer: options.Issuer = None,
    audience: options.Audience = None,
    jwks: options.Jwks = None,
    person_claim: options.PersonClaim = "sub",
    roles_claim: options.RolesClaim = "baccarat_ledger",
    zones: options.Zones = None,
    https: options.Https = False,
) -> None:
    """Serve the ledger over HTTP: commands and tapes in, figures and proofs out, to those who may.

    `baccarat-ledger access keys new` makes the first key. Behind a proxy that speaks TLS; publish /v1
    and /console alone.
    """
    settings = ServiceSettings(
        body_bytes_max=body_bytes,
        body_seconds=body_seconds,
        head_seconds=head_seconds,
        send_seconds=send_seconds,
        requests_per_second=rate,
        burst=burst,
        connections_max=connections,
        waiting_max=waiting,
        streams_max=streams,
        stop_seconds=stop_seconds,
        oidc=_oidc(issuer, audience, jwks, person_claim, roles_claim),
    )
    console = ConsoleSettings(zones=options.zones_read(zones), https=https)
    logs.configure("info")
    with extra(), open_house(db) as house:
        listen(house, db, settings, console, host=host, port=port)
    err().print("baccarat-ledger: stopped; what was accepted is on the disk")


def listen(
    house: House,
    db: str,
    settings: ServiceSettings,
    console: ConsoleSettings,
    *,
    host: str,
    port: int,
    clock: Callable[[], datetime] = utc_now,
    begun: Callable[[Service], None] = lambda _: None,
) -> None:
    """Serve an open house until it is told to stop.

    Args:
        begun: told of the service, before the first request is taken.

    Raises:
        NotServed: the address is taken, or may not be used.
    """
    from ops.feed.opening import open_feed  # noqa: PLC0415
    from ops.service.app import service  # noqa: PLC0415 – the framework, for nothing else
    from ops.service.keeper import Keeper  # noqa: PLC0415
    from ops.service.server import Server, relayed_logs  # noqa: PLC0415

    with relayed_logs(), open_feed(house, db) as feed, closing(Keeper(db)) as keeper:
        app = service(house, settings, clock, feed=feed, keeper=keeper, console=console)
        server = Server(app, host, port)
        log.info("serving", db=str(db), host=host, port=port)
        try:
            begun(app.state.service)
            server.run()
        except SystemExit:
            raise NotServed(host, port) from None
        finally:
            server.end()


def _oidc(
    issuer: str | None, audience: str | None, jwks: str | None, person_claim: str, roles_claim: str
) -> OidcSettings | None:
    given = (issuer, audience, jwks)
    if not any(given):
        return None
    if issuer is None or audience is None or jwks is None or not all(given):
        raise typer.BadParameter("--issuer, --audience and --jwks go together")
    return OidcSettings(issuer, audience, jwks, person_claim, roles_claim)


@contextmanager
def extra() -> Iterator[None]:
    """Raises: ExtraMissing: what the service stands on is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in {"fastapi", "uvicorn", "starlette", "prometheus_client", "jwt"}:
            raise
        raise ExtraMissing("service", library) from None
