"""`python -m ops.bench.scale`: coups a second that one, two and four service processes of one ledger sustain.

Each table waits for its answer before it sends its next coup (ten wagers), over HTTP, and each coup is
durable before it is answered. All processes, PostgreSQL and the tables share this machine, so a rate is the
least that the same processes do on machines of their own. Beside it: how many tables that would be, each at
seventy coups an hour, as fast as baccarat is dealt.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from itertools import islice
from pathlib import Path
from socket import socket
from threading import Thread
from time import perf_counter, sleep
from typing import Any, NamedTuple

from rich.table import Table

from ledger.terms.access import Role
from ops import logs
from ops.bench.server import scratch, serving
from ops.cli.screen import out
from ops.rehearsal.deal import load
from ops.service.keys import Keys, NewKey
from ops.wiring import open_house

COUPS_AN_HOUR = 70
WAGERS = 10
PREMISES = "load-1"
_HOST = "127.0.0.1"
_PATIENCE_SECONDS = 60.0


class Rate(NamedTuple):
    """What so many service processes did: how many coups in how many seconds, and how long answers took."""

    engine: str
    processes: int
    tables: int
    coups: int
    seconds: float
    p50: float
    p99: float

    @property
    def a_second(self) -> float:
        """Coups a second. A rate is no money, so a float will do."""
        return self.coups / self.seconds


@contextmanager
def processes(db: str, count: int) -> Iterator[list[int]]:
    """So many service processes of one ledger; their ports."""
    program = str(Path(sys.executable).with_name("baccarat-ledger"))
    with ExitStack() as stack:
        ports = []
        for _ in range(count):
            with socket() as free:
                free.bind((_HOST, 0))
                ports.append(free.getsockname()[1])
            limits = ["--rate", "100000", "--burst", "100000"]
            command = [program, "serve", "--db", db, "--port", str(ports[-1]), *limits]
            one = subprocess.Popen(command, stderr=subprocess.DEVNULL)  # noqa: S603 – ours
            stack.callback(one.wait, _PATIENCE_SECONDS)
            stack.callback(one.terminate)
        for port in ports:
            _until_ready(port)
        yield ports


def _until_ready(port: int) -> None:
    until = perf_counter() + _PATIENCE_SECONDS
    while perf_counter() < until:
        try:
            connection = HTTPConnection(_HOST, port, timeout=_PATIENCE_SECONDS)
            connection.request("GET", "/readyz")
            if connection.getresponse().status == 200:
                return
        except OSError:
            sleep(0.1)
    raise TimeoutError(f"nobody serves at {port}")


class Dealer:
    """A table: sends its lines one after another, until told to stop."""

    def __init__(self, port: int, key: str, lines: Sequence[Mapping[str, Any]]) -> None:
        self._connection = HTTPConnection(_HOST, port, timeout=_PATIENCE_SECONDS)
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self._requests = [_request(line) for line in lines]
        self.seconds: list[float] = []
        self.stopped = False

    def send(self) -> None:
        """The next line. Raises: RuntimeError: it was not applied."""
        path, identity, body = self._requests.pop(0)
        begun = perf_counter()
        self._connection.request("POST", path, body, {**self._headers, "Idempotency-Key": identity})
        answer = self._connection.getresponse()
        said = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status} {said.decode(errors='replace')}")
        if path.endswith("/record-coup"):
            self.seconds.append(perf_counter() - begun)

    def deal(self) -> None:
        """All of them, until told to stop."""
        while self._requests and not self.stopped:
            self.send()


def _request(line: Mapping[str, Any]) -> tuple[str, str, bytes]:
    body = {name: value for name, value in line.items() if name not in {"actor", "command", "id"}}
    where = f"/v1/premises/{body.pop('premises')}/tables/{body.pop('table')}"
    if "number" in body:
        where += f"/shoes/{body.pop('shoe')}/coups/{body.pop('number')}"
    return f"{where}/{line['command']}", line["id"], json.dumps(body).encode()


def measure(engine: str, db: str, count: int, tables: int, seconds: float) -> Rate:
    """What `count` processes do for `tables` tables in so many seconds."""
    with open_house(db, create=True) as house:
        roles = (Role.PIT, Role.CAGE)
        key = Keys(house).issue(NewKey(PREMISES, "bench", "bench", roles), "admin-1")
    by_table: dict[str, list[Mapping[str, Any]]] = {}
    for line in islice(load(10**9, WAGERS, tables=tables), int(tables * 250)):
        by_table.setdefault(line["table"], []).append(line)
    with processes(db, count) as ports:
        dealers = [Dealer(ports[n % count], key, lines) for n, lines in enumerate(by_table.values())]
        for dealer in dealers:  # it opens, starts its shoe and warms up
            for _ in range(5):
                dealer.send()
            dealer.seconds.clear()
        threads = [Thread(target=dealer.deal) for dealer in dealers]
        begun = perf_counter()
        for thread in threads:
            thread.start()
        sleep(seconds)
        for dealer in dealers:
            dealer.stopped = True
        for thread in threads:
            thread.join()
        took = perf_counter() - begun
    found = sorted(each for dealer in dealers for each in dealer.seconds)
    p50, p99 = found[len(found) // 2], found[len(found) * 99 // 100]
    return Rate(engine, count, tables, len(found), took, p50, p99)


def measured(counts: Sequence[int], tables: int, seconds: float, url: str | None) -> Iterator[Rate]:
    """SQLite with one process, then PostgreSQL with so many, each on a ledger of its own."""
    with tempfile.TemporaryDirectory() as folder:
        yield measure("SQLite", str(Path(folder) / "ledger.db"), 1, tables, seconds)
    with serving(url) as server:
        for count in counts:
            with scratch(server, "ledger_scale") as db:
                yield measure("PostgreSQL", db, count, tables, seconds)


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(prog="python -m ops.bench.scale", description=__doc__.split("\n")[0])
    parser.add_argument("--url", help="of a PostgreSQL database to work in; else a server of its own")
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2, 4], help="on PostgreSQL (1 2 4)")
    parser.add_argument("--tables", type=int, default=16, help="that send at the same time (16)")
    parser.add_argument("--seconds", type=float, default=10.0, help="each (10)")
    wanted = parser.parse_args()
    logs.configure()
    shown = Table(
        "engine", "processes", "coups/s", "tables at 70 an hour", "p50", "p99", title=_title(wanted)
    )
    for rate in measured(wanted.processes, wanted.tables, wanted.seconds, wanted.url):
        shown.add_row(
            rate.engine,
            str(rate.processes),
            f"{rate.a_second:,.0f}",
            f"{rate.a_second * 3600 / COUPS_AN_HOUR:,.0f}",
            f"{rate.p50 * 1e3:.0f} ms",
            f"{rate.p99 * 1e3:.0f} ms",
        )
    out().print(shown)


def _title(wanted: argparse.Namespace) -> str:
    return f"ten wagers a coup, {wanted.tables} tables at the same time"


if __name__ == "__main__":
    main()
