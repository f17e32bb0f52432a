"""No key, token, cookie or password is said: by no command, in no log, at its most talkative."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from pathlib import Path

import pytest
import structlog

from ledger.terms.access import Role
from ops import logs
from ops.console.settings import ConsoleSettings
from ops.service.server import relayed_logs
from ops.service.settings import OidcSettings, ServiceSettings
from ops.settings import LOG_VARIABLE
from tests.cli.shell import run
from tests.console.test_door import Browser
from tests.service.at_work import PREMISES, at_work
from tests.service.test_tokens import AUDIENCE, GOOD, ISSUER, key_set, signed

PASSWORD = "s3cret-Of-The-Cage"
NOWHERE = f"postgresql://cage:{PASSWORD}@localhost:1/ledger"
DAY = "2026-11-27"
COMMANDS = [
    ["audit"],
    ["cage"],
    ["checkpoint"],
    ["compliance"],
    ["consumers", "list"],
    ["coup", "show", "PB1/S1/1"],
    ["db", "upgrade"],
    ["export", "csv"],
    ["feed"],
    ["import", "-"],
    ["patrons"],
    ["pnl"],
    ["project", "check"],
    ["reconcile", "--day", DAY, "--template", "-"],
    ["relay", "--nats", f"nats://relay:{PASSWORD}@localhost:1", "--give-up", "0"],
    ["serve"],
    ["verify"],
    ["migrate-store", NOWHERE, f"{NOWHERE}2"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:2]))
def test_no_command_says_the_password_of_a_server_that_does_not_answer(command: list[str]) -> None:
    done = run(*command, settings={"BACCARAT_LEDGER_DB": NOWHERE, LOG_VARIABLE: "debug"})
    assert (done.code, done.out) == (2, "")
    assert done.err
    assert PASSWORD not in done.err


def test_the_relay_says_no_password_of_nats(tmp_path: Path) -> None:
    db = tmp_path / "ledger.db"
    assert run("init", "--db", db).code == 0
    nats = ["--nats", f"nats://relay:{PASSWORD}@localhost:1", "--give-up", "0"]
    done = run("relay", "--db", db, *nats, settings={LOG_VARIABLE: "debug"})
    assert done.code == 2
    assert "relay:…@localhost" in done.err
    assert PASSWORD not in done.out + done.err


def test_a_signing_key_that_is_spoilt_is_not_quoted(tmp_path: Path) -> None:
    db, key = tmp_path / "ledger.db", tmp_path / "key"
    assert run("init", "--db", db).code == run("keys", "new", "house", "-o", key).code == 0
    secret = key.read_text().strip()
    key.write_text(secret[:-4] + "AAA=\n")
    key.chmod(0o600)
    told = [
        run("seal", "--db", db, "--key-file", key, settings={LOG_VARIABLE: "debug"}),
        run("keys", "public", key, settings={LOG_VARIABLE: "debug"}),
    ]
    assert [done.code for done in told] == [2, 2]
    assert not any(secret.rpartition("+")[2][:12] in done.out + done.err for done in told)


@contextmanager
def everything_logged(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """Every line of the log, at level debug, and what libraries warn of."""
    monkeypatch.setenv(LOG_VARIABLE, "debug")
    with redirect_stderr(io.StringIO()) as stream, relayed_logs():
        logs.configure()
        try:
            yield stream
        finally:
            structlog.reset_defaults()


def test_the_service_says_no_key_no_token_and_no_cookie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Good ones and bad ones, where they belong and where they do not."""
    (tmp_path / "jwks.json").write_bytes(key_set())
    settings = ServiceSettings(oidc=OidcSettings(ISSUER, AUDIENCE, str(tmp_path / "jwks.json")))
    with (
        everything_logged(monkeypatch) as said,
        at_work(tmp_path / "ledger.db", settings, ConsoleSettings()) as working,
    ):
        key, token = working.key("pit", Role.PIT), signed(GOOD)
        spoilt = [f"{key[:-1]}x", f"{token[:-3]}xyz", PASSWORD]
        cookies: list[str] = []
        for credential in (key, token, *spoilt):
            bearer = {"authorization": f"Bearer {credential}"}
            working.asks("GET", f"{PREMISES}/pnl", headers=bearer)
            working.asks("GET", "/v1/events", headers={"authorization": f"Basic {credential}"})
            working.asks("GET", f"{PREMISES}/pnl", params={"access_token": credential})
            working.asks("GET", f"/{credential}")
            working.asks("GET", "/console/at/main/floor", headers={"cookie": f"console={credential}"})
            browser = Browser(working)
            with browser.http:
                browser.uses(credential)
                browser.http.get("/at/main/floor")
                cookies += [cookie.value for cookie in browser.http.cookies.jar if cookie.value]
    log = said.getvalue()
    assert log.count('"request"') > 20
    assert cookies
    secrets = [key.rpartition("_")[2], token.rpartition(".")[2], PASSWORD, *cookies]
    assert not [secret for secret in secrets if secret in log]
