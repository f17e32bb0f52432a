"""The floor, as somebody at a browser sees it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from ledger.terms.access import Role
from tests.browser.conftest import NARROW, Visitor, Visits, serving
from tests.service.at_work import AtWork
from tests.tabletalk import hands, wagers

FLOOR = "/at/main/floor"


def card(page: Page, table: str) -> Locator:
    return page.locator(f"#table-{table}")


@pytest.fixture
def inspector(visitor: Visitor) -> Visitor:
    return visitor.signs_in(Role.AUDITOR)


def test_every_open_table_is_on_the_floor(inspector: Visitor) -> None:
    page = inspector.opens(FLOOR)
    assert page.locator(".table-card h3").all_inner_texts() == [
        "BB1 baccarat banque",
        "CF1 chemin de fer",
        "PB1 punto banco",
    ]
    expect(card(page, "CF1")).to_contain_text("players’ bank")
    expect(card(page, "PB1")).to_contain_text("the house")
    expect(card(page, "BB1").get_by_role("img")).to_have_count(4)  # two hands, two roads each


def test_roads_have_a_text_alternative(inspector: Visitor) -> None:
    page = inspector.opens(FLOOR)
    plate = card(page, "PB1").get_by_role("img", name="bead plate")
    drawn = plate.locator("text").text_content()
    card(page, "PB1").get_by_text("As text").click()
    letters = card(page, "PB1").locator(".as-text").inner_text().split()
    assert drawn == "".join(letters)
    counted = f"banker {letters.count('B')}, player {letters.count('P')}, tie {letters.count('T')}"
    assert counted in (plate.get_attribute("aria-label") or "")


@pytest.mark.parametrize(
    ("role", "wins", "holder"),
    [
        (Role.AUDITOR, True, True),
        (Role.ACCOUNTING, True, False),
        (Role.PIT, False, True),
        (Role.CAGE, False, False),
    ],
)
def test_a_card_shows_what_the_role_may_see(visitor: Visitor, role: Role, wins: bool, holder: bool) -> None:
    page = visitor.signs_in(role).opens(FLOOR)
    assert (card(page, "PB1").locator(".win-today .money").count() == 1) is wins
    assert ("p-" in card(page, "CF1").locator("dl").inner_text()) is holder


@pytest.fixture
def watched(alone: AtWork, visits: Visits) -> Visitor:
    """A floor that somebody watches while coups are dealt."""
    watcher = visits(alone).signs_in(Role.AUDITOR)
    watcher.opens(FLOOR)
    expect(watcher.page.get_by_text("Live", exact=True)).to_be_visible()
    return watcher


def deals(served: AtWork, number: int, dealt: str) -> None:
    """Another coup at PB1, a player wager of £10 on it."""
    served.clock.moves(timedelta(minutes=1))
    line = {
        "command": "record-coup",
        "id": f"live-{number}",
        "table": "PB1",
        "shoe": "2026-11-28-1",
        "number": number,
        "hands": hands(dealt),
        "wagers": wagers("player 1000"),
        "occurred_at": served.clock.now.isoformat(),
    }
    answer = served.sends(line)
    assert answer.status_code == 200, answer.text


def test_a_coup_shows_as_soon_as_it_is_settled_and_nothing_else_moves(watched: Visitor) -> None:
    page = watched.page
    before = {
        name: page.evaluate(
            "name => (window[name] = document.getElementById(`table-${name}`)).outerHTML", name
        )
        for name in ("BB1", "CF1", "PB1")
    }
    number = int(card(page, "PB1").locator("dl").inner_text().partition("no. ")[2].partition(",")[0])
    win = card(page, "PB1").locator(".win-today").inner_text()
    box = page.locator("#lags").bounding_box()
    deals(watched.served, number + 1, "P 2 2 / B 9 K")
    expect(card(page, "PB1").locator("dl")).to_contain_text(f"no. {number + 1}, 22:36:00 GMT")
    assert card(page, "PB1").locator(".win-today").inner_text() != win
    assert page.locator("#lags").bounding_box() == box
    for other in ("BB1", "CF1"):  # the very same elements, untouched
        assert page.evaluate("name => window[name] === document.getElementById(`table-${name}`)", other)
        assert page.evaluate("name => window[name].outerHTML", other) == before[other]
    assert page.evaluate("window.PB1 === document.getElementById('table-PB1')")  # only pieces of it are new


def test_what_somebody_has_opened_and_focused_stays_so(watched: Visitor) -> None:
    page = watched.page
    summary = card(page, "PB1").locator("summary")
    summary.focus()
    page.keyboard.press("Enter")
    text = card(page, "PB1").locator(".as-text").inner_text()
    number = int(card(page, "PB1").locator("dl").inner_text().partition("no. ")[2].partition(",")[0])
    deals(watched.served, number + 1, "P 2 2 / B 9 K")
    expect(card(page, "PB1").locator(".as-text")).to_have_text(f"{text} B")
    expect(summary).to_be_focused()


def test_a_floor_is_read_without_scripts(visits: Visits, served: AtWork) -> None:
    plain = visits(served, java_script_enabled=False).signs_in(Role.AUDITOR)
    page = plain.opens(FLOOR)
    expect(page.locator(".table-card")).to_have_count(3)
    page.get_by_role("button", name="Dark").click()
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.url.endswith(FLOOR)


def test_a_narrow_screen_scrolls_in_one_direction(visits: Visits, served: AtWork) -> None:
    page = visits(served, NARROW).signs_in(Role.AUDITOR).opens(FLOOR)
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]


def test_an_empty_floor_says_what_will_come(visits: Visits, tmp_path: Path) -> None:
    with serving(tmp_path / "empty.db") as empty:
        visitor = visits(empty).signs_in(Role.PIT)
        expect(visitor.opens(FLOOR).locator("main")).to_contain_text("No table is open.")
        visitor.check_accessible()
        visitor.page.close()
