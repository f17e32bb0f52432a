"""Searching: one exact hit goes straight there, anything else says what there is, or what to write."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from ledger.terms.access import Role
from tests.browser.conftest import NARROW, Visits
from tests.browser.reading import Opens, reading
from tests.browser.test_table import column
from tests.projections.houses import evening
from tests.service.at_work import AtWork

Search = Callable[..., Page]
COUP_12 = "/at/main/tables/PB1/shoes/2026-11-27-1/coups/12"


@pytest.fixture(scope="module")
def opens(browser: Browser, served: AtWork) -> Iterator[Opens]:
    with reading(browser, served) as opened:
        yield opened


@pytest.fixture
def search(opens: Opens) -> Search:
    """Looks for something in the field at the top of a page, and says where that has led."""

    def searches(text: str, role: Role = Role.AUDITOR) -> Page:
        page = opens("/help", role)
        field = page.get_by_role("searchbox", name="Search by coup")
        field.fill(text)
        field.press("Enter")
        page.wait_for_url(lambda url: not url.endswith("/help"))
        return page

    return searches


@pytest.mark.parametrize(
    ("text", "leads_to"),
    [
        ("PB1/2026-11-27-1/12", COUP_12),
        ("coup/main/PB1/2026-11-27-1/12", COUP_12),
        ("PB1 2026-11-27 19:53", COUP_12),  # the tape deals it at 19:53:32, and no other in that minute
        ("PB1-04412", "/at/main/tables/PB1/nights/2026-11-27#moves"),
        ("PB1 2026-11-27", "/at/main/tables/PB1/nights/2026-11-27"),
        ("CF1", "/at/main/tables/CF1/nights/2026-11-28"),
    ],
)
def test_one_exact_hit_goes_straight_there(search: Search, text: str, leads_to: str) -> None:
    assert search(text).url.partition("/console")[2] == leads_to


def test_a_token_finds_every_coup_that_the_tape_names_it_in(search: Search) -> None:
    """Somebody who plays at baccarat banque alone, and on the first evening alone."""
    named = {
        (line["shoe"], line["number"])
        for line in evening()
        for wager in line.get("wagers", ())
        if isinstance(wager, dict) and wager.get("patron") == "p-ed9543"
    }
    page = search("p-ed9543")
    found = zip(column(page, "coups", "Shoe"), map(int, column(page, "coups", "Coup")), strict=True)
    assert set(found) == named
    assert set(column(page, "coups", "Table")) == {"BB1"}
    page.locator("#coups tbody a").first.click()
    expect(page.locator("#wagers")).to_contain_text("p-ed9543")


def test_a_span_finds_the_coups_that_the_tape_deals_in_it(search: Search) -> None:
    dealt = [
        str(line["number"])
        for line in evening()
        if line["command"] in {"record-coup", "settle-coup"}
        and line["table"] == "PB1"
        and "2026-11-27T22:00:00Z" <= line["occurred_at"] < "2026-11-27T22:30:00Z"
    ]
    page = search("PB1 27 Nov 2026 22:00-22:30")
    assert column(page, "coups", "Coup") == dealt
    assert len(dealt) > 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("PB1/2026-11-27-1/9000", "There is no coup 9000"),
        ("PB1 2026-01-01 12:00", "No coup was dealt at PB1"),
        ("nobody", "No table, slip or token nobody"),
        ("what is this", "not in one of the forms below"),
        ("ZZ9 2026-11-27", "There is no table ZZ9"),
        ("paris/PB1/S1/1", "You hold no role at paris"),
    ],
)
def test_what_is_not_found_says_what_to_do(search: Search, text: str, said: str) -> None:
    page = search(text)
    expect(page.locator(".empty")).to_contain_text(said)
    expect(page.get_by_label("Coup, token, slip, table or time")).to_have_value(text)


@pytest.mark.parametrize("role", [Role.CAGE, Role.ACCOUNTING])
def test_tokens_are_not_found_by_those_who_may_not_see_them(search: Search, role: Role) -> None:
    page = search("p-06a4db", role)
    expect(page.locator(".empty")).to_contain_text("No table, slip p-06a4db")
    expect(page.locator(".listing")).to_have_count(0)
    expect(page.locator("main")).not_to_contain_text("A patron")


def test_a_coup_that_is_not_for_the_role_has_no_link(search: Search) -> None:
    page = search("PB1/2026-11-27-1/12", Role.CAGE)
    expect(page.locator(".empty")).to_contain_text("single coups are not for your role")


def test_search_is_not_for_administrators(opens: Opens) -> None:
    page = opens("/at/main/search?q=PB1", Role.ADMIN, may_fail=True)
    expect(page.get_by_role("heading", level=1)).to_have_text("This is not for your role")
    expect(page.locator(".find")).to_have_count(0)


def test_search_keeps_nobody_out_and_fits_a_narrow_screen(visits: Visits, served: AtWork) -> None:
    visitor = visits(served, NARROW).signs_in(Role.AUDITOR)
    page = visitor.opens("/at/main/search?q=PB1+27+Nov+2026+22:00-22:20")
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
    visitor.check_accessible()
