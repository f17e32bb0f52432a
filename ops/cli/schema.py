"""`schema`: the JSON Schema of a tape's lines, of `settle`'s lines, and of every event."""

from __future__ import annotations

from typing import Any

from ledger.commands import TAPE_LINE
from ledger.events.catalogue import EVENT_TYPES
from ledger.regulation.dry_run import DryCoup
from ops.cli.screen import print_json

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schemas() -> dict[str, Any]:
    """`tape` and `settle`: what is read. `events`: what is stored, by topic."""
    return {
        "tape": {"$schema": DIALECT, **TAPE_LINE.json_schema()},
        "settle": {"$schema": DIALECT, **DryCoup.model_json_schema()},
        "events": {
            event.TOPIC: {"$schema": DIALECT, **event.model_json_schema(mode="serialization")}
            for event in EVENT_TYPES
        },
    }


def schema() -> None:
    """Print the JSON Schemas: of the tape, of settle's lines, of every event by topic."""
    print_json(schemas())
