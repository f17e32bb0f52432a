"""What somebody asks of compliance, as it stands in the page's address."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from urllib.parse import urlencode

from ledger.store.port import Statements
from ops.console.desk import Desk
from ops.service.refusals import ParameterUnreadable
from projections.compliance.finding_filter import FindingFilter
from projections.compliance.findings import Severity
from projections.compliance.summaries import latest_day

SPAN_DAYS = 7
"""So many gaming days, up to the latest, where nobody says which."""
VIEWS: Mapping[str, str] = {
    "findings": "Findings",
    "coverage": "Rule coverage",
    "banks": "Bank holders",
    "refusals": "Refusals",
    "persons": "Voids and corrections by person",
}
SEVERITIES: Mapping[str, tuple[Severity | None, bool]] = {
    "": (None, False),
    **{severity.value: (severity, True) for severity in reversed(Severity)},
    "warning-and-graver": (Severity.WARNING, False),
}
"""What may be asked for, and whether it is just that severity."""
_NAME = r"[A-Za-z0-9][A-Za-z0-9._:\-]{0,63}"
_SHAPES: Mapping[str, tuple[str, str]] = {
    "table": (_NAME, "a table's name, such as PB1"),
    "person": (_NAME, "a person's name or a token, such as dealer-07"),
    "paragraph": (r"[0-9A-Za-z(). ,]{1,32}", "a paragraph, such as 6(7)"),
    "code": (r"[a-z0-9\-]{1,64}", "a kind of finding, such as coup-voided"),
    "severity": ("|".join(SEVERITIES), "info, warning or breach"),
    "view": ("|".join(VIEWS), "a part of this page"),
    "after": (r"[0-9]{1,18}", "the last row of the page before"),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A view, its filter, and what the address said.

    Attributes:
        wanted: with the span in force: the days that were asked for, or the last ones.
        after: rows of the pages before this one.
        said: the filter as it stands in the address.
    """

    view: str
    wanted: FindingFilter
    after: int
    said: Mapping[str, str]

    @property
    def month(self) -> str:
        """The month of the last day: rules are covered by month."""
        return f"{self.wanted.last_day:%Y-%m}"

    def address(self, **changed: str | None) -> str:
        """The address of the same question, but for these; None takes one away."""
        said = {**self.said, **changed}
        return "?" + urlencode({name: text for name, text in said.items() if text})


def asked(desk: Desk, statements: Statements) -> Asked:
    """What the address asks for. Raises: ParameterUnreadable."""
    query = desk.request.query_params
    said = {name: query.get(name, "").strip() for name in (*_SHAPES, "from", "to")}
    for name, (shape, what) in _SHAPES.items():
        if said[name] and not re.fullmatch(shape, said[name], re.ASCII):
            raise ParameterUnreadable(f"{name}: {said[name][:40]!r} is not {what}")
    first, last = _span(desk, statements, _day("from", said["from"]), _day("to", said["to"]))
    severity, only = SEVERITIES[said["severity"]]
    wanted = FindingFilter(
        first_day=first,
        last_day=last,
        table=said["table"] or None,
        premises=desk.premises,
        severity=severity,
        only=only,
        code=said["code"] or None,
        paragraph=said["paragraph"] or None,
        person=said["person"] or None,
    )
    after = int(said.pop("after") or 0)
    return Asked(said["view"] or "findings", wanted, after, said)


def _day(name: str, text: str) -> date | None:
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ParameterUnreadable(f"{name}: {text[:40]!r} is no day, such as 2026-11-27") from None


def _span(desk: Desk, statements: Statements, first: date | None, last: date | None) -> tuple[date, date]:
    """The days in force. Raises: ParameterUnreadable: they end before they begin."""
    if last is None:
        latest = latest_day(statements, desk.premises)
        last = max(filter(None, (first, date.fromisoformat(latest) if latest else None)), default=None)
    last = last or desk.console.service.clock().date()
    first = first or last - timedelta(days=SPAN_DAYS - 1)
    if first > last:
        raise ParameterUnreadable(f"from: {first} is after {last}, where the span ends")
    return first, last
