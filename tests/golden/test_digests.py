"""A command sent again, in ten years or by another program, is known again (design §5)."""

from __future__ import annotations

import hashlib
import json
from copy import deepcopy
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from ledger.commands import TAPE_LINE, Command, LedgerCommand, digest_of
from ledger.commands.digest import content_of
from tests.events.strategies import facts_of

from .files import DIGESTS, EVENTS

GOLDEN = {entry["line"]["command"]: entry for entry in DIGESTS}
COMMON = {"premises": "main"}
BANK = {"capacity": "player", "seat": None}
PUNTO_BANCO_1994 = {"rounding": "exact-only", "unit": 1, "banker_on_draw": "stand-off"}
DEFAULTS: dict[str, dict[str, Any]] = {
    "open-table": {
        "shift": "1",
        "profile": "si-1994-2899",
        "terms": PUNTO_BANCO_1994,
        "currency": "GBP",
        "limits": {},
        "may_approve": [],
    },
    "declare-interest": {"detail": None},
    "take-charge": {"patron": None, "seat": None},
    "call-banco": {"call": "banco"},
    "raise-dispute": {"patron": None, "wager": None, "received_at": None},
    "resolve-dispute": {"evidence": None},
    "start-shoe": {"burned": None, "burned_face_down": None, "cut_card": None},
    "take-bank": BANK,
    "pass-bank": BANK,
    "fill-chips": {"signed_by": []},
    "credit-chips": {"signed_by": []},
    "count-drop": {"signed_by": [], "shift": None, "gaming_day": None},
    "record-coup": {
        "wagers": [],
        "claimed": None,
        "decisions": [],
        "format": None,
        "profile": None,
        "terms": None,
        "bank": None,
    },
    "close-wagers": {"hands_in_play": None},
    "deal-hands": {"claimed": None, "decisions": []},
    "correct-hands": {"evidence": None},
    "void-coup": {"evidence": None},
    "issue-key": {"expires_at": None},
}
"""What a line means that leaves a field out, by the contract of the tape."""

WITHIN: list[tuple[str, tuple[str | int, ...], dict[str, Any]]] = [
    ("open-table", ("terms",), PUNTO_BANCO_1994),
    ("open-table", ("limits", "tie"), {"min": 0}),
    ("open-table", ("opener",), {"signed_by": []}),
    ("close-table", ("closer",), {"signed_by": []}),
    ("deal-hands", ("decisions", 0), {"by": None}),
    ("record-coup", ("wagers", 0), {"patron": None, "seat": None, "tender": "value"}),
    ("place-wagers", ("wagers", 0), {"patron": None, "seat": None, "tender": "value"}),
]
"""The same for the values inside a line: where they stand, and their defaults."""

OTHERWISE: dict[str, Any] = {
    "id": "another-id",
    "occurred_at": "2026-11-27T18:00:00Z",
    "actor": "dealer-9",
    "premises": "annexe",
    "table": "PB9",
    "gaming_day": "2026-11-28",
    "shift": "early",
    "format": "baccarat-banque",
    "profile": "si-2000-597-7a",
    "terms": {"rounding": "nearest", "unit": 50},
    "currency": "EUR",
    "limits": {"player": {"max": 1}},
    "opener": {"chips": {"100": 1}},
    "closer": {"chips": {"100": 1}},
    "shoe": "S-99",
    "decks": 4,
    "burned": "A",
    "burned_face_down": 3,
    "cut_card": 20,
    "holder": "p-99",
    "capacity": "licence-holder",
    "seat": 9,
    "sum": 77,
    "slip": "X-1",
    "chips": {"100": 1},
    "signed_by": ["somebody-else"],
    "amount": 1,
    "number": 99,
    "hands": {"banker": "A A", "player": "2 2"},
    "claimed": "tie",
    "bank": 5,
    "hands_in_play": ["hand-1"],
    "reason": "Another reason",
    "approvers": ["pit-8", "pit-9"],
    "evidence": "None was kept",
    "may_approve": ["pit-9"],
    "person": "employee-9",
    "patron": "p-99",
    "detail": "The whole of it",
    "kinds": ["tie"],
    "decisions": [{"hand": "banker", "drew": True}],
    "call": "suivi",
    "wager": "w9",
    "dispute": "D-99",
    "statement": "I do not remember.",
    "received_at": "2026-11-27T18:00:00Z",
    "decision": "Not upheld.",
    "count": {"chips": {"100": 1}},
    "counted": {"shift": "early", "opener": 1, "closer": 1, "drop": 1},
    "position": 1,
    "tables": [],
    "adjusts": "2026-11-20",
    "account": "variance",
    "key": "pit-desk-9",
    "roles": ["auditor"],
    "expires_at": "2027-11-28T12:00:00Z",
}
"""Another value for every field of a line but its wagers."""


def digest(line: dict[str, Any]) -> str:
    return digest_of(TAPE_LINE.validate_json(json.dumps(line)))


def at(line: dict[str, Any], path: tuple[str | int, ...]) -> Any:
    value: Any = line
    for step in path:
        value = value[step]
    return value


