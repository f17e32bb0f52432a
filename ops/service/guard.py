"""Who may pass: every resource says which roles it is for, or that it is for all; else nothing starts.

A resource whose path names the premises is for those who hold one of the roles there; another for those who
hold one anywhere, and it must look for itself what they may see.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from fastapi import Depends, FastAPI, Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from ledger.errors import LedgerError
from ledger.terms.access import Role
from ops.service.context import Service
from ops.service.principal import Principal
from ops.service.problems import note
from ops.service.refusals import NotAllowed, ParameterUnknown

SCOPE = "scope_of_route"
"""The attribute of a dependency that says the roles; None: open to all."""


@dataclass(eq=False)
class RouteWithoutScope(LedgerError):
    """A resource was written that does not say who may use it."""

    route: str
    code = "route-without-scope"
    template = "{route} does not say who may use it"


def service_of(request: Request) -> Service:
    """The service that a request has come to."""
    found: Service = request.app.state.service
    return found


def allow(roles: Collection[Role]) -> Any:
    """A dependency of a route: lets those pass who hold one of these roles. See `principal_of`."""
    wanted = frozenset(roles)

    async def admitted(request: Request) -> None:
        request.state.principal = await admit(request, wanted)

    setattr(admitted, SCOPE, wanted)
    return Depends(admitted)


async def admit(request: Request, wanted: Collection[Role]) -> Principal:
    """Who asks, if they may.

    Raises:
        NotAuthenticated, IdentityUnavailable, TooManyRequests, NotAllowed.
        ParameterUnknown: they ask for something that this resource does not know.
    """
    service = service_of(request)
    header = request.headers.get("authorization")
    principal = service.recognise(header)
    if principal is None:
        principal = await asyncio.to_thread(service.authenticate, header)
    note(request, person=principal.person, credential=principal.credential)
    service.rates.take(principal.credential)
    check(principal, wanted, request.path_params.get("premises"))
    _check_query(request)
    return principal


def _check_query(request: Request) -> None:
    """That every parameter is one of the resource's.

    A filter that is mistyped would otherwise be none: figures of every table, or the feed from its beginning.

    Raises: ParameterUnknown.
    """
    if not request.scope["query_string"]:
        return
    known = {field.alias for each in _all_of(request.scope["route"].dependant) for field in each.query_params}
    for name in request.query_params:
        if name not in known:
            raise ParameterUnknown(name[:40], ", ".join(sorted(known)) or "none")


def _all_of(dependant: Dependant) -> Iterator[Dependant]:
    yield dependant
    for inner in dependant.dependencies:
        yield from _all_of(inner)


def principal_of(request: Request) -> Principal:
    """Who was let pass."""
    found: Principal = request.state.principal
    return found


def check(principal: Principal, wanted: Collection[Role], premises: str | None) -> None:
    """That a role is held there, or anywhere where it says no place. Raises: NotAllowed."""
    held = principal.premises_with(wanted) if premises is None else principal.may(wanted, premises)
    if not held:
        roles = ", ".join(sorted(role.value for role in wanted))
        raise NotAllowed(principal.person, roles, "any premises" if premises is None else premises)


def open_to_all() -> Any:
    """A dependency: everybody passes, without saying who they are."""

    def anybody() -> None:
        """Nothing is asked."""

    setattr(anybody, SCOPE, None)
    return Depends(anybody)


def scope_of(route: APIRoute) -> frozenset[Role] | None:
    """The roles that a route is for; None: all. Raises: RouteWithoutScope."""
    scopes = [getattr(call, SCOPE) for call in _calls(route) if hasattr(call, SCOPE)]
    if len(scopes) != 1:
        raise RouteWithoutScope(f"{'/'.join(sorted(route.methods or ()))} {route.path}")
    found: frozenset[Role] | None = scopes[0]
    return found


def _calls(route: APIRoute) -> Iterable[Callable[..., Any]]:
    return [each.call for each in route.dependant.dependencies if each.call is not None]


def check_routes(app: FastAPI) -> None:
    """That every resource says who may use it. Raises: RouteWithoutScope."""
    for route in app.routes:
        if not isinstance(route, APIRoute):
            raise RouteWithoutScope(getattr(route, "path", str(route)))
        scope_of(route)
