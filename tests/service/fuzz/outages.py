"""A database that goes away and comes back, while tables go on sending."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from threading import Event
from time import monotonic, sleep
from typing import Any

import httpx

from ledger.terms.access import Role
from tests.service.at_work import PATIENCE_SECONDS, AtWork, as_request
from tests.service.fuzz.holding import Held
from tests.service.fuzz.requests import client
from tests.tabletalk import Night

TABLES = 3


def play_through(working: AtWork, held: Held, outages: Callable[[], None], tag: str) -> int:
    """Some tables send coups while `outages` runs, each line until it is applied.

    Returns how many coups were applied, each of which is then in the record once.
    """
    over = Event()
    numbers = count()
    bearer = {"authorization": f"Bearer {working.key('everybody', *Role)}"}

    def table() -> list[dict[str, Any]]:
        applied: list[dict[str, Any]] = []
        with client() as http:
            while not over.is_set():
                for line in _night(f"{tag}-{next(numbers)}"):
                    _until_applied(http, working, line, bearer, held)
                    applied.append(line)
                    if over.is_set():
                        break
        return applied

    with ThreadPoolExecutor(TABLES) as threads:
        playing = [threads.submit(table) for _ in range(TABLES)]
        try:
            outages()
        finally:
            over.set()
        applied = [line for one in playing for line in one.result()]
    record = working.house.ledger.record
    for line in applied:
        assert len(record.select_stream(f"command/{line['id']}")) == 1, line
    coups = [line for line in applied if "number" in line]
    for line in coups:
        stream = f"coup/main/{line['table']}/S1/{line['number']}"
        topics = [row.topic for row in record.select_stream(stream)]
        assert sum(topic.startswith("coup-settled.") for topic in topics) == 1, topics
    return len(coups)


def _night(table: str) -> list[dict[str, Any]]:
    """As many coups as one shoe has cards for, and some more to spare."""
    night = Night(table=table, prefix=f"{table}-").opens()
    for number in range(1, 26):
        night.coup(number, "P 9 K / B 7 Q", "player 100 p-1, banker 200 p-2")
    return night.lines


def _until_applied(
    http: httpx.Client, working: AtWork, line: dict[str, Any], bearer: dict[str, str], held: Held
) -> None:
    path, body = as_request(line)
    until = monotonic() + 2 * PATIENCE_SECONDS
    while True:
        answer = http.post(working.url + path, json=body, headers=bearer)
        held.answered(answer, body, away=True)
        if answer.status_code == 200:
            return
        assert answer.status_code == 503, answer.text
        assert answer.headers["retry-after"]
        assert monotonic() < until, "it never came back"
        sleep(0.05)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Another process has the file of the ledger to itself."""
    with closing(sqlite3.connect(path, isolation_level=None, timeout=PATIENCE_SECONDS)) as other:
        other.execute("BEGIN EXCLUSIVE")
        try:
            yield
        finally:
            other.execute("ROLLBACK")
