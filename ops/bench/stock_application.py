"""The library's own application, as its documentation shows it: the same facts, by its own means.

Aggregates with decorated methods, a dataclass for every event, the JSON transcoder, the recorders it comes
with. It is handed the facts that ours had decided, and reads nothing back: what it writes to again (a shoe, a
table) it keeps in memory. Facts are each event's whole JSON as ours stored it; its own id, version and
timestamp it adds, as it does.

Nothing of ours is imported here: it also runs in environments that have only the library.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event
from eventsourcing.utils import Environment

Facts = dict[str, Any]
Recorded = Sequence[tuple[str, str, Facts]]
"""Stream, topic and facts of some events, in order."""


class Coup(Aggregate):
    """One coup, from its first wager to its settlement."""

    @event("CoupOpened")
    def __init__(self, stream: str, facts: Facts) -> None:
        self.stream = stream
        self.conditions = facts["conditions"]
        self.wagers: list[Facts] = []
        self.lines: list[Facts] = []
        self.noted: list[Facts] = []

    @staticmethod
    def create_id(stream: str) -> UUID:
        """As the documentation has it for aggregates with a name."""
        return uuid5(NAMESPACE_URL, f"/{stream}")

    @event("WagersPlaced")
    def place_wagers(self, facts: Facts) -> None:
        self.wagers += facts["wagers"]

    @event("WagersClosed")
    def close_wagers(self, facts: Facts) -> None:
        self.hands_in_play = facts["hands_in_play"]

    @event("HandsDealt")
    def deal_hands(self, facts: Facts) -> None:
        self.hands = facts["hands"]

    @event("WagersSettled")
    def settle_wagers(self, facts: Facts) -> None:
        self.lines += facts["lines"]

    @event("CoupSettled")
    def settle(self, facts: Facts) -> None:
        self.totals = facts["totals"]

    @event("FactNoted")
    def note(self, facts: Facts) -> None:
        self.noted.append(facts)


class Other(Aggregate):
    """A shoe, a table, a gaming day, a command."""

    @event("Begun")
    def __init__(self, stream: str, facts: Facts) -> None:
        self.stream = stream
        self.last = facts

    @staticmethod
    def create_id(stream: str) -> UUID:
        """As the documentation has it for aggregates with a name."""
        return uuid5(NAMESPACE_URL, f"/{stream}")

    @event("WentOn")
    def go_on(self, facts: Facts) -> None:
        self.last = facts


_OF_A_COUP: dict[str, Callable[[Coup, Facts], None]] = {
    "wagers-placed": Coup.place_wagers,
    "wagers-closed": Coup.close_wagers,
    "hands-dealt": Coup.deal_hands,
    "wagers-settled": Coup.settle_wagers,
    "coup-settled": Coup.settle,
}
"""The method that brings an event about, by our topic without its version."""


class Stock(Application[UUID]):
    """Records what happened."""

    name = "stock"

    def __init__(self, env: dict[str, str]) -> None:
        super().__init__(env)
        self._going_on: dict[str, Other] = {}

    def construct_env(self, name: str, env: Any = None) -> Environment:
        """The settings given, and not whatever stands in the process's environment."""
        return Environment(name, {**type(self).env, **(env or {})})

    def record(self, happened: Recorded) -> None:
        """All of it in one transaction."""
        moved: dict[str, Aggregate] = {}
        for stream, topic, facts in happened:
            if stream.startswith("coup/"):
                coup = moved.get(stream)
                if isinstance(coup, Coup):
                    _OF_A_COUP.get(topic.partition(".")[0], Coup.note)(coup, facts)
                else:
                    moved[stream] = Coup(stream=stream, facts=facts)
            else:
                moved[stream] = self._other(stream, facts)
        self.save(*moved.values())

    def _other(self, stream: str, facts: Facts) -> Other:
        known = self._going_on.get(stream)
        if known is None:
            known = Other(stream=stream, facts=facts)
            if not stream.startswith("command/"):  # which happens once
                self._going_on[stream] = known
        else:
            known.go_on(facts)
        return known
