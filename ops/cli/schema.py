"""`schema`: JSON Schema of a tape's lines, of `settle`'s lines, of every event; AsyncAPI of the feed."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from ledger.commands import TAPE_LINE
from ledger.events.catalogue import EVENT_TYPES
from ledger.regulation.dry_run import DryCoup
from ops.cli.screen import print_json
from ops.feed.asyncapi import asyncapi
from ops.feed.cloudevents import schema_of

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schemas() -> dict[str, Any]:
    """`tape` and `settle`: what is read. `events`: what is stored, by topic."""
    return {
        "tape": {"$schema": DIALECT, **TAPE_LINE.json_schema()},
        "settle": {"$schema": DIALECT, **DryCoup.model_json_schema()},
        "events": {
            event.TOPIC: {
                "$schema": DIALECT,
                "$id": schema_of(event.TOPIC),
                **event.model_json_schema(mode="serialization"),
            }
            for event in EVENT_TYPES
        },
    }


class Of(StrEnum):
    """Which document."""

    JSON_SCHEMA = "json-schema"
    ASYNCAPI = "asyncapi"


def schema(
    of: Annotated[
        Of, typer.Argument(help="asyncapi: what consumers get, as an AsyncAPI 3 document.")
    ] = Of.JSON_SCHEMA,
) -> None:
    """Print the JSON Schemas: of the tape, of settle's lines, of every event by topic. Or AsyncAPI."""
    print_json(schemas() if of is Of.JSON_SCHEMA else asyncapi())
