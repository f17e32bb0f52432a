"""Short words for the oracle's own tests: a coup, and a tape, as the table would tell them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from .night import pnl


def wagers(text: str) -> list[dict[str, Any]]:
    """Read "player 100, tie 5" as wagers w1 and w2."""
    answer = []
    for number, part in enumerate(text.split(", "), start=1):
        kind, stake = part.split()
        answer.append({"id": f"w{number}", "kind": kind, "stake": int(stake), "patron": "p-1", "seat": 3})
    return answer


def coup(table_format: str, hands: dict[str, str], staked: str, **more: Any) -> dict[str, Any]:
    """Build one settle line."""
    return {"format": table_format, "hands": hands, "wagers": wagers(staked), **more}


def rounds_to(exact: Fraction, text: str) -> bool:
    """Say whether an exact figure rounds to the printed one."""
    places = len(text.partition(".")[2])
    return abs(exact - Fraction(text)) <= Fraction(1, 2 * 10**places)


class Tape:
    """A tape in the making; every line gets an id and, unless told otherwise, table T1 and shoe S1."""

    def __init__(self, table_format: str = "punto-banco", decks: int = 8, **more: Any) -> None:
        """Open the table and start its shoe."""
        self.lines: list[dict[str, Any]] = []
        self.add("open-table", gaming_day="2026-11-28", format=table_format, **more)
        self.add("start-shoe", decks=decks)

    def add(self, command: str, **facts: Any) -> Tape:
        """Write one command."""
        if isinstance(facts.get("wagers"), str):
            facts["wagers"] = wagers(facts["wagers"])
        line = {"command": command, "id": f"c{len(self.lines)}", "table": "T1", "shoe": "S1", "actor": "d-1"}
        self.lines.append({**line, "occurred_at": "2026-11-28T21:00:00+00:00", **facts})
        return self

    def coup(self, number: int, player: str, banker: str, staked: str, **more: Any) -> Tape:
        """Record a whole coup."""
        hands = {"player": player, "banker": banker}
        return self.add("record-coup", number=number, hands=hands, wagers=staked, **more)

    def banco(self, number: int, patron: str, seat: int, call: str = "banco") -> Tape:
        """Ask for the bank of a coup; the wager bears the caller's name."""
        return self.add("call-banco", number=number, call=call, patron=patron, seat=seat, wager=f"b-{patron}")

    def deal(self, number: int, player: str, banker: str) -> Tape:
        """Close, deal and settle a coup that has been opened."""
        self.add("close-wagers", number=number)
        self.add("deal-hands", number=number, hands={"player": player, "banker": banker})
        return self.add("settle-coup", number=number)

    def rows(self) -> list[dict[str, Any]]:
        """Work the night out."""
        return pnl(self.lines)

    def row(self, **expected: Any) -> Tape:
        """Expect one row with these figures, so far."""
        (row,) = self.rows()
        assert {name: row[name] for name in expected} == expected
        return self
