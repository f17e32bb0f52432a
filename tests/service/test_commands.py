"""Commands over HTTP: each runs once, and is answered as the ledger answers it."""

from __future__ import annotations

import gzip
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any, get_args

import pytest

from ledger.commands import Command, digest_of
from ledger.events.command import CommandRecorded
from ledger.terms.access import Role
from ops.service.commands import KEYS_OWN, TAGS
from ops.service.permissions import COMMAND_ROLES
from tests.service.at_work import AtWork, as_request, code_of
from tests.tabletalk import Night, command, events_of, hands, wagers

OPEN = "/v1/premises/main/tables/{}/open-table"


def opening(table: str, **facts: Any) -> dict[str, Any]:
    """The line that opens a table, without its actor."""
    line = Night(table=table, prefix=f"{table}-").opens(**facts).lines[0]
    return {name: value for name, value in line.items() if name != "actor"}


def test_every_command_has_a_resource_and_roles() -> None:
    listed = [one for members in TAGS.values() for one in members]
    assert len(listed) == len(set(listed))
    assert {*listed, *KEYS_OWN} == set(get_args(Command)) == set(COMMAND_ROLES)


def test_a_coup_over_http_is_the_coup_of_a_tape(working: AtWork) -> None:
    """19 to 20 on 2,500 pence is 2,375 (reg 6(7)(i)); the record has the digest of the line."""
    night = Night(table="A1", prefix="a1-").opens()
    coup = night.coup(1, "P 3 3 / B 2 2 3", "banker 2500")
    answers = working.plays(night)
    assert answers[-1].json() == {
        "command_id": coup["id"],
        "outcome": "applied",
        "subject": "coup/main/A1/S1/1",
        "stage": "settled",
        "repeat": False,
    }
    shown = working.gets("tables/A1/shoes/S1/coups/1", Role.AUDITOR).json()
    (line,) = shown["lines"]
    assert (line["outcome"], line["winnings"], line["paragraph"]) == ("won", 2375, "6(7)(i)")
    (recorded,) = events_of(working.house.ledger, f"command/{coup['id']}")
    assert isinstance(recorded, CommandRecorded)
    assert recorded.actor == "pit"
    assert recorded.digest == digest_of(command({**coup, "actor": "pit"}))


def test_the_same_request_again_has_the_first_answer_again(working: AtWork) -> None:
    line = opening("A2")
    first, second = working.sends(line), working.sends(line)
    assert (first.status_code, second.status_code) == (200, 200)
    assert second.json() == first.json() | {"repeat": True}


def test_the_same_id_for_something_else_is_a_conflict(working: AtWork) -> None:
    assert working.sends(opening("A3")).status_code == 200
    answer = working.sends(opening("A3", shift="late"))
    assert (answer.status_code, code_of(answer)) == (409, "command-id-used")
    assert answer.json()["outcome"] == "rejected"


def test_the_idempotency_key_is_the_commands_id(working: AtWork) -> None:
    path, body = as_request(opening("A4"))
    key = {"idempotency-key": body.pop("id")}
    answer = working.asks("POST", path, Role.PIT, json=body, headers=key)
    assert answer.json()["command_id"] == key["idempotency-key"]
    again = working.asks("POST", path, Role.PIT, json={**body, "id": "A4-1"}, headers=key)
    assert again.json()["repeat"] is True
    other = working.asks("POST", path, Role.PIT, json={**body, "id": "A4-2"}, headers=key)
    assert (other.status_code, code_of(other)) == (400, "said-twice")


def test_two_idempotency_keys_are_no_key(working: AtWork) -> None:
    """Whichever of them were taken, sending it again through another proxy might run it again."""
    path, body = as_request(opening("A14"))
    del body["id"]
    headers = [("authorization", f"Bearer {working.key('pit', Role.PIT)}")]
    headers += [("idempotency-key", "A14-1"), ("idempotency-key", "A14-2")]
    answer = working.http.post(path, json=body, headers=headers)
    assert (answer.status_code, code_of(answer)) == (400, "said-twice")
    same = working.http.post(path, json=body, headers=[*headers[:2], headers[1]])
    assert same.json()["command_id"] == "A14-1"


