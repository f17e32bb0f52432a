"""Moments as people read them: the premises' own time with its zone; gaming days by their own name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from ops.console.money import NOTHING


def _aware(moment: datetime | str) -> datetime:
    return datetime.fromisoformat(moment) if isinstance(moment, str) else moment


@pass_context
def moment(context: Context, value: datetime | str | None) -> Markup:
    """`28 Nov 2026, 21:05 GMT`, in the time of the page's premises. Comes as aware UTC, or as its text."""
    return _told(context, value, "%-d %b %Y, %H:%M %Z")


@pass_context
def clock(context: Context, value: datetime | str | None) -> Markup:
    """`21:05:11 GMT`, where the day stands beside it."""
    return _told(context, value, "%H:%M:%S %Z")


def _told(context: Context, value: datetime | str | None, shape: str) -> Markup:
    if value is None:
        return NOTHING
    utc = _aware(value)
    local = utc.astimezone(context["zone"])
    stamp = utc.isoformat().replace("+00:00", "Z")
    return Markup('<time datetime="{}">{}</time>').format(stamp, local.strftime(shape))


def day(value: date | str | None) -> Markup:
    """A gaming day: `Fri 27 Nov 2026`. It begins and ends when its tables do, not at midnight."""
    if value is None:
        return NOTHING
    of = date.fromisoformat(value) if isinstance(value, str) else value
    return Markup('<time datetime="{}">{}</time>').format(of.isoformat(), of.strftime("%a %-d %b %Y"))


FILTERS: Mapping[str, Callable[..., Any]] = {"moment": moment, "clock": clock, "day": day}
