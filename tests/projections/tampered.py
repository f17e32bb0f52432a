"""A ledger whose every coup was worked by hand, and altering a ledger behind its back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from projections.audit.audit import Audit, Wanted
from projections.audit.causes import Finding
from projections.audit.differences import Summary
from tests.tabletalk import Live, hands, open_ledger

Fields = dict[str, Any]
RULING: Fields = {"reason": "camera 4", "approvers": ["pit-1", "pit-2"], "evidence": "clip 17"}


def stream(number: int, table: str = "T1", shoe: str = "S1") -> str:
    """The stream of a coup."""
    return f"coup/main/{table}/{shoe}/{number}"


def tell(path: Path) -> None:
    """Eight coups of punto banco under exact-only; amounts in pence, worked by hand.

    1 a nine beats a seven: the player's 100 wins 100, banker 200 and tie 50 are lost.
    2 a seven beats a six: banker 2500 wins 2375 at 19 to 20, player 100 is lost.
    3 six and six: player 100 is void, banker 200 stands off, tie 50 wins 400.
    4 settled like 1, then corrected to a seven against a six: player 100 lost, banker 200 wins 190.
    5 settled like 1, then ruled void.
    6 held: the player's five drew nothing.
    7 held the same way and ruled: a third card of 4 makes the player's five a nine. Player 100 wins.
    8 open, with a wager.
    """
    ledger = open_ledger(path)
    live = Live(ledger)
    live.coup(1, "P 9 K / B 7 Q", "player 100 p-1, banker 200, tie 50")
    live.coup(2, "P 2 4 / B 7 Q", "banker 2500, player 100 p-2")
    live.coup(3, "P 6 K / B 6 Q", "player 100, banker 200, tie 50")
    live.coup(4, "P 9 K / B 7 Q", "player 100, banker 200")
    live.step("correct-coup", 4, hands=hands("P 6 K / B 7 Q"), **RULING)
    live.coup(5, "P 9 K / B 7 Q", "player 100, banker 200")
    live.step("void-coup", 5, **RULING)
    live.coup(6, "P 2 3 / B 7 Q", "player 100")
    live.coup(7, "P 2 3 / B 7 Q", "player 100")
    live.step("correct-hands", 7, hands=hands("P 2 3 4 / B 7 Q"), **RULING)
    live.step("open-coup", 8)
    live.step("place-wagers", 8, wagers=[{"id": "w1", "kind": "player", "stake": 100}])
    ledger.close()


@contextmanager
def behind_its_back(path: Path) -> Iterator[sqlite3.Connection]:
    """The file as plain SQLite, its triggers dropped."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        yield connection


def alter(path: Path, coup: str, topic: str, change: Callable[[Fields], object], which: int = 0) -> None:
    """Change the fields of one event of a coup: the first of its topic, or the one counted by `which`."""
    with behind_its_back(path) as connection:
        sequence, state = _rows(connection, coup, topic)[which]
        fields = json.loads(state)
        change(fields)
        altered = json.dumps(fields, separators=(",", ":")).encode()
        assert altered != state
        connection.execute("UPDATE stored_events SET state = ? WHERE sequence = ?", (altered, sequence))


def spoil(path: Path, coup: str, topic: str) -> None:
    """Leave nothing readable of one event."""
    with behind_its_back(path) as connection:
        ((sequence, _),) = _rows(connection, coup, topic)
        connection.execute("UPDATE stored_events SET state = ? WHERE sequence = ?", (b"{", sequence))


def remove(path: Path, coup: str, topic: str) -> None:
    """Take one event out of the record."""
    with behind_its_back(path) as connection:
        ((sequence, _),) = _rows(connection, coup, topic)
        connection.execute("DELETE FROM stored_events WHERE sequence = ?", (sequence,))


def swap(path: Path, coup: str, one: str, other: str) -> None:
    """Let two events of a coup change places: each takes the other's sequence and version."""
    with behind_its_back(path) as connection:
        (a, first), (b, second) = (_rows(connection, coup, topic)[0] for topic in (one, other))
        places = {a: (second, other), b: (first, one)}
        for sequence, (state, topic) in places.items():
            sql = "SELECT originator_version FROM stored_events WHERE sequence = ?"
            ((version,),) = connection.execute(sql, (sequence,))
            moved = json.dumps({**json.loads(state), "version": version}).encode()
            sql = "UPDATE stored_events SET topic = ?, state = ? WHERE sequence = ?"
            connection.execute(sql, (f"{topic}.v1", moved, sequence))


def add_again(path: Path, coup: str, *topics: str) -> None:
    """Append the events of these topics a second time, under the next versions."""
    with behind_its_back(path) as connection:
        for topic in topics:
            ((_, state),) = _rows(connection, coup, topic)
            ((last,),) = connection.execute("SELECT MAX(sequence) FROM stored_events")
            ((version,),) = connection.execute(
                "SELECT MAX(originator_version) FROM stored_events WHERE originator_id = ?", (coup,)
            )
            fields = {**json.loads(state), "version": version + 1}
            row = (last + 1, coup, version + 1, f"{topic}.v1", json.dumps(fields).encode())
            connection.execute("INSERT INTO stored_events VALUES (?,?,?,?,?)", row)


def _rows(connection: sqlite3.Connection, coup: str, topic: str) -> list[tuple[int, bytes]]:
    rows = connection.execute(
        "SELECT sequence, state FROM stored_events WHERE originator_id = ? AND topic = ? ORDER BY sequence",
        (coup, f"{topic}.v1"),
    ).fetchall()
    assert rows, f"{coup} has no {topic}"
    return rows


Found = list[tuple[str, str | None, int]]
"""Causes with the wager and the difference in pence."""


def findings(path: Path) -> list[Finding]:
    """What an audit finds, whole."""
    with closing(open_ledger(path)) as ledger:
        return [difference.finding for difference in Audit(ledger.record).differences()]


def audited(path: Path, wanted: Wanted | None = None) -> tuple[Found, Summary]:
    """What an audit finds, in its order; superseded ones too."""
    with closing(open_ledger(path)) as ledger:
        work = Audit(ledger.record, wanted or Wanted())
        found = [
            (difference.finding.cause.value, difference.finding.wager, difference.finding.difference)
            for difference in work.differences()
        ]
    return found, work.summary
