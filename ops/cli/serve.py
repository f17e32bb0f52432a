"""`serve`: the ledger over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import structlog
import typer

from ledger.errors import ExtraMissing, MalformedInput
from ops import logs
from ops.cli.screen import err
from ops.service.settings import OidcSettings, ServiceSettings
from ops.settings import Db
from ops.wiring import open_house, utc_now

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


def _variable(name: str) -> str:
    return f"BACCARAT_LEDGER_{name}"


def serve(
    db: Db,
    *,
    host: Annotated[str, typer.Option(envvar=_variable("HOST"), help="Where to listen.")] = _LOOPBACK,
    port: Annotated[int, typer.Option(envvar=_variable("PORT"), min=0, max=65535)] = 8080,
    rate: Annotated[
        float, typer.Option(min=0.1, help="Requests a second of one credential.")
    ] = _LIMITS.requests_per_second,
    burst: Annotated[int, typer.Option(min=1, help="So many at once.")] = _LIMITS.burst,
    stop_seconds: Annotated[
        int, typer.Option(min=1, help="How long what was accepted may take when it is told to stop.")
    ] = _LIMITS.stop_seconds,
    issuer: Annotated[
        str | None, typer.Option(envvar=_variable("OIDC_ISSUER"), help="Whose tokens are taken besides keys.")
    ] = None,
    audience: Annotated[
        str | None, typer.Option(envvar=_variable("OIDC_AUDIENCE"), help="For whom a token must be.")
    ] = None,
    jwks: Annotated[
        str | None,
        typer.Option(
            envvar=_variable("OIDC_JWKS"),
            metavar="URL|FILE",
            help="The issuer's public keys: https, or a file.",
        ),
    ] = None,
    person_claim: Annotated[
        str, typer.Option(envvar=_variable("OIDC_PERSON"), help="The claim that names the person.")
    ] = "sub",
    roles_claim: Annotated[
        str,
        typer.Option(envvar=_variable("OIDC_ROLES"), help="The claim with lists of roles by premises."),
    ] = "baccarat_ledger",
) -> None:
    """Serve the ledger over HTTP: commands and tapes in, figures and proofs out, to those who may.

    `baccarat-ledger access keys new` makes the first key. Behind a proxy that speaks TLS; publish /v1 alone.
    """
    oidc = _oidc(issuer, audience, jwks, person_claim, roles_claim)
    settings = ServiceSettings(requests_per_second=rate, burst=burst, stop_seconds=stop_seconds, oidc=oidc)
    logs.configure("info")
    with _extra(), open_house(db) as house:
        from ops.feed.opening import open_feed  # noqa: PLC0415
        from ops.service.app import service  # noqa: PLC0415 – the framework, for nothing else
        from ops.service.server import Server, relay_logs  # noqa: PLC0415

        relay_logs()
        with open_feed(house, db) as feed:
            server = Server(service(house, settings, utc_now, feed=feed), host, port)
            log.info("serving", db=str(db), host=host, port=port)
            try:
                server.run()
            except SystemExit:
                raise NotServed(host, port) from None
            finally:
                server.end()
    err().print("baccarat-ledger: stopped; what was accepted is on the disk")


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
def _extra() -> Iterator[None]:
    """Raises: ExtraMissing: what the service stands on is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in {"fastapi", "uvicorn", "starlette", "prometheus_client", "jwt"}:
            raise
        raise ExtraMissing("service", library) from None
