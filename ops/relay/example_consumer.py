"""An example consumer: an accounting table in SQLite that counts every event exactly once.

    python -m ops.relay.example_consumer --nats nats://127.0.0.1:4222 --accounts accounts.db

It imports nothing of the ledger: copy it, and change `WANTED`, the tables and `apply`. What makes it exact:

* The effect of a message and the position after it are written in one transaction. Killed at any moment, it
  has done both or neither.
* It asks the stream to begin after that position. It acknowledges nothing, so nothing is redelivered out of
  order; and it counts what is delivered, so a message lost on the way is noticed and asked for again.
* It remembers the last event of each source and passes over what it has counted, should the stream be made
  anew and filled again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from typing import Any

import nats
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.errors import TimeoutError as NothingCame
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy

WANTED = [f"ledger.*.*.{name}.*" for name in ("coup-settled", "coup-corrected", "coup-voided")]
TABLES = """
    CREATE TABLE IF NOT EXISTS position (
        one INTEGER PRIMARY KEY, stream TEXT NOT NULL, number INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS counted (source TEXT PRIMARY KEY, sequence INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS takings (
        premises TEXT, table_name TEXT, gaming_day TEXT, currency TEXT,
        settled INTEGER NOT NULL, win INTEGER NOT NULL,
        PRIMARY KEY (premises, table_name, gaming_day, currency));
"""
"""`win` in minor units: what the house won by wagers, where it holds the bank."""
AGAIN_SECONDS = 1.0


def win_of(totals: Sequence[dict[str, Any]]) -> int:
    """What the house has won by the wagers of a coup, minor units: stakes lost less winnings paid."""
    return sum((total["stakes"] if total["outcome"] == "lost" else 0) - total["winnings"] for total in totals)


def apply(accounts: sqlite3.Connection, event: dict[str, Any]) -> None:
    """Count one event: a CloudEvent whose data are the ledger's own."""
    data = event["data"]
    conditions = data["conditions"]
    if conditions["banked_by"] != "house":
        return
    win = win_of(data.get("totals") or ()) - win_of(data.get("reversed_totals") or ())
    settled = int(event["type"].startswith("baccarat-ledger.coup-settled."))
    day = data.get("booked_on") or conditions["gaming_day"]
    accounts.execute(
        "INSERT INTO takings VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE "
        "SET settled = settled + excluded.settled, win = win + excluded.win",
        (data["premises"], data["table"], day, conditions["currency"], settled, win),
    )


def count(accounts: sqlite3.Connection, stream: str, messages: Sequence[Msg]) -> None:
    """Count messages and move the position, in one transaction."""
    with accounts:
        accounts.execute("BEGIN IMMEDIATE")
        for message in messages:
            event = json.loads(message.data)
            source, sequence = event["source"], int(event["sequence"])
            found = accounts.execute("SELECT sequence FROM counted WHERE source = ?", (source,)).fetchone()
            if found is None or sequence > found[0]:
                apply(accounts, event)
                accounts.execute("INSERT OR REPLACE INTO counted VALUES (?, ?)", (source, sequence))
        number = messages[-1].metadata.sequence.stream
        accounts.execute("INSERT OR REPLACE INTO position VALUES (1, ?, ?)", (stream, number))


async def follow(accounts: sqlite3.Connection, wanted: argparse.Namespace) -> None:
    """Count what comes, over one connection; with `--once` up to what is there."""
    servers = wanted.nats.split(",")
    client = await nats.connect(servers, allow_reconnect=False, max_reconnect_attempts=1)
    try:
        streams = client.jetstream()
        made = str((await streams.stream_info(wanted.stream)).created)
        kept = accounts.execute("SELECT number FROM position WHERE stream = ?", (made,)).fetchone()
        config = ConsumerConfig(
            deliver_policy=DeliverPolicy.BY_START_SEQUENCE,
            opt_start_seq=(kept[0] if kept else 0) + 1,
            ack_policy=AckPolicy.NONE,
            filter_subjects=WANTED,
            inactive_threshold=30,
        )
        pulled = await streams.pull_subscribe("", stream=wanted.stream, config=config)
        delivered = 0
        while True:
            try:
                messages = await pulled.fetch(wanted.batch, timeout=1)
            except NothingCame:
                if wanted.once and not (await pulled.consumer_info()).num_pending:
                    return
                continue
            for message in messages:
                delivered += 1
                if message.metadata.sequence.consumer != delivered:
                    return  # one was lost on the way: begin again after the position
            count(accounts, made, messages)
    finally:
        await client.close()


async def main() -> None:
    """Follow the stream; when the servers are away, wait and go on."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nats", required=True, help="servers, with commas between them")
    parser.add_argument("--accounts", required=True, help="the SQLite file to keep")
    parser.add_argument("--stream", default="LEDGER")
    parser.add_argument("--batch", type=int, default=200, help="messages a transaction")
    parser.add_argument("--once", action="store_true", help="up to what is there, and stop")
    wanted = parser.parse_args()
    with closing(sqlite3.connect(wanted.accounts, isolation_level=None)) as accounts:
        accounts.execute("PRAGMA journal_mode=WAL")
        accounts.executescript(TABLES)
        while True:
            try:
                await follow(accounts, wanted)
            except (NatsError, OSError) as error:
                print(f"waiting: {error!r}", file=sys.stderr)  # noqa: T201 – an example has no log
                await asyncio.sleep(AGAIN_SECONDS)
            else:
                if wanted.once:
                    return


if __name__ == "__main__":
    asyncio.run(main())
