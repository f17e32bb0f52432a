"""`relay`: the record to NATS JetStream, each event once and in order."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Annotated

import structlog
import typer

from ledger.errors import RelayTargetAhead, RelayTargetDiffers, RelayTargetUnfit
from ops.cli.options import Json
from ops.cli.screen import Exit, err, out, print_json
from ops.feed.opening import open_feed
from ops.location import Location
from ops.relay.nats_client import Servers, nats
from ops.relay.patience import Patience
from ops.relay.position import Positions
from ops.relay.relay import Relay
from ops.relay.target import Wanted
from ops.settings import Db
from ops.wiring import open_house

log = structlog.get_logger()

NATS_VARIABLE = "BACCARAT_LEDGER_NATS"
STREAM_TO_LOOK_AT = (RelayTargetAhead, RelayTargetDiffers, RelayTargetUnfit)
"""What was found out about the stream, and no other setting or another try would change."""


def relay(
    db: Db,
    servers: Annotated[
        str,
        typer.Option(
            "--nats",
            envvar=NATS_VARIABLE,
            metavar="URL[,URL…]",
            parser=Location,
            help="Servers of one cluster: nats://HOST:4222, tls://…",
        ),
    ],
    *,
    stream: Annotated[
        str, typer.Option(metavar="NAME", help="The stream; made if there is none.")
    ] = "LEDGER",
    replicas: Annotated[int, typer.Option(min=1, max=5, help="Of a stream that is made.")] = 1,
    creds: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="A file of NATS credentials.")
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Up to what is the end now, and stop.")] = False,
    give_up: Annotated[
        int | None, typer.Option(min=0, metavar="SECONDS", help="Stop when NATS has been away so long.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Relay the record to NATS JetStream until stopped, or up to its end.

    Many ledgers may be relayed to one stream; of one ledger only one relay gets anywhere. Where it goes on
    is what the stream itself says. While NATS is away it waits, and says so.

    Exit 1 where the stream is not one to go on with, and somebody must look: it is ahead of the record,
    differs from it, or is unfit. Exit 2 for all else: usage, settings, NATS away for longer than --give-up.
    """
    nats()  # that it is not installed is said before anything is opened
    where = Servers(
        tuple(url for url in servers.split(",") if url.strip()), str(creds) if creds is not None else None
    )
    try:
        relayed = asyncio.run(_run(db, where, Wanted(stream, replicas), once=once, give_up=give_up))
    except STREAM_TO_LOOK_AT as error:
        err().print(f"baccarat-ledger: {error}", soft_wrap=True)
        raise typer.Exit(Exit.FINDINGS) from None
    if as_json:
        print_json({"stream": stream, "relayed": relayed})
    else:
        out().print(f"{relayed:,} events relayed to {stream}")


async def _run(db: str, servers: Servers, wanted: Wanted, *, once: bool, give_up: int | None) -> int:
    with open_house(db) as house, open_feed(house, db) as feed:
        working = Relay(feed, Positions(house.tables), servers, wanted, Patience(str(servers), give_up))
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, working.stop)
        log.info("relay starts", servers=str(servers), stream=wanted.name, source=feed.source)
        await working.run(once=once)
        return working.relayed
