"""The log says what was done, by whom and why not; never whose stake it was."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from pathlib import Path
from typing import Any

import pytest
import structlog

from ledger.terms.access import Role
from ops import logs
from ops.service.server import relayed_logs
from tests.service.at_work import PREMISES, AtWork, at_work
from tests.service.test_commands import opening
from tests.service.test_tapes import HEADERS, tape_of
from tests.tabletalk import Night

PATRON = "p-secret-118"


@contextmanager
def logged(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, Any]]]:
    """What is logged at level info, as production has it: JSON, a line each."""
    monkeypatch.delenv("BACCARAT_LEDGER_LOG", raising=False)
    lines: list[dict[str, Any]] = []
    with redirect_stderr(io.StringIO()) as stream:
        logs.configure("info")
        try:
            yield lines
        finally:
            structlog.reset_defaults()
    lines += [json.loads(line) for line in stream.getvalue().splitlines()]


def test_every_request_has_a_line_with_its_id_command_and_coup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    night = Night(table="G1", prefix="g1-").opens()
    coup = night.coup(1, "P 9 K / B 7 Q", f"player 100 {PATRON}")
    with logged(monkeypatch) as lines, at_work(tmp_path / "ledger.db") as working:
        answers = working.plays(night)
        refused = working.sends({**coup, "id": "again"})
        shown = working.gets("tables/G1/shoes/S1/coups/1", Role.AUDITOR)
    requests = [line for line in lines if line["event"] == "request"]
    assert [line["request_id"] for line in requests] == [
        answer.headers["x-request-id"] for answer in [*answers, refused, shown]
    ]
    *_, played, again, looked_at = requests
    assert (looked_at["coup"], looked_at["person"]) == ("main/G1/S1/1", "auditor")
    assert (played["level"], played["command"], played["command_id"]) == ("info", "record-coup", coup["id"])
    assert (played["coup"], played["outcome"], played["person"]) == ("main/G1/S1/1", "applied", "pit")
    assert (again["status"], again["code"], again["outcome"]) == (409, "coup-number-used", "refused")
    assert again["request_id"] == refused.json()["request_id"]


def test_every_command_of_a_tape_has_a_line_with_its_request_command_and_coup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    night = Night(table="G6", prefix="g6-").opens()
    night.coup(1, "P 9 K / B 7 Q", f"player 100 {PATRON}")
    night.coup(1, "P 9 K / B 7 Q", f"player 900 {PATRON}", id="g6-again")
    content = b"".join(tape_of(night)) + PATRON.encode() + b"\n"
    with logged(monkeypatch) as lines, at_work(tmp_path / "ledger.db") as working:
        answer = working.asks("POST", "/v1/tapes", Role.PIT, content=content, headers=HEADERS)
    told = [line for line in lines if line["event"] == "command"]
    assert {line["request_id"] for line in told} == {answer.headers["x-request-id"]}
    assert {line["level"] for line in told} == {"info"}
    assert [
        (line["line"], line.get("command"), line.get("coup"), line["outcome"], line.get("code"))
        for line in told
    ] == [
        (1, "open-table", None, "applied", None),
        (2, "start-shoe", None, "applied", None),
        (3, "record-coup", "main/G6/S1/1", "applied", None),
        (4, "record-coup", "main/G6/S1/1", "refused", "coup-number-used"),
        (5, None, None, "unreadable", "not-json"),
    ]
    assert PATRON not in json.dumps(lines)


def test_a_clients_own_request_id_is_kept_if_it_could_be_one(working: AtWork) -> None:
    named = working.asks("GET", "/livez", headers={"x-request-id": "table-7.1"})
    assert named.headers["x-request-id"] == "table-7.1"
    for bad in ("a b", "x" * 65, '"; drop'):
        assert working.asks("GET", "/livez", headers={"x-request-id": bad}).headers["x-request-id"] != bad


def test_what_libraries_warn_of_is_a_line_of_the_log_without_what_they_quote(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("psycopg", "uvicorn", "uvicorn.error"):  # whoever ran before may have changed them
        for setting, value in {"disabled": False, "level": logging.NOTSET, "propagate": True}.items():
            monkeypatch.setattr(logging.getLogger(name), setting, value)
    with logged(monkeypatch) as lines, relayed_logs():
        logging.getLogger("psycopg").warning("error ignored\nin the row of %s", PATRON)
        logging.getLogger("uvicorn.error").info("Started")
        logging.getLogger("asyncio").info("nothing worth telling")
    told = [(line["event"], line["by"], line["said"]) for line in lines]
    assert told == [("server", "psycopg", "error ignored"), ("server", "uvicorn.error", "Started")]


def test_no_patron_and_no_secret_is_in_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever comes of it: played, refused, unreadable, on a tape, in a query, in a path that is none."""
    with logged(monkeypatch) as lines, at_work(tmp_path / "ledger.db") as working:
        banque = Night("chemin-de-fer", table="G2", prefix="g2-").opens()
        banque.say("seat-player", patron=PATRON, seat=1)
        banque.say("take-bank", holder=PATRON, seat=1, sum=50_000)
        working.plays(banque)
        working.sends(banque.say("take-bank", holder=PATRON, seat=1, sum=50_000))
        working.sends(banque.say("unseat-player", patron=PATRON + "-nobody"))
        working.sends({**banque.lines[-1], "id": PATRON * 12})
        working.sends({**opening("G3"), PATRON: 1})
        working.sends({**opening("G3"), "limits": {PATRON: {"max": 1}}})
        night = Night(table="G4", prefix="g4-").opens()
        night.coup(1, "P 9 K / B 7 Q", f"player 100 {PATRON}, player -5 {PATRON}")
        content = b"".join(tape_of(night)) + PATRON.encode() + b"\n"
        working.asks("POST", "/v1/tapes", Role.PIT, content=content, headers=HEADERS)
        working.gets("compliance", Role.AUDITOR, person=PATRON)
        working.gets("compliance", Role.AUDITOR, person=PATRON + " ")
        working.asks("GET", f"{PREMISES}/patrons/{PATRON}", Role.AUDITOR)
        working.asks("GET", f"{PREMISES}/tables/{PATRON}!/shoes/S/coups/1", Role.AUDITOR)
        secrets = [working.key("pit", Role.PIT).rpartition("_")[2]]
        working.asks("GET", "/v1/checkpoint", headers={"authorization": f"Bearer {PATRON}"})
    assert len([line for line in lines if line["event"] == "request"]) >= 14
    said = json.dumps(lines)
    assert PATRON not in said
    assert not any(secret in said for secret in secrets)


def test_a_fault_of_ours_is_told_as_one_and_its_values_stay_inside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client learns an id; the log says under it what kind of fault, and where in the program."""

    def breaks(*_: Any, **__: Any) -> None:
        raise RuntimeError(f"{PATRON} staked 100")

    with logged(monkeypatch) as lines, at_work(tmp_path / "ledger.db") as working:
        working.key("pit", Role.PIT)
        monkeypatch.setattr(working.house.ledger, "run_many", breaks)
        answer = working.sends(opening("G5"))
    assert (answer.status_code, answer.json()["code"]) == (500, "fault")
    assert PATRON not in answer.text
    assert "Traceback" not in answer.text
    faults = [line for line in lines if line.get("fault") == "RuntimeError"]
    assert {line["event"] for line in faults} == {"a command cannot be run", "a request failed"}
    assert any(line["request_id"] == answer.json()["request_id"] for line in faults if "request_id" in line)
    assert all(any("breaks" in frame for frame in line["at"]) for line in faults)
    assert PATRON not in json.dumps(lines)
