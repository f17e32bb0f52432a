"""What a verification came to: figures, findings and remarks, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from eventsourcing.persistence import PersistenceError

from ledger.errors import LedgerError, StorageDamaged
from ledger.verify.sealed import Signed


@dataclass
class Verified:
    """The result of `verify`.

    Attributes:
        keys: labels of the keys that were trusted.
        events: in the record when the check began.
        understood: up to here every event was read and followed from those before it.
        sealed: events in the tree.
        signed: what the checkpoints came to; None where there is no seal.
        read_tables: each projection and where it stands; None where it never ran.
        findings: what is wrong; nothing, if all is well.
        notes: what was not checked or cannot be said, and why.
    """

    keys: list[str] = field(default_factory=list)
    events: int = 0
    understood: int = 0
    sealed: int = 0
    signed: Signed | None = None
    read_tables: dict[str, int | None] = field(default_factory=dict)
    findings: list[LedgerError] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def first_bad(self) -> int | None:
        """The first bad position that is named, if one is."""
        named = (position_of(finding) for finding in self.findings)
        return min((position for position in named if position is not None), default=None)

    def find(self, finding: LedgerError | None) -> None:
        """Add a finding, unless it is there already."""
        if finding is not None and str(finding) not in map(str, self.findings):
            self.findings.append(finding)

    def find_all(self, findings: Iterable[LedgerError]) -> None:
        """Add findings."""
        for finding in findings:
            self.find(finding)

    def find_error(self, place: str, error: LedgerError | PersistenceError) -> None:
        """Add what was raised; what the store could not give, under the place where it was looked for."""
        self.find(error if isinstance(error, LedgerError) else StorageDamaged(place, str(error)))

    @contextmanager
    def collecting(self, place: str) -> Iterator[None]:
        """What is raised in here is a finding."""
        try:
            yield
        except (LedgerError, PersistenceError) as error:
            self.find_error(place, error)

    def note(self, text: str) -> None:
        """Add a remark."""
        self.notes.append(text)

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        signed = self.signed
        return {
            "clean": not self.findings,
            "first_bad": self.first_bad,
            "events": self.events,
            "sealed": self.sealed,
            "signed": signed.size if signed else 0,
            "checkpoints": signed.checkpoints if signed else 0,
            "signatures_checked": bool(signed and signed.signatures),
            "keys": self.keys,
            "read_tables": self.read_tables,
            "findings": [
                {"code": finding.code, "detail": str(finding), **finding.facts()} for finding in self.findings
            ],
            "notes": self.notes,
        }


def position_of(finding: LedgerError) -> int | None:
    """The event that a finding names, if it names one."""
    facts = finding.facts()
    named = facts.get("sequence", facts.get("expected"))
    return named if isinstance(named, int) else None
