"""Integrity at a browser: positions, the seal and its checkpoint, and what a run of verify said."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from ledger.terms.access import Role
from tests.browser.conftest import Visitor, Visits, serving
from tests.cli.shell import run
from tests.service.at_work import AtWork
from tests.verify.sealed import change

PAGE = "/at/main/integrity"


def fact(page: Page, name: str) -> str:
    """A figure of the page, by its name."""
    return page.locator(".fact").filter(has=page.get_by_text(name, exact=True)).locator("dd").inner_text()


def events(db: Path) -> int:
    """How many the file holds, by its own count."""
    with closing(sqlite3.connect(db)) as connection:
        ((count,),) = connection.execute("SELECT COUNT(*) FROM stored_events").fetchall()
    return int(count)


def test_the_last_checkpoint_as_it_was_signed(visitor: Visitor, demo_ledger: Path) -> None:
    page = visitor.signs_in(Role.AUDITOR).opens(PAGE)
    note = visitor.served.asks("GET", "/v1/checkpoint", Role.AUDITOR).text
    size, root = note.splitlines()[1:3]
    assert fact(page, "Signs for") == f"{int(size):,} events"
    assert fact(page, "Root") == root
    assert fact(page, "Signed by").startswith("demo+")
    assert fact(page, "The last of them recorded") == "28 Nov 2026, 22:35 GMT"
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Download it").click()
    assert downloading.value.path().read_text() == note
    keys = events(demo_ledger) - int(size)  # issued since, to whoever looks
    assert fact(page, "Not sealed yet") == f"{keys:,} events"


def test_consumers_and_relays_with_how_far_behind_they_are(
    alone: AtWork, visits: Visits, tmp_path: Path
) -> None:
    visitor = visits(alone).signs_in(Role.AUDITOR)
    owner = alone.key("accounts-7", Role.ACCOUNTING)
    answer = alone.http.put(
        "/v1/consumers/books",
        json={"expected": 0, "position": 3_000},
        headers={"authorization": f"Bearer {owner}"},
    )
    assert answer.status_code == 200, answer.text
    page = visitor.opens(PAGE)
    end = events(tmp_path / "demo.db")
    books = page.locator("#consumers tbody tr").locator("th, td").all_inner_texts()
    assert books[:4] == ["books", "accounts-7", "3,000", f"{end - 3_000:,}"]
    expect(page.locator("main")).to_contain_text("Nothing is relayed.")
    behind = page.locator("#projections tbody tr td:nth-child(3)").all_inner_texts()
    assert set(behind) == {"0"}


def test_a_run_of_verify_says_when_how_far_and_by_whom(alone: AtWork, visits: Visits, tmp_path: Path) -> None:
    visitor = visits(alone).signs_in(Role.COMPLIANCE)
    page = visitor.opens(PAGE)
    expect(page.locator("main")).to_contain_text("No run of verify was kept.")
    end = events(tmp_path / "demo.db")
    ran = run("verify", "--db", tmp_path / "demo.db", "--keep-result", "--json")
    assert ran.code == 0, ran.err
    page.reload()
    assert fact(page, "It said") == "nothing found"
    assert fact(page, "How far") == f"{end:,} of {end:,} events"
    assert fact(page, "Signatures") == "not checked"
    assert fact(page, "Held against") == "no checkpoint from elsewhere"
    expect(page.locator("main")).to_contain_text("worth as much as whoever ran it")
    # somebody who owns the file changes an event
    change(tmp_path / "demo.db", "UPDATE stored_events SET topic = 'shoe-ended.v1' WHERE sequence = 700")
    assert run("verify", "--db", tmp_path / "demo.db", "--keep-result").code == 1
    page.reload()
    assert fact(page, "It said").endswith("found, the first at event 700")
    visitor.check_accessible()


def test_an_empty_ledger_says_what_to_do(visits: Visits, tmp_path: Path) -> None:
    with serving(tmp_path / "empty.db") as empty:
        visitor = visits(empty).signs_in(Role.AUDITOR)
        page = visitor.opens(PAGE)
        expect(page.locator("main")).to_contain_text("Run baccarat-ledger seal --key-file KEY")
        expect(page.locator("main")).to_contain_text("A consumer does so by PUT /v1/consumers/NAME.")
        visitor.page.close()


def test_consumers_are_shown_to_whoever_sees_all_of_them(visitor: Visitor) -> None:
    page = visitor.signs_in(Role.COMPLIANCE).opens(PAGE)
    expect(page.locator("#projections")).to_be_visible()
    expect(page.locator("#consumers")).to_have_count(0)


@pytest.mark.parametrize("role", [Role.ACCOUNTING, Role.PIT])
def test_whoever_may_not_see_it_finds_no_link_and_is_told(visitor: Visitor, role: Role) -> None:
    page = visitor.signs_in(role).opens(PAGE)
    expect(page.get_by_role("heading", level=1)).to_have_text("This is not for your role")
    expect(page.get_by_role("link", name="Integrity")).to_have_count(0)
    visitor.faults.clear()
