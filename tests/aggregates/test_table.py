"""A table's gaming day: it opens once, under rules in force, and its slips have numbers of their own."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.application import Ledger
from ledger.events.table import (
    ChipsCredited,
    ChipsFilled,
    DropCounted,
    ShiftChanged,
    TableClosed,
    TableOpened,
)
from tests.tabletalk import EVENING, Live, Night, events_of, play, topics_of

CHIPS = {"chips": {"2500": 4, "100": 5}, "signed_by": ["dealer-1", "inspector-1"]}
CLOSE: dict[str, Any] = {"closer": CHIPS}
NINE_TO_SEVEN = "P 9 K / B 7 Q"


def opening(day: str, at: str | None = None, **facts: Any) -> dict[str, Any]:
    """An `open-table` for this gaming day, said at nine that evening."""
    return {
        "gaming_day": day,
        "format": "punto-banco",
        "opener": CHIPS,
        "occurred_at": at or f"{day}T21:00:00Z",
        **facts,
    }


def test_a_table_opens_once_a_gaming_day_and_its_days_go_forward(ledger: Ledger) -> None:
    """And it opens for no other day while it is open."""
    night = Night()
    night.say("open-table", **opening("2026-11-20"))
    night.say("open-table", **opening("2026-11-20"))
    night.say("open-table", **opening("2026-11-21"))
    night.say("close-table", **CLOSE)
    night.say("open-table", **opening("2026-11-20"))
    night.say("open-table", **opening("2026-11-19"))
    night.say("open-table", **opening("2026-11-22"))
    answers = [answer.code or answer.outcome for answer in play(ledger, night)]
    assert answers == [
        "applied",
        "table-still-open",
        "table-still-open",
        "applied",
        "gaming-day-over",
        "gaming-day-over",
        "applied",
    ]


@pytest.mark.parametrize("day", ["2026-11-26", "2026-11-28"])
def test_an_opening_that_is_refused_leaves_the_open_table_in_play(ledger: Ledger, day: str) -> None:
    live = Live(ledger)
    refused = live.say("open-table", **opening(day, EVENING))
    assert (refused.outcome, refused.code) == ("refused", "table-still-open")
    assert live.coup(1, NINE_TO_SEVEN, "player 100").applied
    assert live.say("close-table", **CLOSE).applied


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ({"format": "super-pan-9"}, "unknown-format"),
        ({"profile": "si-1970"}, "unknown-profile"),
        ({"profile": "si-2000-597-7b"}, "profile-not-implemented"),
    ],
)
def test_an_opening_that_cannot_be_read_leaves_the_last_day_as_it_was(
    ledger: Ledger, facts: dict[str, Any], code: str
) -> None:
    """Its drop may still be counted, and the day may be opened once the mistake is put right."""
    live = Live(ledger)
    live.say("close-table", **CLOSE)
    before = ledger.record.last_sequence()
    rejected = live.say("open-table", **opening("2026-11-28", "2026-11-28T09:00:00Z", **facts))
    assert (rejected.outcome, rejected.code) == ("rejected", code)
    assert ledger.record.last_sequence() == before
    assert live.say("count-drop", amount=5000).applied
    assert topics_of(ledger, "table/main/T1/2026-11-27")[-1] == "drop-counted"
    assert live.say("open-table", **opening("2026-11-28", "2026-11-28T09:00:00Z")).applied


@pytest.mark.parametrize(
    ("at", "code"),
    [
        ("2026-11-18T23:59:59Z", "gaming-day-implausible"),
        ("2026-11-19T00:00:00Z", None),
        ("2026-11-20T12:00:00Z", None),
        ("2026-11-21T23:59:59Z", None),
        ("2026-11-22T00:00:00Z", "gaming-day-implausible"),
        ("2026-11-22T01:30:00+02:00", None),  # half past eleven on the 21st
    ],
)
def test_a_gaming_day_is_the_day_it_is_opened_or_a_day_either_way(
    ledger: Ledger, at: str, code: str | None
) -> None:
    """Midnight, the offset and the cut-off are the premises' own; a wrong year is not."""
    night = Night()
    night.say("open-table", **opening("2026-11-20", at))
    (answer,) = play(ledger, night)
    assert answer.code == code


