"""`POST /v1/tapes`: lines in, what came of each out, both while the other goes on, in bounded memory.

Three tasks: one takes lines from the body, one plays those that are there in one commit, one sends what came
of them. Results wait in a file, not in memory and not for the sender: a client that reads nothing before it
has sent everything would otherwise wait for us while we wait for it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

import structlog
from eventsourcing.persistence import PersistenceError
from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.types import Receive, Scope, Send

from ledger.answer import Answer
from ledger.commands import TAPE_LINE, Command
from ledger.errors import LedgerError
from ledger.events.command import CommandOutcome
from ledger.terms.access import Role
from ops.service import faults
from ops.service.commands import KEYS_OWN, facts_of, take_actor, told
from ops.service.context import Service
from ops.service.guard import allow, check, principal_of
from ops.service.limits import check_media_type
from ops.service.permissions import COMMAND_ROLES, CONSENT
from ops.service.principal import Principal
from ops.service.problems import RESPONSES, note
from ops.service.refusals import BodyTooSlow, NotOnATape, ServiceError, Stopping, StoreUnavailable
from ops.service.splitter import Splitter
from ops.service.spool import Spool
from ops.tape.importer import BATCH_COMMANDS
from ops.tape.lines import Line
from ops.tape.reader import read_json, validated

log = structlog.get_logger()

MEDIA_TYPE = "application/x-ndjson"
_CHUNKS_WAITING_MAX = 64
_LOOK_UP_SECONDS = 0.5
"""How often, while nothing comes, it is asked whether the service is stopping."""
_WRITING = frozenset(role for roles in COMMAND_ROLES.values() for role in roles) - {Role.ADMIN}


class Player:
    """Plays lines for one principal, and says what came of each."""

    def __init__(self, service: Service, principal: Principal) -> None:
        self._service = service
        self._principal = principal
        self.outcomes: Counter[str] = Counter()

    def play(self, lines: list[Line]) -> list[dict[str, Any]]:
        """What came of each, in order; those that can be read are run in one transaction."""
        asked: dict[int, Command] = {}
        results: dict[int, dict[str, Any]] = {}
        for line in lines:
            try:
                asked[line.number] = self._read(line)
            except LedgerError as error:
                outcome = "rejected" if isinstance(error, ServiceError) else "unreadable"
                results[line.number] = {"outcome": outcome, **_why(error)}
        for number, answer in self._run(asked).items():
            results[number] = _FAULT if answer is None else _told(answer)
        self._service.committed()
        return [self._noted(line, asked.get(line.number), results[line.number]) for line in lines]

    def _run(self, asked: dict[int, Command]) -> dict[int, Answer | None]:
        """The answers by line; None to one that cannot be run, which must not end the others."""
        if not asked:
            return {}
        try:
            answers = self._service.house.ledger.run_many(list(asked.values()))
        except (PersistenceError, LedgerError):
            raise
        except Exception as error:  # noqa: BLE001 – whatever it is, it is of one of them
            if len(asked) > 1:
                return {n: answer for one in asked.items() for n, answer in self._run(dict([one])).items()}
            ((number, command),) = asked.items()
            log.error(  # noqa: TRY400 – a traceback has values in it
                "a command cannot be run", line=number, **facts_of(command), **faults.told(error)
            )
            return {number: None}
        return dict(zip(asked, answers, strict=True))

    def _noted(self, line: Line, command: Command | None, result: dict[str, Any]) -> dict[str, Any]:
        """The result as it is sent; counted, and in the log."""
        repeated = bool(result.get("repeat")) and result["outcome"] == CommandOutcome.APPLIED
        outcome = "repeated" if repeated else str(result["outcome"])
        self.outcomes[outcome] += 1
        about = {} if command is None else facts_of(command)
        if command is not None:
            self._service.metrics.commands.labels(command.command, outcome).inc()
        code = {"code": result["code"]} if result.get("code") else {}
        log.info("command", line=line.number, **about, outcome=outcome, **code)
        return {"line": line.number} | {name: value for name, value in result.items() if value is not None}

    def _read(self, line: Line) -> Command:
        if line.error is not None:
            raise line.error
        content = read_json(line.content)
        take_actor(content, self._principal)
        command = validated(content, TAPE_LINE)
        check(self._principal, COMMAND_ROLES[type(command)], command.premises)
        if type(command) in CONSENT or isinstance(command, KEYS_OWN):
            raise NotOnATape(command.command)
        return command


_FAULT: dict[str, Any] = {
    "outcome": "failed",
    "code": "fault",
    "detail": "the log of the service says why, under the id of this request",
}


def _told(answer: Answer) -> dict[str, Any]:
    why = {"code": answer.code, "detail": answer.detail, "paragraph": answer.paragraph}
    return told(answer) | ({} if answer.applied else why)


def _why(error: LedgerError) -> dict[str, Any]:
    return {"code": error.code, "detail": str(error), "paragraph": error.paragraph}


class TapeAnswer(Response):
    """The answer to a tape, which begins before the tape has ended."""

    media_type = MEDIA_TYPE

    def __init__(self, service: Service, principal: Principal, observe: Callable[..., None]) -> None:
        super().__init__(None, 200, {"X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._service = service
        self._player = Player(service, principal)
        self._observe = observe
        self._chunks: asyncio.Queue[list[Line] | None] = asyncio.Queue(_CHUNKS_WAITING_MAX)
        self._ended_by: LedgerError | None = None
        self._gone = False
        self._played = False

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        spool = Spool()
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._take(receive))
                tasks.create_task(self._play(spool))
                tasks.create_task(self._send(spool, send))
        finally:
            spool.close()
            self._observe(tape=dict(self._player.outcomes), gone=self._gone or None)

    async def _take(self, receive: Receive) -> None:
        splitter = Splitter(self._service.settings.body_bytes_max)
        silent = 0.0
        more = True
        while more:
            try:
                message = await asyncio.wait_for(receive(), _LOOK_UP_SECONDS)
            except TimeoutError:
                silent += _LOOK_UP_SECONDS
                if silent >= self._service.settings.body_seconds:
                    self._ended_by = BodyTooSlow(self._service.settings.body_seconds)
                    break
            else:
                silent = 0.0
                if message["type"] == "http.disconnect":
                    self._gone = True  # a line that was cut off is no line
                    break
                more = message.get("more_body", False)
                if lines := splitter.feed(message.get("body", b"")):
                    await self._chunks.put(lines)
                if not more and (lines := splitter.finish()):
                    await self._chunks.put(lines)
            if self._played:
                return
            if more and self._service.stopping.is_set():
                self._ended_by = Stopping()
                break
        await self._chunks.put(None)

    async def _play(self, spool: Spool) -> None:
        while (lines := await self._chunks.get()) is not None:
            last = False
            while len(lines) < BATCH_COMMANDS and not self._chunks.empty():
                following = self._chunks.get_nowait()
                if following is None:
                    last = True
                    break
                lines += following
            try:
                spool.write(await asyncio.to_thread(self._player.play, lines))
            except (PersistenceError, LedgerError) as error:
                log.warning("a tape was broken off", fault=f"{type(error).__name__}: {error}")
                self._ended_by = error if isinstance(error, LedgerError) else StoreUnavailable()
                break
            if last:
                break
        self._played = True
        spool.write([self._end()])
        spool.end()
        while not self._chunks.empty():  # whoever still takes lines must not wait for room
            self._chunks.get_nowait()

    def _end(self) -> dict[str, Any]:
        """The last line of an answer: how the tape ended, and how many lines came to what."""
        end: dict[str, Any] = {"end": "whole" if self._ended_by is None else "broken-off"}
        if self._ended_by is not None:
            end |= {"code": self._ended_by.code, "detail": str(self._ended_by)}
        return end | {"lines": dict(self._player.outcomes)}

    async def _send(self, spool: Spool, send: Send) -> None:
        reading = True  # how long nobody does, the server bounds
        while content := await spool.next():
            if reading:
                try:
                    await send({"type": "http.response.body", "body": content, "more_body": True})
                except OSError:
                    reading = False  # what has come is played all the same
        if reading:
            await send({"type": "http.response.body", "body": b"", "more_body": False})


def router(service: Service) -> APIRouter:
    """Tapes."""
    routes = APIRouter(tags=["tapes"])

    @routes.post(
        "/v1/tapes",
        operation_id="play-tape",
        dependencies=[allow(_WRITING)],
        response_class=Response,
        responses={
            **RESPONSES,
            200: {
                "description": "A line for each line, and one for the end; while the tape is being sent",
                "content": {MEDIA_TYPE: {"schema": {"type": "string"}}},
            },
        },
        openapi_extra={
            "requestBody": {"required": True, "content": {MEDIA_TYPE: {"schema": {"type": "string"}}}}
        },
    )
    async def play_tape(request: Request) -> Response:
        """Play a tape: NDJSON, a command a line.

        Good lines are applied, others told with their number and reason. The last line of the answer says
        `"end": "whole"`; without it, or with `"broken-off"`, send the tape again: a command runs once.
        """
        check_media_type(request, MEDIA_TYPE, "application/ndjson", "application/jsonl")
        if service.stopping.is_set():
            raise Stopping
        return TapeAnswer(service, principal_of(request), lambda **facts: note(request, **facts))

    return routes
