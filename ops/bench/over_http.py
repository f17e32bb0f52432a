"""`record-coup` over HTTP against what the same server reaches on a resource that only inserts the same rows.

Several clients send at once, each the coups of a table of its own, ten wagers each. A turn is a shoe at every
table; then the bare resource gets the very same requests. What comes before and after a shoe is not timed.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import sleep

from ledger.commands import TAPE_LINE
from ops.bench.clients import clients, request
from ops.bench.figure import Figure, Turn
from ops.bench.server import own, scratch
from ops.bench.serving import serve_bare, serve_ledger, server
from ops.bench.shoes import Line, shoes_of
from ops.cli.screen import progress_bar
from ops.service.commands import path_of
from ops.wiring import House, open_house

CLIENTS = 8
GOAL = 0.5
AGAINST = "the same server, only inserting"
_WHERE = ("premises", "table", "shoe", "number", "gaming_day")


def over_http(url: str | None, shoes: int, clients_at_once: int = CLIENTS) -> Iterator[Figure]:
    """On SQLite, and on PostgreSQL where there is a database to work in.

    Args:
        shoes: turns; some seventy coups of each client.
    """
    for engine in ("SQLite", *(("PostgreSQL",) if url else ())):
        name = f"record-coup over HTTP, {clients_at_once} clients, {engine}"
        with tempfile.TemporaryDirectory() as folder, progress_bar(name) as (bar, task):
            bar.update(task, total=shoes)
            found = []
            with ledger_at(Path(folder), url if engine == "PostgreSQL" else None) as db:
                for turn in turns(db, Path(folder), shoes, clients_at_once):
                    found.append(turn)
                    bar.advance(task)
        yield Figure(name, AGAINST, "coups", found, goal=GOAL)


@contextmanager
def ledger_at(folder: Path, url: str | None) -> Iterator[str]:
    """The address of an empty ledger."""
    if url:
        with scratch(url, own("http")) as address:
            yield address
        return
    db = str(folder / "ledger.db")
    with open_house(db, create=True):
        pass
    yield db


def turns(db: str, folder: Path, shoes: int, clients_at_once: int) -> Iterator[Turn]:
    """A shoe at every table, by the service and then by the bare resource; so many times."""
    tapes = [shoes_of(client) for client in range(1, clients_at_once + 1)]
    premises = [f"load-{client}" for client in range(1, clients_at_once + 1)]
    with (
        server(serve_ledger, db, premises, folder / "service.log") as ledger,
        server(serve_bare, db, folder / "bare.db") as bare,
        clients() as send,
        open_house(db) as house,
    ):
        for _ in range(shoes):
            dealt = [next(tape) for tape in tapes]
            send(ledger.port, [_requests(shoe.before, ledger.keys) for shoe in dealt])
            after = house.ledger.record.last_sequence()
            ours = send(ledger.port, [_requests(shoe.coups, ledger.keys) for shoe in dealt])
            _idle(house)
            bare.control.send((after, house.ledger.record.last_sequence()))
            bare.control.recv()
            other = send(bare.port, [_requests(shoe.coups, ledger.keys) for shoe in dealt])
            yield Turn(sum(len(shoe.coups) for shoe in dealt), ours, other)


def _idle(house: House) -> None:
    """Wait until what the service does in the background is done, which the other would bear."""
    runner = house.runner()
    while runner.position() < house.ledger.record.last_sequence():
        sleep(0.05)


def _requests(lines: Sequence[Line], keys: dict[str, str]) -> list[bytes]:
    """Each line of a tape as the request that it amounts to. Its actor is whoever the key says."""
    return [request(_path(line), _body(line), keys.get(line["premises"]), line["id"]) for line in lines]


def _path(line: Line) -> str:
    return path_of(type(TAPE_LINE.validate_python(line))).format(**line)


def _body(line: Line) -> bytes:
    said = {key: value for key, value in line.items() if key not in {"command", "id", "actor", *_WHERE}}
    if line["command"] == "open-table":
        said["gaming_day"] = line["gaming_day"]
    if line["command"] in {"start-shoe", "end-shoe"}:
        said["shoe"] = line["shoe"]
    return json.dumps(said, separators=(",", ":")).encode()
