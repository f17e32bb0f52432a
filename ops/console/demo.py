"""The demo of the console: the evening tape, the day after it, and a key for each role."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import resources
from io import BytesIO
from secrets import token_bytes

from ledger.seal.keys import VerifierKey, new_key
from ledger.terms.access import Role
from ops.cli.seal import seal_and_sign
from ops.rehearsal.next_evening import NOW, next_evening
from ops.service.keys import Keys, NewKey
from ops.tape.importer import Importer, Report
from ops.tape.lines import lines
from ops.wiring import House

CLOCK_AT = datetime.fromisoformat(NOW).astimezone(UTC)
"""Where the demo has come to: the second evening is in full swing."""
PREMISES = "main"
SEED_BYTES = 32


def play_demo(house: House) -> VerifierKey:
    """Play the evening and the day after it into an open ledger, fold it and seal it.

    Returns the public key of the one that signed for it, which nobody keeps.
    """
    evening = (resources.files("ops.rehearsal") / "evening.ndjson").read_bytes()
    following = "".join(json.dumps(line) + "\n" for line in next_evening()).encode()
    for tape in (evening, following):
        Importer(house.ledger, _nothing, _nothing).run(lines(BytesIO(tape)))
    house.runner().catch_up()
    key = new_key("demo", token_bytes(SEED_BYTES))
    seal_and_sign(house, [key], [key.verifier])
    return key.verifier


def _nothing(_: Report | object) -> None:
    """What the tapes have refused is part of the evening."""


def demo_keys(keys: Keys) -> Iterator[tuple[str, str]]:
    """A key for each role, and one that has all of them: what for, and its text."""
    for role in Role:
        yield (
            role.value,
            keys.issue(NewKey(PREMISES, f"demo-{role.value}", f"{role.value}-1", (role,)), "demo"),
        )
    everything = tuple(Role)
    yield "every role", keys.issue(NewKey(PREMISES, "demo-everything", "visitor", everything), "demo")
