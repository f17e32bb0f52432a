"""The interface as OpenAPI 3.1: what the framework knows of it, the commands, and who may use what."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import BaseModel

from ops.feed import routes as feeds
from ops.service.commands import command_schemas
from ops.service.guard import scope_of
from ops.service.key_resources import MODELS
from ops.service.problems import RESPONSES, Problem
from ops.service.proposals import BODIES

ABOUT = """\
Commands in, figures and proofs out. Money is whole minor units; moments are UTC.

A command has an id, in `Idempotency-Key` or in the body, and runs once, for ever: send it again and the first
answer comes again. What the law or the table refuses is a fact, recorded, and answered with its code and
paragraph.
"""
_SCHEME = "credential"


def interface(app: FastAPI) -> dict[str, Any]:
    """The document."""
    routes = [route for route in app.routes if isinstance(route, APIRoute)]
    document = get_openapi(
        title="baccarat-ledger", version=version("baccarat-ledger"), description=ABOUT, routes=routes
    )
    components = document.setdefault("components", {})
    schemas: dict[str, Any] = components.setdefault("schemas", {})
    schemas |= command_schemas()
    models: tuple[type[BaseModel], ...] = (Problem, *BODIES, *MODELS, *feeds.MODELS)
    for model in models:
        schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas |= schema.pop("$defs", {})
        schemas[model.__name__] = schema
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    components["securitySchemes"] = {
        _SCHEME: {
            "type": "http",
            "scheme": "bearer",
            "description": "A key, `blk_…`, or a token of the issuer that the service trusts.",
        }
    }
    for route in routes:
        _say_scope(document, route)
    return document


def _say_scope(document: dict[str, Any], route: APIRoute) -> None:
    roles = scope_of(route)
    for method in route.methods or ():
        operation = document["paths"][route.path_format][method.lower()]
        if roles is None:
            continue
        problems = {str(status): said for status, said in RESPONSES.items()}
        operation["responses"] = problems | operation["responses"] | {"422": problems["422"]}
        operation["security"] = [{_SCHEME: []}]
        operation["x-roles"] = sorted(role.value for role in roles)
