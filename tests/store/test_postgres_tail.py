"""Design §7 and §9 on PostgreSQL: a reader at N never misses a later commit with a lower number."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from functools import partial
from itertools import count

import pytest

from ledger.store.port import LedgerRecorder, Row
from tests import postgres
from tests.contracts.recorder import everything, places
from tests.contracts.writers import Opener

from .postgres_records import open_record
from .tail import Writer

WRITERS = 4
DEATHS = 8
SECONDS_MAX = 18
"""Autovacuum has come by then, or is not in the way of anybody here."""

EAGER = (
    "ALTER TABLE stored_events SET (autovacuum_vacuum_insert_threshold = 100, "
    "autovacuum_vacuum_insert_scale_factor = 0, autovacuum_analyze_threshold = 100, "
    "autovacuum_analyze_scale_factor = 0)"
)
VACUUMED = (
    "SELECT autovacuum_count, autoanalyze_count FROM pg_stat_user_tables "
    "WHERE relid = 'stored_events'::regclass"
)


class Casino:
    """Four writers at work; one who is killed is followed by another, with a stream of its own."""

    def __init__(self, opener: Opener) -> None:
        self.opener = opener
        self.names = map("coup/main/PB1/S-20/{}".format, count(1))
        self.everybody: list[Writer] = []
        self.working: list[Writer] = []

    def start(self, writers: int) -> None:
        new = [Writer(self.opener, next(self.names)) for _ in range(writers)]
        self.everybody += new
        self.working += new
        for writer in new:
            writer.is_ready()

    def kill_one(self, chance: random.Random) -> None:
        self.working.pop(chance.randrange(len(self.working))).kill()
        self.start(1)

    def listen(self) -> None:
        for writer in self.working:
            writer.listen()

    def stop(self) -> None:
        while self.working:
            self.working.pop().stop()


@pytest.fixture
def casino(postgres_url: str) -> Iterator[Casino]:
    at_work = Casino(partial(open_record, postgres_url))
    at_work.start(WRITERS)
    yield at_work
    for writer in at_work.working:
        writer.kill()


@pytest.fixture
def recorder(postgres_url: str) -> Iterator[LedgerRecorder]:
    recorder = open_record(postgres_url)
    yield recorder
    recorder.close()


def has_been_vacuumed(url: str) -> bool:
    """By the server itself; at once and by us, on one whose autovacuum comes by less often than ours."""
    ((pause,),) = postgres.change(url, "SHOW autovacuum_naptime")
    if pause != postgres.NAPTIME:
        postgres.change(url, "VACUUM (ANALYZE) stored_events")
        return True
    ((vacuumed, analyzed),) = postgres.change(url, VACUUMED)
    return bool(vacuumed and analyzed)


def test_none_late_none_skipped_none_doubled_while_writers_die_and_autovacuum_runs(
    postgres_url: str, recorder: LedgerRecorder, casino: Casino
) -> None:
    """Four processes save calls and copies; the reader only ever asks for what comes after its last event."""
    postgres.change(postgres_url, EAGER)
    chance = random.Random(1994)
    read: list[Row] = []
    deaths = 0
    begun = time.monotonic()
    next_death = begun + 0.2

    def read_on() -> list[Row]:
        rows = recorder.select_rows(read[-1].sequence if read else 0, 500)
        read.extend(rows)
        return rows

    while deaths < DEATHS or not has_been_vacuumed(postgres_url):
        assert time.monotonic() < begun + SECONDS_MAX, (deaths, len(read))
        read_on()
        casino.listen()
        if deaths < DEATHS and time.monotonic() > next_death:
            casino.kill_one(chance)
            deaths += 1
            next_death = time.monotonic() + chance.uniform(0.01, 0.15)
    casino.stop()
    while read_on():
        pass

    assert [row.sequence for row in read] == list(range(1, len(read) + 1))
    assert places(read) == places(everything(recorder))
    streams = {
        writer.stream: [row for row in read if row.stream == writer.stream] for writer in casino.everybody
    }
    assert sum(map(len, streams.values())) == len(read)
    for writer in casino.everybody:
        rows = streams[writer.stream]
        assert [row.version for row in rows] == list(range(1, len(rows) + 1))
        for first, version, size in writer.saves:  # what was acknowledged is where it was said to be
            saved = rows[version - 1 : version - 1 + size]
            assert [row.sequence for row in saved] == list(range(first, first + size))
    assert sum(bool(writer.saves) for writer in casino.everybody) >= WRITERS