def test_an_id_is_one_command_at_all_premises(working: AtWork) -> None:
    """Another premises that uses it again is told, and learns nothing of what it was used for."""
    path, body = as_request(opening("A15"))
    assert working.asks("POST", path, Role.PIT, json=body).status_code == 200
    bearer = {"authorization": f"Bearer {working.key('pit-a', Role.PIT, premises='annexe')}"}
    answer = working.http.post(path.replace("main", "annexe"), json=body, headers=bearer)
    assert (answer.status_code, code_of(answer)) == (409, "command-id-used")
    assert "main" not in answer.text
    asked = working.http.get(f"/v1/premises/annexe/commands/{body['id']}", headers=bearer)
    assert (asked.status_code, code_of(asked)) == (404, "not-found")


def test_a_command_without_an_id_is_not_run(working: AtWork) -> None:
    path, body = as_request(opening("A5"))
    del body["id"]
    before = working.house.ledger.record.last_sequence()
    answer = working.asks("POST", path, Role.PIT, json=body)
    assert (answer.status_code, code_of(answer)) == (422, "field-missing")
    assert working.house.ledger.record.last_sequence() == before


@pytest.mark.parametrize(
    ("field", "value"), [("table", "A7"), ("premises", "annexe"), ("command", "close-table")]
)
def test_a_body_that_contradicts_its_path_is_not_run(working: AtWork, field: str, value: str) -> None:
    path, body = as_request(opening("A6"))
    answer = working.asks("POST", path, Role.PIT, json={**body, field: value})
    assert (answer.status_code, code_of(answer)) == (400, "said-twice")


def test_a_whole_line_of_a_tape_will_do_as_a_body(working: AtWork) -> None:
    line = opening("A8")
    answer = working.asks("POST", OPEN.format("A8"), Role.PIT, json=line)
    assert answer.status_code == 200


def test_a_refusal_carries_its_code_and_paragraph_and_is_recorded(working: AtWork) -> None:
    """The licence holder may not hold the bank at chemin de fer: reg 6(6)."""
    night = Night("chemin-de-fer", table="A9", prefix="a9-").opens()
    working.plays(night)
    line = night.say("take-bank", holder="house-1", capacity="licence-holder", sum=50_000)
    for _ in range(2):
        answer = working.sends(line)
        assert (answer.status_code, code_of(answer)) == (409, "bank-may-not-stand")
        problem = answer.json()
        assert (problem["paragraph"], problem["outcome"], problem["command_id"]) == (
            "6(6)",
            "refused",
            line["id"],
        )
    (recorded,) = events_of(working.house.ledger, f"command/{line['id']}")
    assert isinstance(recorded, CommandRecorded)
    assert recorded.code == "bank-may-not-stand"


def test_what_comes_from_the_future_is_rejected_and_not_recorded(working: AtWork) -> None:
    answer = working.sends({**opening("A10"), "occurred_at": "2026-11-29T21:00:00Z"})
    assert (answer.status_code, code_of(answer)) == (422, "from-the-future")
    assert not events_of(working.house.ledger, "command/A10-1")


GOOD = json.dumps(as_request(opening("A11"))[1])
BAD_BODIES: dict[str, tuple[bytes, int, str]] = {
    "nothing": (b"", 400, "not-json"),
    "no JSON": (b"open the table, please", 400, "not-json"),
    "cut short": (GOOD[:-1].encode(), 400, "not-json"),
    "a list": (b"[" + GOOD.encode() + b"]", 400, "not-json"),
    "a key twice": (GOOD.replace('"id"', '"id": "x", "id"', 1).encode(), 400, "not-json"),
    "text after it": (GOOD.encode() + b" {}", 400, "not-json"),
    "not UTF-8": (GOOD.replace("A11-1", "A11-é").encode("latin-1"), 400, "not-json"),
    "half a pair": (GOOD.replace("A11-1", "\\ud800").encode(), 400, "not-json"),
    "NaN": (GOOD.replace("400", "NaN").encode(), 400, "not-json"),
    "deep": (b'{"id":' + b"[" * 100_000 + b"]" * 100_000 + b"}", 400, "not-json"),
    "a huge number": (GOOD.replace("400", "9" * 100).encode(), 422, "too-large"),
    "a number without end": (GOOD.replace("400", "9" * 5_000).encode(), 400, "not-json"),
    "a huge exponent": (GOOD.replace("400", "1e400").encode(), 422, "not-an-integer"),
    "a fraction": (GOOD.replace("400", "400.5").encode(), 422, "not-an-integer"),
    "a text for a number": (GOOD.replace("400", '"400"').encode(), 422, "not-an-integer"),
    "an unknown field": (GOOD.replace('"id"', '"colour": "red", "id"', 1).encode(), 422, "field-unknown"),
    "a bad name": (GOOD.replace("A11-1", "../../etc").encode(), 422, "bad-name"),
}


