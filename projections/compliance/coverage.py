"""Which branches of regulation 6 a month exercised, and which it did not: an example each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ledger.store.port import Statements
from projections.compliance.branches import BRANCHES, Branch, Refused, Settled
from projections.compliance.tables import COVERAGE


@dataclass(frozen=True, slots=True)
class Covered:
    """A branch, and how often a month exercised it.

    Attributes:
        times: coups that settled so, also such as a ruling took back later; or wagers or commands refused.
        wagers: the wagers of those coups; 0 where the branch is of no kind of wager.
        example: the stream of the first coup (or what else a refused command was about); None without any.
        sequence: the position of the event that shows it.
    """

    branch: Branch
    times: int
    wagers: int
    example: str | None
    sequence: int | None

    def as_json(self) -> dict[str, Any]:
        """The branch for programs."""
        return {
            "branch": self.branch.id,
            "group": self.branch.group,
            "text": self.branch.text,
            "paragraph": self.branch.paragraph,
            "times": self.times,
            "wagers": self.wagers,
            "example": self.example,
            "sequence": self.sequence,
        }


class _Seen(NamedTuple):
    times: int
    wagers: int
    example: str
    sequence: int


class _Settlements(NamedTuple):
    """A row of `compliance_coverage`, in its order, after month and premises."""

    format: str
    profile: str
    what: str
    results: str
    outcome: str
    coups: int
    wagers: int
    first_coup: str
    first_sequence: int

    def shows(self, wanted: Settled) -> bool:
        """Whether these coups exercise a branch."""
        return (
            (self.what, self.outcome) == (wanted.what, wanted.outcome)
            and wanted.format in {None, self.format}
            and wanted.profile in {None, self.profile}
            and wanted.results in {None, self.results}
        )


def coverage(statements: Statements, month: str, premises: str | None = None) -> list[Covered]:
    """Every branch of the regulation, with how often this month exercised it.

    Args:
        month: `YYYY-MM`, of gaming days.
        premises: only these; None for all.
    """
    settled = list(_settlements(statements, month, premises))
    refused = dict(_refusals(statements, month, premises))
    return [_covered(branch, settled, refused) for branch in BRANCHES]


def _covered(branch: Branch, settled: Sequence[_Settlements], refused: dict[Refused, _Seen]) -> Covered:
    wanted = branch.seen_by
    if isinstance(wanted, Refused):
        seen = refused.get(wanted)
        return Covered(branch, *seen) if seen else Covered(branch, 0, 0, None, None)
    rows = [row for row in settled if row.shows(wanted)]
    if not rows:
        return Covered(branch, 0, 0, None, None)
    first = min(rows, key=lambda row: row.first_sequence)
    times, wagers = sum(row.coups for row in rows), sum(row.wagers for row in rows)
    return Covered(branch, times, wagers, first.first_coup, first.first_sequence)


def _settlements(statements: Statements, month: str, premises: str | None) -> Iterator[_Settlements]:
    condition, parameters = _of(premises)
    columns = ", ".join(_Settlements._fields)
    sql = f"SELECT {columns} FROM {COVERAGE.name} WHERE month = ?{condition}"
    yield from map(_Settlements._make, statements.execute(sql, (month, *parameters)))


def _refusals(statements: Statements, month: str, premises: str | None) -> Iterator[tuple[Refused, _Seen]]:
    """Wagers and commands refused for a paragraph's sake."""
    condition, parameters = _of(premises)
    of_month = f"gaming_day >= ? AND gaming_day <= ?{condition}"
    days = (f"{month}-01", f"{month}-31", *parameters)  # text sorts as days do
    alike = "PARTITION BY code, reason, paragraph"
    sql = (
        "SELECT code, reason, paragraph, times, stream, sequence FROM ("
        f"SELECT code, reason, paragraph, stream, sequence, COUNT(*) OVER ({alike}) AS times, "
        f"ROW_NUMBER() OVER ({alike} ORDER BY sequence, stream) AS nth "
        f"FROM compliance_findings WHERE {of_month} AND reason IS NOT NULL AND paragraph IS NOT NULL) AS one "
        "WHERE nth = 1"
    )
    for code, reason, paragraph, times, stream, first in statements.execute(sql, days):
        yield Refused(code, reason, paragraph), _Seen(times, 0, stream, first)


def _of(premises: str | None) -> tuple[str, tuple[str, ...]]:
    return ("", ()) if premises is None else (" AND premises = ?", (premises,))
