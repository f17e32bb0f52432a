"""Commands for which several persons answer: one proposes, each consents, by a credential of their own.

Nobody's secret passes through another's hands. A proposal waits beside the read tables until the last of
those it names has consented to just this content; then it is an ordinary command, and runs once. Whoever
proposes has consented by that to what names them. Until the last consent whoever proposed it may withdraw it:
then nobody can consent any more, and its id is used up; that it was withdrawn, and why, stays with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from pydantic import BaseModel, Field

from ledger.answer import REJECTED, Answer
from ledger.commands import TAPE_LINE, Command, digest_of
from ledger.errors import CommandIdUsed
from ledger.events.catalogue import decode
from ledger.events.command import CommandRecorded
from ledger.store.port import Statements
from ledger.terms.identifiers import command_stream
from ops.service.context import Service
from ops.service.guard import check
from ops.service.permissions import CONSENT
from ops.service.principal import Principal
from ops.service.refusals import (
    DigestDiffers,
    NotAllowed,
    NotFound,
    NotTheProposer,
    ProposalNotWaiting,
    ProposalWithdrawn,
)

_SELECT = (
    "SELECT p.command_id, p.digest, p.content, p.proposed_by, p.proposed_at, p.done, "
    "w.withdrawn_at, w.reason FROM access_proposals AS p LEFT JOIN access_withdrawals AS w "
    "ON w.premises = p.premises AND w.command_id = p.command_id WHERE p.premises = ?"
)


class State(StrEnum):
    """Where a proposal stands."""

    WAITING = "waiting"
    """For consents; or, with the last of them, to be sent again: the store was away, or it is too early."""
    RUN = "run"
    """What came of it, its command's answer says."""
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Outstanding:
    """A proposal.

    Attributes:
        digest: of its content; whoever consents names it.
        waiting_for: the persons who have not consented yet.
        withdrawn_at, reason: when and why whoever proposed it withdrew it, if they did.
    """

    command: Command
    digest: str
    proposed_by: str
    proposed_at: str
    consented: tuple[str, ...]
    waiting_for: tuple[str, ...]
    state: State = State.WAITING
    withdrawn_at: str | None = None
    reason: str | None = None

    class Told(BaseModel):
        """A proposal, for programs."""

        proposal: str
        digest: str
        command: dict[str, Any]
        proposed_by: str
        proposed_at: str
        consented: list[str]
        waiting_for: list[str]
        state: State
        withdrawn_at: str | None = None
        reason: str | None = Field(None, description="Why it was withdrawn.")

    TOLD: ClassVar[type[BaseModel]] = Told

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "proposal": self.command.id,
            "digest": self.digest,
            "command": self.command.model_dump(mode="json", exclude_none=True),
            "proposed_by": self.proposed_by,
            "proposed_at": self.proposed_at,
            "consented": list(self.consented),
            "waiting_for": list(self.waiting_for),
            "state": self.state.value,
            "withdrawn_at": self.withdrawn_at,
            "reason": self.reason,
        }


