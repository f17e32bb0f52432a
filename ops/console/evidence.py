"""Where a finding leads: the coup that it is about, or the table's night, or the gaming day's books."""

from __future__ import annotations

from typing import Any

from ops.console.desk import Desk


def lead(desk: Desk, name: str, **names: Any) -> str | None:
    """The address of a page, or None where there is none or this person may not see it."""
    from ops.console.catalogue import BY_NAME  # noqa: PLC0415 – pages import this module

    page = BY_NAME.get(name)
    return desk.address(page, **names) if page is not None and desk.may(page) else None


def evidence(desk: Desk, stream: str, gaming_day: str | None = None) -> str | None:
    """The page of what a stream is about.

    Args:
        gaming_day: of a table, where its stream does not say it.
    """
    kind, _, *names = stream.split("/")
    match kind, names:
        case "coup", [table, shoe, number]:
            found = lead(desk, "coup", table=table, shoe=shoe, number=number)
            return found or (lead(desk, "table", table=table, day=gaming_day) if gaming_day else None)
        case "table", [table, *day]:
            return lead(desk, "table", table=table, day=day[0] if day else gaming_day)
        case "day", [day]:
            return lead(desk, "reconciliation", day=day)
    return None


def about(stream: str) -> str:
    """What a stream is about, in a few words."""
    kind, _, *names = stream.split("/")
    match kind, names:
        case "coup", [table, shoe, number]:
            return f"{table}/{shoe}/{number}"
        case "table", [table, *_]:
            return f"table {table}"
        case "day", [day]:
            return f"gaming day {day}"
    return stream
