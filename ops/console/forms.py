"""Forms: read whole within bounds, and only from a page of the same session."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from urllib.parse import parse_qsl

from fastapi import Request

from ops.console.door import console_of, session_of
from ops.console.refusals import FormNotOurs
from ops.service.limits import body_of, check_media_type
from ops.service.refusals import BodyTooLarge

TOKEN = "form_token"  # noqa: S105 – its name
FORM_BYTES_MAX = 64 * 1024
FIELDS_MAX = 1_000


async def form_of(request: Request) -> Mapping[str, str]:
    """What a form says: a dependency of every route that takes one. The last of a name counts.

    Raises:
        FormNotOurs: it has not this session's token; SessionEnded: there is no session.
        BodyTooLarge, BodyTooSlow, MediaTypeUnknown.
    """
    check_media_type(request, "application/x-www-form-urlencoded")
    console = console_of(request)
    body = await body_of(request, console.service.settings)
    if len(body) > FORM_BYTES_MAX:
        raise BodyTooLarge(FORM_BYTES_MAX)
    try:
        fields = dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=FIELDS_MAX))
    except ValueError:
        raise FormNotOurs from None
    wanted = console.sessions.form_token(session_of(request))
    if not hmac.compare_digest(fields.pop(TOKEN, "").encode(), wanted.encode()):
        raise FormNotOurs
    return fields
