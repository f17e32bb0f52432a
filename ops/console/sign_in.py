"""Signing in, with the credentials that the service takes anyway, and out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import jwt
from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from ops.console.desk import Desk
from ops.console.door import console_of, keep, session_of
from ops.console.forms import form_of
from ops.service.guard import open_to_all
from ops.service.keys import MARK
from ops.service.refusals import NotAuthenticated

Form = Annotated[Mapping[str, str], Depends(form_of)]

SIGN_IN = "/sign-in"
THEMES = frozenset({"", "light", "dark"})


def add(routes: APIRouter) -> None:
    """Add the routes."""

    @routes.get(SIGN_IN, dependencies=[open_to_all()])
    def ask(request: Request) -> Response:
        """The form."""
        return Desk(request).page("sign_in.html", "Sign in", refused=None, to=_inside(request))

    @routes.post(SIGN_IN, dependencies=[open_to_all()])
    def sign_in(request: Request, form: Form) -> Response:
        """A credential: from here on the session stands for it, and it is kept nowhere."""
        console = console_of(request)
        console.service.rates.take(f"sign-in:{request.client.host if request.client else ''}")
        text = form.get("credential", "").strip()
        try:
            principal = console.service.authenticate(f"Bearer {text}")
        except NotAuthenticated as error:
            return Desk(request).page(
                "sign_in.html", "Sign in", status=401, refused=str(error), to=_inside(request)
            )
        keep(request, console.sessions.begin(principal, _ends(text)))
        return RedirectResponse(_inside(request), 303)

    @routes.post("/sign-out", dependencies=[open_to_all()])
    def sign_out(request: Request, _: Form) -> Response:
        """The session ends, also for whoever has a copy of its cookie."""
        console_of(request).sessions.end(session_of(request))
        keep(request, None)
        return RedirectResponse(f"{request.scope['root_path']}{SIGN_IN}", 303)

    @routes.post("/theme", dependencies=[open_to_all()])
    def theme(request: Request, form: Form) -> Response:
        """Light, dark, or as the machine has it: for browsers without scripts."""
        chosen = form.get("theme", "")
        back = RedirectResponse(_inside(request), 303)
        if chosen in THEMES:
            back.set_cookie("console-theme", chosen, max_age=31_536_000, path="/", samesite="lax")
        return back


def _inside(request: Request) -> str:
    """Where to go on: `to`, if it is a page of the console."""
    root = str(request.scope["root_path"])
    to = request.query_params.get("to", "")
    plain = (
        to.startswith(f"{root}/") and not to.startswith(f"{root}//") and to.isprintable() and "\\" not in to
    )
    return to if plain and not to.startswith(root + SIGN_IN) else f"{root}/"


def _ends(text: str) -> int | None:
    """When a token ends, which was found good just now; a key is asked for each time."""
    if text.startswith(f"{MARK}_"):
        return None
    claims = jwt.decode(text, options={"verify_signature": False})
    return int(claims["exp"])
