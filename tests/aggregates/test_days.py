"""The premises' gaming day: which tables are on it, when it closes, and that nothing is booked on it then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from ledger.answer import Answer
from ledger.application import Ledger
from ledger.events.base import LedgerEvent
from ledger.events.coup import CoupCorrected, CoupOpened, CoupVoided
from ledger.events.day import (
    AdjustmentBooked,
    CountRecorded,
    DayReconciled,
    DaySealed,
    TableListed,
)
from ledger.events.table import SlipVoided
from tests.application.writers import in_processes, meanwhile
from tests.tabletalk import (
    GAMING_DAY,
    Night,
    all_events,
    command,
    events_of,
    hands,
    open_ledger,
    play,
    wagers,
)

Line = dict[str, Any]
CHIPS = {"chips": {"2500": 4}, "signed_by": ["dealer-1", "inspector-1"]}
RULING: Line = {"reason": "camera 4", "evidence": "clip 17", "approvers": ["pit-1", "pit-2"]}
NINE_TO_SEVEN = "P 9 K / B 7 Q"
SIX_TO_SEVEN: Line = {"hands": hands("P 6 K / B 7 Q"), **RULING}
IRREGULAR = "P K 2 8 / B A 2 5"
DAY = f"day/main/{GAMING_DAY}"
MORNING = "2026-11-28T06:00:00Z"
COUNTED: Line = {"shift": "1", "opener": 1_000_000, "closer": 10_000, "drop": 500}
ADJUSTED: Line = {"adjusts": GAMING_DAY, "account": "drop", "amount": -250, **RULING}


def figures(*tables: str) -> list[Line]:
    """Figures of these tables, all nought."""
    nought = {"win_by_wagers": 0, "win_by_inventory": 0, "variance": 0}
    return [{"table": table, **nought} for table in tables]


def a_night(
    *, closed: bool = True, table: str = "T1", prefix: str = "c", shoe: str = "S1", **opening: Any
) -> Night:
    """A table's night with a coup, a fill and a drop; closed unless it should stay open."""
    night = Night(table=table, prefix=prefix, shoe=shoe).opens(**opening)
    night.coup(1, NINE_TO_SEVEN, "player 100, banker 200")
    night.say("fill-chips", slip=f"{table}-17", chips={"2500": 2}, signed_by=["runner-1"])
    night.say("count-drop", amount=500, signed_by=["counter-1"])
    if closed:
        night.say("close-table", closer=CHIPS)
    return night


def played(ledger: Ledger, night: Night) -> Night:
    """The night, every line of it applied."""
    assert all(answer.applied for answer in play(ledger, night))
    return night


def say(ledger: Ledger, night: Night, name: str, **facts: Any) -> Answer:
    """One more command of a night."""
    return ledger.run(command(night.say(name, **facts)))


def close(ledger: Ledger, night: Night, **facts: Any) -> Answer:
    """The day's close."""
    return ledger.run(command(night.closes_day(**facts)))


def sealed(ledger: Ledger) -> Night:
    """A night whose day is sealed."""
    night = played(ledger, a_night())
    assert close(ledger, night).applied
    return night


def told_of_day(ledger: Ledger, stream: str = DAY) -> list[str]:
    return [event.TOPIC.partition(".")[0] for event in events_of(ledger, stream)]


def booked_on_a_sealed_day(events: list[LedgerEvent]) -> list[LedgerEvent]:
    """Facts of a gaming day that stand in the record after its seal. There must never be one."""
    closed: set[str] = set()
    days: dict[str, str] = {}
    late = []
    for event in events:
        if isinstance(event, CoupOpened):
            days[event.stream] = event.conditions.gaming_day.isoformat()
        booked_on = getattr(event, "booked_on", None)
        kind, *_, last = event.stream.split("/")
        day = {"table": last, "day": last, "coup": days.get(event.stream)}.get(kind)
        if event.TOPIC.startswith(("wagers-reversed", "wagers-settled")) and any(
            ruling.cause == event.cause and getattr(ruling, "booked_on", None) for ruling in events
        ):
            continue  # the lines of a ruling go where the ruling goes
        if (day if booked_on is None else booked_on.isoformat()) in closed:
            late.append(event)
        if isinstance(event, DaySealed):
            closed.add(event.gaming_day.isoformat())
    return late


