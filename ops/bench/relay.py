"""`python -m ops.bench.relay --nats nats://…`: the relay, against publishing the same messages bare.

The stream it makes is its own, and is removed again.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from itertools import islice
from pathlib import Path
from time import perf_counter
from uuid import uuid4

from ledger.commands import TAPE_LINE
from ops import logs
from ops.bench.feed import WAGERS
from ops.bench.writes import BULK_COUPS
from ops.cli.screen import out
from ops.feed.opening import open_feed
from ops.rehearsal.deal import load
from ops.relay.messages import SUBJECTS, event_message
from ops.relay.nats_client import Servers, connected, nats
from ops.relay.patience import Patience
from ops.relay.position import Positions
from ops.relay.relay import Relay
from ops.relay.target import Wanted
from ops.wiring import House, open_house


def relaying(servers: str, coups: int) -> tuple[int, float, float]:
    """Events, and the seconds to relay them and to publish the same messages bare, acks pipelined."""
    with tempfile.TemporaryDirectory() as folder:
        db = str(Path(folder) / "ledger.db")
        with open_house(db, create=True) as house, open_feed(house, db) as feed:
            tape = iter(load(coups, WAGERS))
            while lines := list(islice(tape, BULK_COUPS)):
                house.ledger.run_many([TAPE_LINE.validate_python(line) for line in lines])
            where = Servers(tuple(servers.split(",")))
            wanted = Wanted(f"BENCH-{uuid4().hex[:8]}")
            return asyncio.run(
                _relayed(
                    Relay(feed, Positions(house.tables), where, wanted, Patience(servers, 5)),
                    where,
                    house,
                    wanted,
                )
            )


async def _relayed(relay: Relay, where: Servers, house: House, wanted: Wanted) -> tuple[int, float, float]:
    begun = perf_counter()
    await relay.run(once=True)
    ours = perf_counter() - begun
    async with connected(where) as client:
        stream = client.jetstream(publish_async_max_pending=1_000)
        await stream.delete_stream(wanted.name)
        api = nats().js.api
        config = api.StreamConfig(name=wanted.name, subjects=list(SUBJECTS), storage=api.StorageType.FILE)
        await stream.add_stream(config)
        messages = [event_message("/ledger/bench", row) for row in house.ledger.record.select_rows(0, 10**9)]
        begun = perf_counter()
        for message in messages:
            await stream.publish_async(
                message.subject, message.payload, wait_stall=10, headers=message.headers
            )
        await stream.publish_async_completed()
        bare = perf_counter() - begun
        await stream.delete_stream(wanted.name)
    return len(messages), ours, bare


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        prog="python -m ops.bench.relay", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--nats", required=True, help="servers, with commas between")
    parser.add_argument("--coups", type=int, default=5_000, help="to be relayed (5000)")
    wanted = parser.parse_args()
    logs.configure()
    events, ours, bare = relaying(wanted.nats, wanted.coups)
    out().print(
        f"relay: {events / ours:,.0f} events/s; bare publishing {events / bare:,.0f}/s; "
        f"ratio {bare / ours:.2f}"
    )


if __name__ == "__main__":
    main()
