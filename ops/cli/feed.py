"""`feed`: the record as CloudEvents on standard output, a line each."""

from __future__ import annotations

import sys
from time import sleep
from typing import Annotated

import typer

from ledger.terms.access import Role
from ops.feed.opening import source_in
from ops.feed.page import PAGE_EVENTS, read_page
from ops.feed.resume import check_exists, resume_point
from ops.feed.roles import EVERYWHERE, Reader
from ops.feed.selection import select
from ops.feed.streams import as_ndjson
from ops.settings import Db
from ops.wiring import House, open_house

POLL_SECONDS = 0.2


def feed(
    db: Db,
    *,
    after: Annotated[str, typer.Option(metavar="N[@TIME]", help="From the event after this one on.")] = "0",
    types: Annotated[
        list[str] | None, typer.Option("--type", metavar="TYPE", help="Only this type; may be repeated.")
    ] = None,
    role: Annotated[
        Role, typer.Option(help="Whose view; what it may not read is told as withheld.")
    ] = Role.AUDITOR,
    premises: Annotated[list[str] | None, typer.Option(help="Only these premises; may be repeated.")] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with what is recorded.")] = False,
) -> None:
    """Print the events of the record in order, as CloudEvents, a JSON object a line.

    What the HTTP feed gives to a reader of that role, from the ledger itself.
    """
    reader = Reader("cli", dict.fromkeys(premises or [EVERYWHERE], frozenset({role})))
    selection = select(reader, types or ())
    start = resume_point(after)
    with open_house(db) as house:
        check_exists(house.ledger.record, start)
        source = source_in(house.tables)
        reached = start
        while True:
            page = read_page(house.ledger.record, source, selection, reached, PAGE_EVENTS)
            sys.stdout.buffer.write(as_ndjson(page.messages))
            sys.stdout.buffer.flush()
            reached = page.reached
            if page.is_last:
                if not follow:
                    return
                _wait(house, reached.sequence)


def _wait(house: House, position: int) -> None:
    while house.ledger.record.last_sequence() <= position:
        sleep(POLL_SECONDS)
