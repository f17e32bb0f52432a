"""What every page of the console promises."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from ledger.terms.access import Role
from ops.console.catalogue import PAGES
from ops.console.pages import Page
from tests.browser.conftest import NARROW, Visitor, Visits
from tests.service.at_work import AtWork

IN_NAVIGATION = [page for page in PAGES if page.in_navigation]


@pytest.fixture
def everybody(visitor: Visitor) -> Visitor:
    return visitor.signs_in(*Role, person="everybody")


@pytest.mark.parametrize("page", IN_NAVIGATION, ids=[page.name for page in IN_NAVIGATION])
def test_a_page_keeps_nobody_out(everybody: Visitor, page: Page) -> None:
    shown = everybody.opens(page.path.format(premises="main"))
    assert shown.get_by_role("heading", level=1).inner_text() == page.title
    for landmark in ("banner", "main", "contentinfo"):
        expect(shown.get_by_role(landmark)).to_have_count(1)
    names = [one.get_attribute("aria-label") for one in shown.get_by_role("navigation").all()]
    assert names
    assert all(names)  # a page's own parts may be one more; each says which it is
    assert len(set(names)) == len(names)
    everybody.check_accessible()


@pytest.mark.parametrize("page", IN_NAVIGATION, ids=[page.name for page in IN_NAVIGATION])
def test_a_page_fits_a_narrow_screen(visits: Visits, served: AtWork, page: Page) -> None:
    visitor = visits(served, NARROW).signs_in(*Role, person="everybody")
    shown = visitor.opens(page.path.format(premises="main"))
    assert shown.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]


def test_signing_in_and_out(visitor: Visitor) -> None:
    page = visitor.opens("/at/main/floor")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    visitor.check_accessible()
    page.get_by_label("Your key or token").fill(visitor.served.key("p", Role.PIT))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Floor")).to_be_visible()  # where they had wanted to go
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    visitor.opens("/at/main/floor")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_a_page_for_others_says_what_to_do(visits: Visits, served: AtWork) -> None:
    visitor = visits(served).signs_in(Role.ADMIN)
    page = visitor.opens("/at/main/floor")
    expect(page.get_by_role("heading", level=1)).to_have_text("This is not for your role")
    expect(page.get_by_text("What to do:")).to_be_visible()
    assert page.get_by_role("navigation").get_by_role("link").all_inner_texts() == ["Regulation 6", "Help"]
    visitor.check_accessible()
    assert visitor.faults == [
        "console: Failed to load resource: the server responded with a status of 403 (Forbidden)"
    ]
    visitor.faults.clear()


def test_the_keyboard_alone_is_enough(everybody: Visitor) -> None:
    page = everybody.opens("/help")
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("g")
    page.keyboard.press("f")
    expect(page.get_by_role("heading", level=1)).to_have_text("Floor")
    page.keyboard.press("?")
    expect(page.get_by_role("heading", level=1)).to_have_text("Help")


def test_shortcuts_can_be_switched_off(everybody: Visitor) -> None:
    page = everybody.opens("/help")
    switch = page.get_by_role("button", name="Letters as shortcuts")
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("g")
    page.keyboard.press("f")
    expect(page.get_by_role("heading", level=1)).to_have_text("Help")


def test_focus_is_seen(everybody: Visitor) -> None:
    page = everybody.opens("/help")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


def test_the_colours_are_the_systems_or_those_chosen(everybody: Visitor) -> None:
    page = everybody.opens("/help")
    paper = "getComputedStyle(document.body).backgroundColor"
    page.emulate_media(color_scheme="light")
    light = page.evaluate(paper)
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(paper)
    assert light != dark
    page.get_by_role("button", name="Light").click()
    assert page.evaluate(paper) == light
    page.reload()
    assert page.evaluate(paper) == light
    page.get_by_role("button", name="As the system").click()
    assert page.evaluate(paper) == dark


def test_a_citation_leads_to_its_words(everybody: Visitor) -> None:
    page = everybody.opens("/regulation#p-6-7-i")
    expect(page.locator(":target dt")).to_have_text("6(7)(i)")
    expect(page.locator(":target dd")).to_contain_text("odds of 19 to 20")


def test_a_printed_page_is_black_on_white_without_what_one_clicks(everybody: Visitor) -> None:
    page = everybody.opens("/at/main/floor")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    expect(page.get_by_role("navigation")).to_be_hidden()
    expect(page.get_by_role("button", name="Dark")).to_be_hidden()
