"""What the read tables say: figures and findings, page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from itertools import dropwhile, islice
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Query

from ledger.terms.identifiers import Name
from ledger.terms.value import GamingDay
from ops.service.context import Service
from ops.service.guard import allow
from ops.service.paging import LIMIT_DEFAULT, Cursor, FigurePage, Limit
from ops.service.permissions import (
    READ_CAGE,
    READ_COMPLIANCE,
    READ_PNL,
)
from ops.service.problems import RESPONSES
from ops.service.refusals import ParameterUnreadable
from ops.service.resources import Month, Premises
from projections.cage.views import cage
from projections.compliance.coverage import coverage
from projections.compliance.finding_filter import FindingFilter
from projections.compliance.findings import Severity
from projections.compliance.views import findings
from projections.pnl.views import PnlFilter, Span, pnl

_PREMISES = "/v1/premises/{premises}"
_PATTERN_CODE = r"^[a-z0-9\-]{1,64}$"
_PATTERN_PARAGRAPH = r"^[0-9A-Za-z() ]{1,32}$"

FirstDay = Annotated[GamingDay | None, Query(alias="from", description="From this gaming day.")]
LastDay = Annotated[GamingDay | None, Query(alias="to", description="Up to this gaming day, included.")]
OneTable = Annotated[Name | None, Query(description="Only this table.")]

_Row = TypeVar("_Row")


def router(service: Service) -> APIRouter:
    """Figures and findings."""
    routes = APIRouter(responses=RESPONSES)
    for add in (_figures, _compliance):
        add(routes, service)
    return routes


def _page(
    rows: Iterable[_Row], limit: int, day_and_table: Callable[[_Row], list[Any]], after: list[Any] | None
) -> tuple[list[_Row], list[Any] | None]:
    """About `limit` rows after a day and table, none of which is divided; its last one, if more follow."""
    page: list[_Row] = []
    for row in rows:
        key = day_and_table(row)
        if after is not None and key <= after:
            continue
        if len(page) >= limit and key != day_and_table(page[-1]):
            return page, day_and_table(page[-1])
        page.append(row)
    return page, None


def _figures(routes: APIRouter, service: Service) -> None:
    views: tuple[tuple[str, Any, Any, Any], ...] = (
        ("pnl", READ_PNL, pnl, "Profit and loss per table, shift and gaming day. Amounts in minor units."),
        (
            "cage",
            READ_CAGE,
            cage,
            "Floats, slips and drops per table and shift or day. Amounts in minor units.",
        ),
    )
    for name, roles, view, about in views:
        _add_figures(routes, service, name, roles=roles, view=view, about=about)


def _add_figures(
    routes: APIRouter, service: Service, name: str, *, roles: Any, view: Callable[..., list[Any]], about: str
) -> None:
    def figures(
        *,
        premises: Premises,
        by: Span = Span.SHIFT,
        first: FirstDay = None,
        last: LastDay = None,
        table: OneTable = None,
        limit: Limit = LIMIT_DEFAULT,
        cursor: Cursor = None,
    ) -> dict[str, Any]:
        if name == "cage" and by is Span.MONTH:
            raise ParameterUnreadable("by: a float is counted by shift and day, not by month")
        asked = {"premises": premises, "by": by, "from": first, "to": last, "table": table}
        after = service.cursors.read(name, asked, cursor) if cursor is not None else None
        begins = first
        if after is not None and by is not Span.MONTH:
            begins = datetime.fromisoformat(after[0]).date()
        position = service.upkeep.fresh()
        wanted = PnlFilter(first_day=begins, last_day=last, table=table, premises=premises)
        with service.house.tables.snapshot() as statements:
            rows = view(statements, wanted, by)
        page, following = _page(rows, limit, lambda row: [row.gaming_day, row.table], after)
        return {
            "position": position,
            "rows": [row.as_json() for row in page],
            "next": following and service.cursors.make(name, asked, following),
        }

    routes.add_api_route(
        f"{_PREMISES}/{name}",
        figures,
        operation_id=f"read-{name}",
        dependencies=[allow(roles)],
        summary=name,
        description=f"{about} A table's day is on one page, which may be longer for that.",
        response_model=FigurePage,
        tags=["figures"],
    )


def _compliance(routes: APIRouter, service: Service) -> None:
    @routes.get(
        f"{_PREMISES}/compliance",
        dependencies=[allow(READ_COMPLIANCE)],
        operation_id="read-compliance",
        response_model=FigurePage,
        tags=["compliance"],
    )
    def compliance(
        *,
        premises: Premises,
        first: FirstDay = None,
        last: LastDay = None,
        table: OneTable = None,
        severity: Severity | None = None,
        code: Annotated[str | None, Query(pattern=_PATTERN_CODE)] = None,
        paragraph: Annotated[str | None, Query(pattern=_PATTERN_PARAGRAPH)] = None,
        person: Annotated[Name | None, Query(description="An actor, approver, holder or signatory.")] = None,
        limit: Limit = LIMIT_DEFAULT,
        cursor: Cursor = None,
    ) -> dict[str, Any]:
        """What was found against the regulation and the house's own rules, each with its paragraph."""
        asked = {
            "premises": premises,
            "from": first,
            "to": last,
            "table": table,
            "severity": severity,
            "code": code,
            "paragraph": paragraph,
            "person": person,
        }
        now, begins, after = service.clock(), first, None
        if cursor is not None:
            moment, after = service.cursors.read("compliance", asked, cursor)
            now, begins = datetime.fromisoformat(moment), datetime.fromisoformat(after[0]).date()
        position = service.upkeep.fresh()
        wanted = FindingFilter(begins, last, table, premises, severity, code, paragraph, person)
        with service.house.tables.snapshot() as statements:
            every = findings(statements, wanted, now)
            rest = dropwhile(lambda one: after is not None and _key(one) <= after, every)
            rows = list(islice(rest, limit + 1))
        page = rows[:limit]
        following = [now.isoformat(), _key(page[-1])] if len(rows) > limit else None
        return {
            "position": position,
            "rows": [row.as_json() for row in page],
            "next": following and service.cursors.make("compliance", asked, following),
        }

    @routes.get(
        f"{_PREMISES}/compliance/coverage/{{month}}",
        dependencies=[allow(READ_COMPLIANCE)],
        operation_id="read-coverage",
        response_model=FigurePage,
        tags=["compliance"],
    )
    def read_coverage(premises: Premises, month: Month) -> dict[str, Any]:
        """Which branches of the regulation a month exercised, an example each."""
        position = service.upkeep.fresh()
        with service.house.tables.snapshot() as statements:
            rows = [branch.as_json() for branch in coverage(statements, month, premises)]
        return {"position": position, "rows": rows, "next": None}


def _key(finding: Any) -> list[Any]:
    return [finding.gaming_day, finding.sequence, finding.code, finding.stream]
