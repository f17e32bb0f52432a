"""Why the console does not do what a browser asks. None is recorded."""

from __future__ import annotations

from dataclasses import dataclass

from ops.service.refusals import ServiceError


@dataclass(eq=False)
class SessionEnded(ServiceError):
    """Nobody is signed in, or no longer."""

    reason: str
    status = 401
    code = "session-ended"
    template = "{reason}"


@dataclass(eq=False)
class FormNotOurs(ServiceError):
    """A form that was not sent from a page of this session."""

    status = 403
    code = "form-not-ours"
    template = "this form does not belong to your session"


@dataclass(eq=False)
class NothingToShow(ServiceError):
    """Whoever is signed in has no page here."""

    status = 403
    code = "nothing-to-show"
    template = "no page is for the roles that you hold here"
