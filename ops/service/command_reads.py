"""What came of a command, by its id: for whoever sent it and lost the answer on the way."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, Field

from ledger.events.catalogue import decode
from ledger.events.command import CommandRecorded
from ledger.terms.identifiers import CommandId, command_stream
from ops.service.commands import name_of
from ops.service.context import Service
from ops.service.guard import allow, check, principal_of
from ops.service.permissions import COMMAND_ROLES, EVERYBODY, READ_COMMAND
from ops.service.problems import RESPONSES, note
from ops.service.refusals import NotFound
from ops.service.resources import Premises

_SENDERS = {name_of(command): roles for command, roles in COMMAND_ROLES.items()}


class CameOf(BaseModel):
    """What came of a command: `code`, `detail` and `paragraph` say why, where it was refused."""

    command_id: str
    command: str = Field(examples=["record-coup"])
    outcome: str = Field(examples=["applied"])
    subject: str = Field(examples=["coup/main/PB1/S1/1"])
    """The stream that it was about."""
    stage: str | None = None
    code: str | None = None
    detail: str | None = None
    paragraph: str | None = None
    actor: str
    occurred_at: datetime
    recorded_at: datetime
    sequence: int = Field(ge=1)
    """Of the event that says so."""


def router(service: Service) -> APIRouter:
    """`GET /v1/premises/P/commands/ID`."""
    routes = APIRouter(tags=["commands"])

    @routes.get(
        "/v1/premises/{premises}/commands/{command_id}",
        operation_id="show-command",
        dependencies=[allow(EVERYBODY)],
        response_model=CameOf,
        response_model_exclude_none=True,
        responses=RESPONSES,
    )
    def show_command(
        request: Request,
        premises: Premises,
        command_id: Annotated[CommandId, Path(examples=["c1"])],
    ) -> dict[str, Any]:
        """What came of a command: applied, or refused, which is as final.

        404: it is not in the record, so it was not run, or not yet; send it again, it runs once. For who may
        send such a command, and who reads of commands in the feed.
        """
        note(request, command_id=command_id)
        found = _found(service, premises, command_id)
        roles = READ_COMMAND | _SENDERS.get(found["command"], frozenset())
        check(principal_of(request), roles, premises)
        return found

    return routes


def _found(service: Service, premises: str, command_id: str) -> dict[str, Any]:
    """Raises: NotFound: no such command was run, or not at this premises."""
    for row in service.house.ledger.record.select_stream(command_stream(command_id)):
        event = decode(row.topic, row.state, row.stream, row.version)
        if isinstance(event, CommandRecorded) and event.subject.split("/")[1] == premises:
            told = event.model_dump(include={*CameOf.model_fields})
            return told | {"command_id": command_id, "sequence": row.sequence}
    raise NotFound(f"command {command_id} in the record of {premises}")
