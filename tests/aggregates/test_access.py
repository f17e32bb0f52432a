"""Keys: issued once under a name, revoked once; what is refused is recorded, and shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ledger.events.access import KeyIssued, KeyRevoked
from ledger.terms.access import Role
from projections.compliance.finding_filter import FindingFilter
from projections.compliance.views import findings
from projections.story.refusals import refused_command
from tests.projections.houses import house_at
from tests.tabletalk import NOON, command, events_of

STREAM = "access/main/desk-1"


def asks(name: str, number: int, **facts: Any) -> Any:
    line = {"command": name, "id": f"a{number}", "occurred_at": "2026-11-27T12:00:00Z", "actor": "admin-1"}
    return command({**line, "key": "desk-1", **facts})


def issue(number: int, **facts: Any) -> Any:
    return asks("issue-key", number, **{"person": "pit-1", "roles": ["pit", "pit", "cage"], **facts})


def revoke(number: int) -> Any:
    return asks("revoke-key", number, reason="Lost")


def test_a_key_is_issued_and_revoked_once(tmp_path: Path) -> None:
    with house_at(tmp_path / "ledger.db") as house:
        asked = [revoke(1), issue(2), issue(3, person="pit-2"), revoke(4), revoke(5), issue(6)]
        answers = [house.ledger.run(one) for one in asked]
        assert [answer.code for answer in answers] == [
            "no-such-key",
            None,
            "key-name-used",
            None,
            "key-revoked-already",
            "key-name-used",
        ]
        assert {answer.subject for answer in answers if answer.applied} == {STREAM}
        issued, revoked = events_of(house.ledger, STREAM)
        assert isinstance(issued, KeyIssued)
        assert isinstance(revoked, KeyRevoked)
        assert (issued.person, issued.roles, issued.expires_at) == ("pit-1", (Role.PIT, Role.CAGE), None)
        assert revoked.reason == "Lost"


def test_a_name_is_used_once_at_each_premises(tmp_path: Path) -> None:
    with house_at(tmp_path / "ledger.db") as house:
        assert house.ledger.run(issue(1)).applied
        assert house.ledger.run(issue(2, premises="annexe")).applied


def test_a_refusal_about_a_key_is_found_and_told(tmp_path: Path) -> None:
    with house_at(tmp_path / "ledger.db") as house:
        house.ledger.run(revoke(1))
        house.runner().catch_up()
        with house.tables.snapshot() as statements:
            (finding,) = findings(statements, FindingFilter(), NOON)
        assert (finding.code, finding.reason, finding.table) == ("command-refused", "no-such-key", None)
        refused = refused_command(house.ledger.record, "a1")
        assert refused is not None
        assert refused.told(in_record=False)


@pytest.mark.parametrize("facts", [{"roles": []}, {"roles": ["owner"]}, {"person": "pit 1"}, {"key": ""}])
def test_what_is_no_key_is_no_command(facts: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        issue(1, **facts)
