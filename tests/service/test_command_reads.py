"""Whoever lost the answer to a command asks what came of it."""

from __future__ import annotations

import json

import pytest

from ledger.terms.access import Role
from tests.service.at_work import PREMISES, AtWork, code_of
from tests.service.test_consents import held, ruled
from tests.service.test_tapes import HEADERS, evening, tape_of
from tests.tabletalk import Night

PIT, CAGE, ACCOUNTING, COMPLIANCE, AUDITOR, ADMIN = Role


def test_a_command_that_was_applied_says_so(working: AtWork) -> None:
    night = evening("K1", 1)
    working.plays(night)
    answer = working.gets(f"commands/{night.lines[-1]['id']}", PIT)
    assert answer.status_code == 200
    told = answer.json()
    assert (told["command"], told["outcome"], told["stage"]) == ("record-coup", "applied", "settled")
    assert (told["subject"], told["actor"]) == ("coup/main/K1/S1/1", "pit")
    assert "code" not in told
    (row,) = working.house.ledger.record.select_stream(f"command/{night.lines[-1]['id']}")
    assert told["sequence"] == row.sequence


def test_a_command_that_was_refused_says_why_with_its_paragraph(working: AtWork) -> None:
    """At chemin de fer the bank is lost when an opposing hand wins, so 6(7)(a) allows no tie wager."""
    night = Night("chemin-de-fer", table="K2", prefix="k2-").opens()
    working.plays(night)
    refused = working.sends(night.say("change-offer", id="K2-tie", kinds=["player", "tie"]))
    assert refused.status_code == 409
    told = working.gets("commands/K2-tie", PIT).json()
    assert (told["outcome"], told["code"]) == ("refused", "kind-not-available")
    assert told["paragraph"].startswith("6(7)")
    assert (told["detail"], told["paragraph"]) == (refused.json()["detail"], refused.json()["paragraph"])


def test_also_one_from_a_tape(working: AtWork) -> None:
    content = b"".join(tape_of(evening("K3", 1)))
    working.asks("POST", "/v1/tapes", PIT, content=content, headers=HEADERS)
    command_id = json.loads(content.splitlines()[-1])["id"]
    assert working.gets(f"commands/{command_id}", PIT).json()["outcome"] == "applied"


def test_one_that_was_not_run_is_not_known(working: AtWork) -> None:
    """Also one that was rejected, which the record does not have, and one that waits for consents."""
    night = evening("K4", 1)
    late = working.sends({**night.lines[0], "id": "K4-late", "occurred_at": "2100-01-01T00:00:00Z"})
    assert late.status_code == 422
    line = ruled(held(working, "K5"), "pit-1", "law-1")
    assert working.sends(line, PIT, person="dealer-1").status_code == 202
    for command_id in ("K4-never", "K4-late", line["id"]):
        answer = working.gets(f"commands/{command_id}", PIT)
        assert (answer.status_code, code_of(answer)) == (404, "not-found")


@pytest.mark.parametrize(
    ("role", "may"),
    [(PIT, True), (COMPLIANCE, True), (AUDITOR, True), (CAGE, False), (ACCOUNTING, False), (ADMIN, False)],
)
def test_it_is_for_who_may_send_it_and_who_reads_of_commands_in_the_feed(
    working: AtWork, role: Role, may: bool
) -> None:
    night = evening(f"K6-{role}", 1)
    working.plays(night)
    assert working.gets(f"commands/{night.lines[0]['id']}", role).status_code == (200 if may else 403)


def test_whoever_may_send_such_a_command_may_ask_for_it(working: AtWork) -> None:
    night = evening("K7", 1)
    working.plays(night)
    drop = night.say("count-drop", amount=100)
    assert working.sends(drop, CAGE).status_code == 200
    assert working.gets(f"commands/{drop['id']}", CAGE).json()["outcome"] == "applied"
    assert working.gets(f"commands/{drop['id']}", ACCOUNTING).status_code == 403


def test_of_another_premises_nothing_is_told(working: AtWork) -> None:
    night = evening("K8", 1)
    working.plays(night)
    key = working.key("abroad", *Role, premises="annexe")
    for premises, status in (("annexe", 404), ("main", 403)):
        path = f"/v1/premises/{premises}/commands/{night.lines[0]['id']}"
        answer = working.asks("GET", path, headers={"authorization": f"Bearer {key}"})
        assert answer.status_code == status
    assert PREMISES.endswith("/main")
