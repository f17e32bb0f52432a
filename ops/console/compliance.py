"""Compliance: findings with their evidence, rule coverage, bank holders, refusals, who voided and corrected.

One panel is shown at a time, and each is one query over the gaming days asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from ledger.store.port import Statements
from ops.console.compliance_filter import SEVERITIES, VIEWS, Asked, asked
from ops.console.desk import Desk
from ops.console.door import allow
from ops.console.evidence import about, evidence, lead
from ops.console.listing import Listing, Shown, Shows, download, listing
from ops.console.pages import Page
from ops.service.permissions import READ_COMPLIANCE
from projections.compliance.coverage import Covered, coverage
from projections.compliance.finding import Finding
from projections.compliance.findings import Severity
from projections.compliance.summaries import (
    RULINGS,
    VOIDED_SLIPS,
    Sort,
    banks_held,
    by_paragraph,
    by_person,
    refusals,
)
from projections.compliance.views import findings
from projections.story import words

ROWS = 100
"""Findings a page."""
CSV_ROWS_MAX = 50_000
GRAVEST_FIRST = tuple(reversed(Severity))


def _findings(desk: Desk, statements: Statements, ask: Asked) -> dict[str, Any]:
    now = desk.console.service.clock()
    whole = "as" in desk.request.query_params  # a download has all of them
    begin, count = (0, CSV_ROWS_MAX) if whole else (ask.after, ROWS)
    found = list(islice(findings(statements, ask.wanted, now), begin, begin + count + 1))
    follows = ask.address(after=str(begin + count)) + "#findings" if len(found) > count else None
    table = listing(
        desk,
        "findings",
        "Findings",
        (
            Shown("severity", "Severity", Shows.MARK),
            Shown("gaming_day", "Gaming day", Shows.DAY),
            Shown("table", "Table", link=lambda row: row["night"]),
            Shown("paragraph", "Paragraph", Shows.PARAGRAPH),
            Shown("sentence", "What was found"),
            Shown("about", "Evidence", link=lambda row: row["evidence"]),
            Shown("concerns", "Concerns"),
            Shown("events", "Events"),
        ),
        [_row(desk, finding) for finding in found[:count]],
        empty="Nothing was found that this asks for. Widen the days, or clear the filter.",
        next=follows,
    )
    counted = by_paragraph(statements, ask.wanted, now)
    return {"tables": [table], "matrix": _matrix(counted), "severities": GRAVEST_FIRST}


def _row(desk: Desk, finding: Finding) -> dict[str, Any]:
    night = finding.table and lead(desk, "table", table=finding.table, day=finding.gaming_day)
    return {
        "severity": finding.severity.value,
        "gaming_day": finding.gaming_day,
        "table": finding.table,
        "night": night,
        "paragraph": finding.paragraph,
        "sentence": finding.sentence,
        "about": about(finding.stream),
        "evidence": evidence(desk, finding.stream, finding.gaming_day),
        "concerns": "; ".join(
            f"{role} {', '.join(names)}" for role, names in sorted(finding.persons.items())
        ),
        "events": ", ".join(map(str, finding.evidence)),
    }


def _matrix(counted: Counter[tuple[Sort, Severity]]) -> list[dict[str, Any]]:
    """A row a paragraph, or a code where there is none; those with the gravest first."""
    sorts = {sort for sort, _ in counted}

    def grave(sort: Sort) -> tuple[Any, ...]:
        return (
            *(-counted[sort, severity] for severity in GRAVEST_FIRST),
            sort.paragraph or "",
            sort.code or "",
        )

    return [
        {"sort": sort, "counts": {severity: counted[sort, severity] for severity in GRAVEST_FIRST}}
        for sort in sorted(sorts, key=grave)
    ]


def _coverage(desk: Desk, statements: Statements, ask: Asked) -> dict[str, Any]:
    covered = coverage(statements, ask.month, desk.premises)
    table = listing(
        desk,
        "coverage",
        f"Branches of regulation 6 in {ask.month}",
        (
            Shown("group", "Where"),
            Shown("text", "Branch"),
            Shown("paragraph", "Paragraph", Shows.PARAGRAPH),
            Shown("times", "Times", Shows.NUMBER),
            Shown("wagers", "Wagers", Shows.NUMBER),
            Shown("example", "First example", link=lambda row: row["evidence"]),
        ),
        [_branch(desk, one) for one in covered],
        empty="No branch is known.",
    )
    exercised = sum(bool(one.times) for one in covered)
    return {"tables": [table], "exercised": exercised, "branches": len(covered)}


def _branch(desk: Desk, one: Covered) -> dict[str, Any]:
    return {
        "group": one.branch.group,
        "text": one.branch.text,
        "paragraph": one.branch.paragraph,
        "times": one.times,
        "wagers": one.wagers if one.times else None,
        "example": about(one.example) if one.example else None,
        "evidence": evidence(desk, one.example) if one.example else None,
    }


def _banks(desk: Desk, statements: Statements, ask: Asked) -> dict[str, Any]:
    rows = [
        {
            **bank._asdict(),
            "holder": bank.holder or ("the house" if bank.banked_by == "house" else "not known"),
            "concerning": bank.holder and ask.address(view=None, person=bank.holder),
            "paragraph": "6(5)(a)" if bank.banked_by == "house" else "6(6)",
            "night": lead(desk, "table", table=bank.table, day=bank.gaming_day),
        }
        for bank in banks_held(statements, ask.wanted)
    ]
    table = listing(
        desk,
        "banks",
        "Who held the bank",
        (
            Shown("gaming_day", "Gaming day", Shows.DAY),
            Shown("table", "Table", link=lambda row: row["night"]),
            Shown("format", "Game"),
            Shown("holder", "Holder", link=lambda row: row["concerning"]),
            Shown("paragraph", "Allowed by", Shows.PARAGRAPH),
            Shown("coups", "Coups", Shows.NUMBER),
            Shown("stakes", "Staked against it", Shows.MONEY),
            Shown("win", "The bank’s win", Shows.WIN),
        ),
        rows,
        empty="No coup was settled on these days. Widen the days, or clear the filter.",
    )
    return {"tables": [table]}


def _refusals(desk: Desk, statements: Statements, ask: Asked) -> dict[str, Any]:
    rows = [
        {
            **one._asdict(),
            "what": one.code.partition("-")[0],
            "why": words.REASONS.get(one.reason or "", (one.reason or "").replace("-", " ")),
            "all": ask.address(view=None, code=one.reason, paragraph=one.paragraph, severity=None),
            "example": about(one.stream),
            "evidence": evidence(desk, one.stream, one.gaming_day),
        }
        for one in refusals(statements, ask.wanted)
    ]
    table = listing(
        desk,
        "refusals",
        "What was refused, and why",
        (
            Shown("why", "Reason"),
            Shown("what", "Refused"),
            Shown("paragraph", "Paragraph or term", Shows.PARAGRAPH),
            Shown("severity", "Severity", Shows.MARK),
            Shown("times", "Times", Shows.NUMBER, link=lambda row: row["all"]),
            Shown("gaming_day", "Last on", Shows.DAY),
            Shown("example", "Last example", link=lambda row: row["evidence"]),
        ),
        rows,
        empty="Nothing was refused that this asks for. Widen the days, or clear the filter.",
    )
    return {"tables": [table]}


_CODES: Mapping[str, str] = {
    "coup-voided": "Coups void",
    "coup-corrected": "Coups corrected",
    "hands-corrected": "Hands corrected",
    "adjustment-booked": "Adjustments",
    "slip-voided": "Slips void",
    "slip-voided-by-one": "Slips void, one signature",
}
_DID: Mapping[str, str] = {
    "actor": "reported",
    "approver": "approved",
    "signatory": "signed",
    "holder": "holds",
}


def _persons(desk: Desk, statements: Statements, ask: Asked) -> dict[str, Any]:
    people = by_person(statements, ask.wanted)
    codes = [code for code in (*RULINGS, *VOIDED_SLIPS) if any(one.times[code] for one in people)]
    rows = [
        {
            "person": one.person,
            "did": _DID.get(one.role, one.role),
            "total": one.times.total(),
            "all": ask.address(view=None, person=one.person),
            **{code: one.times[code] or None for code in codes},
        }
        for one in people
    ]

    def of(code: str) -> Callable[[Any], str | None]:
        return lambda row: row[code] and ask.address(view=None, person=row["person"], code=code)

    table = listing(
        desk,
        "persons",
        "Voids and corrections, by who reported and who approved them",
        (
            Shown("person", "Person", link=lambda row: row["all"]),
            Shown("did", "Did"),
            *(Shown(code, _CODES[code], Shows.NUMBER, of(code)) for code in codes),
            Shown("total", "Together", Shows.NUMBER),
        ),
        rows,
        empty="Nobody voided or corrected anything that this asks for. Widen the days, or clear the filter.",
    )
    return {"tables": [table]}


_PANELS: Mapping[str, Callable[[Desk, Statements, Asked], dict[str, Any]]] = {
    "findings": _findings,
    "coverage": _coverage,
    "banks": _banks,
    "refusals": _refusals,
    "persons": _persons,
}


def _add(routes: APIRouter) -> None:
    @routes.get(PAGE.path, dependencies=[allow(PAGE.roles)])
    def compliance(request: Request) -> Response:
        desk = Desk(request)
        with desk.reading() as statements:
            ask = asked(desk, statements)
            shown = _PANELS[ask.view](desk, statements, ask)
        tables: list[Listing] = shown["tables"]
        return download(desk, *tables) or desk.page(
            "compliance.html",
            PAGE.title,
            ask=ask,
            views=VIEWS,
            choices=SEVERITIES,
            **{"matrix": None, "exercised": None} | shown,
        )


PAGE = Page("compliance", "Compliance", READ_COMPLIANCE, "/at/{premises}/compliance", _add, "c")
