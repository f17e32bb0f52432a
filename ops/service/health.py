"""Whether the service lives, whether it can serve, and its figures. Open to all: publish `/v1` alone."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel

from ops.service.context import Service
from ops.service.guard import open_to_all
from ops.service.problems import RESPONSES
from ops.service.refusals import Stopping

_BODILESS_503: dict[int | str, Any] = {503: {"description": RESPONSES[503]["description"]}}
"""How HEAD is refused: as GET is, without the problem."""


class Alive(BaseModel):
    """That somebody answers."""

    alive: bool


class Ready(BaseModel):
    """That commands can be taken; how far others are behind the record."""

    ready: bool
    sequence: int
    lag: dict[str, int]
    """In events, by who lags."""


def router(service: Service) -> APIRouter:
    """What watchers ask."""
    routes = APIRouter(tags=["health"], dependencies=[open_to_all()])

    @routes.get("/livez", operation_id="livez", response_model=Alive)
    async def livez() -> dict[str, bool]:
        """Whether the service answers at all."""
        return {"alive": True}

    @routes.head("/livez", operation_id="livez_head", response_class=Response)
    async def livez_head() -> Response:
        """The same without a body, as balancers ask."""
        return JSONResponse(await livez())

    @routes.get("/readyz", operation_id="readyz", response_model=Ready, responses={503: RESPONSES[503]})
    def readyz() -> Any:
        """Whether the record can be reached; 503 where not, or where the service is stopping."""
        if service.stopping.is_set():
            raise Stopping
        sequence = service.house.ledger.record.last_sequence()
        return {"ready": True, "sequence": sequence, "lag": {of: lag() for of, lag in service.lags.items()}}

    @routes.head("/readyz", operation_id="readyz_head", response_class=Response, responses=_BODILESS_503)
    def readyz_head() -> Response:
        """The same without a body, as balancers ask."""
        return JSONResponse(readyz())

    @routes.get(
        "/metrics",
        operation_id="metrics",
        response_class=Response,
        responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, 503: RESPONSES[503]},
    )
    def metrics() -> Response:
        """Figures for Prometheus."""
        return Response(service.metrics.page(), media_type=CONTENT_TYPE_LATEST)

    @routes.get("/v1/openapi.json", operation_id="openapi", response_model=dict[str, Any])
    def openapi() -> JSONResponse:
        """This interface, in OpenAPI 3.1."""
        return JSONResponse(service.interface())

    return routes
