"""The base of every value that is read from a tape or stored in an event."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict


class Value(BaseModel):
    """A frozen value that knows its fields and refuses others."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Word(StrEnum):
    """One of a few words, which is also its own text.

    The hash is the text's: `Enum` hashes in Python, and words are the keys of every table on the hot path.
    """

    __hash__ = str.__hash__


def _is_text_or_moment(value: object) -> object:
    # pydantic would read a bare number as seconds since 1970: a clock in the wrong unit, silently.
    if isinstance(value, str | datetime):
        return value
    msg = "a moment is written as ISO 8601 text with an offset"
    raise ValueError(msg)


def _to_utc(value: datetime) -> datetime:
    if value.tzinfo is None:
        msg = "a moment needs an offset from UTC (such as Z or +01:00)"
        raise ValueError(msg)
    return value if value.tzinfo is UTC else value.astimezone(UTC)


Moment = Annotated[datetime, BeforeValidator(_is_text_or_moment), AfterValidator(_to_utc)]
"""An aware moment, held in UTC."""
