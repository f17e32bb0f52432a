"""A command runs once, for ever: the same id gives the first answer, and nothing more is recorded."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple, get_args

import pytest

from ledger.answer import Answer
from ledger.application import Ledger
from ledger.commands import Command
from tests.application.story import CHIPS, NINE_TO_SEVEN, again, every_command
from tests.tabletalk import NOON, Live, Night, command, open_ledger, play, topics_of

STORY = every_command()


class Told(NamedTuple):
    """The story, told once to a ledger."""

    path: Path
    ledger: Ledger
    answers: dict[str, Answer]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    """These tests append nothing, so they share one record."""
    path = tmp_path_factory.mktemp("told") / "ledger.sqlite"
    ledger = open_ledger(path)
    yield Told(path, ledger, {answer.command_id: answer for answer in play(ledger, STORY)})
    ledger.close()


def test_the_story_uses_every_command(told: Told) -> None:
    """Each kind of command is applied at least once; refused ones are among them."""
    applied = {line["command"] for line in STORY if told.answers[line["id"]].applied}
    assert applied == {kind.model_fields["command"].default for kind in get_args(Command)}
    assert {answer.outcome for answer in told.answers.values()} == {"applied", "refused"}
    assert not any(answer.repeat for answer in told.answers.values())


@pytest.mark.parametrize("line", STORY, ids=lambda line: f"{line['id']}-{line['command']}")
def test_a_command_sent_again_gets_the_first_answer(told: Told, line: dict[str, Any]) -> None:
    """Applied or refused, whatever has happened since; not an event is added."""
    before = told.ledger.record.last_sequence()
    assert told.ledger.run(command(line)) == again(told.answers[line["id"]])
    assert told.ledger.record.last_sequence() == before


@pytest.mark.parametrize("line", STORY, ids=lambda line: f"{line['id']}-{line['command']}")
def test_the_same_id_with_other_content_is_rejected(told: Told, line: dict[str, Any]) -> None:
    """Never run, never overwritten, and the first answer is still to be had."""
    before = told.ledger.record.last_sequence()
    other = told.ledger.run(command({**line, "actor": "dealer-9"}))
    assert (other.outcome, other.code, other.repeat) == ("rejected", "command-id-used", False)
    assert told.ledger.record.last_sequence() == before
    assert told.ledger.run(command(line)) == again(told.answers[line["id"]])


def test_the_same_id_for_another_kind_of_command_is_rejected(told: Told) -> None:
    line = {**STORY[0], "command": "close-table", "closer": CHIPS}
    for name in ("gaming_day", "format", "opener"):
        del line[name]
    assert told.ledger.run(command(line)).code == "command-id-used"


def test_it_survives_the_closing_of_the_ledger(told: Told) -> None:
    """Nothing in memory is asked: another process, another year."""
    before = told.ledger.record.last_sequence()
    reopened = open_ledger(told.path, lambda: NOON + timedelta(days=3650))
    assert play(reopened, STORY) == [again(told.answers[line["id"]]) for line in STORY]
    assert reopened.record.last_sequence() == before
    reopened.close()


def test_a_batch_knows_the_commands_that_ran_before_it(told: Told) -> None:
    before = told.ledger.record.last_sequence()
    answers = told.ledger.run_many([command(line) for line in reversed(STORY)])
    assert answers == [again(told.answers[line["id"]]) for line in reversed(STORY)]
    assert told.ledger.record.last_sequence() == before


def test_a_default_spelled_out_is_the_same_command(told: Told) -> None:
    line = {**STORY[0], "shift": "1", "currency": "GBP", "premises": "main", "limits": {}}
    assert told.ledger.run(command(line)) == again(told.answers[line["id"]])


def test_the_same_moment_in_another_offset_is_the_same_command(told: Told) -> None:
    line = {**STORY[0], "occurred_at": "2026-11-27T22:00:00+01:00"}
    assert told.ledger.run(command(line)) == again(told.answers[line["id"]])


def test_doubles_within_a_batch_run_once(ledger: Ledger) -> None:
    """Also the refused ones; other content under an id of the same batch is rejected."""
    night = Night().opens()
    coup = night.coup(1, NINE_TO_SEVEN, "player 100")
    refused = night.step("settle-coup", 9)
    batch = [*night.lines, coup, refused, {**coup, "actor": "dealer-9"}]
    answers = ledger.run_many([command(line) for line in batch])
    assert answers[4:6] == [again(answers[2]), again(answers[3])]
    assert (answers[6].outcome, answers[6].code) == ("rejected", "command-id-used")
    for line in night.lines:
        assert topics_of(ledger, f"command/{line['id']}") == ["command-recorded"]
    assert topics_of(ledger, "coup/main/T1/S1/1").count("coup-opened") == 1


def test_doubles_across_batches_run_once(ledger: Ledger) -> None:
    lines = every_command()
    first = ledger.run_many([command(line) for line in lines[:20]])
    second = ledger.run_many([command(line) for line in lines])
    assert second[:20] == [again(answer) for answer in first]
    assert not any(answer.repeat for answer in second[20:])


def test_two_ledgers_on_one_record_run_a_command_once(path: Path, ledger: Ledger) -> None:
    """Whichever of them is asked first."""
    other = open_ledger(path)
    for number, line in enumerate(every_command()):
        one, two = (ledger, other) if number % 2 else (other, ledger)
        answer = one.run(command(line))
        before = one.record.last_sequence()
        assert two.run(command(line)) == again(answer)
        assert two.record.last_sequence() == before
    other.close()


# --- What was never recorded, and what would be read otherwise by now -----------------------------------


def test_what_was_rejected_may_be_sent_again_put_right(ledger: Ledger) -> None:
    """Nothing of it was recorded, so its id is free."""
    live = Live(ledger)
    line = live.night.coup(1, "P 9 K", "player 100")
    before = ledger.record.last_sequence()
    for _ in range(2):
        answer = ledger.run(command(line))
        assert (answer.outcome, answer.code, answer.repeat) == ("rejected", "hand-missing", False)
    assert ledger.record.last_sequence() == before
    put_right = {**line, "hands": {"player": "9 K", "banker": "7 Q"}}
    assert ledger.run(command(put_right)).applied


def test_what_came_from_the_future_may_be_sent_again_in_its_time(path: Path) -> None:
    """Five seconds of skew between two clocks are forgiven, and not one more."""
    now = [NOON]
    ledger = open_ledger(path, lambda: now[0])
    live = Live(ledger)
    line = live.night.coup(1, NINE_TO_SEVEN, occurred_at="2026-11-28T12:00:06Z")
    before = ledger.record.last_sequence()
    answer = ledger.run(command(line))
    assert (answer.outcome, answer.code) == ("rejected", "from-the-future")
    assert ledger.record.last_sequence() == before
    now[0] += timedelta(seconds=1)
    assert ledger.run(command(line)).applied
    ledger.close()


def test_the_first_answer_holds_where_another_servers_clock_is_behind(path: Path) -> None:
    """The retry lands on a server to which the command seems to come from the future."""
    fast = open_ledger(path, lambda: NOON + timedelta(minutes=1))
    line = Night().opens().lines[0] | {"occurred_at": "2026-11-28T12:00:30Z"}
    first = fast.run(command(line))
    assert first.applied
    slow = open_ledger(path)
    assert slow.run(command(line)) == again(first)
    assert slow.run_many([command(line)] * 2) == [again(first)] * 2
    slow.close()
    fast.close()


@pytest.mark.parametrize(
    ("name", "facts", "code"),
    [
        ("record-coup", {"shoe": "S1", "number": 1, "hands": {"player": "9 K"}}, "hand-missing"),
        ("start-shoe", {"shoe": "S1", "decks": 8, "burned": "1s"}, "bad-card"),
    ],
)
def test_a_refusal_stays_the_answer_when_the_command_could_not_be_read_by_now(
    ledger: Ledger, name: str, facts: dict[str, Any], code: str
) -> None:
    """First the table was not open; then it was, and the command's mistake would come to light."""
    early = Night(prefix="early-").say(name, **facts)
    first = ledger.run(command(early))
    assert (first.outcome, first.code) == ("refused", "table-not-open")
    night = Night().opens()
    if name == "start-shoe":
        del night.lines[1]
    assert all(answer.applied for answer in play(ledger, night))
    assert ledger.run(command({**early, "id": "late"})).code == code
    before = ledger.record.last_sequence()
    assert ledger.run(command(early)) == again(first)
    assert ledger.record.last_sequence() == before


def test_unreadable_content_under_a_used_id_is_a_conflict_all_the_same(ledger: Ledger) -> None:
    """The id was used for something else: that is what the sender has to know."""
    live = Live(ledger)
    line = live.night.coup(1, NINE_TO_SEVEN)
    assert ledger.run(command(line)).applied
    other = ledger.run(command({**line, "hands": {"player": "9 K"}}))
    assert (other.outcome, other.code) == ("rejected", "command-id-used")