@pytest.mark.parametrize(
    ("profile", "day", "authority"),
    [
        ("si-1994-2899", "1994-12-31", None),
        ("si-1994-2899", "1995-01-01", "regulation"),
        ("si-1994-2899", "2000-03-31", "regulation"),
        ("si-1994-2899", "2000-04-01", None),
        ("si-1994-2899", "2007-08-31", None),
        ("si-1994-2899", "2007-09-01", "house-rules"),
        ("si-2000-597-7a", "2000-03-31", None),
        ("si-2000-597-7a", "2000-04-01", "regulation"),
        ("si-2000-597-7a", "2007-08-31", "regulation"),
        ("si-2000-597-7a", "2007-09-01", "house-rules"),
    ],
)
def test_a_table_opens_under_a_profile_in_force_or_under_house_rules_after_them_all(
    ledger: Ledger, profile: str, day: str, authority: str | None
) -> None:
    """Domain §1.2: 1 January 1995, 1 April 2000, and 1 September 2007, when regulation 6 lapsed."""
    night = Night()
    night.say("open-table", **opening(day, profile=profile))
    (answer,) = play(ledger, night)
    if authority is None:
        assert (answer.outcome, answer.code) == ("refused", "profile-not-in-force")
        assert topics_of(ledger, f"table/main/T1/{day}") == []
        return
    (opened,) = events_of(ledger, f"table/main/T1/{day}")
    assert isinstance(opened, TableOpened)
    assert opened.authority == authority


def test_the_opener_and_the_closer_are_counted_and_signed(ledger: Ledger) -> None:
    live = Live(ledger, opener=CHIPS)
    live.say("close-table", **CLOSE)
    opened, *_, closed = live.table_events()
    assert isinstance(opened, TableOpened)
    assert isinstance(closed, TableClosed)
    assert (opened.opener, opened.signed_by) == ({2500: 4, 100: 5}, ("dealer-1", "inspector-1"))
    assert (closed.closer, closed.amount) == ({2500: 4, 100: 5}, 10_500)


@pytest.mark.parametrize("first", ["fill-chips", "credit-chips"])
@pytest.mark.parametrize("second", ["fill-chips", "credit-chips"])
def test_fills_and_credits_share_one_series_of_slips(ledger: Ledger, first: str, second: str) -> None:
    """Domain §4.2: one unbroken series. The same number twice would hide a missing slip."""
    live = Live(ledger)
    assert live.say(first, slip="17", **CHIPS).applied
    refused = live.say(second, slip="17", **CHIPS)
    assert (refused.outcome, refused.code) == ("refused", "slip-number-used")
    assert live.say(second, slip="18", **CHIPS).applied


def test_slips_counts_and_shifts_belong_to_the_shift_in_force(ledger: Ledger) -> None:
    live = Live(ledger, shift="day")
    live.say("fill-chips", slip="1", **CHIPS)
    live.say("change-shift", shift="late")
    live.say("credit-chips", slip="2", **CHIPS)
    live.say("count-drop", amount=700, signed_by=["counter-1"])
    _, _, filled, changed, credited, drop = live.table_events()
    assert isinstance(filled, ChipsFilled)
    assert isinstance(changed, ShiftChanged)
    assert isinstance(credited, ChipsCredited)
    assert isinstance(drop, DropCounted)
    assert [filled.shift, changed.shift, credited.shift, drop.shift] == ["day", "late", "late", "late"]
    assert (filled.amount, drop.amount) == (10_500, 700)


def test_the_drop_may_be_counted_when_the_table_has_closed(ledger: Ledger) -> None:
    """Domain §4.3: the closer is counted first, then the box is pulled."""
    live = Live(ledger)
    live.say("close-table", **CLOSE)
    assert live.say("count-drop", amount=700).applied


@pytest.mark.parametrize(
    ("command", "facts"),
    [
        ("close-table", CLOSE),
        ("change-shift", {"shift": "late"}),
        ("start-shoe", {"shoe": "S2", "decks": 8}),
        ("end-shoe", {"shoe": "S1"}),
        ("fill-chips", {"slip": "1", **CHIPS}),
        ("take-bank", {"holder": "p-1", "sum": 100}),
        ("pass-bank", {"holder": "p-1", "sum": 100}),
        ("retire-bank", {}),
        ("open-coup", {"shoe": "S1", "number": 1}),
        ("record-coup", {"shoe": "S1", "number": 1, "hands": {"player": "9 K", "banker": "7 Q"}}),
    ],
)
@pytest.mark.parametrize("was_open", [True, False], ids=["closed", "never-opened"])
def test_nothing_happens_at_a_table_that_is_not_open(
    ledger: Ledger, command: str, facts: dict[str, Any], was_open: bool
) -> None:
    night = Night("chemin-de-fer")
    if was_open:
        night.opens()
        night.say("close-table", **CLOSE)
    night.say(command, **facts)
    refused = play(ledger, night)[-1]
    assert (refused.outcome, refused.code) == ("refused", "table-not-open")


def test_tables_of_one_name_on_two_premises_are_two_tables(ledger: Ledger) -> None:
    night = Night().opens()
    night.coup(1, NINE_TO_SEVEN, "player 100")
    elsewhere = Night(prefix="d").opens(premises="club-2")
    elsewhere.lines[-1]["premises"] = "club-2"
    elsewhere.coup(1, NINE_TO_SEVEN, "player 100", premises="club-2")
    assert all(answer.applied for answer in play(ledger, [*night.lines, *elsewhere.lines]))
    assert topics_of(ledger, "coup/club-2/T1/S1/1") == topics_of(ledger, "coup/main/T1/S1/1")
