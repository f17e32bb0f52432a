"""A table's one night, as somebody at a browser sees it: against the tape and the oracle."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from ledger.terms.access import Role
from ops.rehearsal.next_evening import next_evening
from tests.browser.conftest import NARROW, Visitor, Visits
from tests.browser.reading import Opens, reading
from tests.oracle.night import pnl as oracle
from tests.projections.houses import evening
from tests.service.at_work import AtWork

PB1 = "/at/main/tables/PB1/nights/2026-11-27"
CF1 = "/at/main/tables/CF1/nights/2026-11-27"
TONIGHT = "/at/main/tables/CF1/nights/2026-11-28"


@cache
def tape() -> list[dict[str, Any]]:
    """All that the demo has played."""
    return [*evening(), *json.loads(json.dumps(list(next_evening())))]


@cache
def oracles_rows() -> list[dict[str, Any]]:
    return oracle(tape())


def oracles(name: str, table: str, day: str = "2026-11-27") -> list[Any]:
    """A figure of each shift of a night, by the oracle."""
    rows = [row for row in oracles_rows() if (row["table"], row["gaming_day"]) == (table, day)]
    return [row[name] for row in sorted(rows, key=lambda row: row["shift"])]


def pounds(pence: int | Fraction, *, signed: bool = False) -> str:
    minor = round(pence)
    sign = "\N{MINUS SIGN}" if minor < 0 else "+" if signed and minor else ""
    return f"{sign}£{abs(minor) // 100:,}.{abs(minor) % 100:02}"


def column(page: Page, listing: str, heading: str) -> list[str]:
    """The cells of a table's column, top to bottom."""
    table = page.locator(f"#{listing} table")
    titles = table.locator("thead th").all_inner_texts()
    at = next(nth for nth, title in enumerate(titles, start=1) if title.strip(" ↑↓") == heading)
    return [text.strip() for text in table.locator(f"tbody tr > :nth-child({at})").all_inner_texts()]


def fact(page: Page, name: str) -> Locator:
    return page.locator(".fact", has=page.locator("dt", has_text=name)).locator("dd")


@pytest.fixture(scope="module")
def opens(browser: Browser, served: AtWork) -> Iterator[Opens]:
    with reading(browser, served) as opened:
        yield opened


def test_the_nights_win_and_expectation_are_the_oracles(visitor: Visitor) -> None:
    """The chart ends where the P&L does, with the correction of the day after in it."""
    page = visitor.signs_in(Role.AUDITOR).opens(PB1)
    win, expected = sum(oracles("win", "PB1")), sum(map(Fraction, oracles("theoretical_win", "PB1")))
    expect(fact(page, "House’s win")).to_have_text(pounds(win, signed=True))
    expect(fact(page, "Expected")).to_have_text(pounds(expected, signed=True))
    expect(page.locator(".plot .main-svg").first).to_be_visible()
    drawn = json.loads(page.locator("#figure-house").text_content() or "")["data"]
    assert [trace["name"] for trace in drawn if "name" in trace] == [
        "± 2 standard deviations",
        "± 1 standard deviation",
        "expected",
        "win, house",
    ]
    assert round(Fraction(drawn[-1]["y"][-1]) * 100) == win
    assert round(Fraction(drawn[-2]["y"][-1]) * 100) == round(expected)
    summary = page.locator(".plot").get_attribute("aria-label") or ""
    assert f"won {pounds(win)} over {len(drawn[-1]['x'])} coups" in summary


def test_shifts_kinds_and_coups_add_up_to_the_oracles_figures(opens: Opens) -> None:
    page = opens(PB1)
    assert column(page, "shifts", "House’s win") == [
        pounds(win, signed=True) for win in oracles("win", "PB1")
    ]
    assert column(page, "shifts", "Handle") == [pounds(sum_) for sum_ in oracles("handle", "PB1")]
    assert column(page, "shifts", "Drop") == ["£4,232.50", "£4,932.50"]  # as the tape counts the boxes
    foot = page.locator("#kinds tfoot").inner_text()
    assert pounds(sum(oracles("handle", "PB1"))) in foot
    assert pounds(sum(oracles("win", "PB1")), signed=True) in foot
    assert column(page, "coups", "State").count("settled") == sum(oracles("coups", "PB1")) - 1
    assert column(page, "coups", "State").count("corrected") == 1


def test_every_coup_leads_to_its_page(opens: Opens) -> None:
    page = opens(PB1)
    links = page.locator("#coups tbody th a")
    assert links.count() == sum(oracles("coups", "PB1")) + 2  # one held, one void
    page.locator("#coups tbody tr").nth(11).get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Coup 12 of shoe 2026-11-27-1 at table PB1")


def test_who_held_the_bank_is_what_the_tape_says(opens: Opens) -> None:
    """Each bank that a player took or was passed, its sum, and under which paragraph it must pass."""
    page = opens(CF1)
    said = [
        line
        for line in evening()
        if line["table"] == "CF1"
        and line["command"] in {"take-bank", "pass-bank"}
        and line.get("capacity", "player") == "player"
    ]
    assert column(page, "bank", "Holder") == [line["holder"] for line in said]
    assert column(page, "bank", "Put up") == [pounds(line["sum"]) for line in said]
    assert set(column(page, "bank", "Capacity")) == {"player"}
    passes = column(page, "bank", "Lost, must pass")
    assert passes[0] == "6(6)"
    assert sum(mark == "6(6)" for mark in passes) >= column(page, "bank", "Then").count("passed")
    won = pounds(sum(oracles("banker_win", "CF1")), signed=True)
    expect(fact(page, "Players’ banks’ win")).to_have_text(won)
    expect(page.locator("main")).to_contain_text("nothing of this is the house’s win")
    expect(page.locator(".fact dt", has_text="House’s win")).to_have_count(0)


