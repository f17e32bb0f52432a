"""One coup, as somebody at a browser sees it, and as it comes out of a printer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from ledger.terms.access import Role
from tests.browser.conftest import NARROW, Visitor, Visits, serving
from tests.browser.reading import Opens, reading
from tests.browser.test_table import column
from tests.projections.houses import evening
from tests.projections.tampered import behind_its_back
from tests.service.at_work import AtWork

DISPUTED = "/at/main/tables/PB1/shoes/2026-11-27-1/coups/12"
RESOURCE = "tables/PB1/shoes/2026-11-27-1/coups/12"
WIDTH_OF_A4, HEIGHT_OF_A4 = 595, 842
"""In points."""


def sheets(page: Page) -> list[tuple[int, int]]:
    """The sheets that the page prints on, as wide and high as they are in points."""
    pdf = page.pdf(prefer_css_page_size=True)
    boxes = re.findall(rb"/MediaBox\s*\[0 0 ([0-9.]+) ([0-9.]+)\]", pdf)
    assert len(boxes) == len(re.findall(rb"/Type\s*/Page\b", pdf))
    return [(round(float(width)), round(float(height))) for width, height in boxes]


ONE_SHEET = [(WIDTH_OF_A4, HEIGHT_OF_A4)]


@pytest.fixture(scope="module")
def opens(browser: Browser, served: AtWork) -> Iterator[Opens]:
    with reading(browser, served) as opened:
        yield opened


def test_the_cards_in_the_order_of_the_deal_with_what_drew_them(opens: Opens) -> None:
    """Nine and six are five and draw; three and nine are two, which draws against a three."""
    page = opens(DISPUTED)
    assert page.locator(".deal .card").evaluate_all("all => all.map(one => one.ariaLabel)") == [
        "nine of clubs",
        "three of spades",
        "six of spades",
        "nine of spades",
        "three of diamonds",
        "ten of clubs",
    ]
    assert page.locator(".deal .why").all_inner_texts() == [
        "Player draws on 5",
        "Banker draws on 2 against a third card of 3",
    ]


def test_wagers_with_their_arithmetic_and_paragraph(opens: Opens) -> None:
    """By the ruling it is eight to eight: stakes on the banker stand off, that on the player is void."""
    page = opens(DISPUTED)
    assert column(page, "wagers", "Ended") == ["stand-off", "void", "stand-off", "stand-off"]
    assert column(page, "wagers", "Stake") == ["£25.00", "£22.50", "£50.00", "£10.00"]
    assert column(page, "wagers", "Paid out") == ["£25.00", "£22.50", "£50.00", "£10.00"]
    assert column(page, "wagers", "Under") == [
        "house rule (reg 2(2))",
        "6(4)(a)",
        "house rule (reg 2(2))",
        "house rule (reg 2(2))",
    ]
    page.locator("#wagers").get_by_role("link", name="6(4)(a)").click()
    expect(page.locator(":target dd")).to_contain_text("in a draw between the banker’s hand and that hand")


def test_a_correction_stands_beside_what_it_corrected(opens: Opens) -> None:
    """Eight had beaten two: the player's £22.50 had been paid at evens, and the others had lost."""
    page = opens(DISPUTED)
    rows = page.locator(".ruling tbody tr")
    assert (
        rows.nth(0).locator(".card").evaluate_all("all => all.map(one => one.ariaLabel)")[5] == "ten of clubs"
    )
    assert (
        rows.nth(0).locator(".card").evaluate_all("all => all.map(one => one.ariaLabel)")[11]
        == "six of clubs"
    )
    assert [rows.nth(nth).locator("td").all_inner_texts() for nth in (1, 2)] == [
        ["lost £25.00 lost", "stand-off £25.00 handed back", "+£25.00"],
        [
            "won £22.50 at 1 to 1 = £22.50, and £22.50 handed back",
            "void £22.50 handed back",
            "\N{MINUS SIGN}£22.50",
        ],
    ]
    expect(page.locator(".ruling")).to_contain_text("approved by duty-manager-01 and compliance-02")


SAYS = {
    "player": "beats the banker's hand",
    "banker": "loses to the banker's hand",
    "tie": "equals the banker's hand",
}


def points(cards: str) -> int:
    """What a hand counts, worked out here."""
    ranks = [re.sub("[cdhs]$", "", card) for card in cards.split()]
    return sum(1 if rank == "A" else int(rank) if rank in "23456789" else 0 for rank in ranks) % 10


def winner(line: dict[str, Any]) -> str:
    player, banker = (points(line["hands"][name]) for name in ("player", "banker"))
    return "player" if player > banker else "banker" if banker > player else "tie"


def test_a_false_claim_stands_against_the_cards(opens: Opens) -> None:
    line = next(
        line
        for line in evening()
        if line["command"] == "record-coup"
        and line["table"] == "PB1"
        and line.get("claimed", winner(line)) != winner(line)
    )
    page = opens(f"/at/main/tables/PB1/shoes/{line['shoe']}/coups/{line['number']}")
    claim = page.locator("section", has=page.get_by_role("heading", name="Claim against cards"))
    expect(claim).to_contain_text(f"claimed that the player's hand {SAYS[line['claimed']]}")
    expect(claim).to_contain_text(f"by the cards as dealt it {SAYS[winner(line)]}")
    expect(claim).to_contain_text("They differ")


