"""Every projection made anew, against a bare loop over the same rows, and against the library's own runner.

The bare loop selects the rows and decodes their JSON. The library's `ProjectionRunner` reads the same store
into the same tables, as its documentation shows it: a transaction an event, with its position. What a command
brought about it folds when the command's record comes, since our projections are told whole commands; that
spares it most of the writing. In the library SQLite has no subscription, so it gets one that looks again
every few milliseconds; it is measured on the first events only.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar

from eventsourcing.application import Application
from eventsourcing.persistence import ListenNotifySubscription, Mapper, Tracking
from eventsourcing.projection import Projection as LibraryProjection
from eventsourcing.projection import ProjectionRunner
from eventsourcing.sqlite import SQLiteDatastore, SQLiteTrackingRecorder

from ledger.events.base import LedgerEvent
from ledger.events.command import CommandRecorded
from ledger.store.mapper import LedgerMapper, NoTranscoder
from ledger.store.sqlite import LedgerFactory, SQLiteLedgerRecorder
from ops.memory import few_collections
from ops.wiring import open_house
from projections.catalogue import EVERY
from projections.folding import Folding
from projections.read_table import NamedTables
from projections.runner import rebuild

STOCK_EVENTS = 2_000
"""Events that the library's runner is measured on."""
_LOOK_AGAIN_SECONDS = 0.005
_PATIENCE_SECONDS = 300
TOPICS = tuple(
    sorted({topic for projection in EVERY for topic in projection.topics} | {CommandRecorded.TOPIC})
)


def rebuilding(path: Path) -> tuple[str, str, int, float, float]:
    """Every projection together against the bare loop: the fields of a `Measure`, in order (seconds)."""
    with open_house(str(path)) as house, few_collections():
        start = perf_counter()
        events = rebuild(house.ledger.record, house.tables, EVERY)
        ours = perf_counter() - start
    return f"{len(EVERY)} projections, from nothing", "events", events, ours, _bare(path)


def against_the_library(path: Path) -> tuple[str, str, int, float, float]:
    """Every projection together against the library's runner: how many times its rate, as a `Measure`."""
    name, unit, events, ours, _ = rebuilding(path)
    return f"{name}, to ProjectionRunner", unit, events, ours, events * _stock_seconds_an_event(path)


def _bare(path: Path) -> float:
    marks = ",".join("?" * len(TOPICS))
    sql = f"SELECT state FROM stored_events WHERE topic IN ({marks}) ORDER BY sequence"
    with closing(sqlite3.connect(path)) as connection:
        start = perf_counter()
        for (state,) in connection.execute(sql, TOPICS):
            json.loads(state)
        return perf_counter() - start


# --- The library's own way -------------------------------------------------------------------------------


class _LookingAgain(ListenNotifySubscription["_Recorder"]):
    """A subscription that is notified by the clock."""

    def _loop_on_pull(self) -> None:
        try:
            while not self._has_been_stopped:
                self._pull()
                self._has_been_notified.wait(_LOOK_AGAIN_SECONDS)
        except BaseException as error:  # noqa: BLE001 as in the class it extends: the reader raises it
            self._thread_error = error
            self.stop()


class _Recorder(SQLiteLedgerRecorder):
    """Our record, with a subscription."""

    def subscribe(self, gt: int | None = None, topics: Sequence[str] = ()) -> Any:
        return _LookingAgain(self, gt, topics)


class _Factory(LedgerFactory):
    application_recorder_class = _Recorder


class _Stock(Application[str]):
    """An application over our record, as the library has them."""

    name = "stock"
    env: ClassVar[dict[str, str]] = {"PERSISTENCE_MODULE": "ops.bench.rebuild:_Factory"}

    def construct_mapper(self) -> Mapper[str]:
        return LedgerMapper(NoTranscoder())


class _View(SQLiteTrackingRecorder):
    """Our read tables, beside the library's position."""

    def __init__(self, datastore: SQLiteDatastore, **kwargs: Any) -> None:
        super().__init__(datastore, **kwargs)
        self.begun = Folding(EVERY)

    def construct_create_table_statements(self) -> list[str]:
        tables = [table for projection in EVERY for table in projection.tables]
        return [*super().construct_create_table_statements(), *(table.create(table.name) for table in tables)]

    def take(self, event: LedgerEvent, tracking: Tracking) -> None:
        """One event, in a transaction."""
        names = {table.name: table.name for projection in EVERY for table in projection.tables}
        with self.datastore.transaction(commit=True) as cursor:
            self._insert_tracking(cursor, tracking)
            self.begun.take(tracking.notification_id, event)
            if isinstance(event, CommandRecorded):
                into = NamedTables(_Cursor(cursor), names)
                for sql, rows in chain.from_iterable(self.begun.writes()):
                    into.executemany(sql, rows)
                self.begun = Folding(EVERY)


class _Cursor:
    """The library's cursor as our statements."""

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        self._cursor.execute(sql, parameters)
        return []

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        for row in rows:
            self._cursor.execute(sql, row)


class _Projected(LibraryProjection[_View]):
    name = "projected"
    topics = TOPICS

    def process_event(self, domain_event: Any, tracking: Tracking) -> None:
        self.view.take(domain_event, tracking)


def _stock_seconds_an_event(path: Path) -> float:
    view = path.with_name("stock-view.db")
    view.unlink(missing_ok=True)
    env = {
        "SQLITE_DBNAME": str(path),
        "PROJECTED_PERSISTENCE_MODULE": "eventsourcing.sqlite",
        "PROJECTED_SQLITE_DBNAME": str(view),
    }
    start = perf_counter()
    with ProjectionRunner(
        application_class=_Stock, projection_class=_Projected, view_class=_View, env=env
    ) as runner:
        runner.wait(STOCK_EVENTS, timeout=_PATIENCE_SECONDS)
        return (perf_counter() - start) / STOCK_EVENTS
