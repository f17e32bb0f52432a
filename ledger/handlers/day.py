"""What the commands about a gaming day touch, and which decisions they take."""

from __future__ import annotations

from typing import Any

from ledger import commands
from ledger.aggregates import day as days
from ledger.aggregates.draft import Draft
from ledger.handlers.streams import Streams


def record_count(streams: Streams, command: commands.RecordCount) -> Draft[Any]:
    """The cage counts a table's shift."""
    day = streams.day(command.premises, command.gaming_day)
    night = streams.night(command.premises, command.table, command.gaming_day)
    days.record_count(day, night.folded, command)
    return day


def close_day(streams: Streams, command: commands.CloseDay) -> Draft[Any]:
    """The day is signed off and sealed."""
    day = streams.day(command.premises, command.gaming_day)
    nights = [streams.night(command.premises, table, command.gaming_day).folded for table in day.state.tables]
    days.close_day(day, nights, command)
    return day


def book_adjustment(streams: Streams, command: commands.BookAdjustment) -> Draft[Any]:
    """A fact about a sealed day goes on an open one."""
    adjusted = streams.day(command.premises, command.adjusts)
    days.check_sealed(adjusted)
    open_day = streams.open_day(command.premises)
    days.book_adjustment(adjusted, open_day, command)
    return open_day
