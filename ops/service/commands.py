"""A resource for every command: where it happens in the path, what happens in the body.

The path is made from the fields that a command has: a coup's names table, shoe and number. The body is the
command as a line of a tape has it; what the path, the credential and `Idempotency-Key` say may be left out of
it, and if it is said, it must be the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, get_args

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field, TypeAdapter

from ledger import commands
from ledger.answer import Answer
from ledger.commands import Command
from ledger.errors import RecordMoved
from ops.service.consents import Consents, Outstanding
from ops.service.context import Service
from ops.service.guard import allow, principal_of
from ops.service.limits import body_of, check_media_type
from ops.service.permissions import COMMAND_ROLES, CONSENT
from ops.service.principal import Principal
from ops.service.problems import RESPONSES, note, of_answer
from ops.service.refusals import ActorIsAnother, SaidTwice
from ops.tape.reader import read_json, validated

IDEMPOTENCY_KEY = "idempotency-key"
_TABLE = "/v1/premises/{premises}/tables/{table}"
_COUP = _TABLE + "/shoes/{shoe}/coups/{number}"
_DAY = "/v1/premises/{premises}/days/{gaming_day}"
KEYS_OWN = (commands.IssueKey, commands.RevokeKey)
"""Commands that come with a secret, and have resources of their own."""

TAGS: Mapping[str, tuple[type[Command], ...]] = {
    "tables": (
        commands.OpenTable,
        commands.ChangeShift,
        commands.SeatPlayer,
        commands.UnseatPlayer,
        commands.ChangeOffer,
        commands.TakeCharge,
        commands.CloseTable,
    ),
    "bank": (
        commands.TakeBank,
        commands.PassBank,
        commands.RetireBank,
        commands.DeclareInterest,
        commands.WithdrawInterest,
    ),
    "shoes": (commands.StartShoe, commands.EndShoe),
    "chips": (commands.FillChips, commands.CreditChips, commands.VoidSlip),
    "counts": (commands.CountFloat, commands.CountDrop, commands.RecordCount),
    "coups": (commands.RecordCoup, commands.OpenCoup),
    "wagers": (commands.PlaceWagers, commands.CallBanco, commands.CancelWagers, commands.CloseWagers),
    "hands": (commands.DealHands,),
    "settlement": (commands.SettleCoup,),
    "rulings": (commands.CorrectHands, commands.CorrectCoup, commands.VoidCoup),
    "disputes": (commands.RaiseDispute, commands.ResolveDispute),
    "days": (commands.CloseDay, commands.BookAdjustment),
}
"""What each command is about."""


class Ran(BaseModel):
    """What came of a command that was applied."""

    command_id: str
    outcome: str = Field(examples=["applied"])
    subject: str = Field(examples=["coup/main/PB1/S1/1"])
    """The stream that it was about."""
    stage: str | None = None
    """Where the coup stands after it, if it was about one."""
    repeat: bool
    """It was applied before, and this is the first answer again."""


def name_of(command: type[Command]) -> str:
    """What a tape calls the command."""
    name: str = get_args(command.model_fields["command"].annotation)[0]
    return name


def path_of(command: type[Command]) -> str:
    """The path of a command's resource."""
    if issubclass(command, commands.CoupCommand):
        return f"{_COUP}/{name_of(command)}"
    if issubclass(command, commands.TableCommand):
        return f"{_TABLE}/{name_of(command)}"
    return f"{_DAY}/{name_of(command)}"


def router(service: Service) -> APIRouter:
    """A resource for every command."""
    routes = APIRouter()
    for tag, members in TAGS.items():
        for command in members:
            _add(routes, service, command, tag)
    return routes


def _add(routes: APIRouter, service: Service, command: type[Command], tag: str) -> None:
    reader: TypeAdapter[Command] = TypeAdapter(command)
    consents = Consents(service)

    async def run(request: Request) -> Response:
        principal = principal_of(request)
        check_media_type(request, "application/json")
        content = await body_of(request, service.settings)
        asked = _read(content, request, principal, name_of(command), reader)
        note(request, **facts_of(asked))
        if command in CONSENT:
            outstanding = await asyncio.to_thread(consents.propose, asked, principal)
            if outstanding is not None:
                note(request, outcome="proposed")
                return JSONResponse(outstanding.as_json(), 202)
            return await agreed(request, service, consents, asked)
        return await answered(request, service, asked)

    name = name_of(command)
    answers: dict[int | str, Any] = dict(RESPONSES)
    if command in CONSENT:
        answers[202] = {"model": Outstanding.Told, "description": "Kept until those named have consented"}
    routes.add_api_route(
        path_of(command),
        run,
        methods=["POST"],
        dependencies=[allow(COMMAND_ROLES[command])],
        tags=[tag],
        operation_id=name,
        summary=name.replace("-", " ").capitalize(),
        description=command.__doc__,
        response_model=Ran,
        responses=answers,
        openapi_extra=_openapi(command),
    )


