"""Compliance findings for tests: what the read tables say of a house, in few words."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ledger.events.base import LedgerEvent
from ledger.events.catalogue import encode
from ledger.events.command import CommandOutcome, CommandRecorded
from ledger.store.port import NewRow, ReadTables
from ops.wiring import House
from projections.compliance.compliance import Compliance
from projections.compliance.finding import Finding
from projections.compliance.finding_filter import FindingFilter
from projections.compliance.views import findings
from projections.projection import Projection
from tests.tabletalk import NOON

Dump = dict[str, list[tuple[Any, ...]]]


def found(house: House, wanted: FindingFilter | None = None, now: datetime = NOON) -> list[Finding]:
    """What is found once everything is folded."""
    house.runner((Compliance(),)).catch_up()
    with house.tables.snapshot() as statements:
        return list(findings(statements, wanted or FindingFilter(), now))


def of_code(house: House, code: str, now: datetime = NOON) -> list[Finding]:
    """Findings of one kind, or refusals for one reason."""
    return found(house, FindingFilter(code=code), now)


def codes(house: House, now: datetime = NOON) -> list[str]:
    """The codes of all findings, in order."""
    return [finding.code for finding in found(house, now=now)]


def tables_of(house: House, projection: Projection) -> Dump:
    """All that is in a projection's tables of a house."""
    return dump(house.tables, projection)


def dump(tables: ReadTables, projection: Projection) -> Dump:
    """All that is in a projection's tables."""
    with tables.snapshot() as statements:
        return {
            table.name: sorted(statements.execute(f'SELECT * FROM "{table.name}"'), key=repr)
            for table in projection.tables
        }


def record(house: House, kind: type[LedgerEvent], stream: str, version: int, **facts: Any) -> int:
    """Put an event on the record that no command of ours would bring about; returns its sequence."""
    moment: dict[str, Any] = {"occurred_at": NOON, "recorded_at": NOON, "actor": "dealer-1"}
    cause = f"made-up-{house.ledger.record.last_sequence()}"
    event = kind(**moment, stream=stream, version=version, cause=cause, **facts)
    command = CommandRecorded(
        **moment,
        stream=f"command/{cause}",
        version=1,
        cause=cause,
        command="made-up",
        digest="0" * 64,
        outcome=CommandOutcome.APPLIED,
        subject=stream,
    )
    rows = [NewRow(one.stream, one.version, one.TOPIC, encode(one)) for one in (event, command)]
    return house.ledger.record.append(rows, {}).start