def test_an_interest_that_bars_the_bank_is_shown_with_its_paragraph(opens: Opens) -> None:
    page = opens("/at/main/tables/PB1/nights/2026-11-28")
    (who,) = column(page, "interests", "Who")
    assert who == "p-51ac07"
    assert column(page, "interests", "The bank may not stand with it") == ["6(5)(b)"]
    assert column(page, "interests", "Declared") == ["19:51:36 GMT"]
    assert column(page, "interests", "Withdrawn") == ["19:52:36 GMT"]
    page.locator("#interests").get_by_role("link", name="6(5)(b)").click()
    expect(page.locator(":target dd")).to_contain_text("no person other than the holder of the licence")


def test_what_the_cage_saw_by_the_arithmetic_of_the_tape(opens: Opens) -> None:
    """Three fills of £2,000, a credit of £1,000: drop + closer + credits - opener - fills."""
    page = opens(PB1)
    moves = list(zip(column(page, "moves", "Slip"), column(page, "moves", "Amount"), strict=True))
    for slip, amount in {"PB1-04411": "£2,000.00", "PB1-04412": "£1,000.00"}.items():
        assert (slip, amount) in moves
    lines = {line["command"]: line for line in evening() if line["table"] == "PB1"}
    opener, closer = (
        sum(int(chip) * count for chip, count in lines[name][part]["chips"].items())
        for name, part in (("open-table", "opener"), ("close-table", "closer"))
    )
    win = 423_250 + 493_250 + closer + 100_000 - opener - 600_000
    assert pounds(win, signed=True) in page.locator("#cage tfoot").inner_text()
    assert pounds(opener) in page.locator("#cage tfoot").inner_text()


@pytest.mark.parametrize(
    ("role", "sees", "does_not_see"),
    [
        (Role.PIT, {"coups", "moves", "bank", "interests"}, {"shifts", "kinds", "cage"}),
        (Role.CAGE, {"coups", "moves", "cage"}, {"shifts", "kinds", "bank", "interests"}),
        (Role.ACCOUNTING, {"coups", "moves", "cage", "shifts", "kinds"}, {"bank", "interests"}),
        (Role.COMPLIANCE, {"coups", "moves", "bank", "interests", "shifts"}, {"cage"}),
    ],
)
def test_a_night_shows_what_the_role_may_see(
    opens: Opens, role: Role, sees: set[str], does_not_see: set[str]
) -> None:
    page = opens(TONIGHT, role)
    shown = set(page.locator(".listing").evaluate_all("all => all.map(one => one.id)"))
    quiet = page.locator("main").inner_text()
    shown |= {"interests"} if "Nobody has declared" in quiet else set()
    assert sees <= shown
    assert not does_not_see & shown
    assert ("p-f717bc" in page.content()) is ("bank" in sees)
    assert ("drop" in column(page, "moves", "What")) is False  # counted at the end of the shift
    assert (page.locator(".plot").count() == 1) is ("shifts" in sees)


def test_the_pit_does_not_learn_what_is_in_its_boxes(opens: Opens) -> None:
    page = opens(PB1, Role.PIT)
    assert "drop" not in column(page, "moves", "What")
    assert "4,232.50" not in page.content()
    assert "Bank’s win" not in page.locator("#coups thead").inner_text()


def test_tables_sort_and_download_by_the_keyboard(opens: Opens) -> None:
    page = opens(PB1)
    for way in ("ascending", "descending"):
        page.locator("#coups thead").get_by_role("link", name="Bank’s win").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#coups th[aria-sort]")).to_have_attribute("aria-sort", way)
    first = page.locator("#coups tbody tr").first.locator("[data-value]").nth(8)
    wins = page.locator("#coups tbody tr > :nth-child(9)").evaluate_all(
        "cells => cells.map(cell => cell.dataset.value).filter(Boolean).map(Number)"
    )
    assert int(first.get_attribute("data-value") or 0) == max(wins)
    assert wins == sorted(wins, reverse=True)
    download = page.locator("#coups .download")
    download.focus()
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    with Path(waiting.value.path()).open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert sum(int(row["win"]) for row in rows if row["win"]) == sum(oracles("win", "PB1"))


def test_a_night_keeps_nobody_out_and_fits_a_narrow_screen(visits: Visits, served: AtWork) -> None:
    visitor = visits(served, NARROW).signs_in(Role.AUDITOR)
    page = visitor.opens(TONIGHT)
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
    visitor.check_accessible()


def test_a_night_that_was_not_says_so(opens: Opens) -> None:
    page = opens("/at/main/tables/PB1/nights/2026-01-01", may_fail=True)
    expect(page.get_by_role("heading", level=1)).to_have_text("There is nothing here")
