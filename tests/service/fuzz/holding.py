"""What must hold whatever was sent, and the log that must say why where something could not be done."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from threading import Lock
from typing import Any

import httpx
import structlog

from ledger.seal.checkpoint import origin_of
from ledger.seal.identity import ensure_ledger_id
from ops.service.server import relayed_logs
from ops.verification import verify
from ops.wiring import House
from tests.bundle.sealed import key, seal

AWAY = frozenset({"store-unavailable", "ledger-busy", "read-tables-behind", "stopping", "overloaded"})
"""Codes of a 503 that are no fault, while the database is away."""
_INSIDES = ("Traceback (most recent", 'File "', "site-packages", "psycopg", "sqlite3.", "OperationalError")


class Held:
    """Counts what was answered, and raises where a promise was broken.

    Attributes:
        answers: how many, by status.
        codes: how many problems, by code.
    """

    def __init__(self) -> None:
        self.answers: Counter[int] = Counter()
        self.codes: Counter[str] = Counter()
        self.others: Counter[str] = Counter()
        self._lock = Lock()

    def answered(self, answer: httpx.Response, sent: object, *, away: bool = False) -> None:
        """That an answer is one: never a fault, never anything from inside, a problem where it is one."""
        told = f"{answer.status_code} to {answer.request.method} {answer.request.url} with {sent!r:.600}"
        text = answer.text
        assert not any(inside in text for inside in _INSIDES), f"{told}: {text[:2_000]}"
        code = ""
        bodiless = answer.request.method == "HEAD"
        if bodiless:
            assert not text, told
        if answer.status_code >= 400:
            assert answer.headers["content-type"] == "application/problem+json", f"{told}: {text[:500]}"
        if answer.status_code >= 400 and not bodiless:
            problem = answer.json()
            code = problem["code"]
            assert problem["status"] == answer.status_code, told
        fine = answer.status_code < 500 or (answer.status_code == 503 and (bodiless or code in AWAY) and away)
        assert fine, f"{told}: {text[:500]}"
        with self._lock:
            self.answers[answer.status_code] += 1
            self.codes[code] += bool(code)

    def count(self, what: str, by: int = 1) -> None:
        """Something else that was done."""
        with self._lock:
            self.others[what] += by

    def __str__(self) -> str:
        statuses = ", ".join(f"{count:,} × {status}" for status, count in sorted(self.answers.items()))
        others = "".join(f", {count:,} {what}" for what, count in sorted(self.others.items()))
        return f"{sum(self.answers.values()):,} answers ({statuses}){others}, {len(self.codes)} codes"


class Heard:
    """What the log said: every fault, and the 503s that said why. The rest is let go."""

    def __init__(self) -> None:
        self.faults: list[dict[str, Any]] = []
        self.unexplained: list[dict[str, Any]] = []
        self.lines = 0

    def __call__(self, _logger: object, _name: str, said: MutableMapping[str, Any]) -> str:
        self.lines += 1
        if said.get("at"):
            self.faults.append(dict(said))
        away = said.get("code") == "store-unavailable"
        if said.get("status", 0) >= 500 and not (said.get("fault") if away else said.get("code")):
            self.unexplained.append(dict(said))
        json.dumps(said)  # as production writes it
        raise structlog.DropEvent


@contextmanager
def heard() -> Iterator[Heard]:
    """What the log says while the block runs. At its end it must have told of no fault of ours."""
    listening = Heard()
    structlog.configure(
        processors=[structlog.contextvars.merge_contextvars, listening],
        wrapper_class=structlog.make_filtering_bound_logger(20),
    )
    try:
        with relayed_logs():
            yield listening
    finally:
        structlog.reset_defaults()
    assert not listening.faults, listening.faults[:5]
    assert not listening.unexplained, listening.unexplained[:5]


def record_holds(house: House, db: str) -> int:
    """That nothing is half-written: the whole ledger verifies. Returns how many events it has."""
    house.runner().catch_up()
    origin = origin_of(ensure_ledger_id(house.tables, "fuzzed"))
    seal(house, key(origin), origin=origin)
    verified = verify(db)
    assert not verified.findings, verified.findings[:5]
    rows = house.ledger.record.last_sequence()
    assert [row.sequence for row in house.ledger.record.select_rows(0, rows + 1)] == list(range(1, rows + 1))
    return rows
