"""Reconciliation at a browser: the evening's figures by hand, and a sign-off by a second person."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Page, expect

from ledger.events.day import DaySealed
from ledger.terms.access import Role
from ops.console.money import MINUS
from tests.browser.conftest import NARROW, Visitor, Visits
from tests.service.at_work import PREMISES, AtWork
from tests.tabletalk import events_of

DAYS = "/at/main/reconciliation"
DAY = f"{DAYS}?day=2026-11-27"
WHY = "Coup 12 was paid before the ruling of 28 November (D-1041)."


class Count(NamedTuple):
    """A line of the cage's count sheet, from the trays, slips and boxes of the evening tape."""

    table: str
    shift: str
    opener: int
    closer: int
    fills: int
    credits: int
    drop: int


SHEET = (
    # between shifts nobody counts a tray: any float does that both shifts have
    Count("PB1", "1", 2_500_000, 2_500_000, 200_000, 0, 423_250),
    Count("PB1", "2", 2_500_000, 2_407_825, 400_000, 100_000, 493_250),
    Count("BB1", "1", 10_000_000, 10_000_000, 1_000_000, 0, 1_500_000),
    Count("BB1", "2", 10_000_000, 9_975_000, 2_000_000, 500_000, 150_000),
    Count("CF1", "1", 1_500_000, 1_500_000, 0, 0, 0),
    Count("CF1", "2", 1_500_000, 1_500_000, 0, 0, 0),
)
"""PB1: 9,165.00 + 24,078.25 + 1,000.00 - 25,000.00 - 6,000.00 = 3,243.25; by wagers it is 62.50 less, since
the ruling of the day after made coup 12 a draw (£85 of banker stakes had been won, £22.50 paid).
BB1: 16,500 + 99,750 + 5,000 - 100,000 - 30,000 = -8,750."""


def counts(served: AtWork, *sheet: Count) -> None:
    """The cage counts."""
    for count in sheet:
        figures = {name: value for name, value in count._asdict().items() if name != "table"}
        line = {
            "command": "record-count",
            "id": f"count-{count.table}-{count.shift}-{count.drop}",
            "occurred_at": served.clock.now.isoformat(),
            "table": count.table,
            "gaming_day": "2026-11-27",
            "counted": figures,
            "signed_by": ["cashier-04"],
        }
        answer = served.sends(line, Role.CAGE, person="cashier-04")
        assert answer.status_code == 200, answer.text


def rules_on_the_held_coup(served: AtWork) -> None:
    """Coup 55 at PB1, which the tape leaves held, is void by two approvers: nobody's count has its stakes."""
    line = {
        "command": "void-coup",
        "id": "void-55",
        "occurred_at": served.clock.now.isoformat(),
        "table": "PB1",
        "shoe": "2026-11-27-1",
        "number": 55,
        "reason": "a card too many",
        "approvers": ["pit-manager-01", "law-2"],
        "evidence": "surveillance PB1 camera 2, coup 55",
    }
    proposal: dict[str, Any] = served.sends(line, Role.PIT, person="pit-1").json()
    for person, role in (("pit-manager-01", Role.PIT), ("law-2", Role.COMPLIANCE)):
        path = f"{PREMISES}/proposals/void-55/consents"
        answer = served.asks("POST", path, role, person=person, json={"digest": proposal["digest"]})
        assert answer.status_code in {200, 202}, answer.text


@pytest.fixture
def counted(alone: AtWork) -> AtWork:
    """The evening, counted whole and with nothing open."""
    rules_on_the_held_coup(alone)
    counts(alone, *SHEET)
    return alone


def cells(page: Page, table: str) -> list[str]:
    return page.locator("#tables tbody tr").filter(has_text=table).locator("th, td").all_inner_texts()


def test_the_days_say_how_far_they_have_come_and_what_is_missing(visitor: Visitor) -> None:
    visitor.signs_in(Role.ACCOUNTING)
    page = visitor.opens(DAYS)
    told = [row.locator("th, td").all_inner_texts() for row in page.locator("#days tbody tr").all()]
    assert [one[:6] for one in told] == [
        ["Sat 28 Nov 2026", "open", "3", "3", "3", "0"],
        ["Fri 27 Nov 2026", "to count", "3", "0", "6", "0"],
    ]
    page.get_by_role("link", name="Fri 27 Nov 2026").click()
    way = page.locator(".notice")
    expect(way).to_contain_text("The cage has not counted shifts 1 and 2 of table PB1.")
    expect(way.get_by_role("link", name="Coup PB1/2026-11-27-1/55 has not ended.")).to_be_visible()
    expect(page.get_by_role("button", name="Propose")).to_have_count(0)
    assert cells(page, "BB1")[2:6] == [f"{MINUS}£8,750.00", "£0.00", "–", "–"]


