"""What compliance found, as rows for people and programs: what is in the tables, and what the clock says."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from heapq import merge
from typing import Any

from ledger.store.port import Statements
from projections.compliance.finding import Finding
from projections.compliance.finding_filter import FindingFilter
from projections.compliance.findings import MEANINGS, sentence, severity_of
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