# --- Before it closes ----------------------------------------------------------------------------------


def test_a_table_is_listed_on_the_day_it_opens_for(ledger: Ledger) -> None:
    played(ledger, a_night())
    played(ledger, a_night(table="T2", prefix="t2-", currency="EUR"))
    listed = [event for event in events_of(ledger, DAY) if isinstance(event, TableListed)]
    assert [(event.table, event.currency, event.format) for event in listed] == [
        ("T1", "GBP", "punto-banco"),
        ("T2", "EUR", "punto-banco"),
    ]


def test_a_table_that_may_not_open_is_not_listed(ledger: Ledger) -> None:
    night = played(ledger, a_night(closed=False))
    again = say(ledger, night, "open-table", gaming_day=GAMING_DAY, format="punto-banco", opener=CHIPS)
    assert again.code == "table-still-open"
    assert told_of_day(ledger) == ["table-listed"]


def test_days_of_other_premises_are_their_own(ledger: Ledger) -> None:
    sealed(ledger)
    annex = Night(prefix="annex-").opens()
    assert [ledger.run(command({**line, "premises": "annex"})).applied for line in annex.lines] == [True] * 2


def test_the_latest_count_of_a_shift_counts_and_the_same_again_adds_nothing(ledger: Ledger) -> None:
    night = played(ledger, a_night())
    for drop in (500, 500, 700, 700, 500):
        counted = {**COUNTED, "drop": drop}
        assert say(ledger, night, "record-count", gaming_day=GAMING_DAY, counted=counted).applied
    other = {**COUNTED, "shift": "late"}
    unknown = say(ledger, night, "record-count", gaming_day=GAMING_DAY, counted=other)
    assert (unknown.outcome, unknown.code) == ("refused", "shift-unknown")
    counts = [event.counted for event in events_of(ledger, DAY) if isinstance(event, CountRecorded)]
    assert [(count.shift, count.drop) for count in counts] == [
        ("1", 500),
        ("1", 700),
        ("1", 500),
    ]


def test_the_same_count_adds_nothing_in_a_ledger_opened_anew_either(tmp_path: Path) -> None:
    """What was read from the record is the equal of what a command says, whatever types hold them."""
    path = tmp_path / "ledger.db"
    with open_ledger(path) as ledger:
        night = played(ledger, a_night())
        assert say(ledger, night, "record-count", gaming_day=GAMING_DAY, counted=COUNTED).applied
    with open_ledger(path) as ledger:
        assert say(ledger, night, "record-count", gaming_day=GAMING_DAY, counted=COUNTED).applied
        assert sum(isinstance(event, CountRecorded) for event in events_of(ledger, DAY)) == 1


@pytest.mark.parametrize(
    ("command_name", "facts"),
    [
        ("record-count", {"gaming_day": GAMING_DAY, "counted": {**COUNTED, "shift": "adjustment"}}),
        ("count-drop", {"amount": 5, "shift": "adjustment"}),
    ],
)
def test_nothing_is_counted_in_a_shift_that_never_was(ledger: Ledger, command_name: str, facts: Line) -> None:
    """So neither in one of the name that stands for what is booked on a later day."""
    night = played(ledger, a_night())
    assert say(ledger, night, command_name, **facts).code == "shift-unknown"


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ({"table": "T9", "gaming_day": GAMING_DAY}, "table-not-on-day"),
        ({"gaming_day": "2026-11-26"}, "table-not-on-day"),
    ],
)
def test_what_never_opened_cannot_be_counted(ledger: Ledger, facts: Line, code: str) -> None:
    night = played(ledger, a_night())
    assert say(ledger, night, "record-count", counted=COUNTED, **facts).code == code


