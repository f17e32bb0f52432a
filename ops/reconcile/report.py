"""The report of a day: every table's comparison, its likely cause, and every finding in a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, NamedTuple

from ledger.terms.books import ReconciledTable
from ledger.terms.money import in_words
from projections.cage.views import SlipFinding, SlipsMissing
from projections.reconciliation.reconciliation import Cause, Comparison
from projections.reconciliation.thresholds import VarianceThreshold


class Finding(NamedTuple):
    """Something that a person must look at. `table` and `shift` are None where it is of more than one."""

    code: str
    detail: str
    table: str | None = None
    shift: str | None = None


@dataclass(frozen=True, slots=True)
class TableReport:
    """One table's day."""

    at: Comparison
    cause: Cause | None
    explanation: str | None = None
    recorded: ReconciledTable | None = None
    """What it was closed with, once it is."""

    def reconciled(self) -> ReconciledTable:
        """The figures, as the close of the day records them."""
        return ReconciledTable(
            table=self.at.books.table,
            win_by_wagers=self.at.win_by_wagers,
            charges=self.at.charges,
            win_by_inventory=self.at.win_by_inventory,
            variance=self.at.variance,
            cause=self.cause.code if self.cause else None,
            explanation=self.explanation,
        )

    def findings(self) -> Iterator[Finding]:
        """What is not as it should be at this table."""
        at, table, currency = self.at, self.at.books.table, self.at.books.currency
        if at.above:
            detail = (
                f"variance {in_words(at.variance, currency)} is more than {in_words(at.threshold, currency)}"
            )
            yield Finding("variance", detail, table)
        for one in at.differences:
            counted, ledger = in_words(one.counted, currency), in_words(one.ledger, currency)
            detail = f"{one.figure}: the sheet has {counted}, the ledger {ledger}"
            yield Finding("figure", detail, table, one.shift)
        for slip in at.lone_slips:
            kind = "fill" if slip.figure == "fills" else "credit"
            void = ", which has it as void" if slip.void else ""
            where = f"on the sheet and not in the ledger{void}" if slip.on_sheet else "not on the sheet"
            yield Finding("slip", f"{kind} slip {slip.slip} is {where}", table, slip.shift)
        for broken in at.float_breaks:
            opener, closer = in_words(broken.opener, currency), in_words(broken.closer, currency)
            detail = f"opener {opener} is not the closer {closer} of {broken.closed}"
            yield Finding("float", detail, table, broken.shift)
        for coup, stakes in at.books.unfinished:
            detail = f"{coup} has not ended; {in_words(stakes, currency)} staked"
            yield Finding("unfinished-coup", detail, table)
        if self.recorded is not None and _figures(self.recorded) != _figures(self.reconciled()):
            detail = f"it was closed with a variance of {in_words(self.recorded.variance, currency)}"
            yield Finding("changed-since-close", f"{detail}; the record now says otherwise", table)

    def as_json(self) -> dict[str, Any]:
        """For programs: minor units."""
        at = self.at
        return {
            "table": at.books.table,
            "currency": at.books.currency,
            "format": at.books.format,
            "win_by_wagers": at.win_by_wagers,
            "charges": at.charges,
            "win_by_inventory": at.win_by_inventory,
            "variance": at.variance,
            "threshold": at.threshold,
            "above_threshold": at.above,
            "cause": self.cause._asdict() if self.cause else None,
            "explanation": self.explanation,
            "remainder": str(at.books.remainder),
            "promotional_lost": at.books.promotional_lost,
            "adjustments": at.books.adjustments,
            "shifts": [
                {
                    **sums._asdict(),
                    "variance": sums.variance,
                    "counted": count.model_dump(mode="json"),
                    "ledger": asdict(books),
                }
                for sums, count, books in zip(at.shifts, at.counted, at.books.shifts, strict=True)
            ],
        }


def _figures(table: ReconciledTable) -> tuple[int, ...]:
    return table.win_by_wagers, table.charges, table.win_by_inventory, table.variance


class Closed(NamedTuple):
    """How the day was closed.

    Attributes:
        already: before this run.
        checkpoint: the size of the one that covers it; None where none does.
    """

    signed_by: tuple[str, ...]
    already: bool
    checkpoint: int | None


@dataclass(frozen=True, slots=True)
class DayReport:
    """A gaming day, reconciled.

    Attributes:
        position: the sequence up to which the record is in the figures.
        thresholds: by currency, in minor units.
        sources: the dated figures among them.
    """

    premises: str
    gaming_day: date
    position: int
    tables: Sequence[TableReport]
    slips: Sequence[SlipFinding]
    thresholds: Mapping[str, int]
    sources: Sequence[VarianceThreshold]
    closed: Closed | None = None

    @property
    def findings(self) -> list[Finding]:
        """Everything that is not as it should be."""
        of_tables = [finding for table in self.tables for finding in table.findings()]
        return [*of_tables, *map(slip_finding, self.slips)]

    @property
    def clean(self) -> bool:
        """Whether nobody need look at this day."""
        return not self.findings

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "clean": self.clean,
            "premises": self.premises,
            "gaming_day": self.gaming_day.isoformat(),
            "position": self.position,
            "closed": self.closed._asdict() if self.closed else None,
            "thresholds": dict(self.thresholds),
            "threshold_sources": [source.as_json() for source in self.sources],
            "findings": [finding._asdict() for finding in self.findings],
            "tables": [table.as_json() for table in self.tables],
        }


def slip_finding(found: SlipFinding) -> Finding:
    """A number missing from a series, or used twice, in a sentence."""
    if isinstance(found, SlipsMissing):
        numbers = found.first if found.count == 1 else f"{found.first} to {found.last}"
        return Finding(
            found.code, f"slip {numbers} is nowhere: {found.before.slip} and {found.after.slip} are"
        )
    uses = ", ".join(f"{use.table} on {use.gaming_day}" for use in found.uses)
    return Finding(found.code, f"slip {found.slip} was used more than once: {uses}")
