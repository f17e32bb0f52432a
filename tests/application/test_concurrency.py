"""Several writers on one record: each decides on what is there when it saves, or decides anew."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.answer import Answer
from ledger.application import Ledger
from ledger.events.command import CommandRecorded
from ledger.events.coup import CoupOpened, CoupSettled, WagerRefused, WagersPlaced
from ledger.terms.wagers import Outcome
from tests.application.story import CHIPS, NINE_TO_SEVEN
from tests.application.writers import coups_of_a_shoe, in_processes, insist, meanwhile
from tests.oracle.night import pnl
from tests.tabletalk import Night, all_events, command, events_of, open_ledger, play

Line = dict[str, Any]
COUP = "coup/main/T1/S1/{}".format


@pytest.fixture
def other(path: Path, ledger: Ledger) -> Iterator[Ledger]:
    """A second ledger on the same record."""
    opened = open_ledger(path)
    yield opened
    opened.close()


def is_gapless(events: list[Any], ledger: Ledger) -> bool:
    """Sequences from 1 without a hole, and every stream's versions likewise."""
    streams: dict[str, list[int]] = {}
    for event in events:
        streams.setdefault(event.stream, []).append(event.version)
    rows = ledger.record.select_rows(0, 100_000)
    return [row.sequence for row in rows] == list(range(1, len(events) + 1)) and all(
        versions == list(range(1, len(versions) + 1)) for versions in streams.values()
    )


# --- What one has in mind and the other has changed -----------------------------------------------------


class Change(NamedTuple):
    """What the other does at a table, what this one then asks for, and the answer it must get."""

    opening: list[Line]
    theirs: list[Line]
    ours: list[Line]
    code: str | None


def _changes() -> Iterator[Any]:

    def case(
        name: str,
        format: str,
        theirs: Callable[[Night], object],
        ours: Callable[[Night], object],
        code: str | None,
    ) -> Any:
        opening = Night(format).opens(decks=1)
        if format == "chemin-de-fer":
            opening.say("take-bank", holder="p-1", capacity="player", sum=1000)
        opening.coup(1, "P K 6 / B J 6", "player 100")
        they, we = Night(prefix="theirs-"), Night(prefix="ours-")
        theirs(they)
        ours(we)
        return pytest.param(Change(opening.lines, they.lines, we.lines, code), id=name)

    def closes(night: Night) -> None:
        night.say("close-table", closer=CHIPS)

    def next_day(night: Night) -> None:
        closes(night)
        night.say("open-table", gaming_day="2026-11-28", format="punto-banco", opener=CHIPS)
        night.say("start-shoe", shoe="S2", decks=8)

    def another_shoe(night: Night) -> None:
        night.say("end-shoe", shoe="S1")
        night.say("start-shoe", shoe="S2", decks=8)

    def coup_2(night: Night) -> None:
        night.coup(2, "P 4 5 / B 2 5", "player 100")

    punto, chemin = "punto-banco", "chemin-de-fer"
    yield case("table-closed", punto, closes, coup_2, "table-not-open")
    yield case("table-closed-step", punto, closes, lambda night: night.step("open-coup", 2), "table-not-open")
    yield case("another-shoe", punto, another_shoe, coup_2, "shoe-not-in-use")
    yield case("coup-recorded", punto, coup_2, coup_2, "coup-number-used")
    yield case("coup-opened", punto, lambda night: night.step("open-coup", 2), coup_2, "coup-number-used")
    yield case(
        "card-dealt",
        punto,
        lambda night: night.coup(2, "P As 8 / B 7 Q"),
        lambda night: night.coup(3, "P As 8 / B 7 Q"),
        "card-not-in-shoe",
    )
    yield case(
        "slip-used",
        punto,
        lambda night: night.say("fill-chips", slip="17", **CHIPS),
        lambda night: night.say("fill-chips", slip="17", **CHIPS),
        "slip-number-used",
    )
    yield case("bank-retired", chemin, lambda night: night.say("retire-bank"), coup_2, "no-bank")
    yield case("bank-lost", chemin, coup_2, lambda night: night.coup(3, "P 3 6 / B 2 5"), "bank-must-pass")
    yield case(
        "bank-committed",
        chemin,
        lambda night: night.step("open-coup", 2),
        lambda night: night.say("retire-bank"),
        "bank-committed",
    )
    yield case("shift-changed", punto, lambda night: night.say("change-shift", shift="late"), coup_2, None)
    yield case(
        "bank-passed",
        chemin,
        lambda night: night.say("pass-bank", holder="p-2", capacity="player", sum=50),
        coup_2,
        None,
    )
    yield case(
        "next-gaming-day",
        punto,
        next_day,
        lambda night: night.coup(2, NINE_TO_SEVEN, "player 100", shoe="S2"),
        None,
    )
    yield case(
        "next-gaming-day-old-shoe",
        punto,
        next_day,
        lambda night: night.coup(2, NINE_TO_SEVEN, "player 100"),
        "shoe-not-in-use",
    )
    yield case(
        "next-gaming-day-opened",
        punto,
        next_day,
        lambda night: night.say("open-table", gaming_day="2026-11-28", format="punto-banco", opener=CHIPS),
        "table-still-open",
    )


