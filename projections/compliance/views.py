"""What compliance found, as rows for people and programs: what is in the tables, and what the clock says."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from heapq import merge
from typing import Any

from ledger.store.port import Statements
from projections.compliance.findings import MEANINGS, Severity, sentence, severity_of
from projections.compliance.tables import FINDINGS

COUNTS_DUE_AFTER = timedelta(days=2)
"""A cash box is counted within two gaming days (domain §4.2, after NJ 13:69D-1.17)."""
_PAGE_ROWS, _PAGE_ROWS_MIN = 500, 20
_EVERY_PREMISES = (  # from one to the next along the key, not over every finding
    "WITH RECURSIVE every(name) AS ("
    f"SELECT MIN(premises) FROM {FINDINGS.name} UNION ALL "
    f"SELECT (SELECT MIN(premises) FROM {FINDINGS.name} WHERE premises > every.name) "
    "FROM every WHERE every.name IS NOT NULL) SELECT name FROM every WHERE name IS NOT NULL"
)


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


def findings(statements: Statements, wanted: FindingFilter, now: datetime) -> Iterator[Finding]:
    """What was found, by gaming day and position. A page of it is in memory, not all of it.

    Args:
        now: aware; what disputes and counts that are due are held against.
    """
    of_the_clock = sorted(by_the_clock(statements, wanted, now), key=_order)
    yield from merge(_stored(statements, wanted), of_the_clock, key=_order)


def _order(finding: Finding) -> tuple[str, int, str, str]:
    return finding.gaming_day, finding.sequence, finding.code, finding.stream


def _stored(statements: Statements, wanted: FindingFilter) -> Iterator[Finding]:
    if wanted.premises is not None:
        return _stored_at(statements, wanted, _PAGE_ROWS)
    every = [name for (name,) in statements.execute(_EVERY_PREMISES)]
    rows = max(_PAGE_ROWS // max(len(every), 1), _PAGE_ROWS_MIN)
    return merge(*(_stored_at(statements, replace(wanted, premises=one), rows) for one in every), key=_order)


def _stored_at(statements: Statements, wanted: FindingFilter, page_rows: int) -> Iterator[Finding]:
    """Those of one premises, along the key."""
    condition, parameters = wanted.stored()
    columns = ", ".join(f"found.{column}" for column in FINDINGS.columns)
    _, *within = FINDINGS.key
    key = ", ".join(f"found.{column}" for column in within)
    sql = (
        f"SELECT {columns} FROM {FINDINGS.name} AS found "
        f"WHERE ({key}) > (?, ?, ?, ?){condition} ORDER BY {key} LIMIT {page_rows}"
    )
    first = wanted.first_day  # from where the key begins: what lies before is not even passed over
    after: Sequence[Any] = (first.isoformat() if first else "", 0, "", "")
    while rows := statements.execute(sql, (*after, *parameters)):
        yield from _with_persons(statements, map(_of_row, rows))
        after = rows[-1][1 : len(FINDINGS.key)]


def _of_row(row: Sequence[Any]) -> Finding:
    kept = dict(zip(FINDINGS.columns, row, strict=True))
    return _finding(
        kept["code"],
        json.loads(kept["facts"]),
        gaming_day=kept["gaming_day"],
        premises=kept["premises"],
        table=kept["table_name"],
        shift=kept["shift"],
        stream=kept["stream"],
        evidence=json.loads(kept["evidence"]),
        sequence=kept["sequence"],
        currency=kept["currency"],
        paragraph=kept["paragraph"],
        reason=kept["reason"],
    )


def _finding(
    code: str,
    facts: dict[str, Any],
    *,
    gaming_day: str,
    premises: str,
    table: str,
    shift: str | None,
    stream: str,
    evidence: Iterable[int],
    sequence: int,
    currency: str | None = None,
    paragraph: str | None = None,
    reason: str | None = None,
) -> Finding:
    return Finding(
        gaming_day=gaming_day,
        premises=premises,
        table=table or None,
        shift=shift,
        code=code,
        severity=severity_of(code, reason),
        paragraph=paragraph or MEANINGS[code].paragraph,
        reason=reason,
        sentence=sentence(code, facts, currency),
        stream=stream,
        sequence=sequence,
        evidence=tuple(evidence),
        currency=currency,
        facts=facts,
    )


def _with_persons(statements: Statements, found: Iterable[Finding]) -> Iterator[Finding]:
    """The same, a page of them, with whom they concern."""
    page = list(found)
    sequences = sorted({finding.sequence for finding in page})
    concerned: defaultdict[int, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for start in range(0, len(sequences), _PAGE_ROWS):
        some = sequences[start : start + _PAGE_ROWS]
        sql = (
            "SELECT sequence, role, person FROM compliance_persons "
            f"WHERE sequence IN ({', '.join('?' * len(some))}) ORDER BY sequence, role, person"
        )
        for sequence, role, person in statements.execute(sql, some):
            concerned[sequence][role].append(person)
    for finding in page:
        finding.persons.update(concerned[finding.sequence])
        yield finding


# --- The clock -----------------------------------------------------------------------------------------


def by_the_clock(statements: Statements, wanted: FindingFilter, now: datetime) -> Iterator[Finding]:
    """What only the clock says: disputes, and counts that are due. In no order."""
    found = [*_disputes(statements, wanted, now), *_counts(statements, wanted, now)]
    yield from filter(wanted.takes, _with_persons(statements, found))


def _dispute_is(resolved_at: datetime | None, until: datetime, now: datetime) -> str | None:
    """The code for a dispute; None when it was resolved in time."""
    if resolved_at is not None:
        return "dispute-resolved-late" if resolved_at > until else None
    return "dispute-overdue" if now >= until else "dispute-open"


def _disputes(statements: Statements, wanted: FindingFilter, now: datetime) -> Iterator[Finding]:
    condition, parameters = wanted.place()
    sql = (
        "SELECT found.coup, found.dispute, found.premises, found.table_name, found.gaming_day, found.raised, "
        "found.received_at, found.unresolved_at, found.resolved, found.resolved_at "
        f"FROM compliance_disputes AS found WHERE 1 = 1{condition}"
    )
    for row in statements.execute(sql, parameters):
        coup, dispute, premises, table, gaming_day, raised, received, until, resolved, resolved_at = row
        ended = None if resolved_at is None else datetime.fromisoformat(resolved_at)
        code = _dispute_is(ended, datetime.fromisoformat(until), now)
        if code is not None:
            facts = {"dispute": dispute, "received_at": received, "unresolved_at": until}
            if resolved_at is not None:
                facts["resolved_at"] = resolved_at
            yield _finding(
                code,
                facts,
                gaming_day=gaming_day,
                premises=premises,
                table=table,
                shift=None,
                stream=coup,
                evidence=(raised,) if resolved is None else (raised, resolved),
                sequence=raised if resolved is None else resolved,
            )


def _counts(statements: Statements, wanted: FindingFilter, now: datetime) -> Iterator[Finding]:
    condition, parameters = wanted.place()
    sql = (
        "SELECT found.premises, found.table_name, found.gaming_day, found.shift, found.begun, night.closed, "
        "found.dropped, found.counted, day.sealed FROM compliance_shifts AS found "
        "JOIN compliance_nights AS night ON night.premises = found.premises "
        "AND night.table_name = found.table_name AND night.gaming_day = found.gaming_day "
        "LEFT JOIN compliance_sealed AS day ON day.premises = found.premises "
        "AND day.gaming_day = found.gaming_day "
        "WHERE found.begun IS NOT NULL AND night.closed IS NOT NULL "
        f"AND (found.dropped IS NULL OR found.counted IS NULL){condition}"
    )
    for row in statements.execute(sql, parameters):
        premises, table, gaming_day, shift, begun, closed, dropped, counted, sealed = row
        due = now.date() >= date.fromisoformat(gaming_day) + COUNTS_DUE_AFTER
        missing = []
        if dropped is None and (due or sealed is not None):
            missing.append(("drop-missing", closed))
        if counted is None and sealed is not None:
            missing.append(("count-missing", sealed))
        for code, position in missing:
            yield _finding(
                code,
                {"shift": shift},
                gaming_day=gaming_day,
                premises=premises,
                table=table,
                shift=shift,
                stream=f"table/{premises}/{table}/{gaming_day}",
                evidence=(begun, position),
                sequence=position,
            )
