"""`serve` and `access keys`: from an empty folder to a served ledger, and a stop that finishes its work."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import httpx
import pytest

from ops.cli.serve import NotServed
from ops.service.settings import ServiceSettings
from tests.cli.shell import PATIENCE_SECONDS, run, start
from tests.feed.serving import wait_until
from tests.tabletalk import Night, events_of, open_ledger

PLAIN: dict[str, Any] = {"verify": False, "trust_env": False}
"""No certificates to load: that takes longer than a test."""
KEY = ("--for", "desk-1", "--role", "pit", "--role", "auditor", "--as", "admin-1")


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    assert run("init", "--db", path).code == 0
    return path


def test_a_key_is_shown_once_and_listed_without_its_secret(db: Path) -> None:
    made = run("access", "keys", "new", "table-7", "--db", db, "--days", "30", *KEY)
    assert made.code == 0
    secret = made.out.strip().rpartition("_")[2]
    assert len(secret) == 64
    listed = run("access", "keys", "list", "--db", db, "--json")
    (row,) = listed.json()["rows"]
    assert (row["key"], row["person"], row["roles"]) == ("table-7", "desk-1", ["pit", "auditor"])
    assert (row["issued_by"], row["last_used"], row["revoked_at"]) == ("admin-1", None, None)
    shown = run("access", "keys", "list", "--db", db)
    assert "table-7" in shown.out
    assert secret not in listed.out + shown.out
    assert secret.encode() not in db.read_bytes()


def test_a_key_goes_into_a_file_for_its_owner_alone(db: Path, tmp_path: Path) -> None:
    file = tmp_path / "table-7.key"
    made = run("access", "keys", "new", "table-7", "--db", db, "-o", file, *KEY)
    assert (made.code, made.out) == (0, "")
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.read_text().startswith("blk_main_table-7_")
    again = run("access", "keys", "new", "table-8", "--db", db, "-o", file, *KEY)
    assert again.code == 2
    assert len(run("access", "keys", "list", "--db", db, "--json").json()["rows"]) == 1


def test_a_key_is_revoked_once_and_its_name_used_once(db: Path) -> None:
    run("access", "keys", "new", "table-7", "--db", db, *KEY)
    revoke = ("access", "keys", "revoke", "table-7", "--db", db, "--as", "admin-2", "--reason", "Lost")
    assert run(*revoke).code == 0
    (row,) = run("access", "keys", "list", "--db", db, "--json").json()["rows"]
    assert row["revoked_by"] == "admin-2"
    assert "revoked" in run("access", "keys", "list", "--db", db).out
    assert run(*revoke).code == 2
    assert run("access", "keys", "new", "table-7", "--db", db, *KEY).code == 2
    none = ("access", "keys", "revoke", "none", "--db", db, "--as", "admin-2", "--reason", "Lost")
    assert run(*none).code == 2


def test_the_ledger_verifies_with_keys_in_it(db: Path, tmp_path: Path) -> None:
    run("access", "keys", "new", "table-7", "--db", db, *KEY)
    public = run("keys", "new", "house", "-o", tmp_path / "house.key").out.strip()
    assert run("seal", "--db", db, "--key-file", tmp_path / "house.key").code == 0
    verified = run("verify", "--db", db, "--key", public)
    assert verified.code == 0, verified.err[-1000:] + verified.out[-1000:]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--issuer", "https://login.example"),
        ("--port", "70000"),
        ("--rate", "0"),
        ("--body-bytes", "999"),
        ("--streams", "0"),
    ],
)
def test_what_cannot_be_served_is_told(db: Path, arguments: tuple[str, ...]) -> None:
    assert run("serve", "--db", db, *arguments).code == 2


LIMITS: dict[str, tuple[str, float]] = {
    "rate": ("requests_per_second", 7.5),
    "burst": ("burst", 11),
    "body_bytes": ("body_bytes_max", 5_000),
    "body_seconds": ("body_seconds", 1.5),
    "head_seconds": ("head_seconds", 2.5),
    "send_seconds": ("send_seconds", 3.5),
    "connections": ("connections_max", 12),
    "waiting": ("waiting_max", 13),
    "streams": ("streams_max", 14),
    "stop_seconds": ("stop_seconds", 15),
}
"""What `serve` calls each limit, what the settings do, and one that is not the default."""


@pytest.mark.parametrize("how", ["not at all", "as options", "in the environment"])
def test_every_limit_can_be_set_as_an_option_and_in_the_environment(
    db: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """An option that were lost on the way to the settings would be a limit that nobody can set."""
    given: list[ServiceSettings] = []

    def kept(**limits: Any) -> ServiceSettings:
        given.append(ServiceSettings(**limits))
        raise NotServed("nowhere", 0)

    monkeypatch.setattr("ops.cli.serve.ServiceSettings", kept)
    values = {name: str(value) for name, (_, value) in LIMITS.items()} if how != "not at all" else {}
    options = [text for name, value in values.items() for text in (f"--{name.replace('_', '-')}", value)]
    variables = {f"BACCARAT_LEDGER_{name.upper()}": value for name, value in values.items()}
    if how == "as options":
        assert run("serve", "--db", db, *options).code == 2
    else:
        assert run("serve", "--db", db, settings=variables).code == 2
    assert {field for field, _ in LIMITS.values()} == {one.name for one in fields(ServiceSettings)} - {"oidc"}
    wanted: dict[str, Any] = dict(LIMITS.values()) if values else {}
    assert given == [ServiceSettings(**wanted)]


def test_there_must_be_a_ledger(tmp_path: Path) -> None:
    assert run("serve", "--db", tmp_path / "none.db").code == 2


def test_without_its_extra_it_says_what_to_install(db: Path) -> None:
    script = (
        "import sys; sys.modules['uvicorn'] = None\n"
        "sys.argv = ['baccarat-ledger', 'serve', '--db', sys.argv[1]]\n"
        "from ops.cli.main import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", script, str(db)], capture_output=True, check=False)
    assert done.returncode == 2
    assert b"pip install baccarat-ledger[service]" in done.stderr


# --- A service of its own ------------------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def served(db: Path, port: int) -> subprocess.Popen[bytes]:
    process = start("serve", "--db", db, "--port", str(port), "--rate", "100000", "--burst", "100000")
    until = monotonic() + PATIENCE_SECONDS
    with httpx.Client(**PLAIN) as http:
        while True:
            try:
                if http.get(f"http://127.0.0.1:{port}/readyz").status_code == 200:
                    return process
            except httpx.TransportError:
                pass
            assert process.poll() is None
            assert monotonic() < until
            sleep(0.05)


def test_a_service_told_to_stop_finishes_what_it_accepted(db: Path) -> None:
    """Four tables play while it is stopped: what was answered is in the record, and nothing by half."""
    key = run("access", "keys", "new", "table-7", "--db", db, *KEY).out.strip()
    port = free_port()
    process = served(db, port)
    base = f"http://127.0.0.1:{port}/v1/premises/main/tables"
    bearer = {"authorization": f"Bearer {key}"}
    nights = [Night(table=f"S{number}", prefix=f"s{number}-").opens() for number in range(4)]

    def sends(http: httpx.Client, line: dict[str, Any]) -> httpx.Response:
        body = {name: value for name, value in line.items() if name not in {"actor", "command"}}
        where = f"/shoes/{body['shoe']}/coups/{body['number']}" if "number" in body else ""
        return http.post(f"{base}/{line['table']}{where}/{line['command']}", json=body, headers=bearer)

    coups: list[str] = []

    def plays(night: Night) -> tuple[list[str], str | None]:
        """The ids that were answered, and that of the one that was not, if there is one."""
        answered: list[str] = []
        with httpx.Client(**PLAIN) as http:
            for line in night.lines:
                assert sends(http, line).status_code == 200
                answered.append(line["id"])
            for number in range(1, 10_000):
                line = night.coup(number, "P 9 K / B 7 Q", "player 100")
                try:
                    answer = sends(http, line)
                except httpx.TransportError:
                    return answered, line["id"]
                if answer.status_code == 503:
                    return answered, line["id"]
                assert answer.status_code == 200, answer.text
                answered.append(line["id"])
                coups.append(line["id"])
        raise AssertionError("it never stopped")

    with ThreadPoolExecutor(len(nights)) as threads:
        playing = [threads.submit(plays, night) for night in nights]
        # Not after a time: a shoe has 32 nines, and a fast machine comes to their end.
        wait_until(lambda: len(coups) >= 20 or any(one.done() for one in playing))
        process.send_signal(signal.SIGTERM)
        told = [one.result() for one in playing]
    out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0, err.decode()[-1000:]
    assert out == b""
    for line in err.decode().splitlines()[:-1]:
        assert json.loads(line)["event"] in {"serving", "server", "request"}, line
    assert err.decode().splitlines()[-1].startswith("baccarat-ledger: stopped")

    ledger = open_ledger(db)
    for answered, last in told:
        assert answered
        for command_id in answered:
            assert len(events_of(ledger, f"command/{command_id}")) == 1
        assert last is not None
    rows = ledger.record.select_rows(0, 1_000_000)
    assert [row.sequence for row in rows] == list(range(1, len(rows) + 1))
    settled = sum(row.topic.startswith("coup-settled.") for row in rows)
    assert settled == sum(row.topic.startswith("coup-opened.") for row in rows)
    ledger.close()


def test_a_port_that_is_taken_is_told(db: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = start("serve", "--db", db, "--port", str(taken.getsockname()[1]))
        _, err = done.communicate(timeout=PATIENCE_SECONDS)
    assert done.returncode == 2
    assert b"nothing can be served at 127.0.0.1" in err
    assert b"Traceback" not in err
