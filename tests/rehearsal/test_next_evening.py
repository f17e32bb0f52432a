"""The day after the evening tape, which the console's demo shows."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from ops.rehearsal.next_evening import NOW, next_evening
from ops.wiring import open_house
from projections.cage.findings import chain, slip_gaps
from projections.pnl.views import PnlFilter
from tests.projections.houses import evening
from tests.tabletalk import command

MEANT = Counter({"coup-number-used": 1, "bank-may-not-stand": 1})
"""What the tape has refused: it is part of the evening."""


def test_it_goes_on_where_the_evening_ended_and_is_in_full_swing(tmp_path: Path) -> None:
    lines = list(next_evening())
    assert max(line["occurred_at"] for line in lines) <= NOW
    assert lines == sorted(lines, key=lambda line: line["occurred_at"])
    with open_house(str(tmp_path / "ledger.db"), create=True) as house:
        house.ledger.run_many([command(line) for line in evening()])
        answers = house.ledger.run_many([command(line) for line in lines])
        assert Counter(answer.code for answer in answers if not answer.applied) == MEANT
        house.runner().catch_up()
        with house.tables.snapshot() as statements:
            assert slip_gaps(statements, PnlFilter()) == []
            assert chain(statements, PnlFilter()) == []
    assert json.dumps(lines) == json.dumps(list(next_evening()))  # the same each time
