"""Those who answer for a ruling consent to it, each by their own credential."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import httpx
import pytest

from ledger.events.coup import CoupVoided
from ledger.events.day import DaySealed
from ledger.terms.access import Role
from tests.service.at_work import PREMISES, AtWork, code_of
from tests.tabletalk import Night, events_of

PIT, COMPLIANCE, ACCOUNTING = Role.PIT, Role.COMPLIANCE, Role.ACCOUNTING


def held(working: AtWork, table: str) -> Night:
    """A coup against the tableau: the player drew on 9, so it is held for a ruling."""
    night = Night(table=table, prefix=f"{table}-").opens()
    night.coup(1, "P 9 K 2 / B 7 Q", "player 100")
    answers = [working.sends(line, PIT, person="dealer-1") for line in night.lines]
    assert answers[-1].json()["stage"] == "held"
    return night


def ruled(night: Night, *approvers: str) -> dict[str, Any]:
    return night.step("void-coup", 1, reason="A card too many", approvers=list(approvers))


def consents(working: AtWork, proposal: str, digest: str, person: str, *roles: Role) -> httpx.Response:
    path = f"{PREMISES}/proposals/{proposal}/consents"
    return working.asks("POST", path, *roles, person=person, json={"digest": digest})


def test_a_ruling_runs_when_both_approvers_have_consented_by_their_own_keys(working: AtWork) -> None:
    line = ruled(held(working, "C1"), "pit-1", "law-1")
    proposed = working.sends(line, PIT, person="dealer-1")
    assert proposed.status_code == 202
    waiting = proposed.json()
    assert (waiting["consented"], waiting["waiting_for"]) == ([], ["pit-1", "law-1"])
    assert not [
        one for one in events_of(working.house.ledger, "coup/main/C1/S1/1") if type(one) is CoupVoided
    ]

    shown = working.asks("GET", f"{PREMISES}/proposals/{line['id']}", PIT, person="pit-1").json()
    assert shown["command"]["reason"] == "A card too many"
    first = consents(working, line["id"], shown["digest"], "pit-1", PIT)
    assert (first.status_code, first.json()["waiting_for"]) == (202, ["law-1"])
    again = consents(working, line["id"], shown["digest"], "pit-1", PIT)
    assert (again.status_code, again.json()["waiting_for"]) == (202, ["law-1"])
    second = consents(working, line["id"], shown["digest"], "law-1", COMPLIANCE)
    assert (second.status_code, second.json()["stage"]) == (200, "void")

    *_, voided = events_of(working.house.ledger, "coup/main/C1/S1/1")
    assert isinstance(voided, CoupVoided)
    assert (voided.approvers, voided.actor) == (("pit-1", "law-1"), "dealer-1")
    repeated = working.sends(line, PIT, person="dealer-1")
    assert (repeated.status_code, repeated.json()["repeat"]) == (200, True)
    rows = working.asks("GET", f"{PREMISES}/proposals", PIT).json()["rows"]
    assert line["id"] not in [row["proposal"] for row in rows]


def test_one_person_with_two_keys_is_one_person(working: AtWork) -> None:
    line = ruled(held(working, "C2"), "pit-1", "law-1")
    digest = working.sends(line, PIT, person="dealer-1").json()["digest"]
    assert consents(working, line["id"], digest, "pit-1", PIT).status_code == 202
    other = consents(working, line["id"], digest, "pit-1", PIT, COMPLIANCE)
    assert (other.status_code, other.json()["waiting_for"]) == (202, ["law-1"])


def test_whoever_proposes_has_consented_where_they_are_named(working: AtWork) -> None:
    """And the ledger still judges the ruling: this proposer did not report the coup."""
    line = ruled(held(working, "C3"), "pit-1", "pit-2")
    proposed = working.sends(line, PIT, person="pit-1")
    assert (proposed.status_code, proposed.json()["waiting_for"]) == (202, ["pit-2"])
    assert consents(working, line["id"], proposed.json()["digest"], "pit-2", PIT).status_code == 200


@pytest.mark.parametrize(
    ("person", "roles", "code"),
    [
        ("pit-9", (PIT,), "not-allowed"),
        ("pit-1", (ACCOUNTING,), "not-allowed"),
    ],
)
def test_nobody_else_can_consent(working: AtWork, person: str, roles: tuple[Role, ...], code: str) -> None:
    table = f"C4-{person}"
    line = ruled(held(working, table), "pit-1", "pit-2")
    digest = working.sends(line, PIT, person="dealer-1").json()["digest"]
    answer = consents(working, line["id"], digest, person, *roles)
    assert (answer.status_code, code_of(answer)) == (403, code)


def test_consent_is_to_what_was_shown(working: AtWork) -> None:
    line = ruled(held(working, "C5"), "pit-1", "pit-2")
    working.sends(line, PIT, person="dealer-1")
    answer = consents(working, line["id"], "0" * 64, "pit-1", PIT)
    assert (answer.status_code, code_of(answer)) == (409, "digest-differs")
    other = working.sends({**line, "reason": "Another"}, PIT, person="dealer-1")
    assert (other.status_code, code_of(other)) == (409, "command-id-used")


def test_an_id_that_was_run_is_none_to_propose_under(working: AtWork) -> None:
    """Nobody is asked to consent to what could never run."""
    night = held(working, "C10")
    used = working.sends({**ruled(night, "pit-1", "pit-2"), "id": night.lines[0]["id"]}, PIT)
    assert (used.status_code, code_of(used)) == (409, "command-id-used")
    none = working.gets(f"proposals/{night.lines[0]['id']}", PIT)
    assert (none.status_code, code_of(none)) == (404, "not-found")


def test_a_proposal_whose_id_is_used_for_something_else_meanwhile_lapses(working: AtWork) -> None:
    """It was not run, and nobody is told that it was."""
    line = ruled(held(working, "C11"), "pit-1", "pit-2")
    digest = working.sends(line, PIT, person="dealer-1").json()["digest"]
    assert consents(working, line["id"], digest, "pit-1", PIT).status_code == 202
    other = Night(table="C11-other").opens().lines[0]
    assert working.sends({**other, "id": line["id"]}, PIT).status_code == 200

    last = consents(working, line["id"], digest, "pit-2", PIT)
    assert (last.status_code, code_of(last)) == (409, "command-id-used")
    shown = working.gets(f"proposals/{line['id']}", PIT).json()
    assert shown["state"] == "withdrawn"
    assert "used before for something else" in shown["reason"]
    again = consents(working, line["id"], digest, "pit-2", PIT)
    assert (again.status_code, code_of(again)) == (409, "proposal-withdrawn")


def test_a_ruling_from_the_future_waits_until_it_is_time(working: AtWork) -> None:
    line = ruled(held(working, "C12"), "pit-1", "pit-2")
    line["occurred_at"] = (working.clock.now + timedelta(hours=1)).isoformat()
    digest = working.sends(line, PIT, person="pit-1").json()["digest"]
    early = consents(working, line["id"], digest, "pit-2", PIT)
    assert (early.status_code, code_of(early)) == (422, "from-the-future")
    assert working.gets(f"proposals/{line['id']}", PIT).json()["state"] == "waiting"
    working.clock.moves(timedelta(hours=1))
    in_time = consents(working, line["id"], digest, "pit-2", PIT)
    working.clock.moves(-timedelta(hours=1))
    assert (in_time.status_code, in_time.json()["stage"]) == (200, "void")
    assert working.gets(f"proposals/{line['id']}", PIT).json()["state"] == "run"


def test_a_ruling_that_the_law_refuses_is_refused_after_the_consents(working: AtWork) -> None:
    """An approver who reported the coup is not independent."""
    line = ruled(held(working, "C6"), "dealer-1", "pit-2")
    proposed = working.sends(line, PIT, person="dealer-1")
    answer = consents(working, line["id"], proposed.json()["digest"], "pit-2", PIT)
    assert (answer.status_code, code_of(answer)) == (409, "approvers-not-independent")


def test_there_is_no_consenting_to_what_nobody_proposed(working: AtWork) -> None:
    answer = consents(working, "never", "0" * 64, "pit-1", PIT)
    assert (answer.status_code, code_of(answer)) == (404, "not-found")


def test_proposals_come_in_pages(working: AtWork) -> None:
    night = held(working, "C7")
    ids = sorted(working.sends(ruled(night, "pit-1", "pit-2"), PIT).json()["proposal"] for _ in range(3))
    found: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = working.asks("GET", f"{PREMISES}/proposals", PIT, params={"limit": 2, **cursor}).json()
        found += [row["proposal"] for row in page["rows"]]
        if page["next"] is None:
            break
        cursor = {"cursor": page["next"]}
    assert found == sorted(found)
    assert set(ids) <= set(found)


def a_close(working: AtWork, table: str, day: str) -> dict[str, Any]:
    """A table that opened and closed, and the close of its day by the record as it stands."""
    night = Night(table=table, prefix=f"{table}-")
    night.opens()
    night.say("close-table", closer={"chips": {"2500": 400}})
    night.lines[0]["gaming_day"] = day
    for line in night.lines:
        assert working.sends({**line, "occurred_at": f"{day}T21:00:00Z"}, PIT).status_code == 200
    return {
        "command": "close-day",
        "id": f"close-{day}",
        "occurred_at": "2026-11-27T08:00:00Z",
        "gaming_day": day,
        "position": working.house.ledger.record.last_sequence(),
        "tables": [{"table": table, "win_by_wagers": 0, "win_by_inventory": 0, "variance": 0}],
        "signed_by": ["accounts-1"],
    }


def test_a_day_is_signed_off_by_who_is_there_and_no_other_is_named(working: AtWork) -> None:
    close = a_close(working, "C8", "2026-11-26")
    other = working.sends({**close, "id": "close-x"}, ACCOUNTING, person="accounts-2")
    assert (other.status_code, other.json()["waiting_for"]) == (202, ["accounts-1"])
    own = working.sends(close, ACCOUNTING, person="accounts-1")
    assert own.status_code == 200
    *_, sealed = events_of(working.house.ledger, "day/main/2026-11-26")
    assert isinstance(sealed, DaySealed)
    assert (sealed.actor, sealed.signed_by) == ("accounts-1", ("accounts-1",))
    again = working.sends(close, ACCOUNTING, person="accounts-1")
    assert (again.status_code, again.json()["repeat"]) == (200, True)


def test_a_close_that_says_how_the_day_stood_is_not_run_once_it_has_moved(working: AtWork) -> None:
    """A drop counted between the figures and the last consent would be in them: the proposal lapses."""
    close = a_close(working, "C9", "2026-11-25")
    proposed = working.sends(close, ACCOUNTING, person="accounts-2")
    drop = Night(table="C9", prefix="C9-drop-")
    drop.say("count-drop", amount=100, signed_by=["cage-1", "cage-2"], gaming_day="2026-11-25")
    assert working.sends(drop.lines[-1], Role.CAGE, person="cage-1").status_code == 200

    late = consents(working, close["id"], proposed.json()["digest"], "accounts-1", ACCOUNTING)
    assert (late.status_code, code_of(late)) == (409, "record-moved")
    assert not any(
        isinstance(one, DaySealed) for one in events_of(working.house.ledger, "day/main/2026-11-25")
    )
    more = consents(working, close["id"], proposed.json()["digest"], "accounts-1", ACCOUNTING)
    assert (more.status_code, code_of(more)) == (409, "proposal-withdrawn")


# --- Withdrawing ---------------------------------------------------------------------------------------


def withdraws(working: AtWork, proposal: str, person: str, *roles: Role) -> httpx.Response:
    path = f"{PREMISES}/proposals/{proposal}/withdraw"
    return working.asks("POST", path, *roles, person=person, json={"reason": "The wrong coup"})


def test_whoever_proposed_it_withdraws_it_and_nobody_can_consent_any_more(working: AtWork) -> None:
    line = ruled(held(working, "W1"), "pit-1", "law-1")
    digest = working.sends(line, PIT, person="dealer-1").json()["digest"]
    assert consents(working, line["id"], digest, "pit-1", PIT).status_code == 202
    withdrawn = withdraws(working, line["id"], "dealer-1", PIT)
    assert (withdrawn.status_code, withdrawn.json()["state"]) == (200, "withdrawn")

    last = consents(working, line["id"], digest, "law-1", COMPLIANCE)
    assert (last.status_code, code_of(last)) == (409, "proposal-withdrawn")
    assert not [
        one for one in events_of(working.house.ledger, "coup/main/W1/S1/1") if type(one) is CoupVoided
    ]
    assert working.gets(f"commands/{line['id']}", PIT).status_code == 404
    shown = working.gets(f"proposals/{line['id']}", COMPLIANCE).json()
    assert (shown["state"], shown["reason"]) == ("withdrawn", "The wrong coup")
    assert shown["consented"] == ["pit-1"]
    listed = working.gets("proposals", PIT, limit=1000).json()["rows"]
    assert line["id"] not in [row["proposal"] for row in listed]


def test_what_was_withdrawn_is_proposed_anew_under_another_id(working: AtWork) -> None:
    line = ruled(held(working, "W2"), "pit-1", "law-1")
    working.sends(line, PIT, person="dealer-1")
    withdraws(working, line["id"], "dealer-1", PIT)
    again = working.sends(line, PIT, person="dealer-1")
    assert (again.status_code, code_of(again)) == (409, "proposal-withdrawn")
    assert working.sends({**line, "id": "W2-anew"}, PIT, person="dealer-1").status_code == 202


@pytest.mark.parametrize(("person", "role"), [("pit-1", PIT), ("law-1", COMPLIANCE), ("dealer-2", PIT)])
def test_nobody_else_withdraws_it(working: AtWork, person: str, role: Role) -> None:
    line = ruled(held(working, f"W3-{person}"), "pit-1", "law-1")
    working.sends(line, PIT, person="dealer-1")
    answer = withdraws(working, line["id"], person, role)
    assert (answer.status_code, code_of(answer)) == (403, "not-the-proposer")
    assert working.gets(f"proposals/{line['id']}", PIT).json()["state"] == "waiting"


def test_it_is_withdrawn_once_and_only_while_it_waits(working: AtWork) -> None:
    line = ruled(held(working, "W4"), "pit-1", "pit-2")
    digest = working.sends(line, PIT, person="pit-1").json()["digest"]
    assert consents(working, line["id"], digest, "pit-2", PIT).status_code == 200
    assert working.gets(f"proposals/{line['id']}", PIT).json()["state"] == "run"
    late = withdraws(working, line["id"], "pit-1", PIT)
    assert (late.status_code, code_of(late)) == (409, "proposal-not-waiting")

    other = {**line, "id": "W4-other"}
    working.sends(other, PIT, person="dealer-1")
    assert withdraws(working, other["id"], "dealer-1", PIT).status_code == 200
    twice = withdraws(working, other["id"], "dealer-1", PIT)
    assert (twice.status_code, code_of(twice)) == (409, "proposal-withdrawn")
    never = withdraws(working, "W4-never", "dealer-1", PIT)
    assert (never.status_code, code_of(never)) == (404, "not-found")
