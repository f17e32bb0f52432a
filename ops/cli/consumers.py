"""`consumers`: who reads the feed under a name, how far, and how far behind."""

from __future__ import annotations

from typing import Annotated

import structlog
import typer
from rich.table import Table

from ops.cli.options import Json
from ops.cli.screen import out, print_json
from ops.feed.consumers import Consumer, Consumers
from ops.relay.position import Positions
from ops.settings import Db
from ops.wiring import House, open_house, utc_now

log = structlog.get_logger()

Name = Annotated[str, typer.Argument(metavar="NAME", help="The consumer's name.")]


def consumers_list(db: Db, *, as_json: Json = False) -> None:
    """Named consumers and relays: where they stand, and how many events they have not read."""
    with open_house(db) as house:
        end = house.ledger.record.last_sequence()
        found = _consumers(house).every()
        relayed = Positions(house.tables).every()
    if as_json:
        told = {"end": end, "consumers": [consumer._asdict() for consumer in found]}
        if relayed:
            told["relays"] = [{**relay._asdict(), "lag": end - relay.position} for relay in relayed]
        print_json(told)
        return
    table = Table(
        "consumer", "owner", "position", "behind", "moved at (UTC)", title=f"The record ends at {end:,}"
    )
    for consumer in found:
        table.add_row(*_told(consumer))
    for relay in relayed:
        table.add_row(relay.target, "(relay)", f"{relay.position:,}", f"{end - relay.position:,}", "")
    out().print(table)


def consumers_reset(
    name: Name,
    db: Db,
    *,
    to: Annotated[int, typer.Option("--to", min=0, metavar="N", help="The last event it has read.")],
    as_json: Json = False,
) -> None:
    """Put a consumer somewhere else. What lies behind it will not be sent, what lies before it will be."""
    with open_house(db) as house:
        consumer = _consumers(house).reset(name, to)
    log.info("consumer reset", consumer=name, position=to)
    if as_json:
        print_json(consumer._asdict())
    else:
        out().print(f"{name} stands at {consumer.position:,}, {consumer.lag:,} events behind the end")


def consumers_remove(name: Name, db: Db) -> None:
    """Forget a consumer: it is not read any more."""
    with open_house(db) as house:
        _consumers(house).remove(name)
    log.info("consumer removed", consumer=name)
    out().print(f"{name} is forgotten")


def _consumers(house: House) -> Consumers:
    return Consumers(house.tables, house.ledger.record, utc_now)


def _told(consumer: Consumer) -> tuple[str, ...]:
    at = consumer.moved_at[:19].replace("T", " ")
    return consumer.name, consumer.owner, f"{consumer.position:,}", f"{consumer.lag:,}", at