@pytest.mark.parametrize("race", [False, True], ids=["before", "between-decision-and-save"])
@pytest.mark.parametrize("change", list(_changes()))
def test_a_decision_is_made_on_what_the_other_has_changed(
    ledger: Ledger, other: Ledger, change: Change, race: bool
) -> None:
    """Though this ledger still has the table, the shoe and the night in its memory as they were."""
    assert all(answer.applied for answer in play(ledger, change.opening))

    def they_act() -> None:
        assert all(answer.applied for answer in play(other, change.theirs))

    if race:
        meanwhile(ledger, they_act)
    else:
        they_act()
    (answer,) = play(ledger, change.ours)
    assert (answer.code, answer.applied, answer.repeat) == (change.code, change.code is None, False)
    assert is_gapless(all_events(ledger), ledger)
    assert play(other, change.ours)[0].repeat


def _conditions(ledger: Ledger, stream: str) -> Any:
    (opened,) = (event for event in events_of(ledger, stream) if isinstance(event, CoupOpened))
    return opened.conditions


def test_a_coup_is_played_under_the_conditions_that_the_other_set(ledger: Ledger, other: Ledger) -> None:
    night = Night("chemin-de-fer").opens()
    night.say("take-bank", holder="p-1", capacity="player", sum=1000)
    night.coup(1, "P K 6 / B J 6", "player 100")
    play(ledger, night)
    theirs = Night(prefix="theirs-")
    theirs.say("change-shift", shift="late")
    theirs.say("pass-bank", holder="p-2", capacity="player", sum=50)
    play(other, theirs)
    play(ledger, [Night(prefix="ours-").coup(2, NINE_TO_SEVEN, "player 100")])
    pinned = _conditions(ledger, COUP(2))
    assert (pinned.shift, pinned.banker, pinned.bank) == ("late", "p-2", 50)


def _night_of(day: str, prefix: str, shoe: str) -> Night:
    night = Night(prefix=prefix, shoe=shoe)
    night.say("open-table", gaming_day=day, format="punto-banco", opener=CHIPS)
    night.say("start-shoe", shoe=shoe, decks=8)
    return night


