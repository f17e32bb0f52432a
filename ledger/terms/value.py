"""The base of every value that is read from a tape or stored in an event."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeVar

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Strict


class Value(BaseModel):
    """A frozen value that knows its fields and refuses others."""

    model_config = ConfigDict(frozen=True, extra="forbid")


_Key = TypeVar("_Key", str, int)
_Held = TypeVar("_Held")


def in_order(members: dict[_Key, _Held]) -> dict[_Key, _Held]:
    """The members of a JSON object in the order of their keys.

    An object has no order (RFC 8259 §1), so what is said in another order must be the same command and the
    same bytes.
    """
    return dict(sorted(members.items()))


class _Text:
    """`value` of a word, which stands in the word's own dictionary too, where the interpreter looks first."""

    def __get__(self, word: Word | None, words: type[Word]) -> str:
        if word is None:
            raise AttributeError("value")
        return word._value_


class Word(StrEnum):
    """One of a few words, which is also its own text.

    `Enum` hashes in Python and finds its value in Python, and words are the keys of every table on the hot
    path and in every event that is written: here both cost what they cost of a text.
    """

    if not TYPE_CHECKING:  # gives the same text; a type checker would take it for one of the words
        value = _Text()

    def __init__(self, text: str) -> None:
        self.__dict__["value"] = text

    __hash__ = str.__hash__


_MOMENT_TEXT = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}", re.ASCII)
_DAY_TEXT = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def _written_as(value: object, shape: re.Pattern[str], what: str) -> object:
    # pydantic reads a number, also one in quotes, as seconds since 1970: a wrong day, silently.
    if isinstance(value, date) or (isinstance(value, str) and shape.match(value)):
        return value
    raise ValueError(what)


def _is_moment(value: object) -> object:
    return _written_as(value, _MOMENT_TEXT, "a moment is written as ISO 8601 text with an offset")


def _is_day(value: object) -> object:
    return _written_as(value, _DAY_TEXT, "a gaming day is written YYYY-MM-DD")


def _to_utc(value: datetime) -> datetime:
    if value.tzinfo is None:
        msg = "a moment needs an offset from UTC (such as Z or +01:00)"
        raise ValueError(msg)
    try:
        return value if value.tzinfo is UTC else value.astimezone(UTC)
    except OverflowError:
        msg = "in UTC this moment is outside the calendar"
        raise ValueError(msg) from None


Moment = Annotated[datetime, BeforeValidator(_is_moment), AfterValidator(_to_utc)]
"""An aware moment, held in UTC."""

StoredMoment = Annotated[AwareDatetime, Strict()]
"""A moment as events hold it: it has been a `Moment` before, so pydantic's core can check it alone."""

GamingDay = Annotated[date, BeforeValidator(_is_day)]
"""The day a table opened for; it stays that, whatever the clock says later."""
