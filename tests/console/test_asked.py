"""What somebody types into the search box, and what is understood by it."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from ops.console.asked import Asked, AskedCoup, AskedName, AskedNight, AskedSpan, read_asked

LONDON = ZoneInfo("Europe/London")
NOW = datetime(2026, 11, 28, 22, 35, tzinfo=UTC)


def asked(text: str, zone: ZoneInfo = LONDON, now: datetime = NOW) -> Asked | None:
    return read_asked(text, zone, now)


def utc(day: int, clock: str, month: int = 11, second: int = 0) -> datetime:
    hour, minute = clock.split(":")
    return datetime(2026, month, day, int(hour), int(minute), second, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "coup"),
    [
        ("PB1/S1/7", AskedCoup(None, "PB1", "S1", 7)),
        (" coup/main/PB1/2026-11-27-1/12 ", AskedCoup("main", "PB1", "2026-11-27-1", 12)),
        ("main/PB1/S1/7", AskedCoup("main", "PB1", "S1", 7)),
        ("coup/PB1/S1/7", AskedCoup(None, "PB1", "S1", 7)),
    ],
)
def test_a_coup_by_its_name(text: str, coup: AskedCoup) -> None:
    assert asked(text) == coup


@pytest.mark.parametrize(
    ("text", "table", "first", "last"),
    [
        ("PB1 27 Nov 2026 21:05", "PB1", utc(27, "21:00"), utc(27, "21:11")),
        ("PB1 2026-11-27 21:05", "PB1", utc(27, "21:00"), utc(27, "21:11")),
        ("27/11/2026 21:05 PB1", "PB1", utc(27, "21:00"), utc(27, "21:11")),
        ("PB1 at 21:05", "PB1", utc(28, "21:00"), utc(28, "21:11")),
        ("21.05", None, utc(28, "21:00"), utc(28, "21:11")),
        ("PB1 23:00", "PB1", utc(27, "22:55"), utc(27, "23:06")),  # has not come yet today
        ("PB1 21:00-21:20", "PB1", utc(28, "21:00"), utc(28, "21:20")),
        ("PB1 27 November 2026 23:50 to 0:10", "PB1", utc(27, "23:50"), utc(28, "0:10")),
        ("PB1 2026-11-27T21:05:00Z", "PB1", utc(27, "21:00"), utc(27, "21:10", second=1)),
    ],
)
def test_a_moment_or_a_span_at_a_table(text: str, table: str | None, first: datetime, last: datetime) -> None:
    """A moment is five minutes either way, and a minute without seconds is all of it."""
    found = asked(text)
    assert isinstance(found, AskedSpan)
    assert (found.table, found.first, found.last) == (table, first, last)
    assert (found.exact is None) is ("21:20" in text or "0:10" in text)


@pytest.mark.parametrize(
    ("text", "seconds"), [("PB1 21:05", 60), ("PB1 21:05:30", 1), ("PB1 2026-11-28T21:05:30Z", 1)]
)
def test_a_moment_is_the_minute_or_second_that_is_written(text: str, seconds: int) -> None:
    found = asked(text)
    assert isinstance(found, AskedSpan)
    assert found.exact is not None
    first, last = found.exact
    assert (last - first).total_seconds() == seconds
    assert first.replace(second=0) == utc(28, "21:05")


def test_times_are_those_of_the_premises() -> None:
    """21:05 in July is 20:05 UTC in London; in Macau, eight hours before it."""
    july = datetime(2026, 7, 3, 12, tzinfo=UTC)
    for zone, there in ((LONDON, "20:05"), (ZoneInfo("Asia/Macau"), "13:05")):
        found = asked("PB1 1 Jul 2026 21:05", zone, july)
        assert isinstance(found, AskedSpan)
        assert found.exact is not None
        assert found.exact[0] == utc(1, there, 7)


@pytest.mark.parametrize(
    ("text", "understood"),
    [
        ("PB1", AskedName("PB1")),
        ("p-06a4db", AskedName("p-06a4db")),
        ("PB1-04412", AskedName("PB1-04412")),
        ("2026-11-27-1", AskedName("2026-11-27-1")),  # a day inside a name is the name's
        ("PB1 2026-11-27", AskedNight("PB1", date(2026, 11, 27))),
        ("1 Dec 2026 PB1", AskedNight("PB1", date(2026, 12, 1))),
    ],
)
def test_a_name_or_a_night(text: str, understood: Asked) -> None:
    assert asked(text) == understood


@pytest.mark.parametrize(
    "text",
    [
        "",
        "two words",
        "PB1 2026-02-30",
        "<script>",
        "PB1/S1/x",
        "PB1 BB1 21:05",
        "1 Foo 2026 PB1",
        "0000-01-01 1:00",
    ],
)
def test_anything_else_is_not_understood(text: str) -> None:
    assert asked(text) is None