@pytest.mark.parametrize("race", [False, True], ids=["before", "between-decision-and-save"])
@pytest.mark.parametrize(
    ("day", "code"), [("2026-11-27", "gaming-day-over"), ("2026-11-28", "table-still-open")]
)
def test_the_days_of_a_table_go_forward_whoever_opens_them(
    ledger: Ledger, other: Ledger, day: str, code: str, race: bool
) -> None:
    """The 26th closes here; the other opens the next day before this one does."""
    closed = code == "gaming-day-over"
    first = _night_of("2026-11-26", "first-", "S1")
    first.say("close-table", closer=CHIPS)
    theirs = _night_of("2026-11-28" if closed else "2026-11-27", "theirs-", "S2")
    if closed:
        theirs.say("close-table", closer=CHIPS)
    assert all(answer.applied for answer in play(ledger, first))

    def they_act() -> None:
        assert all(answer.applied for answer in play(other, theirs))

    if race:
        meanwhile(ledger, they_act)
    else:
        they_act()
    (answer,) = play(ledger, _night_of(day, "ours-", "S3").lines[:1])
    assert (answer.outcome, answer.code) == ("refused", code)


def test_a_table_that_the_other_opened_is_open_for_the_one_that_closed_it(
    ledger: Ledger, other: Ledger
) -> None:
    """This ledger remembers the 26th, closed; since then the other has opened the 27th."""
    first = _night_of("2026-11-26", "first-", "S1")
    first.say("close-table", closer=CHIPS)
    play(ledger, first)
    play(other, _night_of("2026-11-27", "theirs-", "S2"))
    (answer,) = play(ledger, [Night(prefix="ours-", shoe="S2").coup(1, NINE_TO_SEVEN, "player 100")])
    assert answer.applied
    assert _conditions(ledger, "coup/main/T1/S2/1").gaming_day.isoformat() == "2026-11-27"


# --- The bank under many hands --------------------------------------------------------------------------

BANK = 1000
actions = st.lists(
    st.tuples(st.integers(0, 2), st.integers(1, 400), st.booleans(), st.booleans()), min_size=1, max_size=14
)


@settings(max_examples=12, deadline=None)
@given(schedule=actions)
def test_accepted_stakes_never_exceed_the_bank(schedule: list[tuple[int, int, bool, bool]]) -> None:
    """6(3), in order of acceptance: three writers at one coup, each with its own stale view of it.

    A writer places a wager (or cancels the last one that stands); where two follow on one another, the
    second may slip in between the first one's decision and its save.
    """
    with tempfile.TemporaryDirectory() as folder:
        writers = [open_ledger(Path(folder) / "ledger.sqlite") for _ in range(3)]
        night = Night("chemin-de-fer").opens()
        night.say("take-bank", holder="p-1", capacity="player", sum=BANK)
        night.step("open-coup", 1)
        assert all(answer.applied for answer in play(writers[0], night))
        standing: dict[str, int] = {}  # what must stand: nothing but arithmetic
        refused = 0
        for number, (writer, stake, cancels, slips_in) in enumerate(schedule):
            steps = Night("chemin-de-fer", prefix=f"n{number}-")
            if cancels and standing:
                last, _ = standing.popitem()
                steps.step("cancel-wagers", 1, wagers=[last])
            else:
                names = [f"w{number}", *([f"w{number}-first"] if slips_in else [])]
                for name in names:
                    offer = {"id": name, "kind": "player", "stake": stake}
                    steps.step("place-wagers", 1, wagers=[offer])
                for name in reversed(names):
                    covered = min(stake, BANK - sum(standing.values()))
                    refused += stake - covered
                    if covered:
                        standing[name] = covered
            ours, *theirs = steps.lines
            if theirs:
                quick = writers[(writer + 1) % 3]
                meanwhile(writers[writer], partial(play, quick, theirs))
            assert writers[writer].run(command(ours)).applied
        for each in writers:
            each.run(command(Night(prefix="end-").step("close-wagers", 1)))
        events = events_of(writers[0], COUP(1))
        stakes = {
            wager.id: wager.stake
            for event in events
            if isinstance(event, WagersPlaced)
            for wager in event.wagers
        }
        assert {name: stakes[name] for name in standing} == standing
        (closed,) = (event for event in events if event.TOPIC == "wagers-closed.v1")
        assert closed.stakes == sum(standing.values()) <= BANK  # type: ignore[attr-defined]
        assert sum(event.stake for event in events if isinstance(event, WagerRefused)) == refused
        for each in writers:
            each.close()


