"""`coup replay` from a small ledger and a large one: what the measurement says of them is so, and it runs."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from ops.bench.ledgers import COUPS_A_TIME, Pair, two_ledgers
from ops.bench.replay import growths
from tests.cli.shell import run


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """Some seventy coups, and twelve times as many."""
    return two_ledgers(tmp_path_factory.mktemp("pair"), small_events=400, large_events=4_800)


def streams(path: Path) -> list[tuple[int, str, int]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(
            "SELECT sequence, originator_id, originator_version FROM stored_events ORDER BY sequence"
        ).fetchall()


def test_the_large_ledger_has_every_stream_of_the_small_at_as_many_premises(pair: Pair) -> None:
    small, large = streams(pair.small), streams(pair.large)
    assert len(small) == pair.small_events >= 400
    assert len(large) == pair.large_events == pair.small_events * pair.copies
    assert [sequence for sequence, _, _ in large] == list(range(1, len(large) + 1))
    kinds = Counter(stream.partition("/")[0] for _, stream, _ in small)
    assert kinds["command"] > 0
    assert Counter(stream.partition("/")[0] for _, stream, _ in large) == {
        kind: count * pair.copies for kind, count in kinds.items()
    }


def test_both_ledgers_are_found_good_by_verify(pair: Pair) -> None:
    """Also the one whose rows were written past every rule, for the rules hold in it all the same."""
    for path, events in ((pair.small, pair.small_events), (pair.large, pair.large_events)):
        found = run("verify", "--db", path, "--json")
        assert (found.code, found.json()["signed"]) == (0, events)


def test_a_copied_coup_is_told_as_the_first_is_but_for_its_premises(pair: Pair) -> None:
    coup = pair.coups[0]
    first, copied = (
        run("coup", "replay", name, "--db", pair.large, "--json").json()
        for name in (coup, pair.in_large(coup, 7))
    )
    assert first["premises"] == "load-1" != copied["premises"]
    for told in (first, copied):
        assert told["checkpoint"]["size"] == pair.large_events
    names = ("conditions", "hands", "lines", "results")
    assert [json.dumps(first[name]) for name in names] == [json.dumps(copied[name]) for name in names]


def test_every_figure_is_taken_from_both(pair: Pair) -> None:
    assert len(pair.coups) == len(set(pair.coups)) == COUPS_A_TIME
    taken = list(growths(pair._replace(coups=pair.coups[:3]), seed=1))
    assert "open and replay" in [growth.name for growth in taken]
    assert all(growth.ratio > 0 for growth in taken)
