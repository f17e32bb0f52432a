"""What somebody looks for, read from a line of text: a coup, a moment or a span, a night, or a name.

Pure. People write the premises' own time; what comes out is aware UTC, half-open.

    PB1/2026-11-27-1/12    coup/main/PB1/2026-11-27-1/12      a coup
    PB1 21:05     PB1 27 Nov 2026 21:05     21:05-21:20       a moment or a span, at one table or all
    PB1 2026-11-27     PB1                                    a table's night
    PB1-04412     p-06a4db                                    a slip's number, or a patron's token
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

AROUND = timedelta(minutes=5)
"""A moment means so much before it and after it."""
_MINUTE, _SECOND = timedelta(minutes=1), timedelta(seconds=1)
_NAME = r"[A-Za-z0-9][A-Za-z0-9._:\-]{0,63}"
_COUP = re.compile(rf"(?:coup/)?(?:({_NAME})/)?({_NAME})/({_NAME})/([0-9]{{1,4}})")
_ONE_NAME = re.compile(_NAME)
_CLOCK = r"([01]?[0-9]|2[0-3])[:.]([0-5][0-9])(?:[:.]([0-5][0-9]))?"
_SPAN = re.compile(rf"{_CLOCK}(?:\s*(?:-|–|to)\s*{_CLOCK})?")
_ISO_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_BRITISH_DAY = re.compile(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})")
_TOLD_DAY = re.compile(r"([0-9]{1,2})\s+([A-Za-z]{3})[A-Za-z]*\s+([0-9]{4})")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ISO_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z|[+-][0-9]{2}:[0-9]{2})")


@dataclass(frozen=True, slots=True)
class AskedCoup:
    """A coup by its name. `premises` None: where one is."""

    premises: str | None
    table: str
    shoe: str
    number: int


@dataclass(frozen=True, slots=True)
class AskedSpan:
    """From `first` on and before `last`, aware UTC.

    Attributes:
        table: None: all.
        exact: of a moment, itself: the minute or the second that was written, half-open.
    """

    table: str | None
    first: datetime
    last: datetime
    exact: tuple[datetime, datetime] | None = None


@dataclass(frozen=True, slots=True)
class AskedNight:
    """A table's gaming day; None: its last."""

    table: str
    day: date | None


@dataclass(frozen=True, slots=True)
class AskedName:
    """A slip's number, a patron's token, or a table."""

    name: str


Asked = AskedCoup | AskedSpan | AskedNight | AskedName


def read_asked(text: str, zone: ZoneInfo, now: datetime) -> Asked | None:
    """What is looked for; None where it is nothing that can be.

    Args:
        zone: of the premises; times without one are in it.
        now: aware; a time without a day is the last one that has come.
    """
    text = " ".join(text.split())
    if found := _COUP.fullmatch(text):
        premises, table, shoe, number = found.groups()
        return AskedCoup(premises, table, shoe, int(number))
    try:
        return _dated(text, zone, now)
    except (ValueError, OverflowError):  # no such day, or too long ago
        return None


def _dated(text: str, zone: ZoneInfo, now: datetime) -> Asked | None:
    if found := _ISO_MOMENT.search(text):
        moment = datetime.fromisoformat(found[0]).astimezone(UTC)
        return _at_table(text.replace(found[0], " "), moment, moment + _SECOND, around=True)
    day, rest = _day_of(text)
    if found := _SPAN.search(rest):
        start, end = _times(found)
        first, last = _placed(day, start, end, zone, now)
        return _at_table(rest.replace(found[0], " "), first, last, around=end is None)
    name = rest.strip()
    if not _ONE_NAME.fullmatch(name):
        return None
    return AskedNight(name, day) if day else AskedName(name)


def _day_of(text: str) -> tuple[date | None, str]:
    """The day that is named, and the text without it; a day inside a name is the name's."""
    words = f" {text} "
    for shape in (_ISO_DAY, _BRITISH_DAY, _TOLD_DAY):
        for found in shape.finditer(words):
            if words[found.start() - 1] == words[found.end()] == " ":
                return _read_day(shape, found), (words[: found.start()] + words[found.end() :]).strip()
    return None, text


def _read_day(shape: re.Pattern[str], found: re.Match[str]) -> date:
    first, second, third = found.groups()
    if shape is _ISO_DAY:
        return date(int(first), int(second), int(third))
    month = int(second) if shape is _BRITISH_DAY else _MONTHS.index(second.lower()) + 1
    return date(int(third), month, int(first))


def _times(found: re.Match[str]) -> tuple[time, time | None]:
    start, end = found.groups()[:3], found.groups()[3:]
    return _time(start), _time(end) if end[0] else None


def _time(parts: tuple[str | None, ...]) -> time:
    hour, minute, second = (int(part or 0) for part in parts)
    return time(hour, minute, second)


def _placed(
    day: date | None, start: time, end: time | None, zone: ZoneInfo, now: datetime
) -> tuple[datetime, datetime]:
    """A span on the clock as one in time: after midnight where it ends before it begins."""
    local = now.astimezone(zone)
    of = day or (local.date() if start <= local.time() else local.date() - timedelta(days=1))
    first = datetime.combine(of, start, zone).astimezone(UTC)
    if end is None:
        return first, first + (_SECOND if start.second else _MINUTE)
    until = of + timedelta(days=1) if end <= start else of
    return first, datetime.combine(until, end, zone).astimezone(UTC)


def _at_table(rest: str, first: datetime, last: datetime, *, around: bool) -> AskedSpan | None:
    names = [word for word in rest.split() if word.lower() not in {"at", "on", "table"}]
    if len(names) > 1 or not all(_ONE_NAME.fullmatch(name) for name in names):
        return None
    table = names[0] if names else None
    if around:
        return AskedSpan(table, first - AROUND, last + AROUND, (first, last))
    return AskedSpan(table, first, last)
