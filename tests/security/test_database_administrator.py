"""Whoever owns the server's database can change an event, and is found: by `verify`, or a checkpoint kept.

The same of a file in `tests/verify/test_tampering.py`, at length.
"""

from __future__ import annotations

import pytest

from ledger.seal.checkpoint import Checkpoint, parse_checkpoint
from ops.verification import verify
from ops.wiring import open_house
from projections.catalogue import EVERY
from tests.postgres import change
from tests.projections.houses import take
from tests.tabletalk import NOON, Night
from tests.verify.sealed import KEY, sign

STREAM = "coup/main/T1/S1/1"


@pytest.fixture
def kept(postgres_url: str) -> Checkpoint:
    """A sealed record of a night, and the checkpoint that a consumer kept of it."""
    night = Night().opens()
    night.coup(1, "P 9 K / B 7 Q", "player 100 p-1, banker 200 p-2")
    night.coup(2, "P 6 K / B 7 Q", "player 100 p-1")
    return _sealed(postgres_url, night)


def _sealed(url: str, night: Night | None = None) -> Checkpoint:
    with open_house(url, clock=lambda: NOON) as house:
        take(house, night.lines if night else [])
        house.runner().catch_up()
        return parse_checkpoint(sign(house).text)


def _found(url: str, kept: Checkpoint | None = None) -> list[str]:
    return [finding.code for finding in verify(url, [KEY.verifier], kept).findings]


def _tamper(url: str, sql: str) -> None:
    """As the owner, who can take the trigger away and put it back."""
    change(url, "ALTER TABLE stored_events DISABLE TRIGGER ALL")
    change(url, sql)
    for (name,) in change(url, "SELECT tgname FROM pg_trigger WHERE tgrelid = 'stored_events'::regclass"):
        change(url, f"ALTER TABLE stored_events ENABLE ALWAYS TRIGGER {name}")


AN_EVENT = f"WHERE originator_id = '{STREAM}' AND topic = 'wagers-settled.v1'"
LAST = "(SELECT max(sequence) FROM stored_events)"


def _replaced(old: str, new: str, which: str = "") -> str:
    text = f"replace(convert_from(state, 'UTF8'), '{old}', '{new}')"
    return f"UPDATE stored_events SET state = convert_to({text}, 'UTF8') {which}"


TAMPERINGS: dict[str, str] = {
    "a stake": _replaced('"stake":100', '"stake":900', AN_EVENT),
    "a patron": _replaced("p-1", "p-7", AN_EVENT),
    "an event gone": f"DELETE FROM stored_events {AN_EVENT}",
    "the last one gone": f"DELETE FROM stored_events WHERE sequence = {LAST}",
}


@pytest.mark.parametrize("what", TAMPERINGS)
def test_what_the_databases_owner_changed_is_found(postgres_url: str, kept: Checkpoint, what: str) -> None:
    assert _found(postgres_url) == []
    _tamper(postgres_url, TAMPERINGS[what])
    assert _found(postgres_url)


def test_what_the_owner_changed_and_sealed_anew_with_the_key_is_found_by_who_kept_a_checkpoint(
    postgres_url: str, kept: Checkpoint
) -> None:
    """A patron's token changed throughout, the seal and the read tables made anew: all else is in order."""
    _tamper(postgres_url, _replaced("p-1", "p-7"))
    for table in ("seal_tiles", "seal_checkpoints", *(each.name for one in EVERY for each in one.tables)):
        change(postgres_url, f"DELETE FROM {table}")
    change(postgres_url, "UPDATE seal_size SET size = 0")
    change(postgres_url, "UPDATE projection_positions SET position = 0")
    _sealed(postgres_url)
    assert _found(postgres_url) == []
    assert _found(postgres_url, kept) == ["root-differs"]


def test_a_trigger_that_does_not_stand_as_it_did_is_found(postgres_url: str, kept: Checkpoint) -> None:
    """Also where no event was changed yet."""
    change(postgres_url, "ALTER TABLE stored_events DISABLE TRIGGER ALL")
    assert _found(postgres_url) == ["storage-damaged"]
