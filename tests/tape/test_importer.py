"""Playing a tape: reports in order, the good lines applied, a second run that changes nothing."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ledger.application import Ledger
from ops.tape import importer
from ops.tape.importer import BATCH_COMMANDS, Importer, Report, Summary
from ops.tape.lines import lines
from tests.projections.houses import EVENING
from tests.tabletalk import Night, all_events, open_ledger, play
from tests.tape.commands import written

NINE_TO_SEVEN = "P 9 K / B 7 Q"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    opened = open_ledger(tmp_path / "ledger.db")
    yield opened
    opened.close()


def played(ledger: Ledger, tape: bytes) -> tuple[Summary, list[Report]]:
    reports: list[Report] = []
    return Importer(ledger, reports.append).run(lines(io.BytesIO(tape))), reports


def mixed_tape(size: int) -> tuple[bytes, list[tuple[int, str, str]]]:
    """Good lines with bad ones strewn in, and of each bad one its number, outcome and code."""
    rng = random.Random(7)  # the same tape every time
    night = Night().opens()
    content, bad = [written(line) for line in night.lines], []
    for number in range(size):
        good = night.say("change-shift", shift=str(number))
        ended = night.say("end-shoe", shoe="S9")
        kinds = {
            "good": (written(good), ""),
            "unreadable": (written(good)[:-9], "not-json"),
            "refused": (written(ended), "shoe-not-in-use"),
            "rejected": (written({**good, "occurred_at": "2027-01-01T00:00:00Z"}), "from-the-future"),
            "blank": (b" ", ""),
        }
        kind = rng.choice(list(kinds))
        line, code = kinds[kind]
        content.append(line)
        if code:
            bad.append((len(content), kind, code))
    return b"\n".join(content), bad


def test_reports_come_in_the_order_of_the_lines(ledger: Ledger) -> None:
    """Over several batches, each told before the next batch is read."""
    tape, bad = mixed_tape(3 * BATCH_COMMANDS)
    summary, reports = played(ledger, tape)
    assert [(report.line, report.outcome, report.code) for report in reports] == bad
    outcomes = [outcome for _, outcome, _ in bad]
    assert summary.unreadable == outcomes.count("unreadable") > 50
    assert summary.refused == outcomes.count("refused") > 50
    assert summary.rejected == outcomes.count("rejected") > 50
    assert summary.lines == sum(bool(line.strip()) for line in tape.splitlines())
    assert summary.applied == summary.lines - len(bad)
    assert not summary.clean


def test_reports_name_the_command_where_it_can_be_read(ledger: Ledger) -> None:
    night = Night().opens()
    night.coup(1, NINE_TO_SEVEN, id="the-refused", shoe="S9")
    tape = [*map(written, night.lines), b"{"]
    _, reports = played(ledger, b"\n".join(tape))
    assert [report.command_id for report in reports] == ["the-refused", None]


def test_a_good_tape_is_clean(ledger: Ledger) -> None:
    summary, reports = played(ledger, b"\n".join(map(written, Night().opens().lines)))
    assert (summary.clean, summary.lines, summary.applied, reports) == (True, 2, 2, [])


def test_an_empty_tape_is_clean(ledger: Ledger) -> None:
    summary, reports = played(ledger, b"")
    assert (summary.clean, summary.lines, reports) == (True, 0, [])
    assert ledger.record.last_sequence() == 0


def test_a_second_run_changes_nothing(ledger: Ledger) -> None:
    """The same sequence afterwards, every line that was applied told as applied before, the same reports."""
    tape = EVENING.read_bytes()
    first, reports = played(ledger, tape)
    before = all_events(ledger)
    second, again = played(ledger, tape)
    assert all_events(ledger) == before
    assert (second.applied, second.repeated) == (0, first.applied)
    assert (second.held, second.refused) == (0, first.refused)
    assert again == reports
    assert len(reports) == 3


def test_held_coups_are_counted(ledger: Ledger) -> None:
    """The evening's README: three irregular coups."""
    summary, _ = played(ledger, EVENING.read_bytes())
    assert summary.held == 3


def test_a_line_that_stands_twice_on_the_tape_is_applied_once(ledger: Ledger) -> None:
    night = Night().opens()
    coup = written(night.coup(1, NINE_TO_SEVEN, "player 100"))
    tape = b"\n".join([*map(written, night.lines), coup, coup])
    summary, reports = played(ledger, tape)
    assert (summary.applied, summary.repeated, reports) == (3, 2, [])


@pytest.mark.parametrize("batch", [7, 1000])
def test_the_record_is_the_same_whatever_the_batch(
    tmp_path: Path, ledger: Ledger, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if each line had been run by itself."""
    tape = EVENING.read_bytes().splitlines()[:100]
    monkeypatch.setattr(importer, "BATCH_COMMANDS", batch)
    played(ledger, b"\n".join(tape))
    alone = open_ledger(tmp_path / "alone.db")
    play(alone, [json.loads(line) for line in tape])
    assert all_events(ledger) == all_events(alone)
    alone.close()


def test_long_lines_make_short_batches(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch is bounded in bytes too: what a crash costs does not grow with the lines."""
    sizes: list[int] = []
    run_batches = ledger.run_batches

    def counted(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            sizes.append(len(batch))
            yield batch

    monkeypatch.setattr(ledger, "run_batches", lambda batches: run_batches(counted(batches)))
    monkeypatch.setattr(importer, "BATCH_BYTES", 10_000)
    night = Night().opens()
    for number in range(1, 13):
        staked = [{"id": f"w{wager}", "kind": "player", "stake": 100} for wager in range(100)]
        night.step("record-coup", number, hands={"player": "9 K", "banker": "7 Q"}, wagers=staked)
    summary, _ = played(ledger, b"\n".join(map(written, night.lines)))
    assert summary.applied == 14
    assert max(sizes) <= 5


def test_progress_is_told_after_every_batch_and_reaches_the_end(ledger: Ledger) -> None:
    tape, _ = mixed_tape(2 * BATCH_COMMANDS)
    told: list[tuple[int, int]] = []
    Importer(
        ledger, lambda _: None, lambda summary: told.append((summary.last_line, summary.bytes_read))
    ).run(lines(io.BytesIO(tape)))
    assert len(told) >= 2
    assert told == sorted(told)
    last_good = max(number for number, line in enumerate(tape.splitlines(), start=1) if line.strip())
    assert told[-1][0] == last_good
    assert 0 < told[-1][1] <= len(tape) + 1


def test_what_progress_tells_of_is_on_the_disk(
    tmp_path: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the next batch is decided already: whoever goes on from there after a crash loses none."""
    monkeypatch.setattr(importer, "BATCH_COMMANDS", 2)
    night = Night().opens()
    for number in range(1, 12):
        night.coup(number, NINE_TO_SEVEN)
    beside = open_ledger(tmp_path / "ledger.db")

    def on_the_disk(summary: Summary) -> None:
        streams = [f"command/{line['id']}" for line in night.lines[: summary.last_line]]
        assert sorted(beside.record.select_first(streams)) == sorted(streams)
        assert summary.lines == summary.last_line == summary.applied

    summary = Importer(ledger, lambda _: None, on_the_disk).run(
        lines(io.BytesIO(b"\n".join(written(line) for line in night.lines)))
    )
    assert summary.applied == len(night.lines)
    beside.close()


def test_a_tape_without_command_lines_leaves_the_record_alone(ledger: Ledger) -> None:
    summary, reports = played(ledger, b"{}\n[]\nnight\n")
    assert [report.line for report in reports] == [1, 2, 3]
    assert (summary.unreadable, ledger.record.last_sequence()) == (3, 0)
