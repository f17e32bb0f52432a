"""What compliance takes down of a batch of events, until it is written."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ledger.events.base import LedgerEvent
from ledger.events.command import CommandRecorded
from ledger.events.coup import CoupCorrected, CoupOpened, CoupSettled
from projections.at_hand import AtHand
from projections.compliance import tables
from projections.compliance.findings import MEANINGS, severity_of
from projections.nights import night_of
from projections.read_table import Writes

Facts = Mapping[str, Any]
Where = tuple[str, str, str, str | None, str | None]
"""Premises, table, gaming day, shift, currency."""
Persons = Mapping[str, str | Iterable[str]]
"""By role."""
NOBODY: Persons = {}
NO_FACTS: Facts = {}


def _text(facts: Facts) -> str:
    told = {name: fact for name, fact in facts.items() if fact is not None}
    return json.dumps(told, separators=(",", ":"))


class _Exercised:
    """How often something was exercised, and the first time."""

    __slots__ = ("coup", "coups", "last", "sequence", "wagers")

    def __init__(self, sequence: int, coup: str) -> None:
        self.coups = self.wagers = 0
        self.sequence, self.coup = sequence, coup
        self.last = 0


class Page:
    """Rows and statements, in memory. It is made for some events and thrown away with them.

    Attributes:
        at_hand: the coups at hand.
    """

    def __init__(self) -> None:
        self.at_hand = AtHand(tables.AT_HAND)
        self._findings: list[Sequence[Any]] = []
        self._persons: list[tuple[int, str, str]] = []
        self._now: defaultdict[str, list[Sequence[Any]]] = defaultdict(list)
        self._later: defaultdict[str, list[Sequence[Any]]] = defaultdict(list)
        self._exercised: dict[tuple[str, ...], _Exercised] = {}

    def write(self, into: Writes) -> None:
        """Write all of it. What lookups ask for goes first, and the coups at hand as of the end go last."""
        for sql, rows in self._now.items():
            into.executemany(sql, rows)
        into.executemany(
            tables.EXERCISED,
            [
                (*map(str, key), one.coups, one.wagers, one.coup, one.sequence)
                for key, one in self._exercised.items()
            ],
        )
        into.executemany(tables.FINDINGS.put, self._findings)
        into.executemany(tables.PERSONS.put, self._persons)
        for sql in tables.LATER:
            into.executemany(sql, self._later.get(sql, ()))
        self.at_hand.write(into)

    def now(self, sql: str, *row: Any) -> None:
        """A row that lookups may ask for."""
        self._now[sql].append(row)

    def later(self, sql: str, *row: Any) -> None:
        """A statement of `compliance_tables.LATER`, which looks something up or changes what is there."""
        self._later[sql].append(row)

    # --- Coverage --------------------------------------------------------------------------------------

    def exercised(
        self,
        sequence: int,
        event: CoupOpened | CoupSettled | CoupCorrected,
        what: str,
        results: str,
        outcome: str,
        *,
        gaming_day: str,
        wagers: int = 0,
    ) -> None:
        """A coup exercised something."""
        pinned = event.conditions
        key = (gaming_day[:7], event.premises, pinned.format, pinned.profile, what, results, outcome)
        one = self._exercised.get(key)
        if one is None:
            one = self._exercised[key] = _Exercised(sequence, event.stream)
        if one.last != sequence:  # wagers of two tenders are of one coup
            one.coups += 1
            one.last = sequence
        one.wagers += wagers

    def settled(self, sequence: int, event: CoupSettled | CoupCorrected, gaming_day: str) -> None:
        """A coup settled, or settled anew: it exercised how its wagers ended, and who held the bank."""
        by_hand = event.results
        results = "".join([by_hand[hand] for hand in sorted(by_hand)])
        self.exercised(sequence, event, "bank", results, event.conditions.banked_by, gaming_day=gaming_day)
        for total in event.totals:
            self.exercised(
                sequence,
                event,
                total.kind,
                results,
                total.outcome,
                gaming_day=gaming_day,
                wagers=total.wagers,
            )

    # --- Findings --------------------------------------------------------------------------------------

    def person(self, sequence: int, role: str, person: str) -> None:
        """Somebody is concerned."""
        self._persons.append((sequence, role, person))

    def concerns(self, sequence: int, event: LedgerEvent, persons: Persons) -> None:
        """Whoever reported the event is concerned, and these."""
        self.person(sequence, "actor", event.actor)
        for role, names in persons.items():
            for name in (names,) if isinstance(names, str) else names:
                self.person(sequence, role, name)

    def found(
        self,
        sequence: int,
        event: LedgerEvent,
        code: str,
        facts: Facts,
        where: Where,
        *,
        persons: Persons = NOBODY,
        paragraph: str | None = None,
        reason: str | None = None,
        stream: str | None = None,
    ) -> None:
        """Something was found, where the event says."""
        self.concerns(sequence, event, persons)
        premises, table, gaming_day, shift, currency = where
        what = _what(code, paragraph, reason)
        row = (premises, gaming_day, sequence, code, stream or event.stream, table, shift, currency, *what)
        self._findings.append((*row, f"[{sequence}]", _text(facts)))

    def found_on_coup(
        self,
        sequence: int,
        event: LedgerEvent,
        code: str,
        facts: Facts,
        *,
        persons: Persons = NOBODY,
        paragraph: str | None = None,
        reason: str | None = None,
    ) -> None:
        """Something was found of a coup at hand, which the event only names."""
        coup = self.at_hand.get(event.stream)
        if coup is not None:
            where = (coup.premises, coup.table_name, coup.gaming_day, coup.shift, coup.currency)
            self.found(
                sequence, event, code, facts, where, persons=persons, paragraph=paragraph, reason=reason
            )
            return
        self.concerns(sequence, event, persons)
        what = _what(code, paragraph, reason)
        row = (sequence, code, *what, f"[{sequence}]", _text(facts), event.stream)
        self.later(tables.FOUND_ON_COUP, *row)

    def found_on_coups(
        self,
        sequence: int,
        code: str,
        sql: str,
        premises: str,
        gaming_day: str,
        *more: Any,
        facts: Facts = NO_FACTS,
        paragraph: str | None = None,
    ) -> None:
        """Something was found of every coup at hand now that `sql` selects by the premises, the day and more.

        The page must have begun with this event.
        """
        what = _what(code, paragraph, None)
        self.later(sql, sequence, code, *what, sequence, _text(facts), premises, gaming_day, *more)

    def found_on_night(
        self,
        sequence: int,
        event: LedgerEvent,
        code: str,
        facts: Facts,
        *,
        persons: Persons,
        shift: str,
    ) -> None:
        """Something was found of a table, which the event only names."""
        self.concerns(sequence, event, persons)
        what = _what(code, None, None)
        row = (sequence, code, event.stream, shift, *what, f"[{sequence}]", _text(facts))
        self.later(tables.FOUND_ON_NIGHT, *row, *night_of(event.stream))

    def found_on_bank(
        self,
        sequence: int,
        event: LedgerEvent,
        code: str,
        facts: Facts,
        paragraph: str | None,
        *,
        loser_gives_up: bool,
        persons: Persons = NOBODY,
        shift: str | None = None,
    ) -> None:
        """Something was found of a table, if a losing banker does (or does not) give up the bank there."""
        night = (*night_of(event.stream), int(loser_gives_up))
        what = _what(code, paragraph, None)
        row = (sequence, code, event.stream, shift, *what, f"[{sequence}]", _text(facts))
        self.later(tables.FOUND_ON_BANK, *row, *night)
        for role, person in {**persons, "actor": event.actor}.items():
            self.later(tables.PERSON_OF_BANK, sequence, role, person, *night)

    def found_on_subject(self, sequence: int, event: CommandRecorded, facts: Facts) -> None:
        """A command was refused, whatever it was about."""
        kind, premises, *rest = event.subject.split("/")
        code, reason = "command-refused", event.code
        if kind == "day" and rest:
            where = (premises, "", rest[0], None, None)
            self.found(
                sequence,
                event,
                code,
                facts,
                where,
                paragraph=event.paragraph,
                reason=reason,
                stream=event.subject,
            )
            return
        self.concerns(sequence, event, NOBODY)
        table = rest[0] if rest and kind != "access" else ""
        shoe = rest[1] if kind == "coup" else ""
        self.later(
            tables.FOUND_ON_TABLE,
            *day_of(sequence, event, premises, table, shoe),
            sequence,
            code,
            event.subject,
            premises,
            table,
            *_what(code, event.paragraph, reason),
            f"[{sequence}]",
            _text(facts),
        )


Handler = Callable[[Page, int, Any], None]
"""Takes one event down, given its sequence."""


def _what(code: str, paragraph: str | None, reason: str | None) -> tuple[str, str | None, str | None]:
    """Severity, paragraph and reason of a finding."""
    return severity_of(code, reason).value, paragraph or MEANINGS[code].paragraph, reason


def day_of(sequence: int, event: LedgerEvent, premises: str, table: str, shoe: str = "") -> tuple[Any, ...]:
    """The parameters of `compliance_tables.DAY`, for an event about this table, perhaps of this shoe."""
    by_the_clock = event.occurred_at.date().isoformat()
    return (premises, table, shoe, sequence, premises, table, sequence, by_the_clock)
