"""Compliance at a browser, against the evening tape: what stands on which of its lines says its README."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from ledger.terms.access import Role
from ops.console.compliance_filter import VIEWS
from ops.console.money import MINUS
from tests.browser.conftest import NARROW, Visitor, Visits
from tests.service.at_work import AtWork

PAGE = "/at/main/compliance"
EVENING = "to=2026-11-27"
"""The evening tape alone, with the rulings and disputes of the day after about it."""


def tape() -> list[dict[str, Any]]:
    lines = (resources.files("ops.rehearsal") / "evening.ndjson").read_text().splitlines()
    return [json.loads(line) for line in lines]


def coup_of(line: int) -> str:
    """The coup that a line of the evening tape is about, as the pages write it."""
    told = tape()[line - 1]
    return f"{told['table']}/{told['shoe']}/{told['number']}"


@pytest.fixture
def officer(visitor: Visitor) -> Visitor:
    return visitor.signs_in(Role.COMPLIANCE)


def rows(page: Page, table: str) -> list[list[str]]:
    """The cells of a table of the page, row by row."""
    return [row.locator("th, td").all_inner_texts() for row in page.locator(f"{table} tbody tr").all()]


def row(page: Page, table: str, *said: str) -> Locator:
    """The row that says all of this."""
    found = page.locator(f"{table} tbody tr")
    for text in said:
        found = found.filter(has_text=text)
    return found


def test_findings_are_counted_by_paragraph_and_severity(officer: Visitor) -> None:
    page = officer.opens(f"{PAGE}?{EVENING}")
    seen = rows(page, ".matrix")  # below each number stands, unseen, of what it is
    counted = {name: tuple(cell.partition("\n")[0] for cell in cells) for name, *cells in seen}
    of_the_tape = {
        "6(7)(c)": ("–", "3", "–"),  # irregular coups, lines 26, 60 and 144
        "6(6)": ("–", "2", "–"),  # the house takes a bank, line 52; the bank must pass, line 186
        "6(7)(a)": ("–", "1", "–"),  # a tie wager at chemin de fer, line 179
        "6(7)(b)": ("–", "2", "–"),  # banker and tie at banque, lines 223 and 321
        "2(2)": ("–", "–", "6"),  # after the close, lines 11, 74, 241, 291, 307 and 341
        "terms.limits": ("–", "–", "3"),  # lines 116, 195 and 295
        "terms.rounding": ("–", "–", "1"),  # line 191
        "coup voided": ("–", "1", "–"),  # line 30
        "hands corrected": ("–", "1", "–"),  # line 79
        "coup corrected": ("–", "1", "–"),  # dispute D-1041
        "SR 6.1.1": ("–", "–", "1"),  # dispute D-1042 is open
    }
    assert {name: counted[name] for name in of_the_tape} == of_the_tape


def test_a_number_leads_to_just_those_findings_and_a_finding_to_its_coup(officer: Visitor) -> None:
    page = officer.opens(f"{PAGE}?{EVENING}")
    row(page, ".matrix", "6(7)(b)").get_by_role("link", name="2 of 6(7)(b), warning").click()
    assert [cells[3] for cells in rows(page, "#findings")] == ["6(7)(b)", "6(7)(b)"]
    assert "paragraph=6%287%29%28b%29" in page.url
    assert "severity=warning" in page.url
    page.get_by_role("link", name=coup_of(223)).click()
    page.wait_for_url("**/CF1/**" if coup_of(223).startswith("CF1") else "**/BB1/**")
    expect(page.get_by_role("heading", level=1)).to_contain_text(coup_of(223).rpartition("/")[2])


def test_a_filter_stands_in_the_address_and_is_filled_in_by_the_keyboard(officer: Visitor) -> None:
    page = officer.opens("/help")
    page.keyboard.press("g")
    page.keyboard.press("c")
    expect(page.get_by_role("heading", level=1)).to_have_text("Compliance")
    for _ in range(40):
        if page.evaluate("document.activeElement.id") == "person":
            break
        page.keyboard.press("Tab")
    page.keyboard.type("duty-manager-01")
    page.keyboard.press("Enter")
    page.wait_for_url("**person=duty-manager-01**")
    # both evenings: void, hands corrected and D-1041 on the 27th, void on the 28th
    assert len(rows(page, "#findings")) == 4
    expect(page.get_by_label("Person or token")).to_have_value("duty-manager-01")


def test_voids_and_corrections_by_who_reported_and_who_approved(officer: Visitor) -> None:
    page = officer.opens(f"{PAGE}?view=persons&{EVENING}")
    heads = page.locator("#persons thead th").all_inner_texts()
    assert heads == ["Person", "Did", "Hands corrected", "Coups corrected", "Coups void", "Together"]
    assert rows(page, "#persons") == [
        ["compliance-02", "approved", "–", "1", "–", "1"],
        ["dealer-07", "reported", "1", "–", "1", "2"],
        ["duty-manager-01", "approved", "1", "1", "1", "3"],
        ["pit-manager-01", "reported", "–", "1", "–", "1"],
        ["pit-manager-01", "approved", "1", "–", "1", "2"],
    ]
    row(page, "#persons", "dealer-07").get_by_role("link", name="1").last.click()
    (found,) = rows(page, "#findings")
    assert found[5] == coup_of(30)


def test_rule_coverage_has_an_example_that_leads_to_its_coup(officer: Visitor) -> None:
    page = officer.opens(f"{PAGE}?view=coverage&{EVENING}")
    won = row(page, "#coverage", "the hands are equal", "draws, won", "6(7)(ii)")
    expect(won.get_by_role("link", name=coup_of(13))).to_be_visible()  # the first tie of the tape
    never = row(page, "#coverage", "the house has an interest in a player's bank")
    assert never.locator("td").all_inner_texts()[2:] == ["0", "–", "–"]


def test_who_held_the_bank_and_by_which_paragraph(officer: Visitor) -> None:
    page = officer.opens(f"{PAGE}?view=banks&{EVENING}")
    held = rows(page, "#banks")
    # the tape deals 120 coups at PB1, 60 at BB1, 60 at CF1; wins by the oracle of its trays:
    # PB1 £3,243.25 less the £62.50 of coup 12, whose hands were equal; BB1 £8,750 lost
    assert [cells[3:8] for cells in held if cells[1] != "CF1"] == [
        ["the house", "6(5)(a)", "60", "£68,375.00", f"{MINUS}£8,750.00"],
        ["the house", "6(5)(a)", "120", "£26,682.50", "+£3,180.75"],
    ]
    players = [cells for cells in held if cells[1] == "CF1"]
    assert sum(int(cells[5]) for cells in players) == 60
    taken = {line["holder"] for line in tape() if line["command"] in ("take-bank", "pass-bank")} - {"house"}
    assert {cells[3] for cells in players} <= taken
    assert {cells[4] for cells in players} == {"6(6)"}


def test_refusals_are_told_with_their_reason_and_the_last_example(officer: Visitor) -> None:
    page = officer.opens(f"{PAGE}?view=refusals&{EVENING}")
    late = row(page, "#refusals", "wagers had closed").locator("th, td").all_inner_texts()
    assert (late[2], late[4], late[6]) == ("2(2)", "6", coup_of(341))
    barred = row(page, "#refusals", "6(7)(b)").locator("th, td").all_inner_texts()
    assert (barred[3], barred[4], barred[6]) == ("warning", "2", coup_of(321))


def test_every_part_is_for_everybody_and_fits_a_narrow_screen(visits: Visits, served: AtWork) -> None:
    visitor = visits(served, NARROW).signs_in(Role.COMPLIANCE)
    for view in VIEWS:
        page = visitor.opens(f"{PAGE}?view={view}")
        if view in ("banks", "persons"):  # the others are long, and no other kind of page
            visitor.check_accessible()
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]


def test_nothing_found_says_what_to_do(officer: Visitor) -> None:
    page = officer.opens(f"{PAGE}?person=nobody")
    expect(page.locator("main")).to_contain_text("Widen the days, or clear the filter.")
    page.get_by_role("link", name="Clear").click()
    assert len(rows(page, "#findings")) > 4
