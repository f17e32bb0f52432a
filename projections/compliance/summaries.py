"""What compliance found, added up: by paragraph, by refusal, by person; and who held each bank.

Every query begins with gaming days, so that what it costs is the span that was asked for, not the ledger.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import NamedTuple

from ledger.store.port import Statements
from projections.cage.cage import NIGHTS
from projections.compliance.finding_filter import FindingFilter
from projections.compliance.findings import MEANINGS, Severity
from projections.compliance.tables import FINDINGS, PERSONS
from projections.compliance.views import by_the_clock
from projections.floor.floor import COUPS

REFUSED = ("wager-refused", "command-refused")
RULINGS = ("hands-corrected", "coup-corrected", "coup-voided", "adjustment-booked")
VOIDED_SLIPS = ("slip-voided", "slip-voided-by-one")


def _one_of(codes: tuple[str, ...]) -> str:
    return f" AND found.code IN ({', '.join('?' * len(codes))})"


class Sort(NamedTuple):
    """A sort of findings: those of a paragraph; where none is about them, those of one code."""

    paragraph: str | None
    code: str | None


def _sort(code: str, paragraph: str | None) -> Sort:
    cited = paragraph or MEANINGS[code].paragraph
    return Sort(cited, None if cited else code)


def by_paragraph(
    statements: Statements, wanted: FindingFilter, now: datetime
) -> Counter[tuple[Sort, Severity]]:
    """How many findings there are of each paragraph and severity.

    Args:
        now: aware; see `projections.compliance.views.findings`.
    """
    condition, parameters = wanted.stored()
    sql = (
        f"SELECT found.code, found.paragraph, found.severity, COUNT(*) FROM {FINDINGS.name} AS found "
        f"WHERE 1 = 1{condition} GROUP BY found.code, found.paragraph, found.severity"
    )
    counted: Counter[tuple[Sort, Severity]] = Counter()
    for code, paragraph, severity, times in statements.execute(sql, parameters):
        counted[_sort(code, paragraph), Severity(severity)] += times
    for found in by_the_clock(statements, wanted, now):
        counted[_sort(found.code, found.paragraph), found.severity] += 1
    return counted


class RefusalSum(NamedTuple):
    """Wagers or commands that were refused for one reason.

    Attributes:
        times: how often.
        stream, gaming_day, table: what the last of them was about.
    """

    code: str
    reason: str | None
    paragraph: str | None
    severity: str
    times: int
    stream: str
    gaming_day: str
    table: str
    sequence: int


def refusals(statements: Statements, wanted: FindingFilter) -> list[RefusalSum]:
    """What was refused, and how often: the most frequent first, with the last example."""
    condition, parameters = wanted.stored()
    alike = "PARTITION BY found.code, found.reason, found.paragraph, found.severity"
    sql = (
        "SELECT code, reason, paragraph, severity, times, stream, gaming_day, table_name, sequence FROM ("
        "SELECT found.code, found.reason, found.paragraph, found.severity, found.stream, found.gaming_day, "
        f"found.table_name, found.sequence, COUNT(*) OVER ({alike}) AS times, "
        f"ROW_NUMBER() OVER ({alike} ORDER BY found.sequence DESC) AS nth "
        f"FROM {FINDINGS.name} AS found WHERE 1 = 1{_one_of(REFUSED)}{condition}) AS one "
        "WHERE nth = 1 ORDER BY times DESC, sequence"
    )
    return [RefusalSum(*row) for row in statements.execute(sql, [*REFUSED, *parameters])]


class PersonSum(NamedTuple):
    """What one person had to do with, in one role: how many findings of each code."""

    person: str
    role: str
    times: Counter[str]


def by_person(statements: Statements, wanted: FindingFilter) -> list[PersonSum]:
    """Voids and corrections, by each person who reported, approved or signed them; by name and role."""
    codes = RULINGS + VOIDED_SLIPS
    condition, parameters = wanted.stored()
    sql = (
        f"SELECT concerned.person, concerned.role, found.code, COUNT(*) FROM {FINDINGS.name} AS found "
        f"JOIN {PERSONS.name} AS concerned ON concerned.sequence = found.sequence "
        f"WHERE 1 = 1{_one_of(codes)}{condition} "
        "GROUP BY concerned.person, concerned.role, found.code ORDER BY concerned.person, concerned.role"
    )
    sums: dict[tuple[str, str], Counter[str]] = {}
    for person, role, code, times in statements.execute(sql, [*codes, *parameters]):
        if wanted.person in (None, person):
            sums.setdefault((person, role), Counter())[code] = times
    return [PersonSum(person, role, times) for (person, role), times in sums.items()]


class BankHeld(NamedTuple):
    """A bank as one holder had it on a table's gaming day. Minor units.

    Attributes:
        banked_by: `house` or `player`.
        holder: the player's token; None: the house.
        stakes: what was staked against it.
        win: the bank's own, whoever had it.
    """

    gaming_day: str
    table: str
    format: str
    currency: str
    banked_by: str
    holder: str | None
    coups: int
    stakes: int
    win: int


def banks_held(statements: Statements, wanted: FindingFilter) -> list[BankHeld]:
    """Who held the bank in the coups of these days, by day, table and time. Of a filter: place and person."""
    place, parameters = wanted.place()
    place = place.replace("found.", "night.")
    person = "" if wanted.person is None else " AND coup.banker = ?"
    sql = (
        "SELECT night.gaming_day, night.table_name, night.format, night.currency, coup.banked_by, "
        "coup.banker, COUNT(*), CAST(SUM(coup.stakes) AS BIGINT), CAST(SUM(coup.win) AS BIGINT) "
        # as it is written: SQLite takes a CROSS JOIN in this order, and begins with the few nights
        f"FROM {NIGHTS.name} AS night CROSS JOIN {COUPS.name} AS coup "
        "WHERE coup.premises = night.premises AND coup.table_name = night.table_name "
        f"AND coup.gaming_day = night.gaming_day{place}{person} "
        "GROUP BY night.gaming_day, night.table_name, night.format, night.currency, coup.banked_by, "
        "coup.banker ORDER BY night.gaming_day, night.table_name, MIN(coup.occurred_at)"
    )
    more = [] if wanted.person is None else [wanted.person]
    return [BankHeld(*row) for row in statements.execute(sql, [*parameters, *more])]


def latest_day(statements: Statements, premises: str) -> str | None:
    """The latest gaming day of the premises; None before the first."""
    sql = f"SELECT MAX(gaming_day) FROM {NIGHTS.name} WHERE premises = ?"
    ((day,),) = statements.execute(sql, (premises,))
    return day  # type: ignore[no-any-return]