def test_a_void_slip_is_of_the_shift_that_it_was_of(ledger: Ledger) -> None:
    """A spoiled number is of the shift in force. Neither can be used again, nor be void twice."""
    night = played(ledger, a_night(closed=False))
    say(ledger, night, "change-shift", shift="late")
    assert say(ledger, night, "void-slip", slip="T1-17", reason="not delivered").applied
    assert say(ledger, night, "void-slip", slip="T1-18", reason="torn").applied
    voids = [
        event for event in events_of(ledger, f"table/main/T1/{GAMING_DAY}") if isinstance(event, SlipVoided)
    ]
    assert [(event.slip, event.shift, event.voids, event.amount) for event in voids] == [
        ("T1-17", "1", "fill", 5000),
        ("T1-18", "late", None, 0),
    ]
    for slip in ("T1-17", "T1-18"):
        assert say(ledger, night, "void-slip", slip=slip, reason="again").code == "slip-void-already"
        assert say(ledger, night, "fill-chips", slip=slip, **CHIPS).code == "slip-number-used"


# --- What keeps it from closing --------------------------------------------------------------------------


def _somebody_reports_a_box(night: Night) -> None:
    night.say("count-drop", amount=1, actor="box-1", signed_by=["counter-1"])


def _another_is_open(night: Night) -> None:
    night.lines += a_night(table="T2", prefix="t2-", closed=False).lines


@pytest.mark.parametrize(
    ("before", "facts", "code"),
    [
        (None, {"gaming_day": "2026-11-26"}, "no-tables-on-day"),
        (_another_is_open, {"tables": figures("T1", "T2")}, "table-still-open"),
        (None, {"unfinished": ["coup/main/T1/S1/2"]}, "coups-unfinished"),
        (None, {"tables": []}, "figures-incomplete"),
        (None, {"tables": figures("T1", "T2")}, "figures-incomplete"),
        (None, {"tables": figures("T2")}, "figures-incomplete"),
        (None, {"tables": figures("T1", "T1")}, "figures-incomplete"),
        (None, {"signed_by": ["inspector-1"]}, "sign-off-not-independent"),
        (None, {"signed_by": ["accounts-1", "Dealer-1"]}, "sign-off-not-independent"),
        (None, {"signed_by": ["RUNNER-1"]}, "sign-off-not-independent"),
        (None, {"signed_by": ["counter-1"]}, "sign-off-not-independent"),
        (None, {"signed_by": ["cage-1"]}, "sign-off-not-independent"),
        (None, {"signed_by": ["Cage-2"]}, "sign-off-not-independent"),
        (None, {"signed_by": ["voider-1"]}, "sign-off-not-independent"),
        (_somebody_reports_a_box, {"signed_by": ["Box-1"]}, "sign-off-not-independent"),
    ],
)
def test_a_day_does_not_close(
    ledger: Ledger, before: Callable[[Night], None] | None, facts: Line, code: str
) -> None:
    """Domain §4.3, steps 2, 3 and 10: nothing is recorded but that it was refused."""
    night = a_night()
    night.say("void-slip", slip="T1-17", reason="torn", signed_by=["voider-1"])
    night.say("record-count", gaming_day=GAMING_DAY, counted=COUNTED, signed_by=["cage-2"], actor="cage-1")
    if before is not None:
        before(night)
    played(ledger, night)
    count = len(all_events(ledger))
    answer = close(ledger, night, **facts)
    assert (answer.outcome, answer.code) == ("refused", code)
    assert [event.TOPIC for event in all_events(ledger)[count:]] == ["command-recorded.v1"]


def test_figures_that_do_not_add_up_are_no_command() -> None:
    """Domain §4.1: variance is win by wagers and charges, less win by inventory: 700 + 50 - 800."""
    of_table = {"table": "T1", "win_by_wagers": 700, "charges": 50, "win_by_inventory": 800}
    assert command(Night().closes_day(tables=[{**of_table, "variance": -50}])).command == "close-day"
    for variance in (50, 0, -100):
        with pytest.raises(ValidationError, match="the variance of T1"):
            command(Night().closes_day(tables=[{**of_table, "variance": variance}]))