class Consents:
    """The proposals of one ledger."""

    def __init__(self, service: Service) -> None:
        self._tables = service.house.tables
        self._record = service.house.ledger.record
        self._clock = service.clock

    def propose(self, command: Command, principal: Principal) -> Outstanding | None:
        """Keep a command until all it names have consented; None when they have, so that it can be run.

        None also where it was run before: its first answer is its answer.

        Raises:
            CommandIdUsed: another was proposed, or run, under this id.
            ProposalWithdrawn: this one was, and withdrawn.
        """
        digest = digest_of(command)
        if (ran := self._ran(command)) is not None:
            if ran != digest:
                raise CommandIdUsed(command.id)
            return None
        with self._tables.transaction() as statements:
            now = self._clock().isoformat()
            known = _found(statements, command.premises, command.id)
            if known is None:
                sql = "INSERT INTO access_proposals VALUES (?, ?, ?, ?, ?, ?, 0)"
                content = command.model_dump_json()
                row = (command.premises, command.id, digest, content, principal.person, now)
                statements.execute(sql, row)
            elif known.digest != digest:
                raise CommandIdUsed(command.id)
            else:
                _check_not_withdrawn(known)
            if principal.person in named_in(command):
                _consent(statements, command, principal, now)
            return self._outstanding(statements, command.premises, command.id)

    def consent(
        self, premises: str, command_id: str, digest: str, principal: Principal
    ) -> Command | Outstanding:
        """Consent to a proposal. Returns the command when nobody is missing any more.

        Raises:
            NotFound; NotAllowed: it does not name this person, or they have no role for it; DigestDiffers.
            ProposalWithdrawn.
        """
        with self._tables.transaction() as statements:
            known = _found(statements, premises, command_id)
            if known is None:
                raise NotFound(f"proposal {command_id}")
            check(principal, CONSENT[type(known.command)].roles, premises)
            if principal.person not in named_in(known.command):
                raise NotAllowed(principal.person, "named in the proposal", premises)
            if known.digest != digest:
                raise DigestDiffers(command_id)
            _check_not_withdrawn(known)
            _consent(statements, known.command, principal, self._clock().isoformat())
            return self._outstanding(statements, premises, command_id) or known.command

    def withdraw(self, premises: str, command_id: str, reason: str, principal: Principal) -> Outstanding:
        """Withdraw a proposal that waits for somebody. Nothing is left to consent to.

        Raises:
            NotFound; NotTheProposer; ProposalWithdrawn: before.
            ProposalNotWaiting: everybody has consented, so that it is run, or was.
        """
        with self._tables.transaction() as statements:
            known = _found(statements, premises, command_id)
            if known is None:
                raise NotFound(f"proposal {command_id}")
            if known.proposed_by != principal.person:
                raise NotTheProposer(principal.person, command_id)
            _check_not_withdrawn(known)
            if not known.waiting_for:
                raise ProposalNotWaiting(command_id)
            sql = "INSERT INTO access_withdrawals VALUES (?, ?, ?, ?)"
            statements.execute(sql, (premises, command_id, reason, self._clock().isoformat()))
            statements.execute(_DONE, (premises, command_id))
            return _found(statements, premises, command_id) or known

    def lapse(self, command: Command, reason: str) -> None:
        """What it rested on has moved: it is not run, nobody can consent any more, and its id is used up."""
        with self._tables.transaction() as statements:
            sql = "INSERT INTO access_withdrawals VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
            now = self._clock().isoformat()
            statements.execute(sql, (command.premises, command.id, reason, now))
            statements.execute(_DONE, (command.premises, command.id))

    def came_of(self, command: Command, answer: Answer) -> None:
        """What all had consented to was sent: applied or refused, it was run, and nobody waits for it.

        Rejected, it was not. It lapses where its id has been used for something else since it was proposed;
        else it waits to be sent again.
        """
        if answer.outcome != REJECTED:
            with self._tables.transaction() as statements:
                statements.execute(_DONE, (command.premises, command.id))
        elif answer.code == CommandIdUsed.code:
            self.lapse(command, answer.detail or "")

    def one(self, premises: str, command_id: str) -> Outstanding:
        """A proposal, done or not. Raises: NotFound."""
        with self._tables.snapshot() as statements:
            found = _found(statements, premises, command_id)
        if found is None:
            raise NotFound(f"proposal {command_id}")
        return found

    def waiting(self, premises: str, after: str, limit: int) -> Sequence[Outstanding]:
        """Proposals that were neither run nor withdrawn yet, by their ids."""
        with self._tables.snapshot() as statements:
            sql = f"{_SELECT} AND p.done = 0 AND p.command_id > ? ORDER BY p.command_id LIMIT ?"
            rows = statements.execute(sql, (premises, after, limit))
            return [_of_row(statements, premises, row) for row in rows]

    def _ran(self, command: Command) -> str | None:
        """The digest of what was run under this id, if anything was."""
        for row in self._record.select_stream(command_stream(command.id)):
            event = decode(row.topic, row.state, row.stream, row.version)
            if isinstance(event, CommandRecorded):
                return event.digest
        return None

    @staticmethod
    def _outstanding(statements: Statements, premises: str, command_id: str) -> Outstanding | None:
        found = _found(statements, premises, command_id)
        return found if found is not None and found.waiting_for else None


_DONE = "UPDATE access_proposals SET done = 1 WHERE premises = ? AND command_id = ?"
"""Nobody waits for it any more."""


def _check_not_withdrawn(known: Outstanding) -> None:
    if known.state is State.WITHDRAWN:
        raise ProposalWithdrawn(known.command.id, known.proposed_by)


def named_in(command: Command) -> tuple[str, ...]:
    """The persons who answer for a command."""
    return tuple(dict.fromkeys(getattr(command, CONSENT[type(command)].field)))


def _consent(statements: Statements, command: Command, principal: Principal, now: str) -> None:
    sql = "INSERT INTO access_consents VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
    statements.execute(sql, (command.premises, command.id, principal.person, principal.credential, now))


def _found(statements: Statements, premises: str, command_id: str) -> Outstanding | None:
    rows = statements.execute(f"{_SELECT} AND p.command_id = ?", (premises, command_id))
    return _of_row(statements, premises, rows[0]) if rows else None


def _of_row(statements: Statements, premises: str, row: Sequence[Any]) -> Outstanding:
    command_id, digest, content, proposed_by, proposed_at, done, withdrawn_at, reason = row
    command = TAPE_LINE.validate_json(content)
    sql = "SELECT person FROM access_consents WHERE premises = ? AND command_id = ?"
    consented = {person for (person,) in statements.execute(sql, (premises, command_id))}
    named = named_in(command)
    return Outstanding(
        command,
        digest,
        proposed_by,
        proposed_at,
        tuple(person for person in named if person in consented),
        tuple(person for person in named if person not in consented),
        State.WITHDRAWN if withdrawn_at else State.RUN if done else State.WAITING,
        withdrawn_at,
        reason,
    )
