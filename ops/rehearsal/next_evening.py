"""The day after the evening tape: a dispute and what came of it, and an evening that is still being played.

For whoever looks at a floor: all three tables are open, in the middle of their shoes. It follows the evening
tape (`evening.py`): slips run on, and each float opens with what it closed with.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise
from operator import itemgetter
from typing import Any

from ops.rehearsal.evening import GAMING_DAY, evening
from ops.rehearsal.setting import Line

NEXT_SEED = 20261128
NEXT_DAY = "2026-11-28"
NOW = "2026-11-28T22:35:00Z"
"""Where the evening has come to."""
_DAYS = {"2026-11-28": "2026-11-29", GAMING_DAY: NEXT_DAY}
_COUP = {"table": "PB1", "shoe": f"{GAMING_DAY}-1", "number": 12}
_OTHER = {"table": "BB1", "shoe": f"{GAMING_DAY}-1", "number": 10}


def next_evening() -> Iterator[Line]:
    """The tape of that day so far, in order of time."""
    return heapq.merge(_aftermath(), _interest(), _played(), key=itemgetter("occurred_at"))


def _played() -> Iterator[Line]:
    """Another evening at the same tables, up to `NOW`."""
    slips: dict[str, int] = {}
    closers: dict[str, Any] = {}
    for line in evening():
        if "slip" in line:
            slips[line["table"]] = int(line["slip"].rpartition("-")[2])
        if line["command"] == "close-table":
            closers[line["table"]] = line["closer"]["chips"]
    for line in evening(NEXT_SEED):
        moved: Line = {name: _next_day(value) for name, value in line.items()}
        if moved["occurred_at"] > NOW:
            return
        if moved["command"] == "open-table":
            moved["opener"] = moved["opener"] | {"chips": closers[moved["table"]]}
        if "slip" in moved:
            slips[moved["table"]] += 1
            moved["slip"] = f"{moved['table']}-{slips[moved['table']]:05d}"
        yield moved


def _next_day(value: Any) -> Any:
    """A day, a moment, a shoe's name or a command's id, a day later."""
    if isinstance(value, str):
        for day, following in _DAYS.items():
            if value.startswith(day):
                return following + value.removeprefix(day)
    return value


def _line(nth: int, at: str, command: str, actor: str, **facts: Any) -> Line:
    return {
        "command": command,
        "id": f"{NEXT_DAY}-office-{nth:04d}",
        "occurred_at": at,
        "actor": actor,
        **facts,
    }


def _aftermath() -> Iterator[Line]:
    """What the office did during the day: a dispute that was right, and one that is open."""
    yield _line(
        1,
        f"{NEXT_DAY}T11:10:00Z",
        "raise-dispute",
        "compliance-01",
        **_COUP,
        dispute="D-1041",
        patron="p-06a4db",
        wager="w1",
        statement="The banker's third card was a six, not a ten: the hands were equal.",
    )
    yield _line(
        2,
        f"{NEXT_DAY}T14:32:00Z",
        "correct-coup",
        "pit-manager-01",
        **_COUP,
        hands={"player": "9c 6s 3d", "banker": "3s 9s 6c"},
        reason="the reader had taken the six of clubs for the ten",
        approvers=["duty-manager-01", "compliance-02"],
        evidence="surveillance PB1 camera 2, 27 November, 19:53",
    )
    yield _line(
        3,
        f"{NEXT_DAY}T14:50:00Z",
        "resolve-dispute",
        "compliance-01",
        **_COUP,
        dispute="D-1041",
        decision="The patron was right. The coup is corrected and the stake of £25.00 handed back.",
        evidence="ruling of 28 November, 14:32",
    )
    yield _line(
        4,
        f"{NEXT_DAY}T15:20:00Z",
        "raise-dispute",
        "compliance-01",
        **_OTHER,
        dispute="D-1042",
        patron="p-28abf2",
        wager="w6",
        statement="A stake on both hands was given back although the second hand had won.",
    )


def _interest() -> Iterator[Line]:
    """Between two coups at PB1 somebody says that he has a share in the house's bank, and gives it up."""
    coups = (line for line in _played() if line["command"] == "record-coup" and line["table"] == "PB1")
    dealt = [datetime.fromisoformat(line["occurred_at"]) for line in coups]
    after = next(first for first, second in pairwise(dealt[8:]) if second - first > timedelta(minutes=2))
    facts = {"table": "PB1", "person": "p-51ac07"}
    said, over = after + timedelta(seconds=20), after + timedelta(seconds=80)
    yield _line(
        5,
        _written(said),
        "declare-interest",
        "compliance-01",
        **facts,
        capacity="player",
        detail="a tenth of the bank, promised by a partner of the licence holder",
    )
    yield _line(6, _written(over), "withdraw-interest", "compliance-01", **facts)


def _written(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"
