"""Where the record is sealed its events are read plain, which must come to the same as reading the models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ledger.aggregates.folds import fold_of
from ledger.events.base import LedgerEvent
from ledger.events.catalogue import BY_TOPIC, decode
from ledger.events.plain import decode_plain
from ledger.verify.walk import Stretch, Walker
from projections.catalogue import EVERY
from projections.folding import Folding
from projections.read_table import TakenDown
from tests.events.test_plain import differences
from tests.projections.houses import house_at
from tests.verify.sealed import changed
from tests.verify.test_record import EDITS, Edit, rows_of

Recorded = tuple[int, LedgerEvent]
"""An event with its sequence."""


def writes_of(events: Sequence[Recorded]) -> list[TakenDown]:
    """What every projection writes for these events."""
    folding = Folding(EVERY)
    for sequence, event in events:
        folding.take(sequence, event)
    return folding.writes()


def walked(db: Path, sealed: int, stretch: int = 10_000) -> tuple[list[Stretch], list[Recorded]]:
    """What comes of the record as if so much of it were sealed, and every event that is shown."""
    shown: list[Recorded] = []
    with house_at(db) as house:
        events = house.ledger.record.last_sequence()
        walker = Walker(house.ledger.record, BY_TOPIC, shown.extend)
        return [
            walker.walk(
                after, min(after + stretch, events), to_the_end=after + stretch >= events, sealed=sealed
            )
            for after in range(0, events, stretch)
        ], shown


def test_the_evening_folds_to_the_same_states(unsealed: Path) -> None:
    """Every stream, after every event."""
    plain_states: dict[str, Any] = {}
    model_states: dict[str, Any] = {}
    for row in rows_of(unsealed):
        fold, empty = fold_of(row.stream)
        step = fold[row.topic]
        plain, model = decode_plain(row.topic, row.state), decode(row.topic, row.state)
        plain_states[row.stream] = step(plain_states.get(row.stream, empty), plain)
        model_states[row.stream] = step(model_states.get(row.stream, empty), model)
        found = differences(plain_states[row.stream], model_states[row.stream])
        assert list(found) == [], row.sequence


def test_the_evening_writes_the_same_read_tables(unsealed: Path) -> None:
    (_,), plain = walked(unsealed, sealed=10_000)
    (_,), models = walked(unsealed, sealed=0)
    written = writes_of(plain)
    assert all(written)
    assert written == writes_of(models)


@pytest.mark.parametrize(("edit", "code"), EDITS)
def test_the_same_is_found(unsealed: Path, edit: Edit, code: str) -> None:
    with changed(unsealed) as connection:
        edit(connection)
    (plain,), _ = walked(unsealed, sealed=10_000)
    (model,), _ = walked(unsealed, sealed=0)
    assert plain.finding is not None
    assert (plain.finding.code, str(plain.finding)) == (code, str(model.finding))
    assert (plain.understood, plain.leaves) == (model.understood, model.leaves)


# --- Shown -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stretch", [1, 7, 100])
def test_of_each_command_all_is_shown_at_once_and_once(unsealed: Path, stretch: int) -> None:
    """However the stretches cut the commands: a read table may need what one brought about together."""
    pieces: list[list[Recorded]] = []
    with house_at(unsealed) as house:
        walker = Walker(house.ledger.record, BY_TOPIC, lambda events: pieces.append(list(events)))
        for after in range(0, 700, stretch):
            assert walker.walk(after, after + stretch, to_the_end=False, sealed=10_000).finding is None
    assert [sequence for piece in pieces for sequence, _ in piece] == [
        row.sequence for row in rows_of(unsealed)[: pieces[-1][-1][0]]
    ]
    assert pieces[-1][-1][0] > 690
    assert {piece[-1][1].TOPIC for piece in pieces} == {"command-recorded.v1"}