def test_the_seal_holds_and_the_bundle_is_the_services(opens: Opens, served: AtWork) -> None:
    page = opens(DISPUTED)
    expect(page.locator(".fact", has_text="The seal").locator("dd")).to_have_text("holds")
    expect(page.locator(".record")).to_contain_text("Covered by the checkpoint of baccarat-ledger/")
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download the bundle").click()
    bundle = served.gets(f"{RESOURCE}/bundle", Role.AUDITOR).content
    assert Path(waiting.value.path()).read_bytes() == bundle
    assert waiting.value.suggested_filename == "coup-PB1-2026-11-27-1-12.json"


def test_a_record_that_was_altered_is_told_so(demo_ledger: Path, tmp_path: Path, visits: Visits) -> None:
    """Somebody makes a stake of 2500 one of 2600 behind the ledger's back."""
    copy = tmp_path / "altered.db"
    copyfile(demo_ledger, copy)
    with behind_its_back(copy) as file:
        (table,) = file.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '%events'"
        ).fetchone()
        changed = file.execute(
            f"UPDATE {table} SET state = CAST(replace(CAST(state AS TEXT), '2500', '2600') AS BLOB) "
            "WHERE originator_id = 'coup/main/PB1/2026-11-27-1/12' AND topic = 'wagers-placed.v1'"
        )
        assert changed.rowcount == 1
    with serving(copy) as altered:
        visitor = visits(altered).signs_in(Role.AUDITOR)
        page = visitor.opens(DISPUTED)
        expect(page.locator(".fact", has_text="The seal").locator("dd")).to_have_text("does not hold")
        expect(page.locator(".record")).to_contain_text("The record is not what was sealed")
        visitor.page.close()


def test_a_coup_with_ten_wagers_prints_on_one_sheet(alone: AtWork, visits: Visits) -> None:
    kinds = ("player", "banker", "tie", "player", "banker")
    wagers = [
        {
            "id": f"w{nth}",
            "kind": kinds[nth % 5],
            "stake": 2500 + 500 * nth,
            "patron": f"p-{nth:06}",
            "seat": nth,
        }
        for nth in range(1, 11)
    ]
    line = {
        "command": "record-coup",
        "id": "ten",
        "table": "PB1",
        "shoe": "2026-11-28-1",
        "number": 900,
        "hands": {"player": "2 3 4", "banker": "A 2 K"},
        "claimed": "banker",
        "wagers": wagers,
        "occurred_at": alone.clock.now.isoformat(),
    }
    assert alone.sends(line).status_code == 200
    visitor = visits(alone).signs_in(Role.AUDITOR)
    page = visitor.opens("/at/main/tables/PB1/shoes/2026-11-28-1/coups/900")
    assert len(column(page, "wagers", "Wager")) == 10
    assert sheets(page) == ONE_SHEET


def test_a_dispute_from_search_to_the_printed_sheet(visitor: Visitor) -> None:
    """With the keyboard alone: from the floor, by what the patron says, to a sheet with all of it."""
    page = visitor.signs_in(Role.COMPLIANCE).opens("/at/main/floor")
    page.keyboard.press("/")
    page.keyboard.type("PB1 27 Nov 2026 19:53")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Coup 12 of shoe 2026-11-27-1 at table PB1")
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Fri 27 Nov 2026")).to_be_focused()
    disputes = page.locator("section", has=page.get_by_role("heading", name="Disputes"))
    expect(disputes).to_contain_text("D-1041")
    expect(disputes).to_contain_text("within eight weeks: The patron was right")
    assert sheets(page) == ONE_SHEET
    page.emulate_media(media="print")
    for told in (".deal", "#wagers", ".ruling", ".record", ".law"):
        expect(page.locator(told)).to_be_visible()
    for clicked in (".find", ".download", ".button", ".steps"):
        expect(page.locator(clicked).first).to_be_hidden()


@pytest.mark.parametrize(
    ("role", "tokens", "proof"),
    [(Role.PIT, True, False), (Role.ACCOUNTING, False, False), (Role.COMPLIANCE, True, True)],
)
def test_who_staked_is_for_those_who_may_see_it(
    visitor: Visitor, role: Role, tokens: bool, proof: bool
) -> None:
    page = visitor.signs_in(role).opens(DISPUTED)
    for token in ("p-06a4db", "p-0066c3", "p-da6559", "p-7e9c3a"):
        assert (token in page.content()) is tokens
    assert ("D-1041" in page.content()) is tokens
    assert (page.get_by_role("link", name="Download the bundle").count() == 1) is proof
    assert column(page, "wagers", "Stake")[0] == "£25.00"
    csv = page.request.get(f"{page.url}?as=wagers.csv").text()
    assert ("p-06a4db" in csv) is tokens


def test_single_coups_are_not_for_the_cage(opens: Opens) -> None:
    page = opens(DISPUTED, Role.CAGE, may_fail=True)
    expect(page.get_by_role("heading", level=1)).to_have_text("This is not for your role")
    assert page.request.get(f"{page.url}/bundle").status == 403


def test_a_coup_keeps_nobody_out_and_fits_a_narrow_screen(visits: Visits, served: AtWork) -> None:
    visitor = visits(served, NARROW).signs_in(Role.AUDITOR)
    page = visitor.opens(DISPUTED)
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
    visitor.check_accessible()
