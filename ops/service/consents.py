"""Commands for which several persons answer: one proposes, each consents, by a credential of their own.

Nobody's secret passes through another's hands. A proposal waits beside the read tables until the last of
those it names has consented to just this content; then it is an ordinary command, and runs once. Whoever
proposes has consented by that to what names them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import BaseModel

from ledger.commands import TAPE_LINE, Command, digest_of
from ledger.errors import CommandIdUsed
from ledger.store.port import Statements
from ops.service.context import Service
from ops.service.guard import check
from ops.service.permissions import CONSENT
from ops.service.principal import Principal
from ops.service.refusals import DigestDiffers, NotAllowed, NotFound

_SELECT = (
    "SELECT command_id, digest, content, proposed_by, proposed_at FROM access_proposals WHERE premises = ?"
)


@dataclass(frozen=True, slots=True)
class Outstanding:
    """A proposal that waits.

    Attributes:
        digest: of its content; whoever consents names it.
        waiting_for: the persons who have not consented yet.
    """

    command: Command
    digest: str
    proposed_by: str
    proposed_at: str
    consented: tuple[str, ...]
    waiting_for: tuple[str, ...]

    class Told(BaseModel):
        """A proposal that waits for consents, for programs."""

        proposal: str
        digest: str
        command: dict[str, Any]
        proposed_by: str
        proposed_at: str
        consented: list[str]
        waiting_for: list[str]

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
        }


class Consents:
    """The proposals of one ledger."""

    def __init__(self, service: Service) -> None:
        self._tables = service.house.tables
        self._clock = service.clock

    def propose(self, command: Command, principal: Principal) -> Outstanding | None:
        """Keep a command until all it names have consented; None when they have, so that it can be run.

        Raises:
            CommandIdUsed: another was proposed under this id.
        """
        digest = digest_of(command)
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
            if principal.person in named_in(command):
                _consent(statements, command, principal, now)
            return self._outstanding(statements, command.premises, command.id)

    def consent(
        self, premises: str, command_id: str, digest: str, principal: Principal
    ) -> Command | Outstanding:
        """Consent to a proposal. Returns the command when nobody is missing any more.

        Raises:
            NotFound; NotAllowed: it does not name this person, or they have no role for it; DigestDiffers.
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
            _consent(statements, known.command, principal, self._clock().isoformat())
            return self._outstanding(statements, premises, command_id) or known.command

    def done(self, command: Command) -> None:
        """The command was run: nobody waits for it."""
        with self._tables.transaction() as statements:
            sql = "UPDATE access_proposals SET done = 1 WHERE premises = ? AND command_id = ?"
            statements.execute(sql, (command.premises, command.id))

    def one(self, premises: str, command_id: str) -> Outstanding:
        """A proposal, done or not. Raises: NotFound."""
        with self._tables.snapshot() as statements:
            found = _found(statements, premises, command_id)
        if found is None:
            raise NotFound(f"proposal {command_id}")
        return found

    def waiting(self, premises: str, after: str, limit: int) -> Sequence[Outstanding]:
        """Proposals that were not run yet, by their ids."""
        with self._tables.snapshot() as statements:
            sql = f"{_SELECT} AND done = 0 AND command_id > ? ORDER BY command_id LIMIT ?"
            rows = statements.execute(sql, (premises, after, limit))
            return [_of_row(statements, premises, row) for row in rows]

    @staticmethod
    def _outstanding(statements: Statements, premises: str, command_id: str) -> Outstanding | None:
        found = _found(statements, premises, command_id)
        return found if found is not None and found.waiting_for else None


def named_in(command: Command) -> tuple[str, ...]:
    """The persons who answer for a command."""
    return tuple(dict.fromkeys(getattr(command, CONSENT[type(command)].field)))


def _consent(statements: Statements, command: Command, principal: Principal, now: str) -> None:
    sql = "INSERT INTO access_consents VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
    statements.execute(sql, (command.premises, command.id, principal.person, principal.credential, now))


def _found(statements: Statements, premises: str, command_id: str) -> Outstanding | None:
    rows = statements.execute(f"{_SELECT} AND command_id = ?", (premises, command_id))
    return _of_row(statements, premises, rows[0]) if rows else None


def _of_row(statements: Statements, premises: str, row: Sequence[Any]) -> Outstanding:
    command_id, digest, content, proposed_by, proposed_at = row
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
    )
