"""Tables of a page: sorted by script or by address, the same; and downloaded as they stand."""

from __future__ import annotations

import csv

import pytest
from playwright.sync_api import Locator, Page, expect

from ledger.terms.access import Role
from tests.browser.conftest import NARROW, Visitor, Visits
from tests.service.at_work import AtWork

TABLES = "/at/main/floor/tables"


def rows(page: Page) -> list[str]:
    return page.locator("tbody th").all_inner_texts()


def heading(page: Page, name: str) -> Locator:
    return page.get_by_role("columnheader", name=name, exact=True)


@pytest.mark.parametrize("scripts", [True, False])
def test_a_heading_sorts_and_sorts_upside_down(visits: Visits, served: AtWork, scripts: bool) -> None:
    """Coups dealt by now: CF1 16, BB1 19, PB1 47."""
    page = visits(served, java_script_enabled=scripts).signs_in(Role.AUDITOR).opens(TABLES)
    assert rows(page) == ["BB1", "CF1", "PB1"]
    heading(page, "Coup").get_by_role("link").click()
    expect(heading(page, "Coup")).to_have_attribute("aria-sort", "ascending")
    assert rows(page) == ["CF1", "BB1", "PB1"]
    heading(page, "Coup").get_by_role("link").click()
    expect(heading(page, "Coup")).to_have_attribute("aria-sort", "descending")
    assert rows(page) == ["PB1", "BB1", "CF1"]
    page.reload()  # the address says it all
    assert rows(page) == ["PB1", "BB1", "CF1"]


def test_what_is_not_known_stands_last_either_way(visitor: Visitor) -> None:
    """The house has no win at CF1, whose bank is a player's."""
    page = visitor.signs_in(Role.AUDITOR).opens(f"{TABLES}?tables-by=win")
    assert rows(page)[-1] == "CF1"
    heading(page, "Win").get_by_role("link").click()
    assert rows(page)[-1] == "CF1"


def test_a_download_has_the_rows_as_they_stand_in_minor_units(visitor: Visitor) -> None:
    page = visitor.signs_in(Role.AUDITOR).opens(f"{TABLES}?tables-by=coup&tables-down=1")
    shown = page.locator("tbody tr").first.locator("td .money").all_inner_texts()
    with page.expect_download() as begun:
        page.get_by_role("link", name="CSV").click()
    assert begun.value.suggested_filename == "tables.csv"
    told = list(csv.DictReader(begun.value.path().read_text(encoding="utf-8").splitlines()))
    assert [row["table"] for row in told] == ["PB1", "BB1", "CF1"]
    assert {row["currency"] for row in told} == {"GBP"}
    pounds = [f"{int(told[0][name]) / 100:,.2f}" for name in ("win", "handle")]
    assert [text.lstrip("+\N{MINUS SIGN}").lstrip("£") for text in shown] == [
        one.lstrip("-") for one in pounds
    ]


def test_a_table_keeps_nobody_out_and_scrolls_by_itself(visits: Visits, served: AtWork) -> None:
    visitor = visits(served, NARROW).signs_in(Role.AUDITOR)
    page = visitor.opens(TABLES)
    visitor.check_accessible()
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
    assert page.locator(".scroll").evaluate("box => box.scrollWidth > box.clientWidth")
    expect(page.get_by_role("table", name="Every table, on its last gaming day")).to_be_visible()
    assert page.locator("thead th").evaluate_all("cells => cells.every(cell => cell.scope === 'col')")
