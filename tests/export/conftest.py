"""The evening, played and ruled upon once more: a settled coup is corrected, another ruled void."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ops.wiring import House
from tests.projections.houses import Line, evening, house_at, take

RULING = {
    "occurred_at": "2026-11-28T01:00:00Z",
    "actor": "pit-9",
    "reason": "camera 4",
    "evidence": "clip 17",
    "approvers": ["manager-8", "manager-9"],
}


def _settled_coups(lines: list[Line]) -> list[Line]:
    """Whole coups of punto banco on which something was staked."""
    return [line for line in lines if line["command"] == "record-coup" and line["table"] == "PB1"]


def ruled_evening() -> list[Line]:
    """The evening with a correction, and with a void of a coup that had settled."""
    lines = evening()
    first, second = _settled_coups(lines)[:2]
    where = [{name: line[name] for name in ("table", "shoe", "number")} for line in (first, second)]
    return [
        *lines,
        {
            "command": "correct-coup",
            "id": "rule-1",
            **where[0],
            **RULING,
            "hands": {"player": "2 7", "banker": "K 7"},
        },
        {"command": "void-coup", "id": "rule-2", **where[1], **RULING},
    ]


@pytest.fixture(scope="package")
def lines() -> list[Line]:
    return ruled_evening()


@pytest.fixture(scope="package")
def house(lines: list[Line], tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house_at(tmp_path_factory.mktemp("export") / "ledger.db") as opened:
        take(opened, lines)
        yield opened
