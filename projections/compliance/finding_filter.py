"""Which findings are wanted: as a condition in SQL, and asked of a finding that is in no table."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from projections.compliance.finding import Finding
from projections.compliance.findings import Severity


@dataclass(frozen=True, slots=True)
class FindingFilter:
    """Which findings. None: all.

    Attributes:
        first_day, last_day: gaming days, both included.
        severity: this one and graver ones; with `only`, just this one.
        code: the finding's code, or the reason of a refusal.
        paragraph: this one and those in it: `6(7)` has `6(7)(a)` too.
        person: an actor, approver, holder or signatory.
    """

    first_day: date | None = None
    last_day: date | None = None
    table: str | None = None
    premises: str | None = None
    severity: Severity | None = None
    code: str | None = None
    paragraph: str | None = None
    person: str | None = None
    only: bool = False

    @property
    def severities(self) -> tuple[Severity, ...]:
        """Those that are wanted."""
        if self.severity is None:
            return tuple(Severity)
        return (self.severity,) if self.only else self.severity.and_graver

    def place(self) -> tuple[str, list[Any]]:
        """The condition on day, table and premises in SQL, of what is called `found`; its parameters."""
        wanted = (
            ("found.gaming_day >= ?", self.first_day),
            ("found.gaming_day <= ?", self.last_day),
            ("found.table_name = ?", self.table),
            ("found.premises = ?", self.premises),
        )
        conditions = [(sql, str(value)) for sql, value in wanted if value is not None]
        return "".join(f" AND {sql}" for sql, _ in conditions), [value for _, value in conditions]

    def stored(self) -> tuple[str, list[Any]]:
        """The whole condition in SQL, of a row of the findings called `found`; its parameters."""
        sql, parameters = self.place()
        if self.severity is not None:
            sql += f" AND found.severity IN ({', '.join('?' * len(self.severities))})"
            parameters += [one.value for one in self.severities]
        if self.code is not None:
            sql += " AND (found.code = ? OR found.reason = ?)"
            parameters += [self.code, self.code]
        if self.paragraph is not None:
            sql += " AND SUBSTR(found.paragraph, 1, ?) = ?"
            parameters += [len(self.paragraph), self.paragraph]
        if self.person is not None:
            sql += (
                " AND EXISTS (SELECT 1 FROM compliance_persons AS concerned "
                "WHERE concerned.sequence = found.sequence AND concerned.person = ?)"
            )
            parameters.append(self.person)
        return sql, parameters

    def takes(self, finding: Finding) -> bool:
        """Whether a finding of these days and tables is wanted."""
        return (
            finding.severity in self.severities
            and (self.code is None or self.code in {finding.code, finding.reason})
            and (self.paragraph is None or (finding.paragraph or "").startswith(self.paragraph))
            and (self.person is None or any(self.person in names for names in finding.persons.values()))
        )