@pytest.mark.parametrize("name", BAD_BODIES)
def test_a_bad_body_is_told_and_leaves_no_event(working: AtWork, name: str) -> None:
    content, status, code = BAD_BODIES[name]
    before = working.house.ledger.record.last_sequence()
    headers = {"content-type": "application/json"}
    answer = working.asks("POST", OPEN.format("A11"), Role.PIT, content=content, headers=headers)
    assert (answer.status_code, code_of(answer)) == (status, code), answer.text
    after = working.house.ledger.record.last_sequence()
    key_events = 2 if before == after - 2 else 0  # the first of these tests may issue the key
    assert after == before + key_events
    assert not events_of(working.house.ledger, "command/A11-1")


@pytest.mark.parametrize("path", ["T%20X/open-table", "%2e%2e/open-table", "T1/open-tables", "/open-table"])
def test_a_bad_path_is_told(working: AtWork, path: str) -> None:
    answer = working.asks("POST", f"/v1/premises/main/tables/{path}", Role.PIT, json=json.loads(GOOD))
    assert answer.status_code in {404, 422}
    assert code_of(answer) in {"not-found", "bad-name"}


@pytest.mark.parametrize("number", ["0", "10000", "-1", "1.5", "x", "9" * 5_000])
def test_a_coups_number_is_a_number(working: AtWork, number: str) -> None:
    path = f"/v1/premises/main/tables/A1/shoes/S1/coups/{number}/settle-coup"
    body = {"id": "n", "occurred_at": "2026-11-27T21:00:00Z"}
    answer = working.asks("POST", path, Role.PIT, json=body)
    assert answer.status_code == 422
    assert code_of(answer) in {"too-small", "too-large", "not-an-integer"}


def test_another_media_type_is_not_read(working: AtWork) -> None:
    headers = {"content-type": "text/plain"}
    answer = working.asks("POST", OPEN.format("A12"), Role.PIT, content=GOOD, headers=headers)
    assert (answer.status_code, code_of(answer)) == (415, "media-type-unknown")


def test_a_compressed_body_is_told_and_not_read(working: AtWork) -> None:
    headers = {"content-type": "application/json", "content-encoding": "gzip"}
    content = gzip.compress(GOOD.encode())
    answer = working.asks("POST", OPEN.format("A12"), Role.PIT, content=content, headers=headers)
    assert (answer.status_code, code_of(answer)) == (415, "content-coding-unknown")


def test_many_tables_at_once_each_get_their_own_answers(working: AtWork) -> None:
    """Commands that wait together are saved together; whose answer is whose is never confused."""
    nights = [Night(table=f"M{number}", prefix=f"m{number}-").opens() for number in range(8)]
    for night in nights:
        for number in range(1, 6):
            night.coup(number, "P 9 K / B 7 Q", "player 100")
    working.key("pit", Role.PIT)
    with ThreadPoolExecutor(len(nights)) as threads:
        answers = list(threads.map(working.plays, nights))
    for night, given in zip(nights, answers, strict=True):
        assert [answer.json()["command_id"] for answer in given] == [line["id"] for line in night.lines]
    rows = working.house.ledger.record.select_rows(0, 100_000)
    assert [row.sequence for row in rows] == list(range(1, len(rows) + 1))


def test_step_by_step_a_wager_refused_is_in_the_coup(working: AtWork) -> None:
    """A wager under the table's limit is refused by itself, and the others stand."""
    night = Night(table="A13", prefix="a13-").opens(limits={"tie": {"min": 500, "max": 1000}})
    night.step("open-coup", 1)
    night.step("place-wagers", 1, wagers=wagers("player 100, tie 100"))
    night.step("close-wagers", 1)
    night.step("deal-hands", 1, hands=hands("P 9 K / B 7 Q"))
    night.step("settle-coup", 1)
    stages = [answer.json()["stage"] for answer in working.plays(night)[2:]]
    assert stages == ["open", "open", "closed", "dealt", "settled"]
    shown = working.gets("tables/A13/shoes/S1/coups/1", Role.PIT).json()
    assert [wager["id"] for wager in shown["wagers"]] == ["w1"]
    assert [wager["id"] for wager in shown["refused"]] == ["w2"]