def _read(
    content: bytes, request: Request, principal: Principal, name: str, reader: TypeAdapter[Command]
) -> Command:
    """The command that a request amounts to.

    Raises:
        MalformedInput: it is none; SaidTwice, ActorIsAnother.
    """
    line = read_json(content)
    said: dict[str, Any] = {"command": name, **request.path_params}
    if "number" in said and said["number"].isascii() and said["number"].isdigit():
        said["number"] = int(said["number"][:9])
    keys = set(request.headers.getlist(IDEMPOTENCY_KEY))
    if len(keys) > 1:
        raise SaidTwice("Idempotency-Key")
    if keys:
        said["id"] = keys.pop()
    for field, value in said.items():
        if line.setdefault(field, value) != value:
            raise SaidTwice(field)
    take_actor(line, principal)
    return validated(line, reader)


def take_actor(line: dict[str, Any], principal: Principal) -> None:
    """Who reports it is who is authenticated. Raises: ActorIsAnother."""
    if line.setdefault("actor", principal.person) != principal.person:
        said = line["actor"]
        raise ActorIsAnother(said[:64] if isinstance(said, str) else "", principal.person)


def facts_of(command: Command) -> dict[str, str]:
    """What the log says of a command: which, and about what. Nothing that could name a patron."""
    facts = {"command": command.command, "command_id": command.id, "premises": command.premises}
    if isinstance(command, commands.CoupCommand):
        facts["coup"] = f"{command.premises}/{command.table}/{command.shoe}/{command.number}"
    elif isinstance(command, commands.TableCommand):
        facts["table"] = command.table
    return facts


async def answered(request: Request, service: Service, command: Command) -> Response:
    """Run a command, and answer. Once it is accepted it runs, also if nobody waits any more."""
    return _response(request, await _ran(request, service, command))


async def agreed(request: Request, service: Service, consents: Consents, command: Command) -> Response:
    """Run what everybody named has consented to; where what it rested on has moved since, it lapses.

    Raises: RecordMoved.
    """
    try:
        answer = await _ran(request, service, command)
    except RecordMoved as moved:
        await asyncio.to_thread(consents.lapse, command, str(moved))
        raise
    await asyncio.to_thread(consents.came_of, command, answer)
    return _response(request, answer)


async def _ran(request: Request, service: Service, command: Command) -> Answer:
    answer = await service.writer.run(command)
    note(request, outcome=count(service, command, answer))
    return answer


def _response(request: Request, answer: Answer) -> Response:
    return JSONResponse(told(answer)) if answer.applied else of_answer(request, answer)


def count(service: Service, command: Command, answer: Answer) -> str:
    """Count an answer; returns what came of the command."""
    outcome = "repeated" if answer.repeat and answer.applied else answer.outcome
    service.metrics.commands.labels(command.command, outcome).inc()
    return outcome


def told(answer: Answer) -> dict[str, Any]:
    """An answer to a command that was applied, as `Ran` has it."""
    return {
        "command_id": answer.command_id,
        "outcome": answer.outcome,
        "subject": answer.subject,
        "stage": answer.stage,
        "repeat": answer.repeat,
    }


# --- OpenAPI -------------------------------------------------------------------------------------------


def body_schema(command: type[Command]) -> dict[str, Any]:
    """The JSON Schema of a command's body: what is said elsewhere may be left out."""
    schema = command.model_json_schema(ref_template="#/components/schemas/{model}")
    elsewhere = {"id", "actor", "command", *_names(command)}
    schema["required"] = [field for field in schema.get("required", ()) if field not in elsewhere]
    if not schema["required"]:
        del schema["required"]
    return schema


def _names(command: type[Command]) -> list[str]:
    """The fields that stand in the path."""
    return [part[1:-1] for part in path_of(command).split("/") if part.startswith("{")]


def _openapi(command: type[Command]) -> dict[str, Any]:
    properties = command.model_json_schema(ref_template="#/components/schemas/{model}")["properties"]
    parameters: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": _parameter(properties[name])}
        for name in _names(command)
    ]
    parameters.append(
        {
            "name": "Idempotency-Key",
            "in": "header",
            "required": False,
            "description": "The command's id, if the body has none. It runs once, for ever.",
            "schema": _parameter(properties["id"]),
        }
    )
    body = {"$ref": f"#/components/schemas/{command.__name__}"}
    return {
        "parameters": parameters,
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
    }


def _parameter(schema: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name not in {"title", "default"}}


def command_schemas() -> dict[str, Any]:
    """The schemas of all bodies, and of what is in them, by name."""
    schemas: dict[str, Any] = {}
    for members in TAGS.values():
        for command in members:
            schema = body_schema(command)
            schemas |= schema.pop("$defs", {})
            schemas[command.__name__] = schema
    return schemas
