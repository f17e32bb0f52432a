"""`python -m tests.browser.pictures`: the README's pictures of the console, of the demo's ledger.

Wide 1440 by 900, and a narrow one of 390 by 844; needs Debian's chromium.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from ledger.terms.access import Role
from ops.chromium import ARGUMENTS, CHROMIUM
from ops.console.demo import CLOCK_AT, play_demo
from ops.wiring import open_house
from tests.browser.conftest import NARROW, WIDE, Visitor, serving

FOLDER = Path(__file__).parents[2] / "ops/console/pictures"
NIGHT = "/at/main/tables/PB1/nights/2026-11-27"
COUP = "/at/main/tables/PB1/shoes/2026-11-27-1/coups/12"
SETTLES_MS = 800
"""For a chart to be drawn."""
PICTURES = (
    ("floor", "/at/main/floor", WIDE, "light"),
    ("night", NIGHT, WIDE, "light"),
    ("coup", COUP, WIDE, "dark"),
    ("compliance", "/at/main/compliance", NARROW, "light"),
)
"""Name, address, size, colour scheme."""


def main() -> None:
    """Take them."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "demo.db"
        with open_house(str(path), create=True, clock=lambda: CLOCK_AT) as house:
            play_demo(house)
        with serving(path) as served, sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
            for name, address, size, scheme in PICTURES:
                dark = "dark" if scheme == "dark" else "light"
                context = browser.new_context(viewport=size, color_scheme=dark, locale="en-GB")  # type: ignore[arg-type]  # a size is a size
                visitor = Visitor(context, served).signs_in(*Role, person="visitor")
                page = visitor.opens(address)
                page.wait_for_timeout(SETTLES_MS)
                page.screenshot(path=FOLDER / f"{name}.png")
                context.close()
            browser.close()


if __name__ == "__main__":
    main()