def test_a_day_closes_once(ledger: Ledger) -> None:
    night = sealed(ledger)
    assert told_of_day(ledger) == ["table-listed", "day-reconciled", "day-sealed"]
    (reconciled,) = (event for event in events_of(ledger, DAY) if isinstance(event, DayReconciled))
    assert [table.table for table in reconciled.tables] == ["T1"]
    assert close(ledger, night).code == "day-sealed"
    assert ledger.run(command(night.lines[-2])).repeat  # and sent again, it has the first answer
    assert told_of_day(ledger) == ["table-listed", "day-reconciled", "day-sealed"]


# --- Afterwards ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("open-table", {"table": "T2", "gaming_day": GAMING_DAY, "format": "punto-banco", "opener": CHIPS}),
        ("count-drop", {"amount": 5}),
        ("count-drop", {"amount": 5, "gaming_day": GAMING_DAY, "shift": "1"}),
        ("void-slip", {"slip": "T1-17", "reason": "torn"}),
        ("void-slip", {"slip": "T1-18", "reason": "torn", "gaming_day": GAMING_DAY}),
        ("record-count", {"gaming_day": GAMING_DAY, "counted": COUNTED}),
    ],
)
def test_a_sealed_day_takes_no_more_facts(ledger: Ledger, name: str, facts: Line) -> None:
    """Nothing is recorded but the refusal; also not by a ledger that has just been opened."""
    night = sealed(ledger)
    count = len(all_events(ledger))
    answer = say(ledger, night, name, **facts)
    assert (answer.outcome, answer.code) == ("refused", "day-sealed")
    assert [event.TOPIC for event in all_events(ledger)[count:]] == ["command-recorded.v1"]


def test_the_next_day_is_open(ledger: Ledger) -> None:
    night = sealed(ledger)
    assert say(
        ledger, night, "open-table", gaming_day="2026-11-28", format="punto-banco", opener=CHIPS
    ).applied
    assert say(ledger, night, "count-drop", amount=5).applied
    assert say(ledger, night, "count-drop", amount=5, gaming_day=GAMING_DAY).code == "day-sealed"
    assert not booked_on_a_sealed_day(all_events(ledger))


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("cancel-wagers", {"wagers": ["w1"]}),
        ("close-wagers", {}),
        ("deal-hands", {"hands": hands(NINE_TO_SEVEN)}),
        ("settle-coup", {}),
        ("correct-hands", {"hands": hands("P K 2 8 / B A 2"), **RULING}),
    ],
)
def test_a_coup_left_unfinished_goes_no_further_and_can_be_ruled_void(
    ledger: Ledger, name: str, facts: Line
) -> None:
    """Whoever closed the day did not know of it: its stakes go back on an open day."""
    steps: list[tuple[str, Line]] = [
        ("open-coup", {}),
        ("place-wagers", {"wagers": wagers("player 100")}),
        ("close-wagers", {}),
        ("deal-hands", {"hands": hands(IRREGULAR if name == "correct-hands" else NINE_TO_SEVEN)}),
    ]
    upto = {"cancel-wagers": 2, "close-wagers": 2, "deal-hands": 3}.get(name, 4)
    night = a_night(closed=False)
    for step, said in steps[:upto]:
        night.step(step, 2, **said)
    night.say("close-table", closer=CHIPS)
    played(ledger, night)
    assert close(ledger, night).applied
    assert ledger.run(command(night.step(name, 2, **facts))).code == "day-sealed"
    assert ledger.run(command(night.step("void-coup", 2, **RULING))).applied
    (void,) = (event for event in all_events(ledger) if isinstance(event, CoupVoided))
    assert (void.stakes, void.booked_on) == (100, date(2026, 11, 28))
    assert not booked_on_a_sealed_day(all_events(ledger))


def _seals_the_next(ledger: Ledger) -> None:
    night = played(ledger, a_night(prefix="next-", shoe="S2", gaming_day="2026-11-28"))
    assert close(ledger, night, gaming_day="2026-11-28").applied


def _opens(day: str) -> Callable[[Ledger], None]:
    def opens(ledger: Ledger) -> None:
        played(ledger, Night(prefix=f"{day}-", shoe=day).opens(gaming_day=day, occurred_at=MORNING))

    return opens