def test_every_command_has_a_golden_digest() -> None:
    names = [get_args(command.model_fields["command"].annotation)[0] for command in get_args(Command)]
    assert sorted(GOLDEN) == sorted(names)
    assert len(DIGESTS) == len(GOLDEN)


@pytest.mark.parametrize("name", GOLDEN)
def test_a_command_has_the_digest_it_had(name: str) -> None:
    assert digest(GOLDEN[name]["line"]) == GOLDEN[name]["digest"]


@pytest.mark.parametrize("name", GOLDEN)
def test_a_digest_is_the_sha_256_of_the_name_and_the_content(name: str) -> None:
    """So that another program can compute it: see README.md."""
    content = json.dumps(GOLDEN[name]["content"], separators=(",", ":"), ensure_ascii=False)
    assert hashlib.sha256(f"{name}\n{content}".encode()).hexdigest() == GOLDEN[name]["digest"]


def test_the_golden_record_of_a_command_carries_its_golden_digest() -> None:
    record = json.loads(EVENTS["command-recorded.v1"])
    assert record["digest"] == GOLDEN[record["command"]]["digest"]


@pytest.mark.parametrize(
    ("name", "field", "default"),
    [(name, *item) for name in GOLDEN for item in {**COMMON, **DEFAULTS.get(name, {})}.items()],
)
def test_spelling_a_default_out_is_the_same_command(name: str, field: str, default: Any) -> None:
    line = {**GOLDEN[name]["line"]}
    line.pop(field, None)
    assert digest({**line, field: default}) == digest(line)


@pytest.mark.parametrize(
    ("name", "path", "field", "default"),
    [(name, path, *item) for name, path, defaults in WITHIN for item in defaults.items()],
)
def test_spelling_a_default_out_within_a_value_is_the_same_command(
    name: str, path: tuple[str | int, ...], field: str, default: Any
) -> None:
    left_out, spelled_out = deepcopy(GOLDEN[name]["line"]), deepcopy(GOLDEN[name]["line"])
    at(left_out, path).pop(field, None)
    at(spelled_out, path)[field] = default
    assert digest(spelled_out) == digest(left_out)


@pytest.mark.parametrize(
    ("name", "field"),
    [
        (name, field)
        for name in GOLDEN
        for field in {**GOLDEN[name]["line"], **COMMON, **DEFAULTS.get(name, {})}
        if field not in {"command", "wagers"}
    ],
)
def test_another_value_in_any_field_is_another_command(name: str, field: str) -> None:
    assert digest({**GOLDEN[name]["line"], field: OTHERWISE[field]}) != GOLDEN[name]["digest"]


@pytest.mark.parametrize("name", ["record-coup", "place-wagers"])
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", "w9"),
        ("kind", "hand-1"),
        ("stake", 251),
        ("patron", "p-9"),
        ("seat", 9),
        ("tender", "promotional"),
    ],
)
def test_another_value_in_a_wager_is_another_command(name: str, field: str, value: Any) -> None:
    line = deepcopy(GOLDEN[name]["line"])
    line["wagers"][0][field] = value
    assert digest(line) != GOLDEN[name]["digest"]


@pytest.mark.parametrize("name", ["record-coup", "place-wagers", "cancel-wagers"])
def test_wagers_in_another_order_are_another_command(name: str) -> None:
    """Chemin de fer covers wagers in their order (domain §3.4 A8), so the order is content."""
    line = deepcopy(GOLDEN[name]["line"])
    line["wagers"].reverse()
    assert digest(line) != GOLDEN[name]["digest"]


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("record-coup", "occurred_at", "2026-11-27T19:10:00+00:00"),
        ("record-coup", "occurred_at", "2026-11-27T20:10:00.000+01:00"),
        ("record-coup", "hands", {"banker": "9S k", "player": "7C  Td"}),
    ],
)
def test_the_same_fact_written_otherwise_is_the_same_command(name: str, field: str, value: Any) -> None:
    assert digest({**GOLDEN[name]["line"], field: value}) == GOLDEN[name]["digest"]


def backwards(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: backwards(value[key]) for key in reversed(value)}
    return [backwards(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", GOLDEN)
def test_an_object_is_unordered(name: str) -> None:
    """RFC 8259 §1: a sender that writes the same members in another order sends the same command."""
    assert digest(backwards(GOLDEN[name]["line"])) == GOLDEN[name]["digest"]


@pytest.mark.parametrize("command", get_args(Command), ids=lambda command: command.__name__)
# Some of what a command may hold is not in its fields' types.
@settings(max_examples=30, suppress_health_check=[HealthCheck.filter_too_much])
@given(st.data())
def test_the_content_is_what_pydantic_writes(command: type[LedgerCommand], data: st.DataObject) -> None:
    """By a writer that knows nothing of ours: every kind of command, defaults given and left out."""
    facts = data.draw(facts_of(command))
    for name, field in command.model_fields.items():
        if not field.is_required() and data.draw(st.booleans()):
            del facts[name]
    try:
        given_ = command(**facts)
    except ValidationError:
        reject()
    assert content_of(given_) == given_.__pydantic_serializer__.to_json(given_, exclude_defaults=True)
