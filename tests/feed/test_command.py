"""`feed`: the same messages on standard output."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from tests.cli.shell import ended, run, start
from tests.feed.serving import Served, covered, events
from tests.feed.test_http import coup
from tests.projections.houses import house_at


def test_it_prints_what_the_http_feed_tells(shown: Served, db: Path) -> None:
    with_position = shown.lines(who="carl cage")
    printed = run("feed", "--db", db, "--role", "cage").lines()
    assert [one.get("id") for one in printed] == [one["id"] for one in with_position[:-1]]
    assert covered(printed) == list(range(1, int(with_position[-1]["sequence"]) + 1))


def test_it_goes_on_after_a_position_and_gives_only_the_types_asked_for(db: Path) -> None:
    every = events(run("feed", "--db", db).lines())
    assert events(run("feed", "--db", db, "--after", "40").lines()) == every[40:]
    settled = run("feed", "--db", db, "--type", "coup-settled.v1").lines()
    assert {one["type"] for one in settled} == {"baccarat-ledger.coup-settled.v1"}
    assert run("feed", "--db", db, "--premises", "nowhere").lines()[0]["type"].endswith("feed.withheld")


@pytest.mark.parametrize("after", ["-1", "x", "1.5", "1000000"])
def test_a_resume_point_that_does_not_exist_is_told(db: Path, after: str) -> None:
    done = run("feed", "--db", db, f"--after={after}")
    assert (done.code, done.out) == (2, "")


def test_it_follows(db: Path) -> None:
    with house_at(db) as house:
        end = house.ledger.record.last_sequence()
        process = start("feed", "--db", db, "--after", str(end), "--follow")
        assert process.stdout is not None
        coup(house, "later-")
        assert int(json.loads(process.stdout.readline())["id"]) == end + 1
        process.send_signal(signal.SIGINT)
        ended(process)
