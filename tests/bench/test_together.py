"""Several tables live at once: every coup is answered, and the bare driver commits each of them."""

from __future__ import annotations

from collections.abc import Callable

from ops.bench.contest import Saves
from ops.bench.shoes import shoes_of
from ops.bench.together import TABLES, together
from ops.bench.writes import LIVE, on_sqlite


def test_every_coup_of_every_table_is_a_commit_of_the_other() -> None:
    dealt = [len(next(shoes_of(table)).coups) for table in range(1, TABLES + 1)]
    given: list[Saves] = []

    def rival(saves: Saves) -> Callable[[], object]:
        given.append(saves)
        return lambda: None

    with on_sqlite(LIVE) as (house, _):
        (turn,) = together(house, 1, {"counted": rival})
        settled = house.ledger.record.select_rows(0, 100_000, ("coup-settled.v1",))
    (saves,) = given
    assert turn.coups == sum(dealt) == len(settled) == len(saves)
    assert {row.stream for save in saves for row in save if row.topic == "coup-settled.v1"} == {
        row.stream for row in settled
    }
    assert all(sum(row.topic == "coup-settled.v1" for row in save) == 1 for save in saves)
