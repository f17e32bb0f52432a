"""The first bytes of pages of a small ledger and a large one: what the bench says is so, and it runs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ledger.store import sqlite_read_tables
from ops.bench import pages
from ops.bench.ledgers import PREMISES, Pair, premises_of
from ops.bench.pages import LOOKS, Look, NotShown, first_bytes, two_floors, visiting
from ops.console.catalogue import PAGES
from ops.rehearsal.load import FIRST_DAY
from ops.wiring import House, open_house
from projections.catalogue import EVERY
from projections.compliance.finding_filter import FindingFilter
from projections.compliance.views import findings
from projections.runner import rebuild

TABLES = 11
"""The first has a ruling and a dispute, the eleventh a dispute."""


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """A coup at each of eleven tables, and five such days."""
    pair = two_floors(tmp_path_factory.mktemp("floors"), 0, 1, tables=TABLES)
    return two_floors(tmp_path_factory.mktemp("pair"), 0, pair.small_events * 5, tables=TABLES)


def test_every_page_of_the_console_is_looked_at() -> None:
    assert {look.page for look in LOOKS} == {page.name for page in PAGES}


def test_copied_read_tables_are_what_a_rebuild_of_the_large_ledger_makes(pair: Pair) -> None:
    with open_house(str(pair.large)) as house:
        names = [table.name for projection in EVERY for table in projection.tables]
        copied = {name: rows(house, name) for name in names}
        rebuild(house.ledger.record, house.tables, EVERY)
        assert {name: rows(house, name) for name in names} == copied
    assert len(copied["floor_coups"]) == TABLES * 5
    assert len(copied["compliance_disputes"]) == 2 * 5


def rows(house: House, table: str) -> list[tuple[Any, ...]]:
    """Every row, in an order that does not depend on the engine."""
    with house.tables.snapshot() as statements:
        return sorted(statements.execute(f'SELECT * FROM "{table}"'), key=repr)


def test_a_page_is_looked_at_once_by_each_name() -> None:
    assert len({look.name for look in LOOKS}) == len(LOOKS)


@pytest.mark.parametrize(
    ("page", "names", "shown"),
    [
        ("floor", {}, f"L{TABLES}"),
        ("table", {"table": "L1", "day": FIRST_DAY}, "L1-00001"),
        ("reconciliation", {"day": FIRST_DAY}, f"L{TABLES}"),
        ("compliance", {}, "coup-voided"),
        ("compliance", {"view": "refusals"}, "coup-not-ready"),
        ("search", {"q": "L1-1"}, f"/tables/L1/nights/{FIRST_DAY}"),
    ],
)
def test_what_the_pages_show_is_at_the_last_premises_as_at_the_first(
    pair: Pair, page: str, names: dict[str, object], shown: str
) -> None:
    """Each page has something of the day, at whichever premises."""
    look = Look("", page, names)
    with visiting(pair.large, [PREMISES, premises_of(4)]) as visits:
        for visit in visits:
            visit.seconds(look)
            assert shown in visit.shown


def test_what_is_no_page_of_the_console_is_not_timed(pair: Pair) -> None:
    nowhere = Look("", "table", {"table": "L1", "day": FIRST_DAY - timedelta(days=1)})
    with visiting(pair.small, [PREMISES]) as (visit,), pytest.raises(NotShown):
        visit.seconds(nowhere)


def test_findings_of_all_premises_come_by_day_and_position(pair: Pair) -> None:
    """Three voids, three refusals and two disputes long overdue at each of five premises."""
    now = datetime(2026, 1, 1, tzinfo=UTC)
    with open_house(str(pair.large)) as house, house.tables.snapshot() as statements:
        found = list(findings(statements, FindingFilter(), now))
    assert [one.sequence for one in found] == sorted(one.sequence for one in found)
    expected = {"coup-voided": 3, "command-refused": 3, "dispute-overdue": 2}
    assert Counter((one.premises, one.code) for one in found) == {
        (premises_of(copy), code): times for copy in range(5) for code, times in expected.items()
    }


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[str]]]:
    """Every statement that the read tables run from here on, with SQLite's plan for it."""
    found: list[tuple[str, list[str]]] = []
    runs = sqlite_read_tables._SQLiteStatements.execute

    def noted(self: Any, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        if sql.startswith(("SELECT", "WITH")):
            plan = runs(self, f"EXPLAIN QUERY PLAN {sql}", parameters)
            found.append((sql, [step for *_, step in plan]))
        return runs(self, sql, parameters)

    monkeypatch.setattr(sqlite_read_tables._SQLiteStatements, "execute", noted)
    return found


@pytest.mark.parametrize("look", LOOKS, ids=[look.name for look in LOOKS])
def test_no_query_of_a_page_passes_over_a_whole_read_table(
    pair: Pair, asked: list[tuple[str, list[str]]], look: Look
) -> None:
    """Each goes along a key, so that rows of other premises and days are not even looked at."""
    named = {table.name for projection in EVERY for table in projection.tables} | ALIASES
    with visiting(pair.small, [PREMISES]) as (visit,):
        asked.clear()
        visit.seconds(look)
    steps = [(found, sql) for sql, plan in asked for step in plan if (found := STEP.match(step))]
    assert asked
    assert [(step[0], sql) for step, sql in steps if step["of"] in named and not step["along"]] == []


ALIASES = frozenset(
    {"t", "coup", "wager", "night", "found", "shift", "day", "slip", "used", "ended", "concerned"}
)
"""What queries call the read tables; not `at_hand`, the coups that have not ended, which are ever few."""
STEP = re.compile(r"(SCAN|SEARCH) (?P<of>\w+)(?P<along>.* \(\w+=\?)?.*")
"""A step of a plan, and whether it goes along a key whose first column is given."""


def test_the_floor_takes_one_query_a_panel_however_many_tables_there_are(
    tmp_path: Path, pair: Pair, asked: list[tuple[str, list[str]]]
) -> None:
    """The tables, their coups, their wins."""
    assert floor_queries(two_floors(tmp_path, 0, 1, tables=1).small, asked) == 3
    assert floor_queries(pair.small, asked) == 3


def floor_queries(path: Path, asked: list[tuple[str, list[str]]]) -> int:
    """How many queries the floor makes of the read tables."""
    with visiting(path, [PREMISES]) as (visit,):
        asked.clear()
        visit.seconds(Look("floor", "floor"))
        assert visit.shown.count("data-live-of") >= 1
    return sum("floor_tables" in sql for sql, _ in asked)


def test_every_page_is_taken_from_both(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "TIMES", 1)
    figures = list(first_bytes(pair, repeat=1))
    assert [figure.name.partition(",")[0] for figure in figures] == [look.name for look in LOOKS]
    assert all(figure.goal == 1.5 and figure.ratio.median > 0 for figure in figures)
