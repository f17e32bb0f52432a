"""Why a request is not served: one class a reason, each with its status in HTTP. None is recorded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ledger.errors import LedgerError


class ServiceError(LedgerError):
    """Why a request is not served. Nothing is recorded of it."""

    status: ClassVar[int] = 400
    code = "not-served"


@dataclass(eq=False)
class NotAuthenticated(ServiceError):
    reason: str
    status = 401
    code = "not-authenticated"
    template = "{reason}"


@dataclass(eq=False)
class NotAllowed(ServiceError):
    person: str
    wanted: str
    premises: str
    status = 403
    code = "not-allowed"
    template = "{person} has none of the roles {wanted} at {premises}"


@dataclass(eq=False)
class ActorIsAnother(ServiceError):
    """Whoever reports a fact is who is authenticated, not what a body says."""

    actor: str
    person: str
    status = 403
    code = "actor-is-another"
    template = "the actor {actor!r} is not {person}, whose credential this is; leave it out"


@dataclass(eq=False)
class NotOnATape(ServiceError):
    """It needs consents or comes with a secret, so it has a resource of its own."""

    command: str
    status = 403
    code = "not-on-a-tape"
    template = "{command} is not taken from a tape; send it to its own resource"


@dataclass(eq=False)
class SaidTwice(ServiceError):
    field: str
    code = "said-twice"
    template = "{field} is said twice, and not the same"


@dataclass(eq=False)
class CursorUnknown(ServiceError):
    reason: str
    code = "cursor-unknown"
    template = "this cursor was not given out for this query: {reason}"


@dataclass(eq=False)
class ParameterUnreadable(ServiceError):
    findings: str
    status = 422
    code = "parameter-unreadable"
    template = "{findings}"


@dataclass(eq=False)
class ParameterUnknown(ServiceError):
    parameter: str
    known: str
    status = 422
    code = "parameter-unknown"
    template = "there is no parameter {parameter!r} here; known: {known}"


@dataclass(eq=False)
class ContentCodingUnknown(ServiceError):
    coding: str
    status = 415
    code = "content-coding-unknown"
    template = "the body is sent as {coding!r}; send it as it is"


@dataclass(eq=False)
class NotFound(ServiceError):
    what: str
    status = 404
    code = "not-found"
    template = "there is no {what}"


@dataclass(eq=False)
class BodyTooSlow(ServiceError):
    seconds: float
    status = 408
    code = "body-too-slow"
    template = "nothing came for {seconds:g} seconds, or the whole took longer than that"


@dataclass(eq=False)
class DigestDiffers(ServiceError):
    proposal: str
    status = 409
    code = "digest-differs"
    template = "proposal {proposal} has another digest: look at it again before you consent"


@dataclass(eq=False)
class NotTheProposer(ServiceError):
    person: str
    proposal: str
    status = 403
    code = "not-the-proposer"
    template = "{person} did not propose {proposal}, and only who did may withdraw it"


@dataclass(eq=False)
class ProposalNotWaiting(ServiceError):
    proposal: str
    status = 409
    code = "proposal-not-waiting"
    template = "everybody whom {proposal} names has consented: it is run, or was, and is not withdrawn"


@dataclass(eq=False)
class ProposalWithdrawn(ServiceError):
    proposal: str
    person: str
    status = 409
    code = "proposal-withdrawn"
    template = "{proposal} of {person} was withdrawn, or has lapsed; propose it anew under another id"


@dataclass(eq=False)
class BodyTooLarge(ServiceError):
    limit_bytes: int
    status = 413
    code = "body-too-large"
    template = "the body is longer than {limit_bytes} bytes"


@dataclass(eq=False)
class MediaTypeUnknown(ServiceError):
    wanted: str
    status = 415
    code = "media-type-unknown"
    template = "send {wanted}"


@dataclass(eq=False)
class TooManyRequests(ServiceError):
    per_second: float
    status = 429
    code = "too-many-requests"
    template = "more than {per_second:g} requests a second come with this credential"


@dataclass(eq=False)
class Overloaded(ServiceError):
    waiting: int
    status = 503
    code = "overloaded"
    template = "{waiting} commands are waiting; send it again"


@dataclass(eq=False)
class ConnectionsFull(ServiceError):
    """What to do about it is what to do about too many commands, and so is its code."""

    connections_max: int
    status = 503
    code = "overloaded"
    template = "{connections_max} connections are open, and no more are served; send it again"


@dataclass(eq=False)
class Stopping(ServiceError):
    status = 503
    code = "stopping"
    template = "the service is stopping; send it again"


@dataclass(eq=False)
class ReadTablesBehind(ServiceError):
    events: int
    status = 503
    code = "read-tables-behind"
    template = "the read tables are {events} events behind and are catching up"


@dataclass(eq=False)
class StoreUnavailable(ServiceError):
    status = 503
    code = "store-unavailable"
    template = "the ledger cannot be reached; what is sent again under the same id runs once"


@dataclass(eq=False)
class IdentityUnavailable(ServiceError):
    status = 503
    code = "identity-unavailable"
    template = "the keys of the issuer of tokens cannot be read"
