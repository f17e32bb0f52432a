"""Sessions, rights, forms and headers, over a real socket."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest

from ledger.terms.access import Role
from ops.console.catalogue import PAGES
from ops.console.headers import HEADERS
from tests.service.at_work import AtWork, at_work

PREMISES_PAGES = [page for page in PAGES if page.in_navigation]
BROWSER = {"accept": "text/html", "sec-fetch-dest": "document"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AtWork]:
    with at_work(tmp_path_factory.mktemp("console") / "ledger.db") as working:
        yield working


class Browser:
    """What a browser does, without one: keeps cookies and sends the tokens of forms."""

    def __init__(self, served: AtWork) -> None:
        self.served = served
        self.http = httpx.Client(base_url=f"{served.url}/console", headers=BROWSER, trust_env=False)

    def token(self, path: str = "/sign-in") -> str:
        found = re.search(r'name="form_token" value="([0-9a-f]+)"', self.http.get(path).text)
        assert found is not None
        return found[1]

    def signs_in(self, *roles: Role, person: str = "someone") -> httpx.Response:
        return self.uses(self.served.key(person, *roles))

    def uses(self, credential: str, to: str = "") -> httpx.Response:
        form = {"form_token": self.token(), "credential": credential}
        return self.http.post(f"/sign-in{to}", data=form)


@pytest.fixture
def browser(served: AtWork) -> Iterator[Browser]:
    visiting = Browser(served)
    with visiting.http:
        yield visiting


def test_the_root_shows_browsers_the_console_and_programs_nothing(served: AtWork) -> None:
    shown = served.http.get("/", headers={"accept": "text/html,*/*"})
    assert (shown.status_code, shown.headers["location"]) == (303, "/console")
    assert served.http.get("/").status_code == 404


def test_whoever_is_not_signed_in_is_asked_to_and_then_shown_the_page(browser: Browser) -> None:
    asked = browser.http.get("/at/main/floor?x=1")
    assert asked.status_code == 303
    assert asked.headers["location"] == "/console/sign-in?to=%2Fconsole%2Fat%2Fmain%2Ffloor%3Fx%3D1"
    shown = browser.uses(browser.served.key("p", Role.PIT), "?to=%2Fconsole%2Fat%2Fmain%2Ffloor%3Fx%3D1")
    assert (shown.status_code, shown.headers["location"]) == (303, "/console/at/main/floor?x=1")


@pytest.mark.parametrize(
    "to", ["//elsewhere.example/", "/console//elsewhere", "https://elsewhere.example", "/v1/keys", "\\\\x"]
)
def test_signing_in_leads_nowhere_else(browser: Browser, to: str) -> None:
    form = {"form_token": browser.token(), "credential": browser.served.key("p", Role.PIT)}
    shown = browser.http.post("/sign-in", params={"to": to}, data=form)
    assert shown.headers["location"] == "/console/"


def test_the_cookie_is_http_only_same_site_and_without_the_secret(browser: Browser) -> None:
    answer = browser.signs_in(Role.PIT)
    cookie = answer.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(cookie.split("; "))
    assert browser.served.key("someone", Role.PIT).rpartition("_")[2] not in cookie


def test_over_https_the_cookie_goes_over_nothing_else(tmp_path: Any) -> None:
    from ops.console.settings import ConsoleSettings  # noqa: PLC0415

    with at_work(tmp_path / "ledger.db", console=ConsoleSettings(https=True)) as working:
        answer = working.http.get("/console/sign-in")
        assert answer.headers["set-cookie"].startswith("__Host-console=")
        assert "; Secure" in answer.headers["set-cookie"]
        assert "max-age" in answer.headers["strict-transport-security"]


def test_signing_in_begins_a_session_that_nobody_knew(browser: Browser) -> None:
    browser.token()
    before = browser.http.cookies["console"]
    token = browser.token()
    browser.signs_in(Role.PIT)
    assert browser.http.cookies["console"] != before
    assert browser.token("/help") != token


@pytest.mark.parametrize("text", ["", "blk_main_nobody_" + "0" * 64, "no.such.token"])
def test_a_wrong_credential_says_what_to_do(browser: Browser, text: str) -> None:
    answer = browser.uses(text)
    assert answer.status_code == 401
    assert 'role="alert"' in answer.text
    assert browser.http.get("/at/main/floor").status_code == 303


def test_a_revoked_key_opens_nothing_from_that_moment(browser: Browser) -> None:
    key = browser.served.key("somebody-else", Role.PIT)
    browser.uses(key)
    assert browser.http.get("/at/main/floor").status_code == 200
    browser.served.shared.keys.revoke("main", key.split("_")[2], "lost", "admin-0")
    assert browser.http.get("/at/main/floor").status_code == 303


def test_a_copied_cookie_opens_nothing_after_its_owner_has_signed_out(browser: Browser) -> None:
    browser.signs_in(Role.PIT)
    copied = browser.http.cookies["console"]
    browser.http.post("/sign-out", data={"form_token": browser.token("/help")})
    thief = httpx.Client(base_url=browser.http.base_url, headers=BROWSER, cookies={"console": copied})
    with thief:
        assert thief.get("/at/main/floor").status_code == 303


def test_a_session_ends_when_nobody_has_asked_for_a_page_for_an_hour(browser: Browser) -> None:
    browser.signs_in(Role.PIT)
    clock = browser.served.clock
    for _ in range(3):
        clock.moves(timedelta(minutes=50))
        assert browser.http.get("/at/main/floor").status_code == 200
    clock.moves(timedelta(minutes=60))
    assert browser.http.get("/at/main/floor").status_code == 303


def test_what_a_page_fetches_by_itself_keeps_no_session_alive(browser: Browser) -> None:
    browser.signs_in(Role.PIT)
    statuses = []
    for minutes in (50, 10):
        browser.served.clock.moves(timedelta(minutes=minutes))
        statuses.append(browser.http.get("/at/main/floor", headers={"sec-fetch-dest": "empty"}).status_code)
    assert statuses == [200, 401]


def test_a_session_ends_with_the_shift_however_busy(browser: Browser) -> None:
    browser.signs_in(Role.PIT)
    statuses = []
    for _ in range(24):
        browser.served.clock.moves(timedelta(minutes=30))
        statuses.append(browser.http.get("/at/main/floor").status_code)
    assert statuses == [200] * 23 + [303]


def test_a_cookie_that_was_altered_is_nobodys(browser: Browser) -> None:
    browser.signs_in(Role.PIT)
    cookie = browser.http.cookies["console"]
    browser.http.cookies.clear()
    browser.http.cookies.set("console", cookie[:-2] + ("AA" if cookie[-2:] != "AA" else "BB"))
    assert browser.http.get("/at/main/floor").status_code == 303


@pytest.mark.parametrize("form", [{}, {"form_token": "0" * 64}, {"form_token": ""}])
@pytest.mark.parametrize("path", ["/sign-in", "/sign-out", "/theme"])
def test_a_form_of_another_site_is_refused(browser: Browser, path: str, form: dict[str, str]) -> None:
    browser.signs_in(Role.PIT)
    answer = browser.http.post(path, data={**form, "credential": "x", "theme": "dark"})
    assert answer.status_code == 403
    assert "This form is too old" in answer.text


def test_the_token_of_one_session_is_no_good_in_another(served: AtWork) -> None:
    one, other = Browser(served), Browser(served)
    with one.http, other.http:
        one.signs_in(Role.PIT)
        other.signs_in(Role.CAGE)
        answer = other.http.post("/sign-out", data={"form_token": one.token("/help")})
        assert answer.status_code == 403


def test_a_form_has_bounds(browser: Browser) -> None:
    answer = browser.http.post("/sign-in", data={"form_token": "x" * 70_000})
    assert answer.status_code == 413


def test_the_cookie_opens_no_resource_of_the_interface(browser: Browser) -> None:
    browser.signs_in(*Role)
    cookies = {"console": browser.http.cookies["console"]}
    with httpx.Client(base_url=browser.served.url, cookies=cookies) as program:
        assert program.get("/v1/premises/main/pnl").status_code == 401


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("page", PREMISES_PAGES, ids=[page.name for page in PREMISES_PAGES])
def test_a_page_is_for_its_roles_and_its_link_for_them_too(browser: Browser, page: Any, role: Role) -> None:
    browser.signs_in(role)
    path = page.path.format(premises="main")
    answer = browser.http.get(path)
    may = role in page.roles
    assert answer.status_code == (200 if may else 403)
    assert ("What to do:" in answer.text) is not may
    link = f'<li><a href="/console{path}"'
    assert (link in browser.http.get("/help").text) is may


def test_a_role_at_one_premises_shows_nothing_of_another(browser: Browser) -> None:
    browser.signs_in(*Role)
    assert browser.http.get("/at/elsewhere/floor").status_code == 403


def test_the_first_page_is_the_first_that_one_may_see(browser: Browser) -> None:
    browser.signs_in(Role.ADMIN)
    assert browser.http.get("/").headers["location"] == "/console/regulation"
    browser.signs_in(Role.CAGE)
    assert browser.http.get("/").headers["location"] == "/console/at/main/floor"


@pytest.mark.parametrize("path", ["/sign-in", "/help", "/at/main/floor", "/no-such-page", "/at/x/floor"])
def test_every_page_tells_the_browser_to_take_nothing_from_elsewhere(browser: Browser, path: str) -> None:
    browser.signs_in(*Role)
    answer = browser.http.get(path)
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert not re.findall(r"https?:|\*", policy)
    assert answer.headers["cache-control"] == "no-store"


def test_what_is_not_there_says_what_to_do(browser: Browser) -> None:
    browser.signs_in(Role.PIT)
    answer = browser.http.get("/at/main/nothing")
    assert answer.status_code == 404
    assert "What to do:" in answer.text


def test_files_are_kept_for_ever_under_their_digests(browser: Browser) -> None:
    page = browser.http.get("/sign-in").text
    (path,) = re.findall(r'href="/console(/static/[0-9a-f]+/console\.css)"', page)
    answer = browser.http.get(path)
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-encoding"] == "gzip"
    again = browser.http.get(path, headers={"if-none-match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    plain = browser.http.get(path, headers={"accept-encoding": "identity"})
    assert plain.text == answer.text
    old = re.sub(r"[0-9a-f]{16}", "0" * 16, path)
    assert browser.http.get(old).status_code == 404
    assert browser.http.get("/static/0/..%2Fapp.py").status_code == 404


def test_live_updates_are_for_whoever_is_signed_in(browser: Browser) -> None:
    question = "/live?types=coup-settled.v1&after=0"
    assert browser.http.get(question, headers={"sec-fetch-dest": "empty"}).status_code == 401
    browser.signs_in(Role.ADMIN)
    assert browser.http.get(question).status_code == 204  # none of these types is for an admin
