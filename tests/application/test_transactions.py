"""A command is one transaction: all of it is in the record, or none."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from ledger.application import ATTEMPTS, Ledger
from ledger.errors import LedgerBusy
from tests.application.story import IRREGULAR, NINE_TO_SEVEN, every_command
from tests.tabletalk import Live, Night, all_events, command, open_ledger, topics_of

ALL_OF_IT = [
    "coup-opened",
    "bank-committed",
    "wagers-placed",
    "wager-refused",
    "wagers-closed",
    "hands-dealt",
    "cards-seen",
    "wagers-settled",
    "coup-settled",
    "bank-settled",
    "command-recorded",
]


def fails_on(path: Path, topic: str) -> None:
    """From now on the engine itself refuses to store such an event."""
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TRIGGER broken BEFORE INSERT ON stored_events "
            f"WHEN NEW.topic = '{topic}.v1' BEGIN SELECT RAISE(ABORT, 'the disk is broken'); END"
        )
    connection.close()


def mend(path: Path) -> None:
    """And no longer."""
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TRIGGER broken")
    connection.close()


def is_gapless(ledger: Ledger) -> bool:
    """Sequences and every stream's versions count from 1 without a hole."""
    rows = ledger.record.select_rows(0, 100_000)
    versions: dict[str, list[int]] = {}
    for row in rows:
        versions.setdefault(row.stream, []).append(row.version)
    counted = all(found == list(range(1, len(found) + 1)) for found in versions.values())
    return counted and [row.sequence for row in rows] == list(range(1, len(rows) + 1))


@pytest.mark.parametrize("topic", ALL_OF_IT)
def test_a_coup_that_fails_anywhere_leaves_nothing(path: Path, ledger: Ledger, topic: str) -> None:
    """Whichever of its events cannot be stored. Sent again, it is recorded whole, and without a gap."""
    live = Live(ledger, "chemin-de-fer")
    live.say("take-bank", holder="p-1", capacity="player", sum=1000)
    line = live.night.coup(1, NINE_TO_SEVEN, "player 100, tie 50")
    before = all_events(ledger)
    fails_on(path, topic)
    with pytest.raises(LedgerBusy) as busy:
        ledger.run(command(line))
    assert busy.value.attempts == ATTEMPTS
    assert all_events(ledger) == before
    mend(path)
    answer = ledger.run(command(line))
    assert (answer.outcome, answer.repeat) == ("applied", False)
    after = all_events(ledger)
    assert after[: len(before)] == before
    assert [event.TOPIC.partition(".")[0] for event in after[len(before) :]] == ALL_OF_IT
    assert is_gapless(ledger)


def test_what_failed_is_not_remembered(path: Path, ledger: Ledger) -> None:
    """A ledger that lost a save decides the next command on the record, not on what it had hoped for."""
    live = Live(ledger)
    fails_on(path, "shift-changed")
    with pytest.raises(LedgerBusy):
        live.say("change-shift", shift="late")
    mend(path)
    live.coup(1, NINE_TO_SEVEN)
    assert '"shift":"1"' in live.coup_events(1)[0].model_dump_json()


def test_a_batch_that_fails_is_tried_one_by_one(path: Path, ledger: Ledger) -> None:
    """One command that cannot be stored does not take those before it along."""
    live = Live(ledger)
    night = Night(prefix="n-")
    good = night.coup(1, NINE_TO_SEVEN, "player 100")
    bad = night.coup(2, IRREGULAR, "player 100")
    fails_on(path, "irregularity-found")
    with pytest.raises(LedgerBusy):
        ledger.run_many([command(good), command(bad)])
    assert topics_of(ledger, "coup/main/T1/S1/1")[-1] == "coup-settled"
    assert live.coup_events(2) == []
    mend(path)
    answers = ledger.run_many([command(good), command(bad)])
    assert [(answer.outcome, answer.repeat) for answer in answers] == [("applied", True), ("applied", False)]
    assert is_gapless(ledger)


def test_a_batch_is_one_transaction(tmp_path: Path) -> None:
    """The whole story at once gives the same events as command by command, and the same answers."""
    one, many = open_ledger(tmp_path / "one.sqlite"), open_ledger(tmp_path / "many.sqlite")
    lines = every_command()
    assert [one.run(command(line)) for line in lines] == many.run_many([command(line) for line in lines])
    assert all_events(one) == all_events(many)
    assert is_gapless(many)
    one.close()
    many.close()


def test_an_empty_batch_is_nothing(ledger: Ledger) -> None:
    assert ledger.run_many([]) == []
    assert ledger.record.last_sequence() == 0


def test_a_refusal_amid_a_batch_leaves_its_neighbours_alone(ledger: Ledger) -> None:
    """The coup before it and the coup after it are settled, each once."""
    night = Night().opens()
    for number, dealt in ((1, NINE_TO_SEVEN), (1, NINE_TO_SEVEN), (2, "P K 6 / B J 6")):
        night.coup(number, dealt, "player 100, banker 200")
    answers = ledger.run_many([command(line) for line in night.lines])
    assert [answer.code for answer in answers] == [None, None, None, "coup-number-used", None]
    for number in (1, 2):
        assert topics_of(ledger, f"coup/main/T1/S1/{number}").count("coup-settled") == 1
