"""The library `eventsourcing` as its documentation shows it: an application, a projection and its runner.

Nothing is imported but the library: the same runs where the events are in PostgreSQL, and where they are in
UmaDB. What differs is the view, which comes from whoever uses this.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from time import monotonic, sleep
from typing import Any, Protocol
from uuid import NAMESPACE_URL, uuid5

from eventsourcing.persistence import Tracking
from eventsourcing.projection import Projection, ProjectionRunner
from eventsourcing.utils import get_topic

from ops.bench.others.protocol import Pnl, facts_of, in_saves, where, win_of
from ops.bench.stock_application import Coup, Stock

_LOOK_SECONDS = 0.02
ADD = (
    "INSERT INTO pnl (place, coups, win) VALUES ({marks}) ON CONFLICT (place) "
    "DO UPDATE SET coups = pnl.coups + 1, win = pnl.win + excluded.win"
)
TABLE = "CREATE TABLE IF NOT EXISTS pnl (place TEXT PRIMARY KEY, coups BIGINT, win BIGINT)"
ROWS = "SELECT place, coups, win FROM pnl"


class View(Protocol):
    """The P&L, kept with the position that it is of."""

    def add(self, place: str, win: int, tracking: Tracking) -> None:
        """One coup, in a transaction of its own."""

    def rows(self) -> list[tuple[str, int, int]]:
        """All of it: place, coups, win."""


class PnlProjection(Projection[Any]):
    """Hands what a settled coup came to on to its view, an event at a time, as the library has it."""

    name = "pnl"
    topics = (get_topic(vars(Coup)["CoupSettled"]),)

    def process_event(self, domain_event: Any, tracking: Tracking) -> None:
        facts = domain_event.facts
        self.view.add(where(facts), win_of(facts["totals"]), tracking)


class LibraryApplication:
    """See `ops.bench.others.protocol.Contestant`. Its lines are facts."""

    def __init__(self, env: dict[str, str], view: type[Any], drop: Callable[[], None]) -> None:
        """Open.

        Args:
            env: the library's settings.
            view: the class of the view, a tracking recorder.
            drop: takes the view's tables away.
        """
        self._env, self._view, self._drop = env, view, drop
        self._application = Stock(env)
        self._running = ExitStack()
        self._rows: list[tuple[str, int, int]] = []

    def prepare(self, lines: Sequence[str], size: int) -> Callable[[], object]:
        saves = in_saves([facts_of(line) for line in lines], size)

        def work() -> None:
            for save in saves:
                self._application.record([fact for facts in save for fact in facts])

        return work

    def project(self, coups: int, seconds: float) -> int:
        until = monotonic() + seconds
        done = 0
        runner = self._running.enter_context(
            ProjectionRunner(
                application_class=Stock, projection_class=PnlProjection, view_class=self._view, env=self._env
            )
        )
        view: View = runner.projection.view
        while done < coups and monotonic() < until:
            sleep(_LOOK_SECONDS)
            self._rows = view.rows()
            done = sum(counted for _, counted, _ in self._rows)
        return done

    def stop(self) -> None:
        """End the projection's runner. That is not timed: it may wait for threads of its own."""
        self._running.close()

    def rebuild(self, coups: int, seconds: float) -> int:
        self.stop()
        self._drop()
        return self.project(coups, seconds)

    def replay(self, stream: str) -> int:
        coup: Coup = self._application.repository.get(uuid5(NAMESPACE_URL, f"/{stream}"))
        return coup.version

    def pnl(self) -> Pnl:
        return {place: int(win) for place, _, win in self._rows}

    def close(self) -> None:
        self.stop()
        self._application.close()
