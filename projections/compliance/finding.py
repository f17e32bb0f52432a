"""A finding, as a row for people and programs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from projections.compliance.findings import Severity


@dataclass(frozen=True, slots=True)
class Finding:
    """A breach or a doubt.

    Attributes:
        gaming_day, table, shift: where it belongs; `table` is None where it is about the premises.
        paragraph: of the regulation, or the term, that it is about, where one is.
        reason: why a wager or a command was refused, where one was.
        sentence: what was found, for people.
        stream: the coup, or what else it is about.
        sequence: its position in the record; of what the clock says, that of the last event behind it.
        evidence: the positions of the events that show it.
        persons: whom it concerns, by role: actor, approver, holder, signatory.
        facts: what the sentence is made from; amounts in minor units of `currency`.
    """

    gaming_day: str
    premises: str
    table: str | None
    shift: str | None
    code: str
    severity: Severity
    paragraph: str | None
    reason: str | None
    sentence: str
    stream: str
    sequence: int
    evidence: tuple[int, ...]
    currency: str | None
    facts: dict[str, Any]
    persons: dict[str, list[str]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The finding for programs."""
        return {name: getattr(self, name) for name in self.__slots__} | {
            "severity": self.severity.value,
            "evidence": list(self.evidence),
        }
