"""What the processes do that are to die: each work goes on from wherever the last one was cut off."""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from time import sleep
from typing import NamedTuple

import msgspec
from eventsourcing.persistence import PersistenceError

import ops.cli.reconcile  # noqa: F401 - every life would import it again
import projections.runner
from ledger.answer import Answer
from ledger.errors import LedgerBusy
from ops.cli.main import main as command_line
from ops.cli.seal import seal_and_sign
from ops.feed.opening import open_feed
from ops.relay.nats_client import Servers
from ops.relay.patience import Patience
from ops.relay.position import Positions
from ops.relay.relay import Relay
from ops.relay.target import Wanted
from ops.tape import importer
from ops.tape.lines import lines
from ops.wiring import House
from tests.faults.acks import Acks, acks_at
from tests.faults.nights import CLOSING, KEY, Line, read_tape
from tests.projections.houses import house_at
from tests.tabletalk import command

BATCH_COMMANDS = 5
"""An import commits so many at once; the product's number would leave little to be killed between."""
PAGE_EVENTS = 100
"""So many events are folded in a transaction."""
BETWEEN_SECONDS = 0.03
TRIES_MAX = 3_000
"""How often a client sends a command while no server takes it."""


class Place(NamedTuple):
    """Where a process works."""

    db: str
    folder: Path
    rng: random.Random

    def acks(self, kind: str) -> Acks:
        return Acks(self.folder / f"acks-{kind}")

    def tape(self, kind: str) -> list[Line]:
        return read_tape(self.folder / f"{kind}.ndjson")

    def is_over(self) -> bool:
        """Whether those who write have come to their end."""
        return (self.folder / "finish").exists()


def live(place: Place) -> None:
    """Commands one by one, each answer noted. The last few that were answered are sent once more."""
    told, acks = acks_at(place.folder / "acks-live"), place.acks("live")
    begin = max(0, len({ack["command_id"] for ack in told}) - place.rng.randrange(4))
    with house_at(place.db) as house:
        for line in place.tape("live")[begin:]:
            acks.add(**msgspec.structs.asdict(house.ledger.run(command(line))))


def importing(place: Place) -> None:
    """The whole tape, from its beginning."""
    importer.BATCH_COMMANDS = BATCH_COMMANDS
    acks = place.acks("import")
    with house_at(place.db) as house, (place.folder / "import.ndjson").open("rb") as tape:
        reading = importer.Importer(
            house.ledger, lambda report: None, lambda summary: acks.add(line=summary.last_line)
        )
        reading.run(lines(tape))


def _follow(place: Place, step: Callable[[House], object]) -> None:
    """Until those who write are done, and then once more."""
    with house_at(place.db) as house:
        while True:
            over = place.is_over()
            step(house)
            if over:
                return
            sleep(BETWEEN_SECONDS)


def project(place: Place) -> None:
    """Every projection."""
    projections.runner.PAGE_EVENTS = PAGE_EVENTS
    _follow(place, lambda house: house.runner().catch_up())


def seal(place: Place) -> None:
    """Seal, sign, and publish: what was published must go on being true."""
    acks = place.acks("seal")

    def step(house: House) -> None:
        acks.add(note=str(seal_and_sign(house, [KEY], [KEY.verifier]).note))

    _follow(place, step)


def relay(place: Place) -> None:
    """To the NATS server that the folder names."""

    async def once(house: House) -> None:
        servers = Servers(((place.folder / "nats").read_text(),))
        with open_feed(house, place.db) as feed:
            patience = Patience(str(servers), None)
            await Relay(feed, Positions(house.tables), servers, Wanted(), patience).run(once=True)

    _follow(place, lambda house: asyncio.run(once(house)))


def close(place: Place) -> None:
    """The close of the imported day, by the command."""
    premises, day, counts = json.loads((place.folder / "close.json").read_text())
    where = ["--db", place.db, "--day", day, "--premises", premises]
    signed = ["--close", *CLOSING, "--key-file", str(place.folder / "house.key")]
    sys.argv = ["baccarat-ledger", "reconcile", *where, "--counts", counts, *signed]
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    try:
        command_line()
    except SystemExit as end:
        if end.code:
            raise
    place.acks("close").add(closed=day)


def writing(kind: str) -> Callable[[Place], None]:
    """A client that never gives up: one ledger, opened once, through whatever happens to its server."""

    def work(place: Place) -> None:
        acks = place.acks(kind)
        with house_at(place.db) as house:
            for line in place.tape(kind):
                acks.add(**msgspec.structs.asdict(_insist(house, line)))

    return work


def _insist(house: House, line: Line) -> Answer:
    for _ in range(TRIES_MAX):
        try:
            return house.ledger.run(command(line))
        except (PersistenceError, LedgerBusy):
            sleep(BETWEEN_SECONDS)
    msg = f"{line['id']} never got through"
    raise AssertionError(msg)


WRITERS = ("writer-1", "writer-2", "writer-3")
WORKS: dict[str, Callable[[Place], None]] = {
    "live": live,
    "import": importing,
    "project": project,
    "seal": seal,
    "relay": relay,
    "close": close,
    **{kind: writing(kind) for kind in WRITERS},
}
WRITING = ("live", "import")
FOLLOWING = ("project", "seal", "relay")
