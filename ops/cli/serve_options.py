"""What `serve` can be told, each also by the environment: BACCARAT_LEDGER_BODY_BYTES is `--body-bytes`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ops.console.settings import zones_of
from ops.tape.lines import LINE_BYTES_MAX

_LIMITS = "Limits"
_CONSOLE = "The console"
_TOKENS = "Tokens of an OpenID Connect issuer"
_SECONDS_MAX = 3_600
_COUNT_MAX = 1_000_000


def _option(
    name: str, about: str, panel: str | None = None, *, variable: str | None = None, **more: Any
) -> Any:
    return typer.Option(
        f"--{name.replace('_', '-')}",
        envvar=f"BACCARAT_LEDGER_{(variable or name).upper()}",
        help=about,
        rich_help_panel=panel,
        **more,
    )


def _count(name: str, about: str, *, least: int = 1, most: int = _COUNT_MAX) -> Any:
    return _option(name, about, _LIMITS, min=least, max=most)


def _seconds(name: str, about: str) -> Any:
    return _option(name, about, _LIMITS, min=0.1, max=_SECONDS_MAX)


Host = Annotated[str, _option("host", "Where to listen.")]
Port = Annotated[int, _option("port", "0: any that is free.", min=0, max=65535)]

Rate = Annotated[float, _option("rate", "Requests a second of one credential.", _LIMITS, min=0.1)]
Burst = Annotated[int, _count("burst", "So many of them at once.")]
BodyBytes = Annotated[
    int, _count("body_bytes", "Of a body, and of a line of a tape.", least=1_000, most=LINE_BYTES_MAX)
]
BodySeconds = Annotated[
    float, _seconds("body_seconds", "How long a body may take; of a tape, how long nothing may come.")
]
HeadSeconds = Annotated[float, _seconds("head_seconds", "How long the head of a request may take.")]
SendSeconds = Annotated[float, _seconds("send_seconds", "How long an answer may lie without being taken.")]
Connections = Annotated[int, _count("connections", "Open at once.")]
Waiting = Annotated[int, _count("waiting", "Commands that wait to be run; more are sent away.")]
Streams = Annotated[int, _count("streams", "Streams of events, open at once.")]
StopSeconds = Annotated[
    int,
    _count("stop_seconds", "How long what was accepted may take when it is told to stop.", most=_SECONDS_MAX),
]


def _token(name: str, about: str, variable: str, **more: Any) -> Any:
    return _option(name, about, _TOKENS, variable=f"oidc_{variable}", **more)


Issuer = Annotated[str | None, _token("issuer", "Whose tokens are taken besides keys.", "issuer")]
Audience = Annotated[str | None, _token("audience", "For whom a token must be.", "audience")]
Jwks = Annotated[
    str | None, _token("jwks", "The issuer's public keys: https, or a file.", "jwks", metavar="URL|FILE")
]
PersonClaim = Annotated[str, _token("person_claim", "The claim that names the person.", "person")]
RolesClaim = Annotated[str, _token("roles_claim", "The claim with lists of roles by premises.", "roles")]

Zones = Annotated[
    list[str] | None,
    _option(
        "zone",
        "Of the premises, for the console: Europe/London; or of one, NAME=ZONE. Repeatable.",
        _CONSOLE,
    ),
]
Https = Annotated[
    bool,
    _option("https", "Browsers come over https, through a proxy: cookies go over nothing else.", _CONSOLE),
]


def zones_read(given: list[str] | None) -> dict[str, str]:
    """The zones by premises. Raises: BadParameter: this machine knows no such zone."""
    try:
        return zones_of(given or ())
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--zone") from None
