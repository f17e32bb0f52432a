"""What an audit found, told and added up. Amounts in minor units; a difference is recorded less due."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from projections.audit.causes import BOOKKEEPING, NOT_ACCEPTABLE, Cause, Finding


@dataclass(frozen=True, slots=True)
class Difference:
    """A finding and where it stands in the record.

    `superseded`: it is an earlier one, with its sign turned: a ruling took its settlement back, so that the
    differences of a coup always add up to what stands.
    """

    sequence: int
    event: str
    coup: str
    gaming_day: date | None
    currency: str
    finding: Finding
    superseded: bool = False

    def as_json(self) -> dict[str, Any]:
        """The difference for programs."""
        return {
            "sequence": self.sequence,
            "event": self.event,
            "coup": self.coup,
            "gaming_day": None if self.gaming_day is None else self.gaming_day.isoformat(),
            "currency": self.currency,
            "superseded": self.superseded,
            **self.finding._asdict(),
        }


@dataclass(slots=True)
class CauseSums:
    """How often a cause was found, how often a ruling took such a settlement back, and what it comes to."""

    found: int = 0
    superseded: int = 0
    stakes: int = 0
    difference: int = 0

    def add(self, other: CauseSums) -> None:
        """Add another's sums to these."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def as_json(self) -> dict[str, int]:
        """The sums for programs."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(slots=True)
class TableSums:
    """What one table's settlements came to, corrected and void ones by what stands. Minor units.

    Attributes:
        paid: winnings and stakes handed back, as recorded.
        causes: the differences by cause.
    """

    coups: int = 0
    wagers: int = 0
    paid: int = 0
    causes: dict[Cause, CauseSums] = field(default_factory=lambda: defaultdict(CauseSums))

    @property
    def difference(self) -> int:
        """Recorded less due; wagers that should have been refused stand apart."""
        apart = BOOKKEEPING | NOT_ACCEPTABLE
        return sum(sums.difference for cause, sums in self.causes.items() if cause not in apart)

    @property
    def refused(self) -> CauseSums:
        """The wagers, or parts of them, that should have been refused before the cards."""
        refused = CauseSums()
        for cause in NOT_ACCEPTABLE & self.causes.keys():
            refused.add(self.causes[cause])
        return refused

    @property
    def paid_on_accepted(self) -> int:
        """What was paid on the wagers that were rightly accepted."""
        return self.paid - self.refused.stakes - self.refused.difference

    def as_json(self) -> dict[str, Any]:
        """The sums for programs."""
        refused = self.refused
        return {
            "coups": self.coups,
            "wagers": self.wagers,
            "paid": self.paid_on_accepted,
            "due": self.paid_on_accepted - self.difference,
            "difference": self.difference,
            "refused": {
                "wagers": refused.found - refused.superseded,
                "stakes": refused.stakes,
                "difference": refused.difference,
            },
            "causes": {cause.value: self.causes[cause].as_json() for cause in Cause if cause in self.causes},
        }


@dataclass(slots=True)
class Summary:
    """What an audit came to. `position`: how far of the record it reaches."""

    position: int = 0
    coups: int = 0
    held: int = 0
    """Waiting for a ruling."""
    settled: int = 0
    corrected: int = 0
    voided: int = 0
    wagers: int = 0
    tables: dict[tuple[str, str, str], TableSums] = field(default_factory=lambda: defaultdict(TableSums))
    """By premises, table and currency."""

    @property
    def differences(self) -> int:
        """How many were found."""
        return sum(sums.found for table in self.tables.values() for sums in table.causes.values())

    def by_cause(self) -> dict[tuple[Cause, str], CauseSums]:
        """The differences of all tables by cause and currency, in the order of the causes."""
        added: defaultdict[tuple[Cause, str], CauseSums] = defaultdict(CauseSums)
        for (_, _, currency), table in self.tables.items():
            for cause, sums in table.causes.items():
                added[cause, currency].add(sums)
        order = list(Cause)
        return dict(sorted(added.items(), key=lambda item: (order.index(item[0][0]), item[0][1])))

    def net(self) -> dict[str, int]:
        """What was paid beyond what is due, by currency; wagers that should have been refused stand apart."""
        added: defaultdict[str, int] = defaultdict(int)
        for (_, _, currency), table in self.tables.items():
            added[currency] += table.difference
        return dict(sorted(added.items()))

    def as_json(self) -> dict[str, Any]:
        """The summary for programs."""
        counts = ("position", "coups", "held", "settled", "corrected", "voided", "wagers", "differences")
        return {
            **{name: getattr(self, name) for name in counts},
            "net": self.net(),
            "causes": [
                {"cause": cause.value, "currency": currency, **sums.as_json()}
                for (cause, currency), sums in self.by_cause().items()
            ],
            "tables": [
                {"premises": premises, "table": table, "currency": currency, **sums.as_json()}
                for (premises, table, currency), sums in sorted(self.tables.items())
            ],
        }
