"""The table's language for tests: hands, wagers and commands in a few words.

hands("P 9 K / B 7 Q")            the player's hand 9 K, the banker's 7 Q
hands("1 9 K / 2 5 5 3 / B 7 Q")  baccarat banque's two hands
wagers("banker 2500, tie 1000")   wagers w1 and w2, in minor units
Night()                           commands of one night at one table, with ids counting up
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ledger.answer import Answer
from ledger.application import Ledger
from ledger.commands import TAPE_LINE, Command
from ledger.events.base import LedgerEvent
from ledger.events.catalogue import decode
from ops.engines import engine_of, is_server

NOON = datetime(2026, 11, 28, 12, tzinfo=UTC)
"""When the ledger's clock stands in tests; everything at the tables happened before."""
EVENING = "2026-11-27T21:00:00Z"
GAMING_DAY = "2026-11-27"

_NAMES = {"P": "player", "B": "banker", "1": "hand-1", "2": "hand-2"}


def hands(text: str) -> dict[str, str]:
    """Hands by name: a letter or number for the hand, then its cards in dealt order."""
    dealt = {}
    for part in text.split(" / "):
        name, cards = part.split(" ", 1)
        dealt[_NAMES[name]] = cards
    return dealt


def wagers(text: str) -> list[dict[str, Any]]:
    """Wagers w1, w2, ... from `kind stake` pairs; a third word is the patron."""
    offered = []
    for number, part in enumerate(filter(None, text.split(", ")), start=1):
        kind, stake, *patron = part.split()
        offered.append({"id": f"w{number}", "kind": kind, "stake": int(stake)})
        if patron:
            offered[-1]["patron"] = patron[0]
    return offered


class Night:
    """Commands of one night at one table, as lines of a tape."""

    def __init__(self, format: str = "punto-banco", table: str = "T1", shoe: str = "S1", prefix: str = "c"):
        self.lines: list[dict[str, Any]] = []
        self.format, self.table, self.shoe, self.prefix = format, table, shoe, prefix

    def say(self, command: str, **facts: Any) -> dict[str, Any]:
        """One command, with the next id unless one is given."""
        line = {
            "command": command,
            "id": f"{self.prefix}{len(self.lines) + 1}",
            "occurred_at": EVENING,
            "actor": "dealer-1",
            "table": self.table,
            **facts,
        }
        self.lines.append(line)
        return line

    def opens(self, decks: int = 8, **facts: Any) -> Night:
        """The table opens and a shoe comes into use."""
        opener = {"chips": {"2500": 400}, "signed_by": ["dealer-1", "inspector-1"]}
        night = {"gaming_day": GAMING_DAY, "format": self.format, "opener": opener}
        self.say("open-table", **{**night, **facts})
        self.say("start-shoe", shoe=self.shoe, decks=decks)
        return self

    def closes_day(self, **facts: Any) -> dict[str, Any]:
        """The premises' day is closed, with this table alone on it; its figures are nought unless given."""
        nought = {"table": self.table, "win_by_wagers": 0, "win_by_inventory": 0, "variance": 0}
        close = {"gaming_day": GAMING_DAY, "position": 1, "tables": [nought], "signed_by": ["accounts-1"]}
        return self.of_the_house("close-day", **{**close, **facts})

    def of_the_house(self, command: str, **facts: Any) -> dict[str, Any]:
        """One command that is about no table."""
        line = self.say(command, **facts)
        del line["table"]
        return line

    def coup(self, number: int, dealt: str, staked: str = "", **facts: Any) -> dict[str, Any]:
        """A whole coup in one command."""
        return self.say(
            "record-coup",
            **{"shoe": self.shoe, "number": number, "hands": hands(dealt), "wagers": wagers(staked), **facts},
        )

    def step(self, command: str, number: int, **facts: Any) -> dict[str, Any]:
        """One step of a coup."""
        return self.say(command, **{"shoe": self.shoe, "number": number, **facts})


def command(line: dict[str, Any]) -> Command:
    """A line of a tape as the command it is."""
    return TAPE_LINE.validate_python(line)


def open_ledger(path: Path | str, clock: Callable[[], datetime] = lambda: NOON) -> Ledger:
    """A ledger on an SQLite file, or at the address of one on a server."""
    if is_server(str(path)):
        return Ledger(engine_of(str(path), create=False).env, clock)
    env = {"PERSISTENCE_MODULE": "ledger.store.sqlite:LedgerFactory", "SQLITE_DBNAME": str(path)}
    return Ledger(env, clock)


def play(ledger: Ledger, night: Night | Sequence[dict[str, Any]]) -> list[Answer]:
    """Run every line, each in a transaction of its own."""
    lines = night.lines if isinstance(night, Night) else night
    return [ledger.run(command(line)) for line in lines]


def events_of(ledger: Ledger, stream: str) -> list[LedgerEvent]:
    """The events of one stream."""
    return [decode(row.topic, row.state) for row in ledger.record.select_stream(stream)]


def all_events(ledger: Ledger) -> list[LedgerEvent]:
    """Every event of a small ledger, in order."""
    return [decode(row.topic, row.state) for row in ledger.record.select_rows(0, 100_000)]


def topics_of(ledger: Ledger, stream: str) -> list[str]:
    """The topics of one stream, in order, without their versions."""
    return [row.topic.partition(".")[0] for row in ledger.record.select_stream(stream)]


def step_by_step(line: dict[str, Any]) -> list[dict[str, Any]]:
    """The commands of live play that come to the same as one `record-coup`."""
    common: dict[str, Any] = {
        name: line[name]
        for name in ("occurred_at", "actor", "premises", "table", "shoe", "number")
        if name in line
    }
    in_play = [name for name in line["hands"] if name != "banker"]
    claim = {"claimed": line["claimed"]} if "claimed" in line else {}
    steps: list[tuple[str, dict[str, Any]]] = [
        ("open-coup", {}),
        ("place-wagers", {"wagers": line["wagers"]}),
        ("close-wagers", {"hands_in_play": in_play}),
        ("deal-hands", {"hands": line["hands"], **claim}),
        ("settle-coup", {}),
    ]
    return [{"command": name, "id": f"{line['id']}-{name}", **common, **facts} for name, facts in steps]


class Live:
    """A night played while it is told: each command runs at once, and its answer comes back."""

    def __init__(self, ledger: Ledger, format: str = "punto-banco", decks: int = 8, **opening: Any) -> None:
        self.ledger = ledger
        self.night = Night(format).opens(decks, **opening)
        assert all(answer.applied for answer in play(ledger, self.night))

    def say(self, name: str, **facts: Any) -> Answer:
        """One command of the table."""
        return self.ledger.run(command(self.night.say(name, **facts)))

    def step(self, name: str, number: int, **facts: Any) -> Answer:
        """One step of a coup."""
        return self.ledger.run(command(self.night.step(name, number, **facts)))

    def coup(self, number: int, dealt: str, staked: str = "", **facts: Any) -> Answer:
        """A whole coup."""
        return self.ledger.run(command(self.night.coup(number, dealt, staked, **facts)))

    def table_events(self) -> list[LedgerEvent]:
        """The events of the table's gaming day."""
        return events_of(self.ledger, f"table/main/{self.night.table}/{GAMING_DAY}")

    def coup_events(self, number: int) -> list[LedgerEvent]:
        """The events of a coup."""
        return events_of(self.ledger, f"coup/main/{self.night.table}/{self.night.shoe}/{number}")