def test_threads_that_stake_at_once_fill_the_bank_and_no_more(path: Path, ledger: Ledger) -> None:
    """Four thousand offered on a bank of two and a half: exactly the bank is accepted."""
    night = Night("chemin-de-fer").opens()
    night.say("take-bank", holder="p-1", capacity="player", sum=2500)
    night.step("open-coup", 1)
    play(ledger, night)

    def stake(thread: int) -> list[Answer]:
        mine = open_ledger(path)
        steps = Night("chemin-de-fer", prefix=f"t{thread}-")
        for number in range(10):
            offer = {"id": f"w{thread}-{number}", "kind": "player", "stake": 100}
            steps.step("place-wagers", 1, wagers=[offer])
        answers = [insist(mine, line) for line in steps.lines]
        mine.close()
        return answers

    with ThreadPoolExecutor(4) as threads:
        answers = [answer for found in threads.map(stake, range(4)) for answer in found]
    assert len(answers) == 40
    assert all(answer.applied and not answer.repeat for answer in answers)
    events = events_of(ledger, COUP(1))
    assert (
        sum(wager.stake for event in events if isinstance(event, WagersPlaced) for wager in event.wagers)
        == 2500
    )
    assert sum(event.stake for event in events if isinstance(event, WagerRefused)) == 1500


# --- Processes ------------------------------------------------------------------------------------------


def test_four_processes_record_one_shoe_between_them(path: Path, ledger: Ledger) -> None:
    """Every command acknowledged is in the record once, without a gap, and the money is the oracle's."""
    night = Night().opens()
    for number, dealt in zip(range(1, 33), coups_of_a_shoe(seed=1994), strict=False):
        night.coup(number, dealt, f"player {number}00, banker {number}40, tie {number}5, hand-1 7")
    opening, coups = night.lines[:2], night.lines[2:]
    assert len(coups) == 32
    play(ledger, opening)
    answers = in_processes(path, [coups[start::4] for start in range(4)])

    acknowledged = [answer for share in answers for answer in share]
    assert all(answer.applied and not answer.repeat for answer in acknowledged)
    events = all_events(ledger)
    records = [event for event in events if isinstance(event, CommandRecorded)]
    assert sorted(event.cause for event in records) == sorted(line["id"] for line in night.lines)
    assert is_gapless(events, ledger)

    (row,) = pnl(night.lines)
    totals = [total for event in events if isinstance(event, CoupSettled) for total in event.totals]
    lost = sum(total.stakes for total in totals if total.outcome is Outcome.LOST)
    won = sum(total.winnings for total in totals)
    assert sum(isinstance(event, CoupSettled) for event in events) == row["coups"] == 32
    assert sum(total.wagers for total in totals) == row["wagers"]
    assert sum(total.stakes for total in totals) == row["handle"]
    assert (lost, won, lost - won) == (row["lost_stakes"], row["winnings"], row["win"])


def test_two_processes_that_send_the_same_commands_run_them_once(path: Path, ledger: Ledger) -> None:
    """Both get the one answer; exactly one of them is told that it is a repeat."""
    night = Night().opens()
    for number, dealt in zip(range(1, 13), coups_of_a_shoe(seed=2000), strict=False):
        night.coup(number, dealt, "player 100, banker 200")
    night.coup(12, NINE_TO_SEVEN)  # refused: the number is used
    play(ledger, night.lines[:2])
    one, two = in_processes(path, [night.lines[2:]] * 2)
    for first, second in zip(one, two, strict=True):
        assert {first.repeat, second.repeat} == {True, False}
        assert (first.outcome, first.code, first.subject, first.stage) == (
            second.outcome,
            second.code,
            second.subject,
            second.stage,
        )
    events = all_events(ledger)
    records = [event.cause for event in events if isinstance(event, CommandRecorded)]
    assert sorted(records) == sorted(line["id"] for line in night.lines)
    assert sum(isinstance(event, CoupSettled) for event in events) == 12
    assert is_gapless(events, ledger)
