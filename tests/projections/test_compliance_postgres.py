"""Compliance and patrons on PostgreSQL: the same tables and the same answers as on SQLite."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from ledger.store.port import ReadTables
from ledger.store.postgres_read_tables import open_read_tables
from ops.wiring import House
from projections.compliance.compliance import Compliance
from projections.compliance.coverage import coverage
from projections.compliance.finding_filter import FindingFilter
from projections.compliance.findings import Severity
from projections.compliance.views import findings
from projections.patrons.patrons import Patrons
from projections.patrons.views import PatronFilter, patron_rows
from projections.projection import Projection
from projections.runner import Runner
from tests.application.story import every_command
from tests.projections.findings import dump
from tests.projections.houses import house_in_memory, take
from tests.projections.test_compliance_batches import more_than_the_story

PROJECTIONS: tuple[Projection, ...] = (Compliance(), Patrons())
NEXT_YEAR = datetime(2027, 11, 28, tzinfo=UTC)


@pytest.fixture
def house() -> Iterator[House]:
    with house_in_memory() as opened:
        take(opened, [*more_than_the_story(), *every_command()])
        yield opened


@pytest.fixture
def elsewhere(house: House, postgres_url: str) -> Iterator[ReadTables]:
    """The same record, folded into PostgreSQL."""
    tables = open_read_tables(postgres_url)
    try:
        Runner(house.ledger.record, tables, PROJECTIONS).catch_up()
        house.runner(PROJECTIONS).catch_up()
        yield tables
    finally:
        tables.close()


def test_the_tables_are_the_same(house: House, elsewhere: ReadTables) -> None:
    for projection in PROJECTIONS:
        assert dump(elsewhere, projection) == dump(house.tables, projection)


@pytest.mark.parametrize(
    "wanted",
    [
        FindingFilter(),
        FindingFilter(severity=Severity.WARNING, paragraph="6(5)"),
        FindingFilter(code="kind-not-available", premises="main", table="PB1"),
        FindingFilter(person="pit-2", first_day=datetime(2026, 11, 27, tzinfo=UTC).date()),
    ],
)
def test_the_findings_are_the_same(house: House, elsewhere: ReadTables, wanted: FindingFilter) -> None:
    with elsewhere.snapshot() as there, house.tables.snapshot() as here:
        found = [finding.as_json() for finding in findings(there, wanted, NEXT_YEAR)]
        assert found == [finding.as_json() for finding in findings(here, wanted, NEXT_YEAR)]
        assert found


def test_coverage_and_patrons_are_the_same(house: House, elsewhere: ReadTables) -> None:
    with elsewhere.snapshot() as there, house.tables.snapshot() as here:
        assert coverage(there, "2026-11", "main") == coverage(here, "2026-11", "main")
        everybody = PatronFilter(premises="main")
        assert patron_rows(there, everybody) == patron_rows(here, everybody)
