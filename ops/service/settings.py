"""What an installation decides about its service."""

from __future__ import annotations

from dataclasses import dataclass

from ops.tape.lines import LINE_BYTES_MAX


@dataclass(frozen=True, slots=True)
class OidcSettings:
    """Whose tokens are good.

    Attributes:
        issuer, audience: what `iss` and `aud` of a token must be.
        jwks: where the issuer's public keys are: an https (or loopback http) address, or a file.
        person_claim: the claim that names the person.
        roles_claim: the claim that has the roles, an object of lists by premises.
    """

    issuer: str
    audience: str
    jwks: str
    person_claim: str = "sub"
    roles_claim: str = "baccarat_ledger"


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """Limits, and who else vouches for persons.

    Attributes:
        body_bytes_max: of a request, and of a line of a tape.
        body_seconds: how long a sender may be silent, or take over a command.
        head_seconds: how long the head of a request may take, and a connection on which none was begun.
        send_seconds: how long a reader may take nothing of an answer that lies ready.
        requests_per_second, burst: of one credential.
        connections_max: open at once in this process.
        waiting_max: commands that wait for the writer; more are sent away.
        streams_max: of events, open at once in this process.
        stop_seconds: how long what was accepted may take when the service stops.
        oidc: where tokens come from; None: keys alone open anything.
    """

    body_bytes_max: int = LINE_BYTES_MAX
    body_seconds: float = 20.0
    head_seconds: float = 10.0
    send_seconds: float = 60.0
    requests_per_second: float = 200.0
    burst: int = 400
    connections_max: int = 1_000
    waiting_max: int = 2_000
    streams_max: int = 200
    stop_seconds: int = 30
    oidc: OidcSettings | None = None
