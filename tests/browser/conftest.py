"""A browser on a console: one server and one browser for all of it, and a page that takes nothing amiss.

The ledger is the demo's (`ops.rehearsal.next_evening`). A test that writes to it has one of its own: `alone`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfile
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from ledger.terms.access import Role
from ops.chromium import ARGUMENTS, CHROMIUM
from ops.console.demo import CLOCK_AT, play_demo
from ops.wiring import open_house
from tests.service.at_work import AtWork, at_work

WIDE, NARROW = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
SCHEMES = ("light", "dark")
SERIOUS = frozenset({"serious", "critical"})


class Visitor:
    """Somebody at a browser: signs in, looks at pages, and is told whatever goes wrong in them.

    Attributes:
        page: the browser's page.
        faults: console errors, errors of scripts, and requests to another host, so far.
    """

    def __init__(self, context: BrowserContext, served: AtWork) -> None:
        self.page: Page = context.new_page()
        self.served = served
        self.faults: list[str] = []
        self.page.on("console", self._hears)
        self.page.on("pageerror", lambda error: self.faults.append(f"script: {error}"))
        self.page.on("request", lambda request: self._asks(request.url))

    def _hears(self, said: ConsoleMessage) -> None:
        if said.type == "error":
            self.faults.append(f"console: {said.text}")

    def _asks(self, url: str) -> None:
        if (
            not url.startswith(("data:", "blob:"))
            and urlsplit(url).netloc != urlsplit(self.served.url).netloc
        ):
            self.faults.append(f"another host: {url}")

    def signs_in(self, *roles: Role, person: str | None = None) -> Visitor:
        """Sign in with a key that has these roles at `main`."""
        self.page.goto(f"{self.served.url}/console/sign-in")
        self.page.get_by_label("Your key or token").fill(self.served.key(person or "-".join(roles), *roles))
        self.page.get_by_role("button", name="Sign in").click()
        self.page.wait_for_url("**/console/**")
        return self

    def opens(self, path: str) -> Page:
        """Open a page of the console, by its address after `/console`."""
        self.page.goto(f"{self.served.url}/console{path}")
        return self.page

    def check_accessible(self) -> None:
        """That axe-core finds nothing serious in the page that is open, in either colour scheme."""
        for scheme in SCHEMES:
            self.page.emulate_media(color_scheme="light" if scheme == "light" else "dark")
            found = Axe().run(self.page).response["violations"]
            told = [
                f"{scheme}: {one['id']}: {node['html'][:160]} {node['failureSummary'][:300]}"
                for one in found
                if one["impact"] in SERIOUS
                for node in one["nodes"]
            ]
            assert told == []


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Debian's chromium. Missing, it is a failure in CI, and elsewhere a skip with the reason.

    No longer than these tests: its driver keeps an event loop running, and no other test could run one.
    """
    if not CHROMIUM.exists():
        reason = f"{CHROMIUM} is not there: apt-get install chromium"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=CHROMIUM, headless=True, args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def demo_ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's ledger, which nobody writes to."""
    path = tmp_path_factory.mktemp("console") / "demo.db"
    with open_house(str(path), create=True, clock=lambda: CLOCK_AT) as house:
        play_demo(house)
    return path


@contextmanager
def serving(path: Path) -> Iterator[AtWork]:
    """A service on a ledger of the demo's, whose clock stands where the demo's evening has come to."""
    with at_work(path) as working:
        working.clock.now = CLOCK_AT
        yield working


@pytest.fixture(scope="session")
def served(demo_ledger: Path) -> Iterator[AtWork]:
    """One server for every test that only looks."""
    with serving(demo_ledger) as working:
        yield working


@pytest.fixture
def alone(demo_ledger: Path, tmp_path: Path) -> Iterator[AtWork]:
    """A server on a ledger of its own, for a test that writes."""
    copy = tmp_path / "demo.db"
    copyfile(demo_ledger, copy)
    with serving(copy) as working:
        yield working


Visits = Callable[..., Visitor]


@pytest.fixture
def visits(browser: Browser) -> Iterator[Visits]:
    """Makes visitors; at the end none of their pages may have had a fault."""
    contexts: list[BrowserContext] = []
    visitors: list[Visitor] = []

    def visit(served: AtWork, size: dict[str, int] = WIDE, **more: object) -> Visitor:
        context = browser.new_context(viewport=size, locale="en-GB", **more)  # type: ignore[arg-type]
        contexts.append(context)
        visitors.append(Visitor(context, served))
        return visitors[-1]

    yield visit
    for context in contexts:
        context.close()
    assert [fault for visitor in visitors for fault in visitor.faults] == []


@pytest.fixture
def visitor(visits: Visits, served: AtWork) -> Visitor:
    """Somebody who only looks."""
    return visits(served)
