"""Who may do what: deny by default, by role and premises; keys shown once, kept hashed, and ended."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest
from fastapi import APIRouter
from fastapi.routing import APIRoute

from ledger.events.access import KeyIssued, KeyRevoked
from ledger.terms.access import Role
from ops.service.app import service
from ops.service.guard import RouteWithoutScope, scope_of
from ops.service.keys import NewKey
from ops.service.settings import ServiceSettings
from ops.wiring import open_house
from tests.service.at_work import PREMISES, AtWork, code_of
from tests.service.test_commands import opening
from tests.tabletalk import NOON, events_of

PIT, CAGE, ACCOUNTING, COMPLIANCE, AUDITOR, ADMIN = Role
NOBODY: frozenset[Role] = frozenset()

PLAY = {PIT}
DEALT_AT_TABLE = """
POST table/open-table
POST table/change-shift
POST table/seat-player
POST table/unseat-player
POST table/change-offer
POST table/take-charge
POST table/close-table
POST table/take-bank
POST table/pass-bank
POST table/retire-bank
POST table/start-shoe
POST table/end-shoe
POST table/count-float
""".strip().splitlines()
DEALT_IN_COUP = """
POST coup/record-coup
POST coup/open-coup
POST coup/place-wagers
POST coup/call-banco
POST coup/cancel-wagers
POST coup/close-wagers
POST coup/deal-hands
POST coup/settle-coup
""".strip().splitlines()
MAY: dict[str, set[Role] | None] = {
    "GET /livez": None,
    "HEAD /livez": None,
    "GET /readyz": None,
    "HEAD /readyz": None,
    "GET /metrics": None,
    "GET /v1/openapi.json": None,
    "GET /v1/checkpoint": set(Role),
    "POST /v1/tapes": {PIT, CAGE, ACCOUNTING, COMPLIANCE},
    "GET /v1/events": set(Role),
    "GET /v1/consumers": set(Role),
    "GET /v1/consumers/{name}": set(Role),
    "PUT /v1/consumers/{name}": set(Role),
    "GET pnl": {ACCOUNTING, COMPLIANCE, AUDITOR},
    "GET cage": {CAGE, ACCOUNTING, AUDITOR},
    "GET compliance": {COMPLIANCE, AUDITOR},
    "GET compliance/coverage/{month}": {COMPLIANCE, AUDITOR},
    "GET proposals": {PIT, ACCOUNTING, COMPLIANCE, AUDITOR},
    "GET proposals/{proposal}": {PIT, ACCOUNTING, COMPLIANCE, AUDITOR},
    "POST proposals/{proposal}/consents": {PIT, ACCOUNTING, COMPLIANCE},
    "POST proposals/{proposal}/withdraw": {PIT, ACCOUNTING, COMPLIANCE},
    "GET commands/{command_id}": set(Role),
    "GET keys": {ADMIN, AUDITOR},
    "POST keys": {ADMIN},
    "POST keys/{key}/revoke": {ADMIN},
    "POST days/{gaming_day}/close-day": {ACCOUNTING},
    "GET coup": {PIT, ACCOUNTING, COMPLIANCE, AUDITOR},
    "GET coup/replay": {COMPLIANCE, AUDITOR},
    "GET coup/bundle": {COMPLIANCE, AUDITOR},
    **dict.fromkeys(DEALT_AT_TABLE, PLAY),
    "POST table/declare-interest": {PIT, COMPLIANCE},
    "POST table/withdraw-interest": {PIT, COMPLIANCE},
    "POST table/fill-chips": {PIT, CAGE},
    "POST table/credit-chips": {PIT, CAGE},
    "POST table/void-slip": {PIT, CAGE},
    "POST table/count-drop": {CAGE},
    "POST table/record-count": {CAGE},
    "POST table/book-adjustment": {ACCOUNTING},
    **dict.fromkeys(DEALT_IN_COUP, PLAY),
    **{f"POST coup/{name}": {PIT, COMPLIANCE} for name in ("correct-hands", "correct-coup", "void-coup")},
    "POST coup/raise-dispute": {PIT, COMPLIANCE},
    "POST coup/resolve-dispute": {COMPLIANCE},
}
"""Every resource and who may use it, as the house wants it; None: everybody."""
_SHORT = (
    ("/v1/premises/{premises}/tables/{table}/shoes/{shoe}/coups/{number}", "coup"),
    ("/v1/premises/{premises}/tables/{table}", "table"),
    ("/v1/premises/{premises}/", ""),
)


def routes_of(working: AtWork) -> dict[str, APIRoute]:
    """The resources that there are, by method and path in short."""
    found = {}
    for route in working.routes:
        path = route.path
        for long, short in _SHORT:
            path = path.replace(long, short)
        (method,) = route.methods or {"none"}
        found[f"{method} {path}"] = route
    return found


def test_every_resource_is_in_the_table_and_has_its_scope(working: AtWork) -> None:
    routes = routes_of(working)
    assert set(routes) == set(MAY)
    for name, route in routes.items():
        wanted = MAY[name]
        assert scope_of(route) == (None if wanted is None else frozenset(wanted)), name


@pytest.mark.parametrize("role", [None, *Role])
def test_every_resource_lets_pass_whom_it_is_for_and_nobody_else(working: AtWork, role: Role | None) -> None:
    """Each resource, asked by each role alone, by nobody, and by every role at another premises."""
    abroad = {"authorization": f"Bearer {working.key('abroad', *Role, premises='annexe')}"}
    for name, route in routes_of(working).items():
        method, path = name.split(" ")[0], filled(route.path)
        wanted = MAY[name]
        answer = working.asks(method, path, *([role] if role else []))
        if wanted is None or (role is not None and role in wanted):
            assert answer.status_code not in {401, 403}, name
        else:
            assert answer.status_code == (401 if role is None else 403), name
            assert code_of(answer) == ("not-authenticated" if role is None else "not-allowed")
        if "{premises}" in route.path and role is None:
            answer = working.asks(method, path, headers=abroad)
            assert (answer.status_code, code_of(answer)) == (403, "not-allowed"), name


def filled(path: str) -> str:
    """A path with something in each place."""
    names = {
        "premises": "main",
        "number": "1",
        "gaming_day": "2026-11-27",
        "month": "2026-11",
        "proposal": "none",
        "key": "none",
    }
    return re.sub(r"\{(\w+)\}", lambda found: names.get(found[1], "T1"), path)


def test_a_resource_that_does_not_say_who_may_use_it_does_not_start(tmp_path: Path) -> None:
    forgotten = APIRouter()
    forgotten.add_api_route("/v1/forgotten", lambda: None)
    with (
        open_house(str(tmp_path / "ledger.db"), create=True) as house,
        pytest.raises(RouteWithoutScope, match="GET /v1/forgotten"),
    ):
        service(house, ServiceSettings(), lambda: NOON, more=(forgotten,))


# --- Keys ----------------------------------------------------------------------------------------------


def test_a_key_is_nowhere_in_the_ledger_but_its_digest_is(working: AtWork) -> None:
    text = working.key("hidden", AUDITOR)
    secret = text.rpartition("_")[2]
    assert re.fullmatch(r"blk_main_[\w.-]+_[0-9a-f]{64}", text)
    with working.house.tables.snapshot() as statements:
        rows = statements.execute("SELECT * FROM access_keys")
    assert rows
    assert not any(secret in str(row) for row in rows)
    for row in working.house.ledger.record.select_rows(0, 100_000):
        assert secret.encode() not in row.state


def test_what_an_administrator_does_is_in_the_record(working: AtWork) -> None:
    asked = {
        "key": "desk-1",
        "person": "pit-7",
        "roles": ["pit", "cage"],
        "expires_at": "2027-11-28T12:00:00Z",
    }
    made = working.asks("POST", f"{PREMISES}/keys", ADMIN, json=asked)
    assert made.status_code == 201
    assert made.headers["cache-control"] == "no-store"
    (issued,) = events_of(working.house.ledger, "access/main/desk-1")
    assert isinstance(issued, KeyIssued)
    assert (issued.actor, issued.person, issued.roles) == ("admin", "pit-7", (PIT, CAGE))
    bearer = {"authorization": f"Bearer {made.json()['text']}"}
    line = opening("K1")
    assert (
        working.asks("POST", f"{PREMISES}/tables/K1/open-table", headers=bearer, json=line).status_code == 200
    )
    (opened, *_) = events_of(working.house.ledger, f"table/main/K1/{line['gaming_day']}")
    assert opened.actor == "pit-7"

    again = working.asks("POST", f"{PREMISES}/keys", ADMIN, json=asked)
    assert (again.status_code, code_of(again)) == (409, "key-name-used")
    (listed,) = [row for row in working.gets("keys", AUDITOR).json()["rows"] if row["key"] == "desk-1"]
    assert listed["last_used"] == NOON.isoformat()

    revoked = working.asks("POST", f"{PREMISES}/keys/desk-1/revoke", ADMIN, json={"reason": "The desk moved"})
    assert revoked.status_code == 204
    answer = working.asks("GET", f"{PREMISES}/tables/K1/shoes/S/coups/1", headers=bearer)
    assert (answer.status_code, code_of(answer)) == (401, "not-authenticated")
    *_, ended = events_of(working.house.ledger, "access/main/desk-1")
    assert isinstance(ended, KeyRevoked)
    assert ended.reason == "The desk moved"
    twice = working.asks("POST", f"{PREMISES}/keys/desk-1/revoke", ADMIN, json={"reason": "Again"})
    assert (twice.status_code, code_of(twice)) == (409, "key-revoked-already")
    none = working.asks("POST", f"{PREMISES}/keys/none/revoke", ADMIN, json={"reason": "Never was"})
    assert (none.status_code, code_of(none)) == (409, "no-such-key")


def test_a_name_may_have_the_mark_in_it_that_parts_the_names_of_a_key(working: AtWork) -> None:
    """Two keys whose texts begin alike, and one whose name ends with it."""
    names = [("north_bank", "desk_1"), ("north", "bank_desk_1"), ("main", "desk_1_")]
    texts = [
        working.shared.keys.issue(NewKey(premises, key, f"at-{premises}", (AUDITOR,)), "admin-0")
        for premises, key in names
    ]
    for (premises, _), text in zip(names, texts, strict=True):
        bearer = {"authorization": f"Bearer {text}"}
        for other in ("north_bank", "north", "main"):
            answer = working.asks("GET", f"/v1/premises/{other}/keys", headers=bearer)
            assert answer.status_code == (200 if other == premises else 403), (text, other)
    working.shared.keys.revoke("north", "bank_desk_1", "Lost", "admin-0")
    statuses = [
        working.asks("GET", "/v1/consumers", headers={"authorization": f"Bearer {text}"}).status_code
        for text in texts
    ]
    assert statuses == [200, 401, 200]


def test_a_key_that_the_record_says_is_revoked_opens_nothing_whatever_the_table_says(working: AtWork) -> None:
    text = working.key("restored", AUDITOR)
    name = text.split("_")[2]
    working.shared.keys.revoke("main", name, "Lost", "admin-0")
    with working.house.tables.transaction() as statements:
        statements.execute("UPDATE access_keys SET cut_off = 0 WHERE key_name = ?", (name,))
    answer = working.asks("GET", "/v1/checkpoint", headers={"authorization": f"Bearer {text}"})
    assert (answer.status_code, code_of(answer)) == (401, "not-authenticated")


def test_a_key_expires_at_its_moment(working: AtWork) -> None:
    expires_at = working.clock.now + timedelta(hours=1)
    text = working.shared.keys.issue(NewKey("main", "brief", "temp-1", (AUDITOR,), expires_at), "admin-0")
    bearer = {"authorization": f"Bearer {text}"}
    statuses = []
    for passed in (timedelta(minutes=59, seconds=59), timedelta(seconds=1)):
        working.clock.moves(passed)
        statuses.append(working.asks("GET", f"{PREMISES}/compliance", headers=bearer).status_code)
    working.clock.moves(-timedelta(hours=1))
    assert statuses == [200, 401]


@pytest.mark.parametrize(
    "spoilt",
    [
        lambda key: key[:-1] + ("0" if key[-1] != "0" else "1"),
        lambda key: key[:-1],
        lambda key: key + "0",
        lambda key: key.replace("blk_main_", "blk_annexe_"),
        lambda key: key.upper(),
        lambda key: "blk_main_none_" + key.rpartition("_")[2],
        lambda key: "blk_",
        lambda key: "-",
        lambda key: "eyJhbGciOiJub25lIn0.e30.",
        lambda key: "x" * 10_000,
    ],
)
def test_what_is_no_key_opens_nothing(working: AtWork, spoilt: object) -> None:
    assert callable(spoilt)
    header = {"authorization": f"Bearer {spoilt(working.key('auditor', AUDITOR))}"}
    answer = working.asks("GET", "/v1/checkpoint", headers=header)
    assert (answer.status_code, code_of(answer)) == (401, "not-authenticated")
    assert answer.headers["www-authenticate"] == "Bearer"


def test_the_actor_is_who_is_authenticated(working: AtWork) -> None:
    line = opening("K2")
    path = f"{PREMISES}/tables/K2/open-table"
    answer = working.asks("POST", path, PIT, person="pit-3", json={**line, "actor": "pit-4"})
    assert (answer.status_code, code_of(answer)) == (403, "actor-is-another")
    answer = working.asks("POST", path, PIT, person="pit-3", json={**line, "actor": "pit-3"})
    assert answer.status_code == 200