@pytest.mark.parametrize(
    ("then", "open_day"),
    [
        ([], "2026-11-28"),
        ([_opens("2026-11-28")], "2026-11-28"),
        ([_seals_the_next], "2026-11-29"),
        ([_seals_the_next, _opens("2026-11-29")], "2026-11-29"),
    ],
)
def test_rulings_on_a_sealed_day_and_adjustments_of_it_go_on_the_open_day(
    ledger: Ledger, then: list[Callable[[Ledger], None]], open_day: str
) -> None:
    """The latest gaming day with anything on it, or the day after it when that is sealed too."""
    night = sealed(ledger)
    for happens in then:
        happens(ledger)
    assert ledger.run(command(night.step("correct-coup", 1, **SIX_TO_SEVEN))).applied
    assert ledger.run(command(night.step("void-coup", 1, **RULING))).applied
    assert say(ledger, night, "book-adjustment", **ADJUSTED).applied
    rulings = [event for event in all_events(ledger) if isinstance(event, CoupCorrected | CoupVoided)]
    assert [str(event.booked_on) for event in rulings] == [open_day, open_day]
    booked = events_of(ledger, f"day/main/{open_day}")[-1]
    assert isinstance(booked, AdjustmentBooked)
    assert (str(booked.gaming_day), str(booked.adjusts), booked.table) == (open_day, GAMING_DAY, "T1")
    assert (booked.account, booked.amount, booked.currency) == ("drop", -250, "GBP")
    assert not booked_on_a_sealed_day(all_events(ledger))


def test_commands_of_one_batch_see_the_seal_and_the_open_day_of_those_before_them(ledger: Ledger) -> None:
    night = a_night()
    night.closes_day()
    night.say("count-drop", amount=5)
    night.say("book-adjustment", **ADJUSTED)
    night.say("open-table", gaming_day="2026-11-28", format="punto-banco", opener=CHIPS)
    night.step("correct-coup", 1, **SIX_TO_SEVEN)
    answers = ledger.run_many([command(line) for line in night.lines])
    assert [answer.code for answer in answers[-5:]] == [None, "day-sealed", None, None, None]
    assert not booked_on_a_sealed_day(all_events(ledger))


def test_a_ruling_before_the_seal_is_of_the_coups_own_day(ledger: Ledger) -> None:
    night = played(ledger, a_night())
    assert ledger.run(command(night.step("correct-coup", 1, **SIX_TO_SEVEN))).applied
    (ruling,) = (event for event in all_events(ledger) if isinstance(event, CoupCorrected))
    assert ruling.booked_on is None


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ({"adjusts": "2026-11-26"}, "day-not-sealed"),
        ({"adjusts": "2026-11-28"}, "day-not-sealed"),
        ({"table": "T9"}, "table-not-on-day"),
        ({"approvers": ["pit-1"]}, "adjustment-not-approved"),
        ({"approvers": ["pit-1", "PIT-1"]}, "adjustment-not-approved"),
        ({"approvers": ["pit-1", "Dealer-1"]}, "adjustment-not-approved"),
    ],
)
def test_an_adjustment_is_refused(ledger: Ledger, facts: Line, code: str) -> None:
    """Of a day still open, of a table that was not on it, without two who did not report it."""
    night = sealed(ledger)
    answer = say(ledger, night, "book-adjustment", **{**ADJUSTED, **facts})
    assert (answer.outcome, answer.code) == ("refused", code)


# --- Several writers ---------------------------------------------------------------------------------------


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Ledger, Ledger]]:
    """Two ledgers on one record."""
    opened = [open_ledger(tmp_path / "ledger.sqlite") for _ in range(2)]
    yield opened[0], opened[1]
    for each in opened:
        each.close()


def closes(night: Night) -> Line:
    return night.closes_day()


def opens_another(night: Night) -> Line:
    return night.say("open-table", table="T2", gaming_day=GAMING_DAY, format="punto-banco", opener=CHIPS)


def counts_drop(night: Night) -> Line:
    return night.say("count-drop", amount=5)


def counts(night: Night) -> Line:
    return night.say("record-count", gaming_day=GAMING_DAY, counted=COUNTED)