def test_a_day_is_signed_off_by_a_second_person_at_a_browser_of_their_own(
    counted: AtWork, visits: Visits
) -> None:
    """The first with the keyboard alone."""
    accountant = visits(counted).signs_in(Role.ACCOUNTING, person="accounts-1")
    page = accountant.opens(DAY)
    assert cells(page, "PB1")[2:7] == [
        "+£3,180.75",
        "£0.00",
        "+£3,243.25",
        f"{MINUS}£62.50",
        "above threshold",
    ]
    assert cells(page, "BB1")[2:7] == [
        f"{MINUS}£8,750.00",
        "£0.00",
        f"{MINUS}£8,750.00",
        "£0.00",
        "no variance",
    ]
    assert cells(page, "CF1")[2:7] == ["£0.00", "£0.00", "£0.00", "£0.00", "no variance"]
    for _ in range(60):
        if page.evaluate("document.activeElement.id") == "explain-PB1":
            break
        page.keyboard.press("Tab")
    page.keyboard.type(WHY)
    page.keyboard.press("Tab")
    page.keyboard.type("law-1")
    page.keyboard.press("Enter")
    expect(page.locator(".proposal")).to_contain_text("waiting for law-1")
    expect(page.locator(".proposal")).to_contain_text("law-1 must sign in with a key or token of their own")

    second = visits(counted).signs_in(Role.COMPLIANCE, person="law-1")
    other = second.opens(DAY)
    expect(other.locator(".proposal")).to_contain_text(WHY)
    second.check_accessible()
    other.get_by_role("button", name="Consent, and sign the day off").click()
    expect(other.locator(".facts")).to_contain_text("law-1")
    expect(other.locator(".proposal")).to_have_count(0)

    sealed = events_of(counted.house.ledger, "day/main/2026-11-27")[-1]
    assert isinstance(sealed, DaySealed)
    assert (sealed.actor, sealed.signed_by) == ("accounts-1", ("law-1",))
    page.reload()
    expect(page.locator(".facts .mark")).to_have_text("closed")  # sealed with the next checkpoint
    assert cells(page, "PB1")[8] == WHY
    expect(page.get_by_role("button", name="Propose")).to_have_count(0)


def test_whoever_signed_a_slip_is_refused_with_what_to_do(counted: AtWork, visits: Visits) -> None:
    accountant = visits(counted).signs_in(Role.ACCOUNTING, person="accounts-1")
    page = accountant.opens(DAY)
    page.get_by_label("Why does PB1 vary?").fill(WHY)
    page.get_by_label("Who signs it off").fill("inspector-02")  # watched the floats of the evening
    page.get_by_role("button", name="Propose").click()
    inspector = visits(counted).signs_in(Role.COMPLIANCE, person="inspector-02")
    other = inspector.opens(DAY)
    other.get_by_role("button", name="Consent, and sign the day off").click()
    alert = other.get_by_role("alert")
    expect(alert).to_contain_text("The ledger refuses: ")
    expect(alert).to_contain_text("name somebody of neither pit nor cage")
    inspector.check_accessible()
    (fault,) = inspector.faults  # of the browser, about the status of the answer
    assert "409" in fault
    inspector.faults.clear()


def test_a_proposal_is_withdrawn_by_who_made_it(counted: AtWork, visits: Visits) -> None:
    accountant = visits(counted, NARROW).signs_in(Role.ACCOUNTING, person="accounts-1")
    page = accountant.opens(DAY)
    page.get_by_label("Why does PB1 vary?").fill(WHY)
    page.get_by_label("Who signs it off").fill("law-1")
    page.get_by_role("button", name="Propose").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    page.get_by_label("Why it is withdrawn").fill("counted again")
    page.get_by_role("button", name="Withdraw the proposal").click()
    expect(page.locator(".proposal")).to_have_count(0)
    expect(page.get_by_role("button", name="Propose")).to_be_visible()


def test_the_report_is_printed_a_sheet_a_table(counted: AtWork, visits: Visits) -> None:
    page = visits(counted).signs_in(Role.AUDITOR).opens(DAY)
    page.get_by_role("link", name="Report to print").click()
    headings = page.get_by_role("heading", level=1).all_inner_texts()
    assert headings == [
        "Reconciliation of gaming day 2026-11-27",
        "Table BB1, gaming day 2026-11-27",
        "Table CF1, gaming day 2026-11-27",
        "Table PB1, gaming day 2026-11-27",
    ]
    page.emulate_media(media="print")
    sheets = page.locator(".paper")
    assert [one.evaluate("of => getComputedStyle(of).breakBefore") for one in sheets.all()[1:]] == [
        "page"
    ] * 3
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"  # its own style holds


@pytest.mark.parametrize("role", [Role.PIT, Role.CAGE])
def test_whoever_may_not_see_it_finds_no_link_and_is_told(visitor: Visitor, role: Role) -> None:
    page = visitor.signs_in(role).opens(DAY)
    expect(page.get_by_role("heading", level=1)).to_have_text("This is not for your role")
    expect(page.get_by_role("link", name="Reconciliation")).to_have_count(0)
    visitor.faults.clear()
