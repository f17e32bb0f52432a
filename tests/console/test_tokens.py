"""Sessions that were begun with an issuer's token."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from ops.console.refusals import SessionEnded
from ops.console.session import Sessions
from ops.console.settings import ConsoleSettings
from ops.service.settings import OidcSettings, ServiceSettings
from tests.console.test_door import Browser
from tests.service.at_work import AtWork, at_work
from tests.service.test_tokens import AUDIENCE, GOOD, ISSUER, OTHER, key_set, signed
from tests.tabletalk import NOON


@pytest.fixture
def trusting(tmp_path: Path) -> Iterator[AtWork]:
    (tmp_path / "jwks.json").write_bytes(key_set())
    oidc = OidcSettings(ISSUER, AUDIENCE, str(tmp_path / "jwks.json"))
    with at_work(tmp_path / "ledger.db", ServiceSettings(oidc=oidc)) as working:
        yield working


@pytest.fixture
def browser(trusting: AtWork) -> Iterator[Browser]:
    visiting = Browser(trusting)
    with visiting.http:
        yield visiting


def test_a_token_opens_what_its_roles_open_at_their_premises(browser: Browser) -> None:
    assert browser.uses(signed(GOOD)).status_code == 303
    assert browser.http.get("/at/main/floor").status_code == 200
    assert browser.http.get("/at/annexe/floor").status_code == 200
    assert browser.http.get("/at/third/floor").status_code == 403
    assert "<option selected>annexe</option>" in browser.http.get("/at/annexe/floor").text


def test_a_session_ends_with_its_token(browser: Browser) -> None:
    """Which ends an hour after noon."""
    browser.uses(signed(GOOD))
    statuses = []
    for _ in range(2):
        browser.served.clock.moves(timedelta(minutes=30))
        statuses.append(browser.http.get("/at/main/floor").status_code)
    assert statuses == [200, 303]


def test_a_token_that_is_not_the_issuers_begins_none(browser: Browser) -> None:
    assert browser.uses(signed(GOOD, OTHER)).status_code == 401
    assert browser.http.get("/at/main/floor").status_code == 303


def test_where_tokens_are_no_longer_taken_their_sessions_are_over(trusting: AtWork) -> None:
    house, keys = trusting.house, trusting.shared.keys

    def sessions(*, tokens_taken: bool) -> Sessions:
        asked = (b"secret", house.tables, keys, lambda: NOON, ConsoleSettings())
        return Sessions(*asked, tokens_taken=tokens_taken)

    taken = sessions(tokens_taken=True)
    assert trusting.shared.tokens is not None
    cookie = taken.written(taken.begin(trusting.shared.tokens.authenticate(signed(GOOD))))
    assert taken.read(cookie).principal is not None
    with pytest.raises(SessionEnded):
        sessions(tokens_taken=False).read(cookie)
