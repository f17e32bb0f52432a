"""What the evening leaves out: a dispute, a gaming day that is closed, and what is booked on the next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ledger.commands import TAPE_LINE, Command

Line = dict[str, Any]

_MORNING = {"premises": "annexe", "actor": "pit-9", "occurred_at": "2026-11-27T06:00:00Z"}
_TABLE = {**_MORNING, "table": "PB9"}
_CHIPS = {"chips": {"2500": 4}, "signed_by": ["dealer-9", "inspector-9"]}
_DAY = "2026-11-26"


def _night(day: str) -> Line:
    facts = {"gaming_day": day, "shift": "1", "format": "punto-banco", "opener": _CHIPS}
    return {**_TABLE, "command": "open-table", "occurred_at": f"{day}T19:00:00Z", **facts}


def _day() -> Iterator[Line]:
    """One table's gaming day at other premises, its close, and a day later an adjustment of it."""
    yield _night(_DAY)
    yield {**_TABLE, "command": "count-drop", "amount": 700, "signed_by": ["count-9"]}
    yield {**_TABLE, "command": "close-table", "closer": _CHIPS}
    counted = {"shift": "1", "opener": 10_000, "closer": 10_000, "drop": 700}
    yield {
        **_TABLE,
        "command": "record-count",
        "gaming_day": _DAY,
        "counted": counted,
        "signed_by": ["count-9"],
    }
    figures = {"table": "PB9", "win_by_wagers": 0, "win_by_inventory": 700, "variance": -700}
    yield {
        **_MORNING,
        "command": "close-day",
        "gaming_day": _DAY,
        "position": 1,
        "tables": [figures],
        "signed_by": ["accounts-9"],
    }
    yield _night("2026-11-27")
    yield {
        **_TABLE,
        "command": "book-adjustment",
        "occurred_at": "2026-11-27T20:00:00Z",
        "adjusts": _DAY,
        "account": "drop",
        "amount": -500,
        "reason": "a note counted twice",
        "approvers": ["accounts-8", "manager-9"],
    }


def _dispute(coup: Line) -> Iterator[Line]:
    """Of a coup of the evening: raised, and resolved."""
    where = {name: coup[name] for name in ("table", "shoe", "number")}
    always = {**where, "actor": "pit-1", "occurred_at": "2026-11-28T05:00:00Z", "dispute": "D-1"}
    yield {**always, "command": "raise-dispute", "statement": "I had the nine"}
    yield {**always, "command": "resolve-dispute", "decision": "The cards say otherwise"}


def beside(evening: list[Line]) -> list[Command]:
    """Commands to run after those of the evening."""
    coup = next(line for line in evening if line["command"] == "record-coup")
    lines = [*_dispute(coup), *_day()]
    return [
        TAPE_LINE.validate_python({**line, "id": f"beside-{number}"}) for number, line in enumerate(lines)
    ]