def voids_slip(night: Night) -> Line:
    return night.say("void-slip", slip="T1-17", reason="torn")


def corrects(night: Night) -> Line:
    return night.step("correct-coup", 1, **SIX_TO_SEVEN)


def settles(night: Night) -> Line:
    return night.step("settle-coup", 2)


def voids_coup(night: Night) -> Line:
    return night.step("void-coup", 2, **RULING)


def _unsettled() -> Night:
    """A night, closed, whose second coup is dealt and not settled."""
    night = a_night(closed=False)
    night.step("open-coup", 2)
    night.step("place-wagers", 2, wagers=wagers("player 100"))
    night.step("close-wagers", 2)
    night.step("deal-hands", 2, hands=hands(NINE_TO_SEVEN))
    night.say("close-table", closer=CHIPS)
    return night


@pytest.mark.parametrize("race", [False, True], ids=["before", "between-decision-and-save"])
@pytest.mark.parametrize(
    ("theirs", "ours", "code"),
    [
        (closes, opens_another, "day-sealed"),
        (closes, counts_drop, "day-sealed"),
        (closes, counts, "day-sealed"),
        (closes, voids_slip, "day-sealed"),
        (closes, settles, "day-sealed"),
        (closes, corrects, None),
        (closes, voids_coup, None),
        (closes, closes, "day-sealed"),
        (opens_another, closes, "table-still-open"),
        (counts_drop, closes, None),
        (counts, closes, None),
        (voids_slip, closes, None),
        (settles, closes, None),
        (corrects, closes, None),
        (voids_coup, closes, None),
    ],
)
def test_whoever_is_first_nothing_is_booked_on_a_sealed_day(
    pair: tuple[Ledger, Ledger],
    theirs: Callable[[Night], Line],
    ours: Callable[[Night], Line],
    code: str | None,
    race: bool,
) -> None:
    """Though this ledger has the day and the table in its memory as they were."""
    ledger, other = pair
    played(ledger, _unsettled())
    their_line, our_line = theirs(Night(prefix="theirs-")), ours(Night(prefix="ours-"))

    def they_act() -> None:
        assert other.run(command(their_line)).applied

    if race:
        meanwhile(ledger, they_act)
    else:
        they_act()
    answer = ledger.run(command(our_line))
    assert (answer.code, answer.applied) == (code, code is None)
    assert not booked_on_a_sealed_day(all_events(ledger))
    for ruling in all_events(ledger):
        if isinstance(ruling, CoupCorrected | CoupVoided):
            assert ruling.booked_on == (date(2026, 11, 28) if theirs is closes else None)


def test_processes_that_book_while_another_closes(tmp_path: Path) -> None:
    """What was acknowledged is in the record; after the seal come refusals, and rulings on an open day."""
    path = tmp_path / "ledger.sqlite"
    ledger = open_ledger(path)
    played(ledger, _unsettled())
    drops, rulings, counting, closing = (Night(prefix=f"{name}-") for name in ("d", "r", "n", "c0"))
    for number in range(8):
        drops.say("count-drop", amount=number + 1)
        rulings.step("correct-coup", 1, **{**SIX_TO_SEVEN, "hands": hands(f"P {6 + number % 3} K / B 7 Q")})
        counted = {**COUNTED, "drop": number}
        counting.say("record-count", gaming_day=GAMING_DAY, counted=counted)
    closing.say("count-drop", amount=100)
    closing.closes_day()
    answers = in_processes(path, [night.lines for night in (drops, rulings, counting, closing)])
    assert {answer.code for answer in (*answers[0], *answers[2])} <= {None, "day-sealed"}
    assert all(answer.applied for answer in (*answers[1], *answers[3]))
    events = all_events(ledger)
    ledger.close()
    assert sum(isinstance(event, DaySealed) for event in events) == 1
    assert not booked_on_a_sealed_day(events)
    amounts = [event.amount for event in events if event.TOPIC == "drop-counted.v1"]  # type: ignore[attr-defined]
    assert len(amounts) == 2 + sum(answer.applied for answer in answers[0])
